# SPDX-License-Identifier: Apache-2.0
"""Drop-ins in the place of the originals, for a block."""
from __future__ import annotations

from collections.abc import Iterator
import contextlib
import importlib
import threading

from ._fallback import originals

_DROP_INS = {"scipy.ndimage": "skerry.ndimage", "skimage.measure": "skerry.skimage.measure",
             "skimage.morphology": "skerry.skimage.morphology", "skimage.segmentation": "skerry.skimage.segmentation",
             "cc3d": "skerry.cc3d", "cv2": "skerry.cv2"}
_lock = threading.Lock()


def _replace(module, drop_in):
    for name in drop_in.__all__:
        function = getattr(drop_in, name)
        if callable(function) and hasattr(module, name):
            originals[module.__name__, name] = getattr(module, name)
            setattr(module, name, function)


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Puts skerry's functions in the place of those of SciPy, scikit-image, cc3d and OpenCV that are installed.

    >>> import scipy.ndimage, skerry
    >>> with patched():
    ...     scipy.ndimage.label is skerry.ndimage.label
    True
    >>> scipy.ndimage.label is skerry.ndimage.label
    False

    It reaches callers that look functions up in their module, ``scipy.ndimage.label(...)``, in every thread; names that were
    imported before, ``from scipy.ndimage import label``, stay what they were. One such block at a time.
    """
    if not _lock.acquire(blocking=False):
        raise RuntimeError("patched(): is in use already")
    try:
        for name, drop_in in _DROP_INS.items():
            with contextlib.suppress(ImportError):
                _replace(importlib.import_module(name), importlib.import_module(drop_in))
        yield
    finally:
        for (name, function), original in originals.items():
            setattr(importlib.import_module(name), function, original)
        originals.clear()
        _lock.release()

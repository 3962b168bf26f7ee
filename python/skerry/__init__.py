# SPDX-License-Identifier: Apache-2.0
"""Connected components of images and volumes: labels, features, tracks and max-trees, fast and exact.

Images are NumPy arrays of 2 or 3 dimensions (of 1, too, for labels and tables), in any layout; they are read in place, and must not
change until the call returns. Calls release the GIL, may be made from any thread, and give the same bits for every number of threads.
Ctrl-C ends a call of the main thread, usually within 0.1 s, and may leave an ``out`` half written; calls in place on labels leave them
unchanged or finish.

* Components of an image: ``label`` (an image of labels), ``count``, ``measure`` (a table).
* Label images, whoever made them: ``measure_labels`` and ``measure_columns`` (tables), ``keep_regions``, ``relabel``, ``remap``,
  ``contacts``, ``outline``, ``show``.
* Grey images: ``max_tree``, whose methods filter and measure.
* Films: ``track``, ``Tracker``.
* Drop-ins for other libraries: ``skerry.ndimage``, ``skerry.skimage``, ``skerry.cc3d``, ``skerry.cv2``, ``patched``.
* Larger than memory: ``skerry.blocks``, ``skerry.dask``. For napari: ``skerry.napari``.
* Threads and GPUs: ``Engine``, ``show_config``, ``release_scratch``.
"""
import importlib as _importlib
import os as _os

from ._load import native as _native  # before the modules that use it
from . import ndimage
from ._components import count, label, measure
from ._config import release_scratch, show_config
from ._device import DeviceArray
from ._engine import Engine
from ._fallback import FallbackWarning
from ._labels import Labels
from ._outline import Outlines, outline
from ._patch import patched
from ._regions import column_groups, contacts, keep_regions, measure_columns, measure_labels
from ._relabel import relabel, remap
from ._show import show
from ._table import Table
from ._track import TrackEvent, TrackedFrame, Tracker, track
from ._tree import MaxTree, max_tree

__version__ = _native.version
_MODULES = "blocks", "cc3d", "cv2", "dask", "napari", "skimage"  # imported on first use
__all__ = ["DeviceArray", "Engine", "FallbackWarning", "Labels", "MaxTree", "Outlines", "Table", "TrackEvent", "TrackedFrame",
           "Tracker", "column_groups", "contacts", "count", "keep_regions", "label", "max_tree", "measure", "measure_columns", "measure_labels",
           "ndimage", "outline", "patched", "relabel", "release_scratch", "remap", "show", "show_config", "track"]


def __getattr__(name):
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *_MODULES})


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forget_engines)

# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: other people's tests run with skerry's functions in the place of theirs. script/test-peers uses it.

Once tests are collected, functions are replaced in their modules, and in test modules that imported them by name.
"""
import collections
import sys

import skerry
from skerry import _fallback, _pixels, _places, _statistics, cc3d, cv2, ndimage
from skerry.skimage import _extrema, _properties, _small, measure, morphology, segmentation

_left = collections.Counter()
_patch = skerry.patched()


def _count_what_is_left():
    original = _fallback.original

    def counted(module, name, reason, stacklevel=3):
        _left[f"{module}.{name}: {reason}"] += 1
        return original(module, name, reason, stacklevel + 1)

    for module in (_extrema, _fallback, _pixels, _places, _properties, _small, _statistics, cc3d, cv2, measure, morphology, ndimage,
                   segmentation):
        module.original = counted


def _drop_ins():
    """Skerry's function for the identity of each original."""
    modules = {"scipy.ndimage": ndimage, "skimage.measure": measure, "skimage.morphology": morphology,
               "skimage.segmentation": segmentation, "cc3d": cc3d, "cv2": cv2}
    found = {id(original): getattr(modules[module], name) for (module, name), original in _fallback.originals.items()}
    if "skimage.measure._ccomp" in sys.modules:  # scikit-image's tests call what its label() calls
        found[id(sys.modules["skimage.measure._ccomp"].label_cython)] = measure.label
    return found


def pytest_collection_finish(session):
    _count_what_is_left()
    _patch.__enter__()
    replaced = _drop_ins()
    for module in {item.module for item in session.items}:
        for name, value in list(vars(module).items()):
            if id(value) in replaced:
                setattr(module, name, replaced[id(value)])


def pytest_unconfigure(config):
    if _fallback.originals:
        _patch.__exit__(None, None, None)


def pytest_terminal_summary(terminalreporter):
    for name, calls in sorted(_left.items()):
        terminalreporter.write_line(f"left to the original: {calls} calls of {name}")

# SPDX-License-Identifier: Apache-2.0
"""Connected components of images and volumes: labels, features, tracks and max-trees, fast and exact.

Images are NumPy arrays of 2 or 3 dimensions, for labels and tables also of 1, in any layout; they are read in place. Calls release the GIL, may be
made from any thread, and give the same bits for every number of threads. Ctrl-C ends a call of the main thread, usually within
0.1 s; what it wrote to an ``out`` is then unspecified.
"""
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
__all__ = ["DeviceArray", "Engine", "FallbackWarning", "Labels", "MaxTree", "Outlines", "Table", "TrackEvent", "TrackedFrame",
           "Tracker", "column_groups", "contacts", "count", "keep_regions", "label", "max_tree", "measure", "measure_columns", "measure_labels",
           "ndimage", "outline", "patched", "relabel", "release_scratch", "remap", "show", "show_config", "track"]

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.forget_engines)

# SPDX-License-Identifier: Apache-2.0
"""Many calls: from threads and forked processes at once, and one after the other without a growing process."""
import concurrent.futures
import gc
import multiprocessing
import os
import resource

import numpy as np
import pytest

import skerry
from skerry import cc3d, cv2, ndimage
from skerry.skimage import measure, morphology, segmentation

IMAGE = np.random.default_rng(0).integers(0, 4, (24, 30), dtype=np.uint8)
LABELS = skerry.label(IMAGE, equal=True, connectivity=4).image.astype(np.int32)
# SKERRY_CALLS=100000 makes so many calls of each function.
CALLS = int(os.environ.get("SKERRY_CALLS", "2000"))

FUNCTIONS = {
    "label": lambda: skerry.label(IMAGE).image,
    "measure": lambda: skerry.measure(IMAGE, IMAGE, moments=True)["eccentricity"],
    "measure_columns": lambda: skerry.measure_columns(LABELS, ["area", "perimeter"])["perimeter"],
    "max_tree": lambda: skerry.max_tree(IMAGE).area_opening(20),
    "outline": lambda: skerry.outline(LABELS).vertices,
    "relabel": lambda: skerry.relabel(LABELS)[0],
    "contacts": lambda: skerry.contacts(LABELS)["faces-0"],
    "ndimage": lambda: ndimage.sum_labels(IMAGE, ndimage.label(IMAGE)[0], [1, 2, 3]),
    "regionprops": lambda: measure.regionprops_table(LABELS, properties=("label", "centroid"))["centroid-0"],
    "h_maxima": lambda: morphology.h_maxima(IMAGE, 2),
    "clear_border": lambda: segmentation.clear_border(IMAGE),
    "cc3d": lambda: cc3d.statistics(cc3d.connected_components(IMAGE))["centroids"],
    "cv2": lambda: cv2.connectedComponentsWithStats(IMAGE)[2],
    "a refused call": lambda: refused(),
}


def refused():
    with pytest.raises(ValueError, match="^connectivity"):
        skerry.label(IMAGE, connectivity=5)
    return IMAGE


def answers(_=None):
    return [np.asarray(function()).tobytes() for function in FUNCTIONS.values()]


def test_eight_threads_at_once():
    expected = answers()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(answers, range(24))) == [expected] * 24


def test_pools_of_forked_processes():
    expected = answers()  # the parent's engines exist when it forks
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map_async(answers, range(6)).get(timeout=120) == [expected] * 6


def resident():
    """MiB of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


@pytest.mark.parametrize("name", FUNCTIONS)
def test_calls_leave_nothing_behind(name):
    function = FUNCTIONS[name]
    for _ in range(100):
        function()
    gc.collect()
    before = resident()
    for _ in range(CALLS):
        function()
    gc.collect()
    assert resident() - before < 1, f"{CALLS} calls of {name} have left {resident() - before:.1f} MiB"

# SPDX-License-Identifier: Apache-2.0
"""Arrays that say that they are on a GPU are refused by name."""
import numpy as np
import pytest

import skerry


class Interface:
    """What an array with __cuda_array_interface__ says."""

    __cuda_array_interface__ = {"shape": (4, 5), "typestr": "|u1", "data": (4096, False), "version": 3, "strides": None}


class OnGpu:
    """An array that says by DLPack that it is on a GPU, or managed by one."""

    def __init__(self, place):
        self.place = place

    def __dlpack_device__(self):
        return self.place, 0

    def __array__(self, dtype=None, copy=None):
        raise TypeError("no implicit copies")


@pytest.mark.parametrize("call", [
    skerry.label, skerry.count, skerry.measure, skerry.max_tree, skerry.contacts, skerry.outline, skerry.measure_labels,
    skerry.measure_columns, skerry.relabel, lambda labels: skerry.remap(labels, {1: 2}), lambda labels: skerry.keep_regions(labels, {})])
@pytest.mark.parametrize("array", [Interface(), OnGpu(2), OnGpu(13)], ids=["interface", "DLPack", "managed"])
def test_arrays_of_a_gpu_are_refused_by_name(call, array):
    with pytest.raises((TypeError, ValueError), match="^(image|labels): is in memory of a GPU; copy it to host memory, as cupy.asnumpy"):
        call(array)


def test_labels_go_to_other_libraries_by_dlpack():
    labels = skerry.label(np.array([[1, 0, 1]], np.uint8))
    assert np.shares_memory(np.from_dlpack(labels), labels.image)

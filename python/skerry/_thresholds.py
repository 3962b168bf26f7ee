# SPDX-License-Identifier: Apache-2.0
"""Otsu's threshold of an image in blocks: that of one call, bit for bit."""
import functools

import numpy

from . import _native


def counted_range(dtype):
    """All values of a type that has few of them, so that they are counted in one pass; None for others."""
    if dtype == bool:
        return 0, 1
    return (int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max)) if dtype.kind in "iu" and dtype.itemsize <= 2 else None


def range_of(block):
    """The smallest and the largest finite value of a block."""
    return _native.range_of_values(numpy.asarray(block))


def join_ranges(ranges):
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def counts_of(block, limits):
    """How many pixels of a block are in each bin of Otsu's method for an image with values between the limits."""
    return _native.count_values(numpy.asarray(block), *limits)


def join_counts(counts):
    return functools.reduce(numpy.add, counts)


def bound_of(counts, limits, *, dtype):
    """Otsu's threshold, from the counts of all blocks."""
    if counted_range(dtype) is not None:  # the bins are those of the values that there are
        there = numpy.flatnonzero(counts)
        if there.size:
            low = limits[0]
            limits, counts = (low + int(there[0]), low + int(there[-1])), counts[there[0]:there[-1] + 1]
    return _native.otsu_threshold(numpy.empty((0, 0), dtype), *limits, counts)

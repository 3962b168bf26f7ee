# SPDX-License-Identifier: Apache-2.0
"""The measurements of scipy.ndimage: values of an array by label.

Sums are exact, but for floats below 2^-99 of the largest magnitude of their region, and rounded once; SciPy rounds at each pixel.
"""
import numpy

from . import _device_drop_ins as on_device
from . import _native
from ._connectivity import NEIGHBOURS, as_image
from ._fallback import original
from ._regions import _bits
from ._table import Table

_MODULE = "scipy.ndimage"
_COLUMNS = {"sum_labels": "intensity_sum", "mean": "intensity_mean", "standard_deviation": "intensity_std"}
_EXACT = 2**53  # up to here columns hold integers exactly


def _as_regions(array):
    """The array as an image; of more than 3 dimensions its pixels in one row."""
    return as_image(array) if array.ndim in NEIGHBOURS else array.reshape(1, -1)


def _one_group(input, labels, index):
    """The values of a single group of pixels, or None when index is an array of labels."""
    if labels is None:
        return input
    if index is not None and not numpy.isscalar(index):
        return None
    input, labels = numpy.broadcast_arrays(input, labels)
    return input[labels > 0] if index is None else input[labels == index]


def _readable(input, labels, index):
    """Input and labels of one shape, and the bits of the index; or why SciPy has to do it."""
    input, labels = numpy.broadcast_arrays(input, labels)
    if labels.dtype.kind not in "biu" or not labels.dtype.isnative or labels.ndim == 0:
        return f"labels: {labels.ndim} dimensions of {labels.dtype}"
    if input.dtype.kind not in "biuf" or input.dtype.itemsize > 8 or not input.dtype.isnative:
        return f"input: dtype {input.dtype}"
    try:
        return input, labels, _bits(index, labels.dtype, "index")
    except (TypeError, ValueError) as problem:
        return str(problem)


def _table(input, labels, index):
    """A row of features for each label of an array, or why SciPy has to do it."""
    arrays = _readable(input, labels, index)
    if isinstance(arrays, str):
        return arrays
    pixels, regions, bits = arrays
    return Table(_native.measure_labels(_as_regions(regions), _as_regions(pixels), bits, None, False, None, "", None))


def _feature(name, input, labels, index, of_values, of_table):
    """One number for each label; ``of_table`` gives None for what SciPy has to do."""
    if on_device.is_cupy(input):
        return on_device.feature(name, _COLUMNS.get(name), input, labels, index)
    array = numpy.asarray(input)
    values = _one_group(array, labels, index)
    if values is not None:
        return of_values(values)
    table = _table(array, labels, index)
    found, reason = (None, table) if isinstance(table, str) else (of_table(table, array), "input: NaN or large integers")
    if found is None:
        return original(_MODULE, name, reason)(input, labels, index)
    return found.reshape(numpy.shape(index))


def sum_labels(input, labels=None, index=None):
    """The sum of the values of each label, as scipy.ndimage.sum_labels gives it.

    >>> sum_labels([[1, 2, 3, 4]], [[1, 1, 2, 0]], index=[1, 2, 3])
    array([3., 3., 0.])

    Parameters
    ----------
    input : array
    labels : array of integers
        Broadcast against input; without it all values are one group.
    index : label, or sequence of labels
        Which labels; without it all above 0 are one group.
    """
    return _feature("sum_labels", input, labels, index, numpy.sum, lambda table, _: table["intensity_sum"])


sum = sum_labels


def mean(input, labels=None, index=None):
    """The mean of the values of each label, as scipy.ndimage.mean; NaN for a label without pixels."""
    return _feature("mean", input, labels, index, lambda values: values.sum() / numpy.float64(values.size),
                    lambda table, _: table["intensity_mean"])


def _squared_deviations(values):
    centred = values - values.mean()
    return (centred * centred.conjugate()).sum() / numpy.float64(values.size)


def _variances(table, input, labels, index):
    """Of whole numbers from sums and sums of squares, where these are exact; else from standard deviations."""
    if numpy.abs(table["intensity_sum"]).max(initial=0) < _EXACT and numpy.array_equal(input, numpy.rint(input.astype(float))):
        squares = _table(numpy.square(input.astype(float)), labels, index)["intensity_sum"]
        count = numpy.maximum(table["area"], 1)
        most = max(squares.max(initial=0) * count.max(initial=1), numpy.square(table["intensity_sum"]).max(initial=0))
        if most < _EXACT:
            found = (squares * count - numpy.square(table["intensity_sum"])) / numpy.square(count)
            return numpy.where(table["area"] > 0, found, numpy.nan)
    return table["intensity_std"] ** 2


def variance(input, labels=None, index=None):
    """The variance of the values of each label, as scipy.ndimage.variance; NaN for a label without pixels."""
    return _feature("variance", input, labels, index, _squared_deviations,
                    lambda table, array: _variances(table, array, labels, index))


def standard_deviation(input, labels=None, index=None):
    """The standard deviation of the values of each label, as scipy.ndimage.standard_deviation.

    >>> standard_deviation([[1, 3, 5, 5]], [[1, 1, 2, 2]], index=[1, 2])
    array([1., 0.])
    """
    return _feature("standard_deviation", input, labels, index, lambda values: numpy.sqrt(_squared_deviations(values)),
                    lambda table, _: table["intensity_std"])


def _extreme(column):
    def of_table(table, input):
        there = table["area"] > 0
        values = numpy.where(there, table[column], 0)
        if input.dtype.kind == "f" and numpy.isnan(table["intensity_sum"][there]).any():
            return None
        if input.dtype.kind in "iu" and numpy.abs(values).max(initial=0) >= _EXACT:
            return None
        return values.astype(input.dtype)

    return of_table


def minimum(input, labels=None, index=None):
    """The smallest value of each label, as scipy.ndimage.minimum; 0 for a label without pixels.

    >>> minimum([[7, 2, 3]], [[1, 1, 2]], index=[1, 2])
    array([2, 3])
    """
    return _feature("minimum", input, labels, index, numpy.min, _extreme("intensity_min"))


def maximum(input, labels=None, index=None):
    """The largest value of each label, as scipy.ndimage.maximum; 0 for a label without pixels."""
    return _feature("maximum", input, labels, index, numpy.max, _extreme("intensity_max"))


def center_of_mass(input, labels=None, index=None):
    """The mean coordinates of each label's pixels, weighted by their values, as scipy.ndimage.center_of_mass.

    >>> print(*center_of_mass(numpy.ones((2, 3))))
    0.5 1.0
    """
    if on_device.is_cupy(input):
        return original(on_device.CUPYX, "center_of_mass", "input: an array of CuPy")(input, labels, index)
    input = numpy.asarray(input)
    total = sum_labels(input, labels, index)
    axes = numpy.ogrid[tuple(slice(0, side) for side in input.shape)]
    means = [sum_labels(input * axis.astype(float), labels, index) / total for axis in axes]
    if numpy.isscalar(means[0]):
        return tuple(means)
    return [tuple(row) for row in numpy.array(means).T]

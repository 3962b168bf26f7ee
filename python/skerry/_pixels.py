# SPDX-License-Identifier: Apache-2.0
"""The measurements of scipy.ndimage that list the pixels of each label."""
import numpy

from ._fallback import original
from ._relabel import relabel
from ._statistics import _MODULE, _as_regions


def value_indices(arr, *, ignore_value=None):
    """The places of each value of an array, as scipy.ndimage.value_indices gives them.

    >>> places = value_indices(numpy.array([[5, 0], [5, 5]]), ignore_value=0)
    >>> {int(value): [axis.tolist() for axis in indices] for value, indices in places.items()}
    {5: [[0, 1, 1], [0, 0, 1]]}

    Parameters
    ----------
    arr : array of integers
        Of at least 1 dimension; others are left to SciPy.
    ignore_value : int
        A value that is left out.

    Returns
    -------
    dict of tuples
        For each value, ascending, an array of indices for each axis, in C order.
    """
    array = numpy.asarray(arr)
    if array.dtype.kind not in "iu" or array.size == 0 or array.ndim == 0:
        return original(_MODULE, "value_indices", f"arr: shape {array.shape} of {array.dtype}")(arr, ignore_value=ignore_value)
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    kind = numpy.uint16 if native.itemsize == 1 else numpy.uint32 if native.size < 2**32 else numpy.uint64
    numbers, values = relabel(_as_regions(native), background=None, order="ascending", dtype=kind)
    if len(values) < 2**16:
        numbers = numbers.astype(numpy.uint16, copy=False)  # NumPy sorts these in linear time
    ends = numpy.cumsum(numpy.bincount(numbers.ravel()))
    places = numpy.unravel_index(numpy.argsort(numbers, axis=None, kind="stable"), array.shape)
    ignored = None if ignore_value is None else native.dtype.type(ignore_value)
    shares = zip(values.astype(native.dtype, copy=False), ends[:-1], ends[1:])
    return {value: tuple(axis[begin:end] for axis in places) for value, begin, end in shares if value != ignored}


def _wanted(index, labels):
    """The index in the type of the labels, if it holds its numbers."""
    found = index.astype(labels.dtype)
    if numpy.any(found.astype(index.dtype) != index):
        raise ValueError(f"Cannot convert index values from <{index.dtype}> to <{labels.dtype}> (labels' type) without loss of "
                         "precision")
    return found


def _shares(labels, wanted):
    """Raveled places of each wanted label, which ascend."""
    numbers = numpy.minimum(numpy.searchsorted(wanted, labels), len(wanted) - 1)
    there = numpy.flatnonzero(wanted[numbers] == labels)
    numbers = numbers[there]
    ends = numpy.cumsum(numpy.bincount(numbers, minlength=len(wanted)))
    return numpy.split(there[numpy.argsort(numbers, kind="stable")], ends[:-1])


def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """Calls a function with the values of each label, as scipy.ndimage.labeled_comprehension does.

    >>> labeled_comprehension([[1, 2, 9, 4]], [[1, 1, 1, 2]], [1, 2, 3], max, int, -1)
    array([ 9,  4, -1])

    Parameters
    ----------
    input : array
    labels : array
        Broadcast against input; without it all values are one group.
    index : label, or sequence of labels
        Which labels; without it all above 0 are one group.
    func : function
        Of the values of a label, in C order; with ``pass_positions`` also of their raveled places.
    out_dtype, default
        Type of the result, and its value for a label without pixels.
    """
    values = numpy.asarray(input)
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        groups = [numpy.arange(values.size)]
    else:
        values, labels = numpy.broadcast_arrays(values, labels)
        groups = [numpy.flatnonzero(labels > 0)]
    flat = values.ravel()

    def call(places):
        return func(flat[places], places) if pass_positions else func(flat[places])

    if index is None:
        return call(groups[0])
    given = numpy.atleast_1d(index)
    wanted, row = numpy.unique(_wanted(given, labels).ravel(), return_inverse=True)
    found = numpy.full(len(wanted), default, out_dtype)
    for number, places in enumerate(_shares(labels.ravel(), wanted) if len(wanted) else []):
        if len(places):
            found[number] = call(places)
    found = found[row].reshape(given.shape)
    return found[0] if numpy.isscalar(index) else found

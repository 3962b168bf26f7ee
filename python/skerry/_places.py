# SPDX-License-Identifier: Apache-2.0
"""The measurements of scipy.ndimage that are no sums: places, medians, histograms and boxes by label."""
import numpy

from . import _native
from ._connectivity import NEIGHBOURS, as_image
from ._fallback import original
from ._statistics import _EXACT, _MODULE, _as_regions, _one_group, _readable
from ._table import Table

_MOST_BINS = 2**20  # that the extension counts at a time


def _comparable(input, labels, index):
    """As _readable; also leaves NaN to SciPy, whose places follow from its sort, and integers that no float64 holds."""
    arrays = _readable(input, labels, index)
    if isinstance(arrays, str):
        return arrays
    if input.dtype.kind == "f" and numpy.isnan(input).any():
        return "input: NaN"
    if input.dtype.kind in "iu" and input.dtype.itemsize == 8 and numpy.abs(input.astype(float)).max(initial=0) >= _EXACT:
        return "input: integers beyond 2^53"
    return arrays


def _indices(places, shape):
    """Of places (z, y, x) the indices into the raveled array; 0 for labels without pixels, as in SciPy."""
    axes = numpy.maximum(places.reshape(-1, 3).T, 0)
    if len(shape) not in NEIGHBOURS:
        return axes[2]
    return numpy.ravel_multi_index(tuple(axes[3 - len(shape):]), shape)


def _group_extrema(array, labels, index):
    values = _one_group(array, labels, index)
    if values is None:
        return None
    positions = _one_group(numpy.arange(array.size).reshape(array.shape), labels, index)
    low, high = values.min(), values.max()
    return low, high, positions[values == low][0], positions[values == high][0]


def _extrema(array, labels, index):
    """Values and raveled places of minima and maxima, or why SciPy has to do it."""
    found = _group_extrema(array, labels, index)
    if found is not None:
        return found
    arrays = _comparable(array, labels, index)
    if isinstance(arrays, str):
        return arrays
    pixels, regions, bits = arrays
    _, smallest, largest = _native.extrema(_as_regions(regions), _as_regions(pixels), bits, None, None)
    parts = [numpy.where(numpy.isnan(values), 0, values).astype(array.dtype) for values, _ in (smallest, largest)]
    parts += [_indices(places, pixels.shape) for _, places in (smallest, largest)]
    return tuple(part.reshape(numpy.shape(index)) for part in parts)


def _coordinates(position, shape):
    """As SciPy gives them: a tuple, or a list of tuples."""
    if numpy.isscalar(position):
        return numpy.unravel_index(position, shape)
    return list(zip(*numpy.unravel_index(position.ravel(), shape)))


def extrema(input, labels=None, index=None):
    """The smallest and the largest value of each label and their first places, as scipy.ndimage.extrema gives them.

    >>> lowest, highest, place_of_lowest, place_of_highest = extrema([[7, 2, 3]], [[1, 1, 2]], index=[1, 2])
    >>> lowest, highest
    (array([2, 3]), array([7, 3]))
    """
    array = numpy.asarray(input)
    found = _extrema(array, labels, index)
    if isinstance(found, str):
        return original(_MODULE, "extrema", found)(input, labels, index)
    return found[0], found[1], _coordinates(found[2], array.shape), _coordinates(found[3], array.shape)


def minimum_position(input, labels=None, index=None):
    """The place of the smallest value of each label, as scipy.ndimage.minimum_position; of equal ones the first."""
    array = numpy.asarray(input)
    found = _extrema(array, labels, index)
    if isinstance(found, str):
        return original(_MODULE, "minimum_position", found)(input, labels, index)
    return _coordinates(found[2], array.shape)


def maximum_position(input, labels=None, index=None):
    """The place of the largest value of each label, as scipy.ndimage.maximum_position; of equal ones the first."""
    array = numpy.asarray(input)
    found = _extrema(array, labels, index)
    if isinstance(found, str):
        return original(_MODULE, "maximum_position", found)(input, labels, index)
    return _coordinates(found[3], array.shape)


def median(input, labels=None, index=None):
    """The median of the values of each label, as scipy.ndimage.median; NaN for a label without pixels.

    >>> median([[1, 2, 9, 4]], [[1, 1, 1, 2]], index=[1, 2])
    array([2., 4.])
    """
    array = numpy.asarray(input)
    values = _one_group(array, labels, index)
    if values is not None:
        return numpy.median(values)
    arrays = _comparable(array, labels, index)
    if isinstance(arrays, str):
        return original(_MODULE, "median", arrays)(input, labels, index)
    pixels, regions, bits = arrays
    _, found = _native.quantiles(_as_regions(regions), _as_regions(pixels), [0.5], bits, None, None)
    return found.astype(array.dtype if array.dtype.kind == "f" else float).reshape(numpy.shape(index))


def histogram(input, min, max, bins, labels=None, index=None):
    """Counts the values of each label in bins of the same width, as scipy.ndimage.histogram does.

    >>> histogram([[1, 2, 9, 4]], 0, 10, 2, [[1, 1, 1, 2]], index=[1, 2]).tolist()
    [array([2, 1]), array([1, 0])]
    """
    array = numpy.asarray(input)
    edges = numpy.linspace(min, max, bins + 1)
    values = _one_group(array, labels, index) if index is None else None
    if values is not None:
        return numpy.histogram(values, edges)[0]
    arrays = "index: labels are missing" if labels is None else _readable(array, labels, index)
    if isinstance(arrays, str) or numpy.ndim(index) > 1 or not min < max or not 1 <= bins <= _MOST_BINS:
        reason = arrays if isinstance(arrays, str) else "index, min, max or bins: outside what skerry handles"
        return original(_MODULE, "histogram", reason)(input, min, max, bins, labels, index)
    pixels, regions, bits = arrays
    _, counts = _native.histograms(_as_regions(regions), _as_regions(pixels), edges.tolist(), bits, None, None)
    found = numpy.empty(len(bits), object)
    for row, (label, count) in enumerate(zip(numpy.ravel(index), counts.reshape(-1, bins))):
        found[row] = count if count.any() or (regions == label).any() else None
    return found[0] if numpy.isscalar(index) else found


def find_objects(input, max_label=0):
    """Slices of the box of each label, as scipy.ndimage.find_objects gives them.

    >>> find_objects(numpy.array([[1, 1, 0], [0, 0, 3]]))
    [(slice(0, 1, None), slice(0, 2, None)), None, (slice(1, 2, None), slice(2, 3, None))]

    Parameters
    ----------
    input : array of labels
    max_label : int
        The largest label whose box is wanted; by default that of the array.

    Returns
    -------
    list
        Item i is a tuple of slices for label i + 1, or None if there is no such label.
    """
    labels = numpy.asarray(input)
    if labels.dtype.kind not in "iu" or labels.ndim not in NEIGHBOURS or not labels.dtype.isnative:
        reason = f"input: {labels.ndim} dimensions of {labels.dtype}"
        return original(_MODULE, "find_objects", reason)(input, max_label)
    most = max_label if max_label >= 1 else int(labels.max())
    table = Table(_native.measure_labels(as_image(labels), None, None, True, False, None, "", None))
    boxes = [None] * max(most, 0)
    rank = max(labels.ndim, 2)
    axes = range(rank - labels.ndim, rank)
    sides = [map(slice, table[f"bbox-{axis}"].tolist(), table[f"bbox-{axis + rank}"].tolist()) for axis in axes]
    for label, box in zip(table["label"].tolist(), zip(*sides)):
        if label <= most:
            boxes[label - 1] = box
    return boxes

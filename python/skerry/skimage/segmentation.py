# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of skimage.segmentation, as of version 0.26."""
import numpy

from .. import _native
from .._components import _choice
from .._connectivity import NEIGHBOURS, as_image
from .._fallback import original, the_rest_of
from .._relabel import relabel
from ._array_map import ArrayMap

__all__ = ["clear_border", "join_segmentations", "relabel_sequential"]

_MODULE = "skimage.segmentation"

__getattr__ = the_rest_of(_MODULE)


def _touched(labels, count, outside):
    """Whether each label is at one of the places outside."""
    touched = numpy.zeros(count + 1, bool)
    for place in outside:
        touched[labels[place]] = True
    return touched


def _frame(shape, width):
    """Slices of the pixels fewer than ``width`` from an end of an axis."""
    for axis, side in enumerate(shape):
        before = (slice(None),) * axis
        yield *before, slice(width)
        yield *before, slice(max(side - width, 0), None)


def clear_border(labels, buffer_size=0, bgval=0, mask=None, *, out=None):
    """Removes the objects that touch the border of an image, as skimage.segmentation.clear_border does.

    >>> clear_border(numpy.array([[0, 0, 0, 0], [0, 7, 0, 5], [0, 0, 0, 0]]))
    array([[0, 0, 0, 0],
           [0, 7, 0, 0],
           [0, 0, 0, 0]])

    Parameters
    ----------
    labels : array of 1, 2 or 3 dimensions
        Of bool or integers. Objects are connected components of equal values, along all axes.
    buffer_size : int
        Objects fewer than so many pixels from the border are removed, too.
    bgval : number
        What removed objects become.
    mask : array of bool
        Objects at pixels that are False are removed, instead.
    out : array
        Is written, and may be ``labels``.
    """
    if mask is None and any(buffer_size >= side for side in labels.shape):
        raise ValueError("buffer size may not be greater than labels size")
    if labels.ndim not in NEIGHBOURS or labels.dtype.kind not in "biu":
        reason = f"labels: {labels.ndim} dimensions of {labels.dtype}"
        return original(_MODULE, "clear_border", reason)(labels, buffer_size, bgval, mask, out=out)
    if mask is not None and mask.shape != labels.shape:
        raise ValueError(f"labels and mask should have the same shape but are {labels.shape} and {mask.shape}")
    if mask is not None and mask.dtype != bool:
        raise TypeError("mask should be of type bool.")
    if out is None:
        out = labels.copy()
    else:
        out[:] = labels
    joins = {} if out.dtype == bool else {"equal": True}
    read = out.astype(out.dtype.newbyteorder("="), copy=False)
    parts, count = _native.label(as_image(read), _choice(connectivity=NEIGHBOURS[out.ndim][-1], **joins), None, None, None)
    parts = parts.reshape(out.shape)
    outside = _frame(out.shape, buffer_size + 1) if mask is None else [~mask]
    out[_touched(parts, count, outside)[parts]] = bgval
    return out


def _type_up_to(largest, given):
    """The given integer type if it holds more than the largest label, or else the smallest unsigned one that holds it."""
    return given if largest < numpy.iinfo(given).max else numpy.min_scalar_type(largest)


def _renumbered(labels, offset):
    """Labels from ``offset``, as relabel_sequential gives them, the old and the new ones."""
    native = labels.astype(labels.dtype.newbyteorder("="), copy=False)
    rows = native if native.ndim in (2, 3) else native.reshape(1, -1)
    numbers, old = relabel(rows, order="ascending")
    largest = offset + len(old) - 1 if len(old) else 0
    kind = _type_up_to(largest, native.dtype)
    if len(old) and (kind != numbers.dtype or offset != 1):
        numbers = numpy.where(numbers > 0, numbers.astype(kind) + kind.type(offset - 1), kind.type(0))
    new = numpy.arange(offset, offset + len(old)).astype(kind)
    if (native == 0).any():
        old, new = numpy.concatenate([[0], old]), numpy.concatenate([[0], new])
    return numbers.reshape(labels.shape), old.astype(native.dtype), new.astype(kind)


def relabel_sequential(label_field, offset=1):
    """Numbers labels from ``offset`` without gaps, in their order, as skimage.segmentation.relabel_sequential does.

    >>> labels, forward, inverse = relabel_sequential(numpy.array([9, 0, 4]))
    >>> labels, int(forward[9]), int(inverse[1])
    (array([2, 0, 1]), 2, 4)

    Parameters
    ----------
    label_field : array of integers of at least 0
        Of any number of dimensions. 0 stays 0.
    offset : int
        The first label, at least 1.

    Returns
    -------
    (labels, forward, inverse)
        The maps have the interface of scikit-image's ArrayMap. Labels keep their type if it holds them.
    """
    labels = numpy.asarray(label_field)
    if offset <= 0:
        raise ValueError("Offset must be strictly positive.")
    if labels.dtype.kind not in "iu":
        raise TypeError("label_field must have an integer dtype")
    if labels.min() < 0:
        raise ValueError("Cannot relabel array that contains negative values.")
    numbers, old, new = _renumbered(labels, int(offset))
    return numbers, ArrayMap(old, new), ArrayMap(new, old)


def join_segmentations(s1, s2, return_mapping=False):
    """Numbers the intersections of the regions of two label images, as skimage.segmentation.join_segmentations does.

    >>> join_segmentations(numpy.array([[0, 1, 1]]), numpy.array([[0, 0, 2]]))
    array([[0, 1, 2]])

    Parameters
    ----------
    s1, s2 : arrays of integers of at least 0
        Of one shape.
    return_mapping : bool
        Returns maps from the labels of the result to those of s1 and s2, too.

    Returns
    -------
    labels, or (labels, map to s1, map to s2)
        0 where both are 0; else 1..n in the order of the labels of s1, then s2.
    """
    if s1.shape != s2.shape:
        raise ValueError(f"Cannot join segmentations of different shape. s1.shape: {s1.shape}, s2.shape: {s2.shape}")
    first, _, from_first = relabel_sequential(s1)
    second, _, from_second = relabel_sequential(s2)
    factor = int(second.max()) + 1
    pairs = first.astype(numpy.int64) * factor + second.astype(numpy.int64)
    joined, _, inverse = relabel_sequential(pairs)
    kind = numpy.result_type(first, second)
    joined = joined.astype(kind if kind.kind in "iu" and joined.max() <= numpy.iinfo(kind).max else numpy.int64, copy=False)
    if not return_mapping:
        return joined
    rows = numpy.divmod(inverse.out_values, factor)
    return joined, *(ArrayMap(inverse.in_values, back[row]) for back, row in zip((from_first, from_second), rows))

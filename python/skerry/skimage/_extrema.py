# SPDX-License-Identifier: Apache-2.0
"""Extrema of a least height, by max-trees."""
import warnings

import numpy

from .._connectivity import NEIGHBOURS, as_image, from_structure
from .._fallback import original
from .._tree import max_tree


def _reason(image, h, neighbours):
    """Why skerry leaves a call to scikit-image, or None."""
    if neighbours is None:
        return "footprint: its neighbours are not 4 or 8, or 6, 18 or 26"
    if image.dtype.str[1:] not in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8") or image.size == 0:
        return f"image: dtype {image.dtype}"
    if image.dtype.kind == "f":
        if not numpy.isfinite(image).all():
            return "image: NaN or infinity"
    elif image.dtype.itemsize == 8 and max(int(image.max()), -int(image.min())) > 2**53:
        return "image: integers beyond 2^53"
    return None if h > 0 else f"h: {h} is not above 0"


def _neighbours(footprint, rank):
    """Neighbours, by default all; None for what skerry has no trees of."""
    if rank not in NEIGHBOURS:
        return None
    return NEIGHBOURS[rank][-1] if footprint is None else from_structure(footprint, rank)


def _of_one_type(image, h):
    """Image and height as integers, or as floats; warns as scikit-image does."""
    if isinstance(h, (float, numpy.floating)) and image.dtype.kind in "iu":
        if h % 1 == 0:
            return image, image.dtype.type(h)
        warnings.warn("possible precision loss converting image to floating point. To silence this warning, ensure image and h "
                      "have same data type.", stacklevel=4)
        return image.astype(float), h
    return image, h


def _heads(tree, flat):
    """Of each node the highest of its ancestors that is not kept, or itself; parents are kept where children are."""
    heads = numpy.where(flat | flat[tree.parent], numpy.arange(len(flat)), tree.parent)
    while not numpy.array_equal(heads, heads[heads]):
        heads = heads[heads]
    return heads


def _tall_parts(image, h, neighbours):
    """Where floats are at least h above their reconstruction from image - h, which is lowered by what rounding may add, as
    in scikit-image.

    Nodes are kept up to where peaks are cut off: at the level of the last kept node, or at their own top less h.
    """
    tree = max_tree(image, connectivity=neighbours)
    slack = 2 * numpy.finfo(image.dtype).resolution

    def lowered(tops):
        return tops - h - slack * numpy.abs(tops)

    kept = lowered(tree.level[tree.parent] + tree.measure()["height"]) >= tree.level  # heights begin at the parent
    kept[0] = True
    heads = _heads(tree, kept)[tree.node_of_pixel]
    tops = numpy.full(len(tree), -numpy.inf, image.dtype)
    numpy.maximum.at(tops, heads.ravel(), image.ravel())
    cut = numpy.where(kept[heads], -numpy.inf, lowered(tops)[heads]).astype(image.dtype)
    return image - numpy.maximum(tree.filter(kept), cut) >= h


def _found(name, image, h, footprint):
    """Where the extrema are, or None for a call that is scikit-image's."""
    array = numpy.asarray(image)
    neighbours = _neighbours(footprint, array.ndim)
    reason = _reason(array, h, neighbours)
    if reason is not None:
        return original("skimage.morphology", name, reason, stacklevel=4)(image, h, footprint)
    read = as_image(array.astype(array.dtype.newbyteorder("="), copy=False))
    if h > read.max().item() - read.min().item():
        return numpy.zeros(array.shape, numpy.uint8)
    read, h = _of_one_type(read, h)
    if read.dtype.kind == "f":
        found = _tall_parts(read if name == "h_maxima" else -read, h, neighbours)
    elif name == "h_maxima":
        found = max_tree(read, connectivity=neighbours).h_maxima(int(h), top_hat=True) >= h
    else:
        found = max_tree(read, connectivity=neighbours, kind="min").h_minima(int(h), top_hat=True) >= h
    return found.astype(numpy.uint8).reshape(array.shape)


def h_maxima(image, h, footprint=None):
    """Marks maxima that are at least h above their surroundings, as skimage.morphology.h_maxima does.

    >>> h_maxima(numpy.array([[1, 3, 1, 2]]), 2)
    array([[0, 1, 0, 0]], dtype=uint8)

    Parameters
    ----------
    image : array of 1, 2 or 3 dimensions
        Of integers up to 2^53, float32 or float64, all finite.
    h : number
        Above 0. The highest maxima are found if the image's values differ by at least h.
    footprint : array of 3 x 3, in 3 dimensions of 3 x 3 x 3
        Which neighbours connect: all by default.

    Returns
    -------
    array of uint8
    """
    return _found("h_maxima", image, h, footprint)


def h_minima(image, h, footprint=None):
    """Marks minima that are at least h below their surroundings, as skimage.morphology.h_minima does.

    >>> h_minima(numpy.array([[3, 1, 3, 2]]), 2)
    array([[0, 1, 0, 0]], dtype=uint8)
    """
    return _found("h_minima", image, h, footprint)

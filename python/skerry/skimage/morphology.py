# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of skimage.morphology, as of version 0.26: max-trees, their filters, and objects of a least size.

Each filter takes the time of one tree. ``skerry.max_tree`` builds it once for many filters.
"""
import numpy

from .._connectivity import as_image, from_hops
from .._fallback import original, the_rest_of
from .._tree import max_tree as build_tree
from ._extrema import h_maxima, h_minima
from ._small import remove_small_holes, remove_small_objects
from .measure import label

__all__ = ["area_closing", "area_opening", "diameter_closing", "diameter_opening", "h_maxima", "h_minima", "label", "max_tree",
           "max_tree_local_maxima", "remove_small_holes", "remove_small_objects"]

__getattr__ = the_rest_of("skimage.morphology")

_MODULE = "skimage.morphology"


def _neighbours(image, connectivity):
    """Neighbours, or None for what skerry has no trees of."""
    if image.dtype.kind not in "iuf" or image.dtype.itemsize > 8 or image.size == 0:
        return None
    return from_hops(connectivity, image.ndim) if numpy.isscalar(connectivity) else None


def _is_ours(image, connectivity):
    """Levels of trees are numbers of float64 that are equal to the pixels."""
    if _neighbours(image, connectivity) is None:
        return False
    if image.dtype.kind == "f":
        return not numpy.isnan(image).any()
    return image.dtype.itemsize < 8 or max(int(image.max()), -int(image.min())) <= 2**53


def _reason(image, connectivity, parent=None, tree_traverser=None):
    if parent is not None and tree_traverser is not None:
        return "parent: a tree that was built before"
    if not _is_ours(image, connectivity):
        return f"image: {image.ndim} dimensions of {image.dtype} with connectivity {connectivity}"
    return None


def _tree(image, connectivity, kind="max"):
    return build_tree(as_image(image), connectivity=_neighbours(image, connectivity), kind=kind)


def max_tree(image, connectivity=1):
    """Builds the max-tree of an image, as skimage.morphology.max_tree does.

    >>> parent, tree_traverser = max_tree(numpy.array([[1, 3, 1, 2]]))
    >>> parent
    array([[0, 0, 0, 0]])
    >>> tree_traverser
    array([0, 2, 3, 1])

    Returns
    -------
    parent : array of int64, of the image's shape
        Of each pixel the index of its parent: the first pixel of its node, and for that one the first pixel of the parent.
    tree_traverser : array of int64
        Indices of pixels, parents before children.
    """
    image = numpy.asarray(image)
    reason = _reason(image, connectivity)
    if reason is not None:
        return original(_MODULE, "max_tree", reason)(image, connectivity)
    tree = _tree(image, connectivity)
    first = tree.first_pixel.astype(numpy.int64)
    parent = first[tree.node_of_pixel.ravel()]
    parent[first] = first[tree.parent]
    return parent.reshape(image.shape), numpy.argsort(image.ravel(), kind="stable").astype(numpy.int64)


def _sides(tree):
    """Of each node the longest side of its box."""
    boxes = tree.measure(geometry=True)
    rank = len(tree.shape)
    return numpy.max([boxes[f"bbox-{axis + rank}"] - boxes[f"bbox-{axis}"] for axis in range(rank)], axis=0)


def _areas(tree):
    return tree.measure()["area"]


def _filter(tree, image, threshold, attribute, empty):
    """Keeps nodes whose attribute reaches the threshold; where the root's does not, all is ``empty``, as in scikit-image."""
    values = attribute(tree)
    if values[0] < threshold:
        return numpy.full_like(image, empty)
    return tree.filter(values >= threshold).reshape(image.shape)


def _opening(image, threshold, connectivity, attribute):
    return _filter(_tree(image, connectivity), image, threshold, attribute, 0)


def _closing(image, threshold, connectivity, attribute):
    """Of floats the opening of 1 - image, whose rounding joins levels, as in scikit-image."""
    if image.dtype.kind == "f":
        one = image.dtype.type(1)
        return one - _opening(one - image, threshold, connectivity, attribute)
    return _filter(_tree(image, connectivity, "min"), image, threshold, attribute, ~image.dtype.type(0))


def _filtered(name, work, attribute, image, threshold, connectivity, parent, tree_traverser):
    """What an opening or closing gives: ours, or scikit-image's for a call that is not ours."""
    image = numpy.asarray(image)
    reason = _reason(image, connectivity, parent, tree_traverser)
    if reason is not None:
        return original(_MODULE, name, reason, stacklevel=4)(image, threshold, connectivity, parent, tree_traverser)
    return work(image, threshold, connectivity, attribute)


def area_opening(image, area_threshold=64, connectivity=1, parent=None, tree_traverser=None):
    """Flattens bright components of fewer than area_threshold pixels, as skimage.morphology.area_opening does.

    >>> area_opening(numpy.array([[1, 3, 1, 2]]), 2)
    array([[1, 1, 1, 1]])
    """
    return _filtered("area_opening", _opening, _areas, image, area_threshold, connectivity, parent, tree_traverser)


def diameter_opening(image, diameter_threshold=8, connectivity=1, parent=None, tree_traverser=None):
    """Flattens bright components whose box has sides below diameter_threshold, as skimage.morphology.diameter_opening."""
    return _filtered("diameter_opening", _opening, _sides, image, diameter_threshold, connectivity, parent, tree_traverser)


def area_closing(image, area_threshold=64, connectivity=1, parent=None, tree_traverser=None):
    """Fills dark components of fewer than area_threshold pixels, as skimage.morphology.area_closing does."""
    return _filtered("area_closing", _closing, _areas, image, area_threshold, connectivity, parent, tree_traverser)


def diameter_closing(image, diameter_threshold=8, connectivity=1, parent=None, tree_traverser=None):
    """Fills dark components whose box has sides below diameter_threshold, as skimage.morphology.diameter_closing does."""
    return _filtered("diameter_closing", _closing, _sides, image, diameter_threshold, connectivity, parent, tree_traverser)


def max_tree_local_maxima(image, connectivity=1, parent=None, tree_traverser=None):
    """Labels the local maxima of an image, as skimage.morphology.max_tree_local_maxima does.

    >>> max_tree_local_maxima(numpy.array([[1, 3, 1, 2]]))
    array([[0, 1, 0, 2]], dtype=uint64)
    """
    image = numpy.asarray(image)
    reason = _reason(image, connectivity, parent, tree_traverser)
    if reason is not None:
        return original(_MODULE, "max_tree_local_maxima", reason)(image, connectivity, parent, tree_traverser)
    tree = _tree(image, connectivity)
    labels = numpy.ones(len(tree), numpy.uint64)
    labels[tree.parent[1:]] = 0
    leaves = numpy.flatnonzero(labels)[::-1]  # the highest first
    labels[leaves] = numpy.arange(1, len(leaves) + 1)
    return labels[tree.node_of_pixel].reshape(image.shape)

# SPDX-License-Identifier: Apache-2.0
"""Drop-in for the connected components and the contours of OpenCV: ``from skerry import cv2``.

Labels are numbered in raster order of first pixels, with every algorithm. Contours have OpenCV's points, order and hierarchy.
"""
import numpy

from . import _contours, _native
from ._components import _choice, measure
from ._fallback import original, the_rest_of

__all__ = ["CC_STAT_AREA", "CC_STAT_HEIGHT", "CC_STAT_LEFT", "CC_STAT_MAX", "CC_STAT_TOP", "CC_STAT_WIDTH", "CHAIN_APPROX_NONE",
           "CHAIN_APPROX_SIMPLE", "CV_16U", "CV_32S", "RETR_CCOMP", "RETR_EXTERNAL", "RETR_LIST", "RETR_TREE",
           "connectedComponents", "connectedComponentsWithAlgorithm", "connectedComponentsWithStats",
           "connectedComponentsWithStatsWithAlgorithm", "findContours"]

__getattr__ = the_rest_of("cv2")

# Of the columns of stats.
CC_STAT_LEFT, CC_STAT_TOP, CC_STAT_WIDTH, CC_STAT_HEIGHT, CC_STAT_AREA, CC_STAT_MAX = range(6)

CV_16U = 2
CV_32S = 4
CHAIN_APPROX_NONE = 1
CHAIN_APPROX_SIMPLE = 2
RETR_EXTERNAL, RETR_LIST, RETR_CCOMP, RETR_TREE = range(4)
_TYPES = {CV_16U: numpy.uint16, CV_32S: numpy.int32}


def _reason(image, connectivity, ltype):
    """Why skerry leaves a call to OpenCV, or None."""
    if image.ndim != 2 or image.dtype not in (numpy.uint8, numpy.int8):
        return f"image: {image.ndim} dimensions of {image.dtype}"
    if connectivity not in (4, 8):
        return f"connectivity: {connectivity}"
    return None if ltype in _TYPES else f"ltype: {ltype}"


def _into(place, array):
    """The array, or the caller's place for it if that fits, as OpenCV's outputs are."""
    if isinstance(place, numpy.ndarray) and array is not None and place.shape == array.shape and place.dtype == array.dtype:
        place[...] = array
        return place
    return array


def _label(image, labels, connectivity, ltype):
    fits = isinstance(labels, numpy.ndarray) and labels.shape == image.shape and labels.dtype == _TYPES[ltype]
    place = labels if fits and not numpy.may_share_memory(image, labels) else None
    kind = None if place is not None else _TYPES[ltype]
    return _native.label(image, _choice(connectivity=connectivity), kind, place, None)


def _stats(table, background):
    """OpenCV's rows of the background and of all components: left, top, width, height, area; and the centroids, x and y."""
    of = table.arrays(["area", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "centroid-0", "centroid-1"])
    left, top = of["bbox-1"], of["bbox-0"]
    columns = left, top, of["bbox-3"] - left, of["bbox-2"] - top, of["area"]
    stats, centroids = numpy.empty((len(table) + 1, CC_STAT_MAX), numpy.int32), numpy.empty((len(table) + 1, 2))
    stats[0], centroids[0] = background
    numpy.stack(columns, axis=1, out=stats[1:], casting="same_kind")
    numpy.stack([of["centroid-1"], of["centroid-0"]], axis=1, out=centroids[1:])
    return stats, centroids


def _background(image):
    """The row and the centroid of all background pixels."""
    parts = measure(image, within=(0, 0), connectivity=4)
    if len(parts) == 0:
        return [0, 0, 0, 0, 0], [numpy.nan, numpy.nan]
    left, top, area = parts["bbox-1"].min(), parts["bbox-0"].min(), parts["area"].sum()
    box = [left, top, parts["bbox-3"].max() - left, parts["bbox-2"].max() - top, area]
    return box, [int(parts[f"coordinate_sum-{axis}"].sum()) / int(area) for axis in (1, 0)]


def connectedComponents(image, labels=None, connectivity=8, ltype=CV_32S):
    """Labels an image of 8 bits, as cv2.connectedComponents does.

    >>> connectedComponents(numpy.array([[1, 0, 1]], numpy.uint8))
    (3, array([[1, 0, 2]], dtype=int32))

    Returns
    -------
    (number of labels, with that of the background; labels)
    """
    image = numpy.asarray(image)
    reason = _reason(image, connectivity, ltype)
    if reason is not None:
        return original("cv2", "connectedComponents", reason)(image, labels, connectivity, ltype)
    found, count = _label(image, labels, connectivity, ltype)
    return count + 1, found


def connectedComponentsWithAlgorithm(image, connectivity, ltype, ccltype, labels=None):
    """As ``connectedComponents``; the result does not depend on the algorithm."""
    return connectedComponents(image, labels, connectivity, ltype)


def connectedComponentsWithStats(image, labels=None, stats=None, centroids=None, connectivity=8, ltype=CV_32S):
    """Labels an image of 8 bits and measures its components, as cv2.connectedComponentsWithStats does.

    >>> connectedComponentsWithStats(numpy.array([[1, 0, 1]], numpy.uint8))[2]
    array([[1, 0, 1, 1, 1],
           [0, 0, 1, 1, 1],
           [2, 0, 1, 1, 1]], dtype=int32)

    Returns
    -------
    (number of labels, labels, stats, centroids)
        ``stats`` has a row of left, top, width, height and area for each label, ``centroids`` x and y; row 0 is that of
        the background. A background without pixels is an empty box at 0, with a centroid of NaN.
    """
    image = numpy.asarray(image)
    reason = _reason(image, connectivity, ltype)
    if reason is not None:
        return original("cv2", "connectedComponentsWithStats", reason)(image, labels, stats, centroids, connectivity, ltype)
    table = measure(image, connectivity=connectivity)
    found_stats, found_centroids = _stats(table, _background(image))
    found, count = _label(image, labels, connectivity, ltype)
    return count + 1, found, _into(stats, found_stats), _into(centroids, found_centroids)


def connectedComponentsWithStatsWithAlgorithm(image, connectivity, ltype, ccltype, labels=None, stats=None, centroids=None):
    """As ``connectedComponentsWithStats``; the result does not depend on the algorithm."""
    return connectedComponentsWithStats(image, labels, stats, centroids, connectivity, ltype)


def _reason_of_contours(image, mode, method):
    """Why skerry leaves a call to OpenCV, or None."""
    if not isinstance(image, numpy.ndarray) or image.ndim != 2 or image.dtype != numpy.uint8:
        return "image: not an array of (rows, columns) of uint8"
    if mode not in (RETR_EXTERNAL, RETR_LIST, RETR_CCOMP, RETR_TREE):
        return f"mode: {mode}"
    return None if method in (CHAIN_APPROX_NONE, CHAIN_APPROX_SIMPLE) else f"method: {method}"


def findContours(image, mode, method, contours=None, hierarchy=None, offset=(0, 0)):
    """Finds the contours of an image of 8 bits, as cv2.findContours does: all pixels that are not 0 are foreground.

    >>> contours, hierarchy = findContours(numpy.array([[1, 1, 0, 1]], numpy.uint8), RETR_LIST, CHAIN_APPROX_SIMPLE)
    >>> [contour.tolist() for contour in contours], hierarchy.tolist()
    ([[[[3, 0]]], [[[0, 0]], [[1, 0]]]], [[[1, -1, -1, -1], [-1, 0, -1, -1]]])

    Returns
    -------
    (contours, hierarchy)
        A tuple of arrays of (points, 1, 2), x before y, and an array of (1, contours, 4): the next and the previous contour of the
        same parent, the first child, and the parent, each -1 if there is none. No contours have the hierarchy None.
    """
    reason = _reason_of_contours(image, mode, method)
    if reason is not None:
        return original("cv2", "findContours", reason)(image, mode, method, contours, hierarchy, offset)
    found, rows = _contours.contours(image, mode, method == CHAIN_APPROX_NONE, offset)
    return found, _into(hierarchy, rows)

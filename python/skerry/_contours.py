# SPDX-License-Identifier: Apache-2.0
"""Contours of binary images in the order of OpenCV, and how they are nested."""
import numpy

from ._outline import outline

EXTERNAL, LIST, CCOMP, TREE = range(4)  # OpenCV's modes


def _parents(rings, mode):
    """The parent of each ring that a mode wants, -1 for none, and -2 for a ring that it does not want."""
    is_hole = numpy.ones(len(rings.parents), bool)
    is_hole[rings.polygon_offsets[:-1]] = False
    if mode == TREE:
        return rings.parents
    if mode == CCOMP:
        return numpy.where(is_hole, rings.parents, -1)
    return numpy.where(is_hole | (rings.parents >= 0), -2 if mode == EXTERNAL else -1, -1)


def _arranged(parents, found):
    """Rings as OpenCV lists them, each followed by its children, those found last first; and its rows of the hierarchy."""
    children = {}
    for ring in found.tolist():
        children.setdefault(int(parents[ring]), []).append(ring)
    order, rest = [], list(children.get(-1, ()))
    while rest:
        ring = rest.pop()
        order.append(ring)
        rest.extend(children.get(ring, ()))
    rows = numpy.full((len(order), 4), -1, numpy.int32)
    place = numpy.empty(len(parents) + 1, numpy.int32)
    place[order] = numpy.arange(len(order))
    place[-1] = -1
    rows[:, 3] = place[parents[order]]
    for parent, siblings in children.items():
        if parent == -2:
            continue
        places = place[siblings[::-1]]
        rows[places[:-1], 0] = places[1:]
        rows[places[1:], 1] = places[:-1]
        if parent >= 0:
            rows[place[parent], 2] = places[0]
    return order, rows


def contours(image, mode, every_pixel, offset):
    """A tuple of arrays of (points, 1, 2), x before y, and an array of (1, contours, 4): next, previous, first child, parent."""
    rings = outline(image != 0, connectivity=8, keep_collinear=every_pixel, through_centres=True, nesting=True)
    found = numpy.lexsort((rings.firsts[:, 0], rings.firsts[:, 1]))
    order, rows = _arranged(_parents(rings, mode), found)
    points = (rings.vertices + numpy.asarray(offset, numpy.int32)).reshape(-1, 1, 2)
    begins, ends = rings.ring_offsets[:-1][order].tolist(), rings.ring_offsets[1:][order].tolist()
    return tuple(points[begin:end] for begin, end in zip(begins, ends)), rows[None] if order else None

# SPDX-License-Identifier: Apache-2.0
"""Outlines of the regions of label images."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy

from . import _native
from ._arguments import flag, number
from ._regions import _ZERO_AND_BELOW, _background

if TYPE_CHECKING:
    from ._types import Array, Background, Image, Number


def _closed(ring):
    """A ring as GeoJSON wants it: at least four positions, of which the last is the first."""
    return [*ring, *ring[-1:] * (3 - len(ring)), ring[0]]


class Outlines:
    """Regions, the polygons of each, the rings of each, and the vertices of each.

    ``outlines[i]`` is region i as a list of polygons, each a list of rings, each an array of (x, y): corners of pixels, of
    which pixel (row y, column x) has (x, y) to (x + 1, y + 1). The first ring of a polygon is its outer one, the others are
    holes, which run the other way round. A ring's last vertex is joined to its first.

    Attributes: ``labels`` of the regions, ascending; ``region_offsets``, ``polygon_offsets`` and ``ring_offsets``, the nested
    lists of GeoArrow; ``vertices``, an array of (x, y). With ``nesting``, of each ring ``parents``, the ring around it or -1,
    and ``firsts``, the (x, y) where it begins along the edges of pixels; otherwise both are empty.
    """

    def __init__(self, labels: Array, region_offsets: Array, polygon_offsets: Array, ring_offsets: Array, vertices: Array,
                 parents: Array, firsts: Array) -> None:
        self.labels = labels
        self.region_offsets = region_offsets
        self.polygon_offsets = polygon_offsets
        self.ring_offsets = ring_offsets
        self.vertices = vertices
        self.parents = parents
        self.firsts = firsts

    def __len__(self) -> int:
        """Number of regions."""
        return len(self.labels)

    def _ring(self, ring):
        return self.vertices[self.ring_offsets[ring]:self.ring_offsets[ring + 1]]

    def _polygon(self, polygon):
        return [self._ring(ring) for ring in range(*self.polygon_offsets[polygon:polygon + 2])]

    @overload
    def __getitem__(self, region: int) -> list[list[Array]]: ...
    @overload
    def __getitem__(self, region: slice) -> list[list[list[Array]]]: ...

    def __getitem__(self, region: int | slice) -> list[list[Array]] | list[list[list[Array]]]:
        """The polygons of one region; of a slice a list of those of each."""
        if isinstance(region, slice):
            return [self[each] for each in range(len(self))[region]]
        try:
            region = range(len(self))[region]
        except IndexError:
            raise IndexError(f"region: {region} is not one of {len(self)} regions") from None
        return [self._polygon(polygon) for polygon in range(*self.region_offsets[region:region + 2])]

    @property
    def __geo_interface__(self) -> dict[str, Any]:
        """A GeoJSON FeatureCollection: for each region a Polygon, or a MultiPolygon where it has several, with its label.
        ``json.dump`` writes it; Shapely and GeoPandas read it. The command ``skerry outline`` writes the same, and ROIs of ImageJ,
        SVG and well-known text."""
        features = []
        for label, polygons in zip(self.labels.tolist(), self):
            rings = [[_closed(ring.tolist()) for ring in polygon] for polygon in polygons]
            geometry = ({"type": "Polygon", "coordinates": rings[0]} if len(rings) == 1 else
                        {"type": "MultiPolygon", "coordinates": rings})
            features.append({"type": "Feature", "properties": {"label": label}, "geometry": geometry})
        return {"type": "FeatureCollection", "features": features}

    def __repr__(self) -> str:
        return f"<Outlines: {len(self)} regions, {len(self.polygon_offsets) - 1} polygons, {len(self.vertices)} vertices>"


def outline(labels: Image, *, connectivity: int = 4, background: Background = _ZERO_AND_BELOW, keep_collinear: bool = False,
            simplify: Number = 0.0, through_centres: bool = False, nesting: bool = False,
            threads: int | None = None) -> Outlines:
    """Follows the outlines of the regions of a label image along the edges of pixels.

    >>> outlines = outline(numpy.array([[7, 7], [0, 7]]))
    >>> outlines[0][0][0].tolist()
    [[0, 0], [2, 0], [2, 2], [1, 2], [1, 1], [0, 1]]

    Parameters
    ----------
    labels : array of (rows, columns)
        Integers of 8 to 64 bits or bool, any strides; in host memory or on a GPU. The result is in host memory.
    connectivity : 4 or 8
        Which pixels of a region are one polygon. With 4 all polygons are valid simple features: no ring touches itself. With 8
        a ring passes twice through a corner in which two pixels meet; readers of GeoJSON, such as Shapely, call that invalid.
    background, threads
        As in ``measure_labels``.
    keep_collinear : bool
        Keeps every corner of a pixel on the way; by default vertices are where the outline turns.
    simplify : float
        Drops vertices within so many pixels of the simplified line. Neighbouring regions keep their shared border, no line crosses
        another, and the nesting of rings does not change.
    through_centres : bool
        Vertices are the pixels along the outline instead of their corners, as in OpenCV's findContours with ``connectivity=8``: rings
        run the other way round, and a one-pixel line is traced forth and back.
    nesting : bool
        Also returns each ring's enclosing ring and first vertex: ``parents`` and ``firsts`` of the result.

    Returns
    -------
    Outlines
    """
    return Outlines(*_native.outline(labels, connectivity, _background(background),
                                     flag("keep_collinear", keep_collinear), number("simplify", simplify),
                                     flag("through_centres", through_centres), flag("nesting", nesting), threads))

# SPDX-License-Identifier: Apache-2.0
"""Outlines as Shapely reads them: valid, the pixels of their region and no others, and side by side."""
import numpy as np
import pytest

import skerry

geometry = pytest.importorskip("shapely.geometry")
unary_union = pytest.importorskip("shapely.ops").unary_union


def regions(side, values, seed):
    cells = np.random.default_rng(seed).integers(0, values, (side, side + 5))
    return np.kron(cells, np.ones((1 + seed % 3,) * 2, int))


def shapes_of(outlines):
    return {feature["properties"]["label"]: geometry.shape(feature["geometry"])
            for feature in outlines.__geo_interface__["features"]}


def pixels_of(labels, label):
    return unary_union([geometry.box(x, y, x + 1, y + 1) for y, x in np.argwhere(labels == label)])


@pytest.mark.parametrize("values", (2, 3, 6))
@pytest.mark.parametrize("seed", range(6))
def test_shapes_are_the_pixels_of_their_regions(values, seed):
    labels = regions(12, values, seed)
    shapes = shapes_of(skerry.outline(labels))
    assert list(shapes) == np.unique(labels[labels > 0]).tolist()
    for label, shape in shapes.items():
        assert shape.is_valid
        assert shape.area == np.count_nonzero(labels == label)
        assert shape.symmetric_difference(pixels_of(labels, label)).area == 0


@pytest.mark.parametrize("simplify", (0.5, 1.5, 4.0))
@pytest.mark.parametrize("seed", range(6))
def test_simplified_shapes_stay_valid_and_side_by_side(simplify, seed):
    labels = regions(12, 4, seed) + 1  # no background
    shapes = shapes_of(skerry.outline(labels, simplify=simplify))
    assert all(shape.is_valid for shape in shapes.values())
    together = unary_union(list(shapes.values()))
    assert sum(shape.area for shape in shapes.values()) == pytest.approx(together.area, rel=1e-12)  # none over another
    parts = getattr(together, "geoms", [together])
    assert not any(len(part.interiors) for part in parts)  # and no gap between them


def test_holes_are_interiors():
    labels = np.ones((7, 9), int)
    labels[2:5, 2:4] = 0
    labels[3, 6] = 5
    shapes = shapes_of(skerry.outline(labels))
    assert sorted(geometry.Polygon(hole).area for hole in shapes[1].interiors) == [1, 6]
    assert shapes[1].touches(shapes[5])

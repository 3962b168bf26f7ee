# SPDX-License-Identifier: Apache-2.0
"""outline(): filling the rings of a region gives its pixels."""
import numpy as np
import pytest
import scipy.ndimage

import skerry


def filled(polygons, shape):
    """Pixels inside, by the even-odd rule: vertical edges to the left of a pixel."""
    crossings = np.zeros((shape[0], shape[1] + 1), int)
    for ring in (ring for polygon in polygons for ring in polygon):
        for (x, y), (next_x, next_y) in zip(ring.tolist(), np.roll(ring, -1, axis=0).tolist()):
            assert (x == next_x) != (y == next_y)
            if x == next_x:
                crossings[min(y, next_y):max(y, next_y), x] += 1
    return np.cumsum(crossings, axis=1)[:, :-1] % 2 == 1


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("dtype", ["u1", "i8"])
def test_rings_enclose_regions(connectivity, dtype):
    labels = np.random.default_rng(0).integers(0, 4, (20, 30)).astype(dtype) * np.array(5, dtype)
    outlines = skerry.outline(np.asfortranarray(labels), connectivity=connectivity)
    assert outlines.labels.tolist() == [5, 10, 15] and len(outlines) == 3
    structure = scipy.ndimage.generate_binary_structure(2, connectivity // 4)
    for label, polygons in zip(outlines.labels, outlines):
        assert np.array_equal(filled(polygons, labels.shape), labels == label)
        assert len(polygons) == scipy.ndimage.label(labels == label, structure)[1]
        for outer, *holes in polygons:
            areas = [np.sum(ring[:, 0] * np.roll(ring[:, 1], -1) - np.roll(ring[:, 0], -1) * ring[:, 1]) for ring in (outer, *holes)]
            assert areas[0] > 0 and all(area < 0 for area in areas[1:])
    every_corner = skerry.outline(labels, connectivity=connectivity, keep_collinear=True)
    assert np.abs(np.diff(every_corner[0][0][0], axis=0)).sum(axis=1).tolist() == [1] * (len(every_corner[0][0][0]) - 1)
    assert len(every_corner.vertices) > len(outlines.vertices)


def test_polygons_are_valid_simple_features_by_default():
    diagonal = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0]])
    outlines = skerry.outline(diagonal)
    assert len(outlines[0]) == 3 and len(skerry.outline(diagonal, connectivity=8)[0]) == 1
    labels = np.random.default_rng(1).integers(0, 3, (40, 50))
    for ring in (ring for polygons in skerry.outline(labels) for polygon in polygons for ring in polygon):
        assert len(np.unique(ring, axis=0)) == len(ring)
    assert any(len(np.unique(ring, axis=0)) < len(ring) for polygons in skerry.outline(labels, connectivity=8)
               for polygon in polygons for ring in polygon)
    with pytest.raises(TypeError, match="^connectivity: None is not an integer"):
        skerry.outline(labels, connectivity=None)


def test_other_forms():
    outlines = skerry.outline(np.array([[3, 3], [0, 0]]))
    assert outlines.__geo_interface__["features"] == [
        {"type": "Feature", "properties": {"label": 3},
         "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 1], [0, 1], [0, 0]]]}}]
    assert skerry.outline(np.array([[3, 0, 3]])).__geo_interface__["features"][0]["geometry"] == {
        "type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]], [[[2, 0], [3, 0], [3, 1], [2, 1], [2, 0]]]]}
    assert repr(outlines) == "<Outlines: 1 regions, 1 polygons, 4 vertices>"
    assert np.array_equal(outlines[-1][0][0], outlines[0][0][0])
    assert len(skerry.outline(np.zeros((3, 3), int))) == 0
    with pytest.raises(IndexError):
        outlines[1]
    for labels, connectivity, text in [(np.ones((2, 2, 2), int), 8, "labels: "), (np.ones((2, 2), int), 6, "connectivity: 6")]:
        with pytest.raises(ValueError, match="^" + text):
            skerry.outline(labels, connectivity=connectivity)


def test_simplified_outlines_share_lines():
    labels = np.array([[1, 1, 1, 2, 2], [1, 1, 2, 2, 2], [1, 2, 2, 2, 3]])
    simple = skerry.outline(labels, simplify=1)
    assert simple[0][0][0].tolist() == [[0, 0], [3, 0], [1, 3]]
    assert simple[1][0][0].tolist() == [[3, 0], [5, 0], [5, 2], [4, 2], [4, 3], [1, 3]]
    with pytest.raises(ValueError, match="^simplify: "):
        skerry.outline(labels, simplify=-1)


def test_slices_are_lists_of_regions():
    outlines = skerry.outline(np.array([[1, 2, 0, 3]]))
    assert [len(region) for region in outlines[0:2]] == [1, 1] and outlines[5:] == []
    assert np.array_equal(outlines[::-1][0][0][0], outlines[2][0][0]) and len(list(outlines)) == 3

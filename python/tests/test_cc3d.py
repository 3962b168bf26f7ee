# SPDX-License-Identifier: Apache-2.0
"""skerry.cc3d beside connected_components: statistics, selections and graphs, against their definitions."""
import itertools

import numpy as np
import pytest
import scipy.ndimage

from skerry import cc3d

RNG = np.random.default_rng(0)
SHAPES = [(40,), (12, 17), (5, 6, 7)]


def labels_of(shape, dtype="u4", order="C"):
    return np.array(RNG.integers(0, 5, shape).astype(dtype), order=order)


# ---- statistics and selections


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES)
def test_statistics(shape, order):
    labels = labels_of(shape, "i2", order)
    labels[labels == 2] = 0
    found = cc3d.statistics(labels)
    rows = cc3d.statistics(labels, no_slice_conversion=True)["bounding_boxes"]
    columns = labels.reshape(-1, 1) if labels.ndim == 1 else labels
    assert found["voxel_counts"].tolist() == [(labels == label).sum() for label in range(5)]
    for label in (0, 1, 3, 4):
        places = np.argwhere(columns == label)
        box = tuple(slice(low, high + 1) for low, high in zip(places.min(0), places.max(0)))
        assert found["bounding_boxes"][label] == box
        assert rows[label].tolist() == [end for side in box for end in (side.start, side.stop - 1)]
        assert np.allclose(found["centroids"][label], places.mean(0), rtol=1e-14)
    assert found["bounding_boxes"][2] is None and np.isnan(found["centroids"][2]).all()
    assert rows.dtype == np.uint16 and rows[2].tolist() == [65535, 0] * columns.ndim


def test_statistics_of_other_labels():
    assert set(cc3d.statistics(np.zeros((0, 3), "u1")).values()) == {None}
    assert cc3d.statistics(np.eye(3, dtype=bool))["voxel_counts"].tolist() == [6, 3]
    for labels in (np.array([[0, 9]]), np.array([[0, -1]])):
        with pytest.raises(ValueError, match="out_labels: .* is not in 0 to 2"):
            cc3d.statistics(labels)
    with pytest.raises(TypeError, match="out_labels: 2 dimensions of float64"):
        cc3d.statistics(np.zeros((2, 2)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("binary, in_place", list(itertools.product([False, True], repeat=2)))
def test_each(shape, binary, in_place):
    labels = labels_of(shape)
    images = cc3d.each(labels, binary, in_place)
    seen = []
    for label, image in images:
        seen.append(label)
        mask = labels == label
        assert np.array_equal(image, mask if binary else mask * labels)
        assert image.dtype == (bool if binary else labels.dtype) and image.flags.writeable != in_place
    assert seen == [1, 2, 3, 4] and len(images) == 4


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", SHAPES)
def test_dust(shape, order):
    image = labels_of(shape, "i4", order) % 3 - 1
    parts, n = cc3d.connected_components(image, connectivity=6, return_N=True)
    sizes = np.bincount(parts.ravel(), minlength=n + 1)
    for threshold, keeps in [(3, sizes >= 3), ((2, 4), (sizes >= 2) & (sizes < 4)), (0, sizes >= 0), (1000, sizes < 0)]:
        for invert in (False, True):
            kept = keeps != invert
            kept[0] = True
            expected = np.where(kept[parts], image, 0)
            result, left = cc3d.dust(image, threshold, 6, invert=invert, return_N=True)
            assert np.array_equal(result, expected) and result.dtype == image.dtype and left == kept[1:].sum()
            changed = image.copy(order="K")
            assert cc3d.dust(changed, threshold, 6, in_place=True, invert=invert) is changed
            assert np.array_equal(changed, expected)
    assert np.array_equal(cc3d.dust(parts, 3, precomputed_ccl=True) != 0, (sizes >= 3)[parts] & (parts != 0))
    assert np.array_equal(cc3d.dust(image, 3, 6, binary_image=True) != 0,
                          cc3d.dust(image != 0, 3, 6))


def test_largest_k():
    image = labels_of((30, 40))
    parts, n = cc3d.connected_components(image, connectivity=4, return_N=True)
    sizes = np.bincount(parts.ravel())[1:]
    for k in (0, 1, 2, 7, n, n + 5):
        result, count = cc3d.largest_k(image, k, 4, return_N=True)
        assert count == min(k, n) == result.max()
        kept = np.unique(parts[result != 0])
        assert sorted(sizes[kept - 1]) == sorted(sizes)[n - min(k, n):]
        assert result.dtype == (bool if k == 1 else np.uint16)
    assert np.array_equal(cc3d.largest_k(parts, 3, precomputed_ccl=True), cc3d.largest_k(image, 3, 4))
    with pytest.raises(ValueError, match="k: -1 is not at least 0"):
        cc3d.largest_k(image, -1)


def test_labels_in_a_file(tmp_path):
    for order in ("C", "F"):
        image = labels_of((6, 7, 8), order=order)
        labels = cc3d.connected_components(image, out_file=tmp_path / order)
        assert isinstance(labels, np.memmap) and labels.flags.f_contiguous == (order == "F")
        labels.flush()
        stored = np.fromfile(tmp_path / order, labels.dtype).reshape(image.shape, order=order)
        assert np.array_equal(stored, cc3d.connected_components(image))


# ---- graphs


def steps_of(connectivity):
    most, rank = {4: (1, 2), 8: (2, 2), 6: (1, 3), 18: (2, 3), 26: (3, 3)}[connectivity]
    return [step for step in itertools.product((-1, 0, 1), repeat=rank) if 0 < np.abs(step).sum() <= most]


def neighbours(labels, connectivity):
    """Pairs of voxels (place, step, place)."""
    for place in np.ndindex(labels.shape):
        for step in steps_of(connectivity):
            other = tuple(np.add(place, step))
            yield place, step, other if all(0 <= at < side for at, side in zip(other, labels.shape)) else None


@pytest.mark.parametrize("connectivity", [4, 8, 6, 18, 26])
def test_contacts(connectivity):
    labels = labels_of((7, 9) if connectivity in (4, 8) else (4, 5, 6), "i2")
    sides = (2, 3, 5)[:labels.ndim]
    pairs, areas = {}, {}
    for place, step, other in neighbours(labels, connectivity):
        if other and 0 < labels[place] < labels[other]:
            pair = int(labels[place]), int(labels[other])
            pairs[pair] = pairs.get(pair, 0) + 1
            face = np.prod([side for side, way in zip(sides, step) if not way]) if np.abs(step).sum() == 1 else 0
            areas[pair] = areas.get(pair, 0) + face
    assert cc3d.contacts(labels, connectivity, surface_area=False) == pairs
    assert cc3d.contacts(labels, connectivity, anisotropy=sides) == areas
    assert cc3d.region_graph(labels, connectivity) == set(pairs)


def test_contacts_of_few_pixels():
    assert cc3d.contacts(np.array([1, 1, 2]), 26) == {(1, 2): 1}
    assert cc3d.contacts(np.array([[-1, 2]]), 4) == {(-1, 2): 1}
    assert cc3d.contacts(np.array([[1], [2]]), 26, anisotropy=(2, 3, 5)) == {(1, 2): 15}
    assert cc3d.contacts(np.zeros((0, 3), int)) == {}
    with pytest.raises(ValueError, match="connectivity: 5 is not one of 4, 6, 8, 18, 26"):
        cc3d.contacts(np.eye(2, dtype=int), 5)


@pytest.mark.parametrize("connectivity", [4, 8, 6, 26])
def test_graphs_of_voxels(connectivity):
    labels = labels_of((7, 9) if connectivity in (4, 8) else (4, 5, 6), "u1") % 2
    graph = cc3d.voxel_connectivity_graph(labels, connectivity)
    assert graph.dtype == (np.uint32 if connectivity == 26 else np.uint8)
    expected = np.zeros(labels.shape, int)
    for place, _, other in neighbours(labels, connectivity):
        expected[place] += other is None or labels[place] == labels[other]
    assert np.array_equal(np.unpackbits(graph[..., None].view("u1"), axis=-1).sum(-1), expected)
    colours, n = cc3d.color_connectivity_graph(graph, connectivity, return_N=True)
    structure = scipy.ndimage.generate_binary_structure(labels.ndim, {4: 1, 6: 1, 8: 2, 26: 3}[connectivity])
    parts = [scipy.ndimage.label(labels == value, structure) for value in (0, 1)]
    assert n == parts[0][1] + parts[1][1] == colours.max() and colours.min() == 1
    for value, (part, number) in enumerate(parts):
        assert len(set(zip(colours[labels == value], part[labels == value]))) == number
    firsts = [colours.ravel("F").tolist().index(label) for label in range(1, n + 1)]
    assert firsts == sorted(firsts)


def test_refused_graphs():
    with pytest.raises(ValueError, match="connectivity: 26 is not one of"):
        cc3d.color_connectivity_graph(np.zeros((2, 2, 2), "u1"), 26)
    with pytest.raises(ValueError, match="vcg: dtype int64"):
        cc3d.color_connectivity_graph(np.zeros((2, 2), int), 4)
    with pytest.raises(ValueError, match="connectivity: 4 is not 6, 18 or 26"):
        cc3d.voxel_connectivity_graph(np.zeros((2, 2, 2), int), 4)
    for call in (cc3d.connected_components, cc3d.contacts, cc3d.voxel_connectivity_graph):
        with pytest.raises(cc3d.DimensionError, match="4 dimensions"):
            call(np.zeros((2, 2, 2, 2), int))
    with pytest.raises(TypeError, match="delta: it is not taken for float16"):
        cc3d.connected_components(np.zeros((2, 2), "f2"), delta=1)


def test_provisional_labels():
    image = np.array([[0, 0, 0, 0], [3, 3, 0, 3], [2, 1, 1, 0], [0, 0, 0, 0]], "u1")
    assert cc3d.estimate_provisional_labels(image) == (4, 1, 2)
    assert cc3d.estimate_provisional_labels(np.asfortranarray(image)) == (6, 0, 3)
    assert cc3d.estimate_provisional_labels(image * 0) == (0, -1, -1)


def test_bool_is_a_label_image():
    labels = np.array([[[True, False, True]]])
    assert [(label, image.tolist()) for label, image in cc3d.each(labels)] == [(1, [[[1, 0, 1]]])]
    assert cc3d.largest_k(labels, 0, precomputed_ccl=True).tolist() == [[[0, 0, 0]]]

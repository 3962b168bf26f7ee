# SPDX-License-Identifier: Apache-2.0
"""Max-trees against their definition, and filters against labels of every threshold."""
import gc

import numpy as np
import pytest
import scipy.ndimage

import skerry


def grey(shape=(20, 30), dtype="u1", seed=0):
    return np.random.default_rng(seed).integers(0, 9, shape).astype(dtype)


def opened(image, area):
    """Area opening by its definition: of every threshold set, components that are large enough."""
    result = np.full_like(image, image.min())
    for level in np.unique(image)[1:]:
        labels, _ = scipy.ndimage.label(image >= level, np.ones((3,) * image.ndim))
        large = np.bincount(labels.ravel()) >= area
        large[0] = False
        result[large[labels]] = level
    return result


def opened_by_h(image, h):
    """Reconstruction of image - h under the image, by dilations."""
    low = image.astype(int) - h
    while True:
        grown = np.minimum(scipy.ndimage.grey_dilation(low, (3,) * image.ndim, mode="nearest"), image)
        if np.array_equal(grown, low):
            return np.maximum(low, image.min())
        low = grown


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("shape", [(20, 30), (4, 8, 12)])
def test_nodes_are_components_of_threshold_sets(dtype, shape):
    image = grey(shape, dtype)
    tree = skerry.max_tree(np.asfortranarray(image))
    areas = tree.measure()["area"]
    for level in np.unique(image):
        labels, n = scipy.ndimage.label(image >= level, np.ones((3,) * image.ndim))
        touched = labels.ravel()[tree.first_pixel[tree.level == level]]
        assert len(set(touched)) == len(touched) <= n
        assert areas[tree.level == level].tolist() == np.bincount(labels.ravel())[touched].tolist()
    assert np.array_equal(tree.level[tree.node_of_pixel], image)
    assert tree.node_of_pixel.shape == tree.shape == shape and tree.dtype == image.dtype
    assert tree.parent[0] == 0 and (tree.level[tree.parent[1:]] < tree.level[1:]).all()


def test_filters():
    image = grey()
    peaks, pits = skerry.max_tree(image), skerry.max_tree(image, kind="min")
    for area in (2, 5, 40):
        assert np.array_equal(peaks.area_opening(area), opened(image, area))
        assert np.array_equal(pits.area_closing(area), 255 - opened(255 - image, area))
    assert np.array_equal(peaks.area_opening(5, top_hat=True), image - opened(image, 5))
    for h in (1, 3):
        assert np.array_equal(peaks.h_maxima(h), opened_by_h(image, h))
        assert np.array_equal(pits.h_minima(h), 255 - opened_by_h(255 - image, h))


def test_decisions_about_nodes():
    image = grey(dtype="i2") - 4
    tree = skerry.max_tree(image, threads=1)
    assert np.array_equal(tree.filter(np.ones(len(tree), bool)), image)
    assert (tree.filter(np.zeros(len(tree), bool)) == image.min()).all()
    areas = tree.measure()["area"]
    for rule in ("direct", "min", "max", "subtractive"):
        assert np.array_equal(tree.filter(areas >= 5, rule=rule), skerry.max_tree(image).area_opening(5))
    every_second = np.zeros(2 * len(tree), bool)
    every_second[::2] = True
    assert np.array_equal(tree.filter(every_second[::2]), image)


@pytest.mark.parametrize("dtype", ["u1", "u8", "i1", "i2", "i4", "i8", "f4"])
def test_top_hats(dtype):
    image = grey(dtype=dtype) - np.array(0 if dtype[0] == "u" else 4, dtype)
    tree = skerry.max_tree(image)
    hat = tree.filter(tree.measure()["area"] >= 5, top_hat=True)
    assert hat.dtype == np.dtype(dtype.replace("i", "u")) and np.array_equal(hat, image - tree.area_opening(5))


def test_columns():
    tree = skerry.max_tree(grey())
    assert {"bbox-0", "elongation", "volume"} <= set(tree.measure(moments=True, levels=True, geometry=True))
    table = tree.measure()
    assert table["area"].dtype.kind == table["parent"].dtype.kind == "i" and table["height"].dtype == float
    assert np.array_equal(table["parent"], tree.parent) and np.array_equal(table["level"], tree.level)


def test_arrays_outlive_their_tree():
    image = grey((200, 300))
    tree = skerry.max_tree(image)
    arrays = [tree.parent, tree.level, tree.first_pixel, tree.node_of_pixel]
    copies = [array.copy() for array in arrays]
    assert np.shares_memory(tree.parent, arrays[0])
    table = tree.measure()
    del tree
    gc.collect()
    skerry.max_tree(grey((200, 300), seed=1))
    for array, copy in zip(arrays, copies):
        assert np.array_equal(array, copy) and not array.flags.writeable
    assert table["parent"].tolist() == copies[0].tolist()


@pytest.mark.parametrize("call, kind, text", [
    (lambda: skerry.max_tree(np.ones((3, 3), bool)), ValueError, "image: dtype bool"),
    (lambda: skerry.max_tree(np.full((3, 3), 2**53 + 1)), ValueError, "image: .*2.53"),
    (lambda: skerry.max_tree(np.full((3, 3), np.nan, "f4")), ValueError, "image: .*NaN"),
    (lambda: skerry.max_tree(grey(), kind="mean"), ValueError, "kind: 'mean' is not one of 'max', 'min'"),
    (lambda: skerry.max_tree(grey(), connectivity=18), ValueError, "connectivity: 18 is not 4 or 8"),
    (lambda: skerry.max_tree(grey()).filter(np.ones(3, bool)), ValueError, "keep: shape"),
    (lambda: skerry.max_tree(grey()).filter(np.ones(3)), TypeError, "keep: dtype float64 is not bool"),
    (lambda: skerry.max_tree(np.eye(2, dtype="u1")).filter([True, True], rule="odd"), ValueError, "rule: 'odd' is not"),
    (lambda: skerry.max_tree(grey()).area_closing(3), ValueError, r"area_closing needs a min-tree: max_tree\(image"),
    (lambda: skerry.max_tree(grey(), kind="min").h_maxima(3), ValueError, "h_maxima needs a max-tree"),
    (lambda: skerry.max_tree(grey()).area_opening(-1), ValueError, "area: -1 is not in"),
    (lambda: skerry.max_tree(grey()).h_maxima(0.5), ValueError, "h"),
])
def test_arguments_that_are_refused(call, kind, text):
    with pytest.raises(kind, match="^" + text):
        call()


def test_a_tree_describes_itself():
    tree = skerry.max_tree(np.eye(3, dtype="u1"), connectivity=4)
    assert (tree.kind, tree.connectivity, len(tree)) == ("max", 4, 4)
    assert repr(tree) == "<MaxTree: max, 4 nodes, 3 x 3 uint8>"

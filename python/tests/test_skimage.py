# SPDX-License-Identifier: Apache-2.0
"""skerry.skimage against scikit-image where its versions agree, and against definitions."""
import numpy as np
import pytest
import scipy.ndimage
import skimage.measure
import skimage.morphology

import skerry
from skerry.skimage import measure, morphology

FILTERS = ["area_opening", "area_closing", "diameter_opening", "diameter_closing"]


def grey(shape, dtype, seed=0):
    image = np.random.default_rng(seed).integers(0, 9, shape) - (0 if dtype[0] == "u" else 4)
    return (image * (0.37 if dtype[0] == "f" else 1)).astype(dtype)


def same(mine, theirs):
    assert type(mine) is type(theirs) and mine.dtype == theirs.dtype and np.array_equal(mine, theirs)


@pytest.mark.parametrize("shape", [(40,), (17, 23), (5, 8, 9)])
@pytest.mark.parametrize("background", [None, 0, 1])
def test_label(shape, background):
    image = np.random.default_rng(0).random(shape) < 0.5
    for connectivity in (None, *range(1, len(shape) + 1)):
        mine = measure.label(image, background, True, connectivity)
        theirs = skimage.measure.label(image, background, True, connectivity)
        same(mine[0], theirs[0])
        assert mine[1] == theirs[1]
        same(measure.label(image, background=background, connectivity=connectivity), theirs[0])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8"])
@pytest.mark.parametrize("shape", [(40,), (17, 23), (23, 17), (5, 8, 9)])
def test_label_of_equal_values(shape, dtype):
    image = grey(shape, dtype) // np.array(3, dtype)
    for connectivity in (None, *range(1, len(shape) + 1)):
        for background in (None, 0, 2, 77):
            mine = measure.label(image, background, True, connectivity)
            theirs = skimage.measure.label(image, background, True, connectivity)
            same(mine[0], theirs[0])
            assert mine[1] == theirs[1]
    same(measure.label(np.asfortranarray(image)), skimage.measure.label(image))


def test_label_leaves_the_rest_to_scikit_image():
    hypercube = np.random.default_rng(0).random((3, 4, 5, 6)) < 0.3
    same(measure.label(hypercube), skimage.measure.label(hypercube))


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4", "u8", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(40,), (17, 23), (5, 8, 9)])
def test_filters(shape, dtype):
    image = grey(shape, dtype)
    for name in FILTERS:
        for connectivity in range(1, len(shape) + 1):
            for threshold in (1, 7.5, 20):
                mine = getattr(morphology, name)(image, threshold, connectivity)
                same(mine, getattr(skimage.morphology, name)(image, threshold, connectivity))


@pytest.mark.parametrize("name", FILTERS)
def test_a_threshold_above_the_image_makes_it_0(name):
    image = grey((6, 7), "u1") + np.uint8(3)
    same(getattr(morphology, name)(image, 100), getattr(skimage.morphology, name)(image, 100))


@pytest.mark.parametrize("shape", [(40,), (17, 23), (5, 8, 9), (2, 9), (1, 1)])
def test_max_trees(shape):
    """The definition: the parent of a node's first pixel is in the smallest component that holds the node and is lower."""
    image = grey(shape, "u1")
    for connectivity in range(1, len(shape) + 1):
        parent, traverser = morphology.max_tree(image, connectivity)
        assert parent.dtype == traverser.dtype == np.int64 and parent.shape == shape
        assert np.array_equal(traverser, np.argsort(image.ravel(), kind="stable"))
        flat, up = image.ravel(), parent.ravel()
        structure = scipy.ndimage.generate_binary_structure(len(shape), connectivity)
        components = {level: scipy.ndimage.label(image >= level, structure)[0].ravel() for level in np.unique(image)}
        for pixel in range(image.size):
            labels = components[flat[up[pixel]]]
            assert labels[up[pixel]] == labels[pixel] > 0
            if flat[up[pixel]] < flat[pixel]:
                between = [level for level in components if flat[up[pixel]] < level < flat[pixel]]
                parts = [np.flatnonzero(components[level] == components[level][pixel]) for level in between]
                assert all(flat[part].min() > level for part, level in zip(parts, between))


def test_trees_serve_the_filters_of_scikit_image():
    image = grey((20, 30), "u2")
    parent, traverser = morphology.max_tree(image, 2)
    expected = skimage.morphology.area_opening(image, 6, 2)
    same(skimage.morphology.area_opening(image, 6, 2, parent, traverser), expected)
    same(morphology.area_opening(image, 6, 2, parent, traverser), expected)


@pytest.mark.parametrize("shape", [(40,), (17, 23), (5, 8, 9)])
def test_local_maxima(shape):
    image = grey(shape, "u1")
    for connectivity in range(1, len(shape) + 1):
        mine = morphology.max_tree_local_maxima(image, connectivity)
        theirs = skimage.morphology.max_tree_local_maxima(image, connectivity)
        assert mine.dtype == theirs.dtype and np.array_equal(mine > 0, theirs > 0)
        pairs = {(m, t) for m, t in zip(mine.ravel(), theirs.ravel())}
        assert len(pairs) == mine.max() + 1 == theirs.max() + 1  # the same sets of pixels
        levels = [image[mine == label].max() for label in range(1, int(mine.max()) + 1)]
        assert levels == sorted(levels, reverse=True)
    assert (morphology.max_tree_local_maxima(np.ones((4, 4), "u1")) == 1).all()


def sizes_kept(mask, connectivity, keeps):
    labels, _ = scipy.ndimage.label(mask, scipy.ndimage.generate_binary_structure(mask.ndim, connectivity))
    stays = keeps(np.bincount(labels.ravel()))
    stays[0] = False
    return stays[labels]


@pytest.mark.parametrize("shape", [(60,), (30, 40), (6, 9, 12)])
def test_small_objects_and_holes(shape):
    mask = np.random.default_rng(0).random(shape) < 0.5
    for connectivity in range(1, len(shape) + 1):
        for size in (0, 1, 3, 64):
            large = sizes_kept(mask, connectivity, lambda sizes: sizes > size)
            same(morphology.remove_small_objects(mask, max_size=size, connectivity=connectivity), large)
            with pytest.warns(FutureWarning, match="`min_size` is deprecated"):
                same(morphology.remove_small_objects(mask, size + 1, connectivity), large)
            filled = ~sizes_kept(~mask, connectivity, lambda sizes: sizes > size)
            same(morphology.remove_small_holes(mask, max_size=size, connectivity=connectivity), filled)
            with pytest.warns(FutureWarning, match="`area_threshold` is deprecated"):
                same(morphology.remove_small_holes(mask, size + 1, connectivity), filled)


def test_old_and_new_sizes_together():
    for function in (morphology.remove_small_objects, morphology.remove_small_holes):
        with pytest.warns(FutureWarning), pytest.raises(ValueError, match="avoid conflicting values"):
            function(np.ones((2, 2), bool), 3, max_size=3)
    assert morphology.remove_small_objects(np.array([[True, True, False, True]]), max_size=1.5).tolist() == [[1, 1, 0, 0]]


def test_small_labels_of_the_largest_numbers():
    largest = np.iinfo(np.int64).max
    labels = np.array([[largest, 1, 1], [largest, largest, 7]])
    kept = morphology.remove_small_objects(labels, max_size=2)
    assert kept.tolist() == [[largest, 0, 0], [largest, largest, 0]]
    kept = morphology.remove_small_objects(np.array([[largest, 0, 1, 1]]), max_size=1)
    assert kept.tolist() == [[0, 0, 1, 1]]


def test_small_labels_and_places():
    labels = np.array([[1, 1, 0, 3], [0, 3, 3, 7]])
    assert morphology.remove_small_objects(labels, max_size=1).tolist() == [[1, 1, 0, 3], [0, 3, 3, 0]]
    assert morphology.remove_small_objects(labels, max_size=1, out=labels) is labels and labels[1, 3] == 0
    mask = np.array([[True, True, False, True]])
    assert morphology.remove_small_objects(mask, max_size=1, out=mask) is mask and mask.sum() == 2
    place = np.zeros((1, 4), bool)
    assert morphology.remove_small_holes(np.array([[True, True, False, True]]), max_size=1, out=place) is place and place.all()
    for function, kind, text, arguments in [
            (morphology.remove_small_objects, TypeError, "Only bool or integer", {"ar": np.ones(3)}),
            (morphology.remove_small_objects, ValueError, "Negative value labels", {"ar": np.array([-1, 1])}),
            (morphology.remove_small_holes, TypeError, "out dtype", {"ar": mask, "out": np.ones((1, 4))})]:
        with pytest.raises(kind, match=text):
            function(**arguments)
    with pytest.warns(UserWarning, match="Only one label"):
        morphology.remove_small_objects(np.array([[1, 1, 0]]))
    with pytest.warns(UserWarning, match="boolean array"):
        assert morphology.remove_small_holes(np.array([[1, 0, 1]]), max_size=1).all()


def test_trees_that_are_left_to_scikit_image(monkeypatch):
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    for image in (np.full((3, 3), np.nan), np.full((3, 3), 2**60), np.zeros((3, 3, 3, 3)), np.zeros((0, 3)), np.eye(3, dtype=bool)):
        for name in (*FILTERS, "max_tree", "max_tree_local_maxima"):
            with pytest.raises(NotImplementedError, match=f"^image: .* left to skimage.morphology.{name}; SKERRY_FALLBACK"):
                getattr(morphology, name)(image)


def test_tables():
    """Columns that every version has under these names; docs/columns.md says where scikit-image's rounding differs."""
    labels = skimage.measure.label(np.random.default_rng(1).random((40, 50)) < 0.4, connectivity=1) * 2
    greys = np.random.default_rng(2).integers(1, 200, labels.shape).astype("u1")
    names = ["label", "bbox", "area", "centroid", "area_bbox", "extent", "equivalent_diameter_area", "euler_number", "moments",
             "moments_hu", "inertia_tensor", "perimeter", "perimeter_crofton", "area_filled", "intensity_mean",
             "intensity_min", "centroid_weighted", "moments_weighted"]
    mine = measure.regionprops_table(labels, greys, names, separator="_")
    theirs = skimage.measure.regionprops_table(labels, greys, names, separator="_")
    assert list(mine) == list(theirs)
    for name in mine:
        assert mine[name].dtype.kind == ("i" if name.startswith(("label", "bbox", "euler")) else "f"), name
        assert np.allclose(mine[name], theirs[name], rtol=1e-9, atol=1e-9), name
    nothing = measure.regionprops_table(labels * 0, properties=names[:8])
    assert list(nothing) == list(skimage.measure.regionprops_table(labels * 0, properties=names[:8]))
    assert all(len(column) == 0 for column in nothing.values())
    assert nothing["bbox-0"].dtype == nothing["label"].dtype == np.int64 and nothing["area"].dtype == np.float64


@pytest.mark.parametrize("shape", [(20, 31), (6, 9, 11)])
def test_types_of_columns(shape, monkeypatch):
    """Integers are int64 and all else is float64, of every label image and intensity image."""
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    names = ["label", "num_pixels", "bbox", "area", "area_filled", "area_bbox", "euler_number", "extent"]
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        labels = np.random.default_rng(3).integers(0, 5, shape).astype(dtype)
        for image in (labels, np.asfortranarray(labels), labels[..., ::-1]):
            table = measure.regionprops_table(image, image.astype("f4"), (*names, "intensity_max"))
            expected = skimage.measure.regionprops_table(image.astype(int), image.astype("f4"), ("label", "bbox", "extent"))
            for name, column in table.items():
                assert column.dtype == (np.int64 if name.startswith(("label", "num", "bbox", "euler")) else np.float64), name
            assert np.array_equal(table["intensity_max"], table["label"])
            for name, column in expected.items():
                assert np.allclose(table[name], column, rtol=1e-14), name
    generator = measure.regionprops_table(labels, properties=(name for name in names))
    assert np.array_equal(generator["area"], table["area"])


def test_tables_that_are_left_to_scikit_image():
    labels = np.array([[1, 1, 0], [0, 2, 2]])
    assert measure.regionprops_table(labels, properties=["label", "slice"])["slice"][0] == np.s_[0:1, 0:2]
    assert measure.regionprops_table(labels, extra_properties=[lambda region: 7])["label"].tolist() == [1, 2]
    with pytest.raises(TypeError, match="ambiguous"):
        measure.regionprops_table(labels > 0)


# ---- values of a whole image


def check_like_scikit_image(name, image, *arguments):
    mine, theirs = getattr(measure, name)(image, *arguments), getattr(skimage.measure, name)(image, *arguments)
    assert type(mine) is type(theirs)
    assert mine == theirs if name == "euler_number" else np.isclose(mine, theirs, rtol=1e-13, atol=0)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (30, 41), (4, 5, 6), (9, 1, 7)])
def test_values_of_images(shape, monkeypatch):
    """As calls that skerry answers itself; euler_number has the bits of scikit-image, lengths are rounded in another order."""
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    for density in (0, 0.2, 0.5, 0.9, 1):
        mask = np.random.default_rng(0).random(shape) < density
        labels = mask * np.random.default_rng(1).integers(1, 4, shape)
        numbers = (labels, labels.astype("u1"), labels - 1, labels * 0.4, np.where(mask, np.inf, -1))
        for image in (mask, mask[::-1], np.asfortranarray(mask), *numbers):
            check_like_scikit_image("euler_number", image)
            check_like_scikit_image("euler_number", image, len(shape))
            if len(shape) == 2:
                check_like_scikit_image("perimeter_crofton", image)
                check_like_scikit_image("perimeter_crofton", image, 4)
        for image in (mask, mask[:, ::-1], mask.astype("u1"), mask.astype(int)):
            if len(shape) == 2:
                check_like_scikit_image("perimeter", image)


@pytest.mark.parametrize("name, image, arguments, reason", [
    ("euler_number", np.eye(3), (1,), "connectivity: 1"),
    ("euler_number", np.ones((3, 3, 3)), (1,), "connectivity: 1"),
    ("euler_number", np.zeros((0, 3)), (), "image: shape"),
    ("perimeter", np.eye(3, dtype=bool), (8,), "neighborhood: 8"),
    ("perimeter", np.eye(3) * 2, (), "image: shape"),
    ("perimeter", np.eye(3, dtype=int) * 2, (), "image: it has values other than 0 and 1"),
    ("perimeter", -np.eye(3, dtype=int), (), "image: it has values other than 0 and 1"),
    ("perimeter_crofton", np.eye(3), (2,), "directions: 2"),
])
def test_values_that_are_left_to_scikit_image(monkeypatch, name, image, arguments, reason):
    if image.size and image.min() >= 0:  # else scikit-image raises, too
        check_like_scikit_image(name, image, *arguments)
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    with pytest.raises(NotImplementedError, match=f"^{reason}.* left to skimage.measure.{name}; SKERRY_FALLBACK"):
        getattr(measure, name)(image, *arguments)


@pytest.mark.parametrize("name", ["perimeter", "perimeter_crofton"])
def test_lengths_of_volumes_are_errors_of_scikit_image(name):
    with pytest.raises(NotImplementedError, match="2D images only"):
        getattr(measure, name)(np.ones((2, 2, 2), bool))


def test_patched_reaches_the_functions_of_regions():
    names = ["regionprops_table", "euler_number", "perimeter", "perimeter_crofton"]
    theirs = [getattr(skimage.measure, name) for name in names]
    with skerry.patched():
        assert [getattr(skimage.measure, name) for name in names] == [getattr(measure, name) for name in names]
        assert skimage.measure.euler_number(np.eye(3, dtype=bool), 1) == 3  # by the original
    assert [getattr(skimage.measure, name) for name in names] == theirs


def test_an_array_without_axes():
    assert morphology.remove_small_objects(np.array(True), max_size=2).tolist() is False


def test_a_property_that_needs_an_intensity_image():
    def brightness(mask, intensity):
        return intensity[mask].mean()

    with pytest.raises(AttributeError, match="intensity image required to calculate brightness"):
        measure.regionprops_table(np.eye(3, dtype=int), properties=("label",), extra_properties=(brightness,))

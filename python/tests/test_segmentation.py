# SPDX-License-Identifier: Apache-2.0
"""skerry.skimage.segmentation, and extrema of a least height, against scikit-image."""
import warnings

import numpy as np
import pytest
import scipy.ndimage
import skimage.morphology
import skimage.segmentation

from skerry.skimage import morphology, segmentation

RNG = np.random.default_rng(0)
SHAPES = [(40,), (1, 9), (14, 14), (5, 6, 7), (1, 1, 1)]


def labels_of(shape, dtype):
    return RNG.integers(0, 6, shape).astype(dtype)


# ---- clear_border


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["u1", "i4", ">i8", bool])
def test_clear_border(shape, dtype):
    labels = labels_of(shape, dtype) * (RNG.random(shape) < 0.5).astype(dtype)
    for buffer_size in range(min(min(shape), 3)):
        expected = skimage.segmentation.clear_border(labels, buffer_size, 1)
        found = segmentation.clear_border(labels, buffer_size, 1)
        assert found.dtype == labels.dtype and np.array_equal(found, expected)
    mask = RNG.random(shape) < 0.9
    assert np.array_equal(segmentation.clear_border(labels, mask=mask), skimage.segmentation.clear_border(labels, mask=mask))
    before = labels.copy()
    assert segmentation.clear_border(labels, out=labels) is labels
    assert np.array_equal(labels, skimage.segmentation.clear_border(before))


def test_clear_border_refuses():
    labels = np.ones((3, 4), int)
    with pytest.raises(ValueError, match="buffer size may not be greater than labels size"):
        segmentation.clear_border(labels, 3)
    with pytest.raises(ValueError, match="should have the same shape"):
        segmentation.clear_border(labels, mask=np.ones((3, 3), bool))
    with pytest.raises(TypeError, match="mask should be of type bool"):
        segmentation.clear_border(labels, mask=labels)


# ---- relabel_sequential and join_segmentations


@pytest.mark.parametrize("shape", [*SHAPES, (2, 3, 2, 3), ()])
@pytest.mark.parametrize("dtype", ["u1", "i1", "i8", ">u4"])
@pytest.mark.parametrize("offset", [1, 5, 120, 127, 250, 300])
def test_relabel_sequential(shape, dtype, offset):
    labels = labels_of(shape, dtype) * np.asarray(20, dtype)
    expected = skimage.segmentation.relabel_sequential(labels, offset)
    found = segmentation.relabel_sequential(labels, offset)
    assert found[0].dtype == expected[0].dtype and np.array_equal(found[0], expected[0])
    for mine, theirs in zip(found[1:], expected[1:]):
        assert np.array_equal(mine.in_values, theirs.in_values) and np.array_equal(mine.out_values, theirs.out_values)
    assert np.array_equal(found[1][labels], found[0]) and np.array_equal(found[2][found[0]], labels)


def test_maps():
    _, forward, _ = segmentation.relabel_sequential(np.array([1, 1, 5, 5, 8, 99, 42]))
    _, theirs, _ = skimage.segmentation.relabel_sequential(np.array([1, 1, 5, 5, 8, 99, 42]))
    assert len(forward) == len(theirs) == 100 and np.array_equal(forward, theirs)
    assert forward[99] == 5 and forward[50] == 0 and np.ndim(forward[99]) == 0
    assert np.array_equal(forward[4:9], theirs[4:9]) and np.array_equal(forward(np.array([42, 1])), [4, 1])
    assert np.array_equal(forward[np.array([False, True, False])], [1]) and forward[1000] == 0
    for found in (forward, theirs):
        found[5], found[6] = 77, 7
    assert np.array_equal(forward, theirs) and forward[5] == 77 and forward[6] == 7 and forward.dtype == theirs.dtype
    with pytest.raises(IndexError):
        forward[100] = 1


def test_relabel_sequential_refuses():
    for arguments, error in [((np.array([1, -1]),), ValueError), ((np.array([1]), 0), ValueError), ((np.array([1.0]),), TypeError)]:
        with pytest.raises(error):
            segmentation.relabel_sequential(*arguments)


@pytest.mark.parametrize("dtype", ["u2", "i8"])
def test_join_segmentations(dtype):
    for shape in SHAPES:
        first, second = labels_of(shape, dtype), labels_of(shape, dtype) * 7
        joined, to_first, to_second = segmentation.join_segmentations(first, second, return_mapping=True)
        expected = skimage.segmentation.join_segmentations(first, second)
        assert joined.dtype == expected.dtype and np.array_equal(joined, expected)
        assert np.array_equal(to_first[joined], first) and np.array_equal(to_second[joined], second)
        assert np.array_equal(segmentation.join_segmentations(first, second), joined)
    with pytest.raises(ValueError, match="different shape"):
        segmentation.join_segmentations(first, second[0])


def test_products_that_do_not_fit_the_type():
    first = np.arange(256, dtype=np.uint8).reshape(16, 16)
    joined = segmentation.join_segmentations(first, first.T.copy())
    assert joined.max() == 255 and len(np.unique(joined)) == 256


# ---- extrema of a least height


def images(shape):
    image = RNG.integers(0, 60, shape)
    return [image.astype("u1"), (image - 30).astype("i2"), -image, image * 0.1, (image * 0.37).astype("f4"),
            scipy.ndimage.gaussian_filter(image.astype(float), 1), image.astype(">u2")]


@pytest.mark.parametrize("name", ["h_maxima", "h_minima"])
@pytest.mark.parametrize("shape", SHAPES)
def test_extrema(name, shape):
    footprints = [None, np.ones((3,) * len(shape)), scipy.ndimage.generate_binary_structure(len(shape), 1)]
    for image in images(shape):
        for h in (1, 0.5, 0.1, 2.5, 7, 59, 1000, np.float32(3)):
            for footprint in footprints:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", "possible precision loss")
                    expected = getattr(skimage.morphology, name)(image, h, footprint)
                    found = getattr(morphology, name)(image, h, footprint)
                assert found.dtype == expected.dtype and np.array_equal(found, expected), (image.dtype, h, footprint)


def test_extrema_of_integers_with_a_fraction():
    with pytest.warns(UserWarning, match="possible precision loss"):
        morphology.h_maxima(np.array([[1, 3, 1]]), 0.5)
    for name in ("h_maxima", "h_minima"):
        with pytest.raises(ValueError, match="h = 0 is ambiguous"):
            getattr(morphology, name)(np.array([[1, 3, 1]]), 0)


def test_the_whole_range_of_a_type():
    image = np.array([[-128, 127, 0]], np.int8)  # the range of which overflows int8
    assert morphology.h_maxima(image, 200).tolist() == [[0, 1, 0]]

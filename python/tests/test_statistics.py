# SPDX-License-Identifier: Apache-2.0
"""The measurements of skerry.ndimage against SciPy's, call for call."""
import sys

import numpy as np
import pytest
import scipy.ndimage

from skerry import ndimage

NAMES = ["sum_labels", "sum", "mean", "variance", "standard_deviation", "minimum", "maximum"]
RNG = np.random.default_rng(0)
INDICES = [None, 2, np.int64(5), [1, 2, 3], [7, 1, 99, 0], np.array([[1, 2], [3, 4]]), np.arange(12, dtype="u1"), []]


def close(mine, theirs):
    if isinstance(theirs, list):
        assert isinstance(mine, list) and np.allclose(mine, theirs, rtol=1e-10, equal_nan=True)
        return
    assert type(mine) is type(theirs)
    assert np.shape(mine) == np.shape(theirs) and np.asarray(mine).dtype == np.asarray(theirs).dtype
    assert np.allclose(mine, theirs, rtol=1e-10, atol=1e-9, equal_nan=True)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # SciPy divides by 0 for labels without pixels
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "i8", "u8", "f4", "f8"])
def test_values_of_labels(name, dtype):
    for shape in ((60,), (11, 13), (4, 5, 6), (2, 3, 4, 5)):
        input = (RNG.random(shape) * 100).astype(dtype)
        labels = RNG.integers(0, 9, shape)
        for index in INDICES:
            if name in ("minimum", "maximum") and dtype == "?" and index is None:
                continue
            close(getattr(ndimage, name)(input, labels, index), getattr(scipy.ndimage, name)(input, labels, index))
    close(getattr(ndimage, name)(input), getattr(scipy.ndimage, name)(input))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", NAMES)
def test_labels_of_other_kinds(name):
    input = RNG.random((11, 13))
    mine, theirs = getattr(ndimage, name), getattr(scipy.ndimage, name)
    for labels in (RNG.integers(-3, 4, input.shape), RNG.integers(0, 5, 13), RNG.integers(0, 2, input.shape).astype(bool),
                   RNG.integers(0, 4, input.shape) * 10**9, RNG.integers(0, 4, input.shape).astype(float)):
        for index in ([1, 2, 3], [-1, 0], [10**9], [1.0, 2.0]):
            close(mine(input, labels, index), theirs(input, labels, index))
    close(mine(input.tolist(), labels.astype(int).tolist(), [1, 2]), theirs(input, labels.astype(int), [1, 2]))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["sum_labels", "mean", "minimum", "maximum"])
def test_nan_and_large_integers(name):
    labels = np.array([[1, 1, 2, 2, 3, 3]])
    for input in (np.array([[np.nan, 1, 2, 3, np.nan, np.nan]]), np.array([[1, np.inf, -np.inf, 3, 0, -0.0]]),
                  np.array([[2**60 + 1, 2**60, -(2**60) - 1, 3, 5, 6]])):
        close(getattr(ndimage, name)(input, labels, [1, 2, 3]), getattr(scipy.ndimage, name)(input, labels, [1, 2, 3]))


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "i8", "u8", "f4", "f8"])
def test_places(dtype):
    for shape in ((60,), (11, 13), (4, 5, 6), (2, 3, 4, 5)):
        input = RNG.permutation(np.prod(shape)).reshape(shape)
        input = (input > 3 if dtype == "?" else input % 120 if dtype == "u1" else input).astype(dtype)
        labels = RNG.integers(0, 9, shape)
        for index in (None, 2, [1, 2, 3], [7, 1, 99, 0], np.array([[1, 2], [3, 4]]), []):
            if dtype == "?" and index is not None:
                continue  # which of equal values comes first depends on SciPy's sort
            mine, theirs = ndimage.extrema(input, labels, index), scipy.ndimage.extrema(input, labels, index)
            for part, other in zip(mine[:2], theirs[:2]):
                close(part, other)
            assert mine[2] == theirs[2] and mine[3] == theirs[3]
            assert ndimage.minimum_position(input, labels, index) == scipy.ndimage.minimum_position(input, labels, index)
            assert ndimage.maximum_position(input, labels, index) == scipy.ndimage.maximum_position(input, labels, index)
    assert ndimage.maximum_position([[1, 5, 5]], [[1, 1, 1]], [1]) == [(0, 1)]


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "f4", "f8"])
def test_medians_and_histograms(dtype):
    for shape in ((60,), (11, 13), (4, 5, 6)):
        input, labels = (RNG.random(shape) * 100).astype(dtype), RNG.integers(0, 9, shape)
        for index in (2, [1, 2, 3], np.array([[1, 2], [3, 4]])):
            close(ndimage.median(input, labels, index), scipy.ndimage.median(input, labels, index))
        assert np.isnan(ndimage.median(input, labels, [99])[0])
        for index in (None, 2, 99, [1, 2, 3], [5, 99]):
            mine = ndimage.histogram(input, 10, 70, 7, labels, index)
            theirs = scipy.ndimage.histogram(input, 10, 70, 7, labels, index)
            assert type(mine) is type(theirs) and np.shape(mine) == np.shape(theirs)
            for part, other in zip(np.atleast_1d(mine), np.atleast_1d(theirs)):
                assert np.array_equal(part, other) and (part is None) == (other is None)
    with pytest.raises(ValueError, match="index without defined labels"):
        ndimage.histogram(input, 0, 1, 5, None, [1])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_center_of_mass():
    for shape in ((60,), (11, 13), (4, 5, 6)):
        input, labels = RNG.random(shape), RNG.integers(0, 5, shape)
        for index in (None, 2, [1, 2, 3], [3, 9]):
            close(ndimage.center_of_mass(input, labels, index), scipy.ndimage.center_of_mass(input, labels, index))
        close(ndimage.center_of_mass(input), scipy.ndimage.center_of_mass(input))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_find_objects(dtype):
    for shape in ((60,), (11, 13), (4, 5, 6), (2, 2, 2, 2)):
        labels = (RNG.integers(0, 5, shape) * 3 - (3 if dtype[0] == "i" else 0)).astype(dtype)
        for most in (0, 2, 7, 100):
            assert ndimage.find_objects(labels, most) == scipy.ndimage.find_objects(labels, most)
    assert ndimage.find_objects(np.zeros((3, 3), int)) == scipy.ndimage.find_objects(np.zeros((3, 3), int)) == []


@pytest.mark.parametrize("shape", [(40,), (30, 40), (6, 9, 12)])
def test_fill_holes(shape):
    mask = RNG.random(shape) < 0.6
    structures = [None, *(scipy.ndimage.generate_binary_structure(len(shape), hops) for hops in range(1, len(shape) + 1))]
    for structure in structures:
        expected = scipy.ndimage.binary_fill_holes(mask, structure)
        assert np.array_equal(ndimage.binary_fill_holes(mask, structure), expected)
        assert np.array_equal(ndimage.binary_fill_holes(mask * 7, structure), expected)
        place = np.zeros(shape, bool)
        assert ndimage.binary_fill_holes(mask, structure, place) is None and np.array_equal(place, expected)
    assert ndimage.binary_fill_holes(mask).dtype == bool


def test_the_rest_of_scipy(monkeypatch):
    assert ndimage.gaussian_filter is scipy.ndimage.gaussian_filter
    with pytest.raises(AttributeError):
        ndimage.no_such_function
    monkeypatch.setitem(sys.modules, "scipy.ndimage", None)
    assert not hasattr(ndimage, "gaussian_filter")
    assert ndimage.sum([1, 2, 3], [1, 1, 2], [1, 2]).tolist() == [3, 3]


def test_histograms_of_many_bins_are_scipys():
    values, labels = np.arange(6), np.array([1, 1, 2, 2, 0, 0])
    for bins in (2**20 + 1, 2**20):
        assert np.array_equal(ndimage.histogram(values, 0, 6, bins, labels, 1), scipy.ndimage.histogram(values, 0, 6, bins, labels, 1))

# SPDX-License-Identifier: Apache-2.0
"""skerry.ndimage against scipy.ndimage, call for call."""
import itertools
import sys

import numpy as np
import pytest
import scipy.ndimage

from skerry import ndimage

RNG = np.random.default_rng(0)


def same(mine, theirs):
    assert type(mine) is type(theirs)
    if isinstance(theirs, tuple):
        assert mine[1] == theirs[1]
        mine, theirs = mine[0], theirs[0]
    if isinstance(theirs, np.ndarray):
        assert mine.dtype == theirs.dtype
    assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_every_structure_that_scipy_makes(rank):
    image = RNG.random((40, 50, 6, 3)[:rank]) < 0.35
    for hops in range(1, rank + 1):
        structure = scipy.ndimage.generate_binary_structure(rank, hops)
        same(ndimage.label(image, structure), scipy.ndimage.label(image, structure))
        same(ndimage.label(image, structure.astype(int).tolist()), scipy.ndimage.label(image, structure))
    same(ndimage.label(image), scipy.ndimage.label(image))


def test_rows_of_pixels():
    row = RNG.random(100) < 0.5
    for output in (None, "u2", np.zeros(100, "i8"), np.zeros(200, "u1")[::2]):
        same(ndimage.label(row, output=output), scipy.ndimage.label(row, output=output))
    same(ndimage.label(row, [0, 1, 0]), scipy.ndimage.label(row, [0, 1, 0]))


def test_other_structures():
    image = RNG.random((40, 50)) < 0.4
    for structure in ([[0, 0, 0], [1, 1, 1], [0, 0, 0]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], np.zeros((3, 3))):
        same(ndimage.label(image, structure), scipy.ndimage.label(image, structure))
    for structure, kind in [(np.ones((3, 2)), ValueError), (np.ones(3), RuntimeError),
                            ([[1, 1, 0], [1, 1, 0], [0, 0, 0]], AssertionError)]:
        for label in (ndimage.label, scipy.ndimage.label):
            with pytest.raises(kind):
                label(image, structure)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_every_type(dtype):
    image = RNG.integers(0, 2, (30, 40)).astype(dtype)
    same(ndimage.label(image), scipy.ndimage.label(image))


@pytest.mark.parametrize("output", ["i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", int, np.uint16])
def test_output(output):
    image = RNG.random((30, 40)) < 0.3
    same(ndimage.label(image, output=output), scipy.ndimage.label(image, output=output))
    mine, theirs = np.full(image.shape, 7, output), np.full(image.shape, 7, output)
    same(ndimage.label(image, output=mine), scipy.ndimage.label(image, output=theirs))
    same(mine, theirs)
    same(ndimage.label(image, None, mine.T.copy().T), scipy.ndimage.label(image, None, theirs))


def test_output_that_is_too_small():
    image = np.tile([True, False], (1, 300))
    for label, output in itertools.product((ndimage.label, scipy.ndimage.label), ("u1", "i1")):
        with pytest.raises(RuntimeError, match="insufficient bit-depth"):
            label(image, output=output)


def test_output_of_another_shape_and_in_place():
    image = (RNG.random((30, 40)) < 0.3).astype(np.int32)
    for label in (ndimage.label, scipy.ndimage.label):
        with pytest.raises((RuntimeError, ValueError)):
            label(image, output=np.zeros((3, 3), int))
    mine, theirs = image.copy(), image.copy()
    same(ndimage.label(mine, output=mine), scipy.ndimage.label(theirs, output=theirs))
    same(mine, theirs)


def test_nan_is_a_feature():
    image = np.array([[np.nan, 0, 1, np.nan]])
    same(ndimage.label(image), scipy.ndimage.label(image))


def test_empty_and_complex():
    for shape in ((0, 5), (5, 0), (0, 0, 0)):
        same(ndimage.label(np.zeros(shape)), scipy.ndimage.label(np.zeros(shape)))
    for label in (ndimage.label, scipy.ndimage.label):
        with pytest.raises(TypeError, match="[Cc]omplex"):
            label(np.zeros((3, 3), complex))
        with pytest.raises(ValueError, match="[Bb]ig-endian"):
            label(np.zeros((3, 3), ">i4"))


def test_find_objects():
    labels, _ = ndimage.label(RNG.random((30, 40)) < 0.3)
    assert ndimage.find_objects(labels) == scipy.ndimage.find_objects(labels)
    assert ndimage.find_objects(labels, 3) == scipy.ndimage.find_objects(labels, 3)


def test_without_scipy(monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert ndimage.label([[1, 0, 1]])[1] == 2
    with pytest.raises(ImportError, match="input: 4 dimensions are not 1, 2 or 3, which is left to scipy.ndimage.label: pip"):
        ndimage.label([[[[1, 0, 1]]]])

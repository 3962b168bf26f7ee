# SPDX-License-Identifier: Apache-2.0
"""value_indices and labeled_comprehension, against SciPy; components of slabs."""
import numpy as np
import pytest
import scipy.ndimage

from skerry import cc3d, ndimage

RNG = np.random.default_rng(0)
SHAPES = [(30,), (1, 1), (9, 11), (3, 4, 5), (2, 2, 3, 2)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["u1", "i1", "i4", "u8", ">i2"])
def test_value_indices(shape, dtype):
    array = RNG.integers(-3, 4, shape).astype(dtype)
    for ignored in (None, 0, 3):
        found = ndimage.value_indices(array, ignore_value=ignored)
        values = [value for value in np.unique(array) if value != ignored]
        assert list(found) == values and [value.dtype for value in found] == [array.dtype.newbyteorder("=")] * len(values)
        for value in values:
            assert all(map(np.array_equal, found[value], np.nonzero(array == value)))


def test_many_values():
    array = RNG.permutation(70000).reshape(700, 100) - 35000
    found = ndimage.value_indices(array)
    assert len(found) == 70000 and all(array[place] == [value] for value, place in list(found.items())[::7000])


def test_value_indices_as_scipy_has_them():
    array = RNG.integers(0, 5, (6, 7))
    mine, theirs = ndimage.value_indices(array), scipy.ndimage.value_indices(array)
    assert list(mine) == list(theirs)
    assert all(map(np.array_equal, mine[value], theirs[value]) for value in theirs)
    with pytest.raises(ValueError):
        ndimage.value_indices(array * 0.5)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("with_places", [False, True])
def test_labeled_comprehension(shape, with_places):
    array, labels = RNG.random(shape), RNG.integers(-1, 5, shape)

    def work(values, places=1):
        return np.sort(values * places).sum()

    for index in (None, 3, [1, 2, 3], [4, 1, 77, -1], np.arange(9, dtype=np.uint8)):
        arguments = array, labels, index, work, float, -1, with_places
        assert np.array_equal(ndimage.labeled_comprehension(*arguments), scipy.ndimage.labeled_comprehension(*arguments))
    assert ndimage.labeled_comprehension(array, None, None, len, int, -1) == array.size
    assert ndimage.labeled_comprehension(array, labels, [], len, int, -1).shape == (0,)
    assert ndimage.labeled_comprehension(array, labels, [1, 1], len, int, 0).tolist() == [(labels == 1).sum()] * 2
    with pytest.raises(ValueError, match="index without defined labels"):
        ndimage.labeled_comprehension(array, None, 1, len, int, -1)
    with pytest.raises(ValueError, match="without loss of precision"):
        ndimage.labeled_comprehension(array, labels, [1.5], len, int, -1)


@pytest.mark.parametrize("connectivity", [6, 26])
@pytest.mark.parametrize("binary_image", [False, True])
def test_components_of_slabs(connectivity, binary_image):
    pytest.importorskip("crackle", reason="the result is an array of crackle-codec, which is not installed")
    volume = RNG.integers(0, 3, (9, 8, 12), dtype=np.uint8) * (RNG.random((9, 8, 12)) < 0.4)
    slabs = [volume[..., begin:end] for begin, end in [(0, 1), (1, 5), (5, 6), (6, 12)]]
    found, count = cc3d.connected_components_stack(iter(slabs), connectivity, return_N=True, binary_image=binary_image)
    whole, expected = cc3d.connected_components(volume, connectivity=connectivity, return_N=True, binary_image=binary_image)
    pairs = set(zip(found.numpy().ravel().tolist(), whole.ravel().tolist()))
    assert count == expected and len(pairs) == expected + 1 and (0, 0) in pairs


def test_slabs_that_are_refused():
    with pytest.raises(ValueError, match="connectivity: 18 is not 6 or 26"):
        cc3d.connected_components_stack([], connectivity=18)
    try:
        import crackle  # noqa: F401
    except ImportError:
        with pytest.raises(ImportError, match="pip install crackle-codec"):
            cc3d.connected_components_stack([np.ones((2, 2, 2), bool)])
    else:
        with pytest.raises(ValueError, match="stacked_images: there is none"):
            cc3d.connected_components_stack([])

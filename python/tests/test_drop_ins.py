# SPDX-License-Identifier: Apache-2.0
"""skerry.cc3d and skerry.cv2, what drop-ins do with calls that are not theirs, and patched()."""
import subprocess
import sys

import cv2 as opencv
import numpy as np
import pytest
import scipy.ndimage
import skimage.measure

import skerry
from skerry import cc3d, cv2, ndimage

HOPS = {4: 1, 6: 1, 8: 2, 18: 2, 26: 3}
RNG = np.random.default_rng(0)


def same_parts(mine, theirs):
    """The same components, whatever their numbers."""
    pairs = set(zip(mine.ravel().tolist(), theirs.ravel().tolist()))
    return len(pairs) == mine.max() + 1 == theirs.max() + 1 and ((mine == 0) == (theirs == 0)).all()


# ---- cc3d


@pytest.mark.parametrize("shape, connectivity", [((40,), 6), ((40,), 26), ((30, 40), 4), ((30, 40), 6), ((30, 40), 8),
                                                 ((30, 40), 26), ((6, 9, 12), 6), ((6, 9, 12), 18), ((6, 9, 12), 26)])
def test_connected_components(shape, connectivity):
    mask = RNG.random(shape) < 0.35
    structure = scipy.ndimage.generate_binary_structure(len(shape), min(HOPS[connectivity], len(shape)))
    expected, n = scipy.ndimage.label(mask, structure)
    labels, count = cc3d.connected_components(mask, connectivity=connectivity, return_N=True)
    assert count == n and np.array_equal(labels, expected) and labels.dtype == np.uint16
    turned, _ = scipy.ndimage.label(mask.T, structure)  # in Fortran order they are numbered along memory
    labels = cc3d.connected_components(np.asfortranarray(mask), connectivity=connectivity)
    assert np.array_equal(labels, turned.T) and labels.flags.f_contiguous
    for numbers in (mask * np.float32(np.nan), mask * -3, mask.astype("u1")[..., ::-1][..., ::-1]):
        labels = cc3d.connected_components(numbers, connectivity=connectivity, binary_image=True)
        assert np.array_equal(labels != 0, numbers != 0)


def test_types_of_labels():
    mask = np.zeros((1, 140000), bool)
    mask[0, ::2] = True
    assert cc3d.connected_components(mask).dtype == np.uint32
    assert cc3d.connected_components(mask, out_dtype=np.uint64).dtype == np.uint64
    assert cc3d.connected_components(np.zeros((0, 4), bool)).shape == (0, 4)
    for out_dtype, text in [(np.uint16, "dtype: 70000 components do not fit uint16"), (np.uint8, "out_dtype: uint8 is not")]:
        with pytest.raises(ValueError, match=text):
            cc3d.connected_components(mask, out_dtype=out_dtype)
    with pytest.raises(ValueError, match="connectivity: 5 is not one of 4, 6, 8, 18, 26, for 2 dimensions"):
        cc3d.connected_components(mask, connectivity=5)


@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "u8", "f4", "f8"])
def test_equal_values(dtype):
    for shape in ((40,), (30, 40), (6, 9, 12)):
        image = RNG.integers(0, 4, shape).astype(dtype)
        labels, n = cc3d.connected_components(image, connectivity=6, return_N=True)
        values = np.unique(image[image != 0])
        parts = [scipy.ndimage.label(image == value)[0] for value in values]
        assert n == sum(part.max() for part in parts) == labels.max()
        for part in parts:
            assert len(set(zip(labels[part > 0].tolist(), part[part > 0].tolist()))) == part.max()
        firsts = [labels.ravel().tolist().index(label) for label in range(1, n + 1)]
        assert firsts == sorted(firsts)


def test_delta_and_periodic_boundaries():
    assert cc3d.connected_components(np.array([[1, 2, 4, 0, 5]]), delta=1).tolist() == [[1, 1, 2, 0, 3]]
    image = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0]], np.uint8)
    assert cc3d.connected_components(image, connectivity=4, periodic_boundary=True).max() == 1
    assert cc3d.connected_components(image, connectivity=4).max() == 3
    assert cc3d.connected_components(np.array([True, False, True]), periodic_boundary=True).tolist() == [1, 0, 1]


def test_what_is_left_to_cc3d(monkeypatch):
    monkeypatch.setitem(sys.modules, "cc3d", None)
    with pytest.raises(ImportError, match="left to cc3d.connected_components: pip install connected-components-3d"):
        cc3d.connected_components(np.array([[1.0, np.nan]]))


def test_cc3d_itself():
    theirs = pytest.importorskip("cc3d")
    for shape, connectivity in [((30, 40), 4), ((30, 40), 8), ((8, 9, 10), 26)]:
        mask = RNG.random(shape) < 0.3
        assert same_parts(cc3d.connected_components(mask, connectivity=connectivity).astype(int),
                          theirs.connected_components(mask, connectivity=connectivity).astype(int))
    image = RNG.integers(0, 3, (20, 20))
    assert np.array_equal(cc3d.connected_components(image), theirs.connected_components(image))


# ---- OpenCV


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("ltype", [cv2.CV_16U, cv2.CV_32S])
def test_opencv(connectivity, ltype):
    for shape in ((40, 50), (1, 30), (30, 1)):
        image = (RNG.random(shape) < 0.4).astype(np.uint8) * 200
        mine = cv2.connectedComponentsWithStats(image, connectivity=connectivity, ltype=ltype)
        theirs = opencv.connectedComponentsWithStats(image, connectivity=connectivity, ltype=ltype)
        assert mine[0] == theirs[0] and same_parts(mine[1].astype(int), theirs[1].astype(int))
        assert [part.dtype for part in mine[1:]] == [part.dtype for part in theirs[1:]]
        order = np.zeros(mine[0], int)
        order[mine[1].ravel()] = theirs[1].ravel()
        assert np.array_equal(mine[2], theirs[2][order]) and np.allclose(mine[3], theirs[3][order], rtol=1e-12)
        n, labels = cv2.connectedComponents(image, connectivity=connectivity, ltype=ltype)
        assert n == mine[0] and np.array_equal(labels, mine[1])
        structure = scipy.ndimage.generate_binary_structure(2, HOPS[connectivity])
        assert np.array_equal(labels, scipy.ndimage.label(image, structure)[0])


def test_every_algorithm_of_opencv():
    image = (RNG.random((20, 30)) < 0.4).astype(np.uint8)
    for algorithm in (-1, 0, 1, 2):
        assert np.array_equal(cv2.connectedComponentsWithAlgorithm(image, 8, cv2.CV_32S, algorithm)[1],
                              cv2.connectedComponents(image)[1])
        mine = cv2.connectedComponentsWithStatsWithAlgorithm(image, 4, cv2.CV_32S, algorithm)
        assert all(map(np.array_equal, mine[1:], cv2.connectedComponentsWithStats(image, connectivity=4)[1:]))


def test_images_of_one_kind():
    for image in (np.zeros((3, 4), np.uint8), np.ones((3, 4), np.uint8)):
        mine, theirs = cv2.connectedComponentsWithStats(image), opencv.connectedComponentsWithStats(image)
        rows = slice(int(image[0, 0]), None)  # OpenCV's box of a background without pixels is that of integers that overflow
        assert mine[0] == theirs[0] and np.array_equal(mine[2][rows], theirs[2][rows])
        assert np.array_equal(mine[3], theirs[3], equal_nan=True)
    assert mine[2][0].tolist() == [0] * 5


def test_places_of_opencv():
    image = (RNG.random((20, 30)) < 0.4).astype(np.uint8)
    labels = np.zeros(image.shape, np.int32)
    n, found = cv2.connectedComponents(image, labels)
    assert found is labels and labels.max() == n - 1
    stats, centroids = np.zeros((n, 5), np.int32), np.zeros((n, 2))
    found = cv2.connectedComponentsWithStats(image, labels, stats, centroids)
    assert found[1] is labels and found[2] is stats and found[3] is centroids and stats[:, 4].sum() == image.size
    assert cv2.connectedComponents(image, np.zeros((3, 3), np.int32))[1].shape == image.shape


def test_what_is_left_to_opencv():
    for function in (cv2.connectedComponents, cv2.connectedComponentsWithStats):
        with pytest.raises(opencv.error):
            function(np.zeros((3, 4), np.float32))
        with pytest.raises(opencv.error):
            function(np.zeros((3, 4), np.uint8), connectivity=6)


# ---- calls that are not ours


def test_fallbacks_are_told_on_request(monkeypatch):
    hypercube = RNG.random((3, 3, 3, 3)) < 0.3
    monkeypatch.setenv("SKERRY_FALLBACK", "warn")
    with pytest.warns(skerry.FallbackWarning, match="^input: 4 dimensions are not 1, 2 or 3, which is left to scipy.ndimage.label"):
        assert ndimage.label(hypercube)[1] == scipy.ndimage.label(hypercube)[1]
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    with pytest.raises(NotImplementedError, match="SKERRY_FALLBACK=error forbids that"):
        ndimage.label(hypercube)
    monkeypatch.setenv("SKERRY_FALLBACK", "maybe")
    with pytest.raises(ValueError, match="^SKERRY_FALLBACK: 'maybe' is not 'allow', 'warn' or 'error'"):
        ndimage.label(hypercube)


def test_axes_of_holes(monkeypatch):
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    ring = np.pad(np.zeros((1, 1), bool), 1, constant_values=True)
    assert ndimage.binary_fill_holes(ring, axes=(0, -1)).all()
    with pytest.raises(NotImplementedError, match=r"^axes: \(1,\) of 2 dimensions, which is left to scipy.ndimage"):
        ndimage.binary_fill_holes(ring, axes=(1,))


def test_patched():
    before = scipy.ndimage.label, skimage.measure.label, opencv.connectedComponents
    hypercube = RNG.random((3, 3, 3, 3)) < 0.3
    expected = scipy.ndimage.label(hypercube)
    with skerry.patched():
        assert scipy.ndimage.label is ndimage.label and opencv.connectedComponents is cv2.connectedComponents
        assert skimage.measure.label is skerry.skimage.measure.label
        labels, n = scipy.ndimage.label(hypercube)  # through ours to the original
        assert n == expected[1] and np.array_equal(labels, expected[0])
        with pytest.raises(RuntimeError, match="in use"):
            with skerry.patched():
                pass
    assert before == (scipy.ndimage.label, skimage.measure.label, opencv.connectedComponents)
    with pytest.raises(KeyError):
        with skerry.patched():
            raise KeyError
    assert scipy.ndimage.label is before[0]


def test_modules_are_there_without_an_import_of_their_own():
    code = "import skerry; print(skerry.skimage.measure.label, skerry.cc3d, skerry.cv2, {'blocks', 'dask'} <= set(dir(skerry)))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.endswith("True\n"), done.stderr
    with pytest.raises(AttributeError, match="'skerry' has no attribute 'scikit_image'"):
        skerry.scikit_image  # noqa: B018

# SPDX-License-Identifier: Apache-2.0
"""skerry.skimage.measure.regionprops and regionprops_table, against scikit-image's."""
import pickle
import sys

import numpy as np
import pytest
import skimage.measure

from skerry.skimage import _names, measure

RNG = np.random.default_rng(0)
HULLS = {"area_convex", "solidity", "feret_diameter_max", "image_convex"}


def image_of(rank, kind):
    shape = (9, 8, 7)[:rank]
    labels = RNG.integers(-1, 4, shape) * 3
    return labels, {"none": None, "integers": RNG.integers(0, 50, shape), "floats": RNG.random(shape) + 0.1,
                    "channels": RNG.integers(0, 9, (*shape, 2)).astype("u1")}[kind]


def known(name):
    """The Debian package of the tests is older than 0.26."""
    return hasattr(skimage.measure._regionprops.RegionProperties, name)


def values(region, name):
    found = getattr(region, name)
    return np.array([(side.start, side.stop) for side in found]) if name == "slice" else np.asarray(found, float)


@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("kind", ["none", "integers", "floats", "channels"])
@pytest.mark.parametrize("rank", [2, 3])
def test_properties(rank, kind, cache):
    labels, intensity = image_of(rank, kind)
    mine = measure.regionprops(labels, intensity, cache)
    theirs = skimage.measure.regionprops(labels, intensity)
    assert [region.label for region in mine] == [region.label for region in theirs] == [3, 6, 9]
    for name in sorted(filter(known, _names.NAMES - (HULLS if rank == 3 else set()))):
        for region, expected in zip(mine, theirs):
            if (name in _names.OF_PLANES and rank == 3) or (name in _names.OF_INTENSITIES and intensity is None):
                with pytest.raises(NotImplementedError if name in _names.OF_PLANES and rank == 3 else AttributeError):
                    getattr(region, name)
            else:
                np.testing.assert_allclose(values(region, name), values(expected, name), rtol=1e-6, atol=1e-6, err_msg=name)
                assert region._cache_active or not region._cache


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # scikit-image's, of images without regions
@pytest.mark.parametrize("kind", ["integers", "floats"])
def test_tables(kind):
    for rank in (2, 3):
        labels, intensity = image_of(rank, kind)
        left_out = HULLS | _names.OF_PLANES if rank == 3 else set()
        names = [name for name in sorted(_names.NAMES - left_out) if known(name)]
        for image in (labels, labels * 0):
            mine = measure.regionprops_table(image, intensity, names, separator="+")
            theirs = skimage.measure.regionprops_table(image, intensity, names, separator="+")
            assert list(mine) == list(theirs)
            for name, column in mine.items():
                assert len(column) == len(theirs[name])
                if column.dtype != object:
                    np.testing.assert_allclose(column, theirs[name], rtol=1e-6, atol=1e-6, err_msg=name)


def test_nothing_is_left_to_scikit_image(monkeypatch):
    for module in ("skimage", "skimage.morphology"):
        monkeypatch.setitem(sys.modules, module, None)
    labels, intensity = image_of(2, "floats")
    names = [name for name in sorted(_names.NAMES - {"image_convex"})]
    table = measure.regionprops_table(labels, intensity, names, extra_properties=(pixels,))
    assert table["pixels"].tolist() == table["num_pixels"].tolist()
    left = "image_convex: the hull of a mask, which is left to skimage.morphology.convex_hull_image"
    with pytest.raises(ImportError, match=f"^{left}: pip install scikit-image"):
        measure.regionprops(labels)[0].image_convex  # noqa: B018
    monkeypatch.setenv("SKERRY_FALLBACK", "error")
    with pytest.raises(NotImplementedError, match=f"^{left}; "):
        measure.regionprops(labels)[0].image_convex  # noqa: B018


def pixels(mask):
    return mask.sum()


def brightest(mask, intensity):
    return intensity[mask].max()


def test_spacing_and_offset():
    labels, intensity = image_of(2, "integers")
    region = measure.regionprops(labels, intensity, spacing=(2, 0.5), offset=(10, 20))[0]
    places = np.argwhere(labels == 3)
    assert np.allclose(region.centroid, places.mean(0) * (2, 0.5) + (10, 20))
    assert np.array_equal(region.coords, places + (10, 20)) and region.area == len(places)
    with pytest.raises(NotImplementedError, match="`perimeter` supports isotropic"):
        region.perimeter  # noqa: B018
    with pytest.raises(NotImplementedError, match="`moments_hu` supports"):
        region.moments_hu  # noqa: B018


def test_functions_of_the_caller():
    labels, intensity = image_of(2, "channels")
    region = measure.regionprops(labels, intensity, extra_properties=(pixels, brightest))[0]
    assert region.pixels == region["pixels"] == (labels == 3).sum()
    assert region.brightest.tolist() == intensity[labels == 3].max(0).tolist()
    with pytest.raises(AttributeError, match="intensity image required"):
        measure.regionprops(labels, extra_properties=(brightest,))[0].brightest  # noqa: B018
    with pytest.warns(UserWarning, match="Extra property 'area' is shadowed"):
        area = type(pixels)(pixels.__code__, {}, "area")
        measure.regionprops(labels, extra_properties=(area,))


def test_names_of_a_region():
    labels, intensity = image_of(2, "integers")
    region = measure.regionprops(labels, intensity)[1]
    assert {name for name in dir(region) if not name.startswith("_")} == _names.NAMES
    assert len(list(region)) > len(list(measure.regionprops(labels)[1]))
    assert repr(region).startswith("<RegionProperties: label=6, bbox=(")
    for old, name in _names.DEPRECATED.items():
        with pytest.warns(FutureWarning, match=rf"RegionProperties\['{old}'\]` is deprecated"):
            assert np.array_equal(region[old], region[name], equal_nan=name not in _names.OBJECTS)
    with pytest.warns(FutureWarning, match="RegionProperties.bbox_area. is deprecated"):
        assert region.bbox_area == region.area_bbox
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        region.colour  # noqa: B018


def test_copies_are_equal():
    labels, intensity = image_of(2, "integers")
    first, second, _ = measure.regionprops(labels, intensity)
    assert pickle.loads(pickle.dumps(first)) == first != second and first != 3


@pytest.mark.parametrize("labels, intensity, options, error, text", [
    (np.zeros((2, 2)), None, {}, TypeError, "Non-integer label_image"),
    (np.zeros((2, 2), bool), None, {}, TypeError, "Non-integer image types are ambiguous"),
    (np.zeros(3, int), None, {}, TypeError, "Only 2-D and 3-D"),
    (np.zeros((2, 2), int), np.zeros((2, 3)), {}, ValueError, "Label and intensity image shapes must match"),
    (np.zeros((2, 2), int), None, {"spacing": (1, 2, 3)}, ValueError, "spacing isn't a scalar"),
    (np.zeros((2, 2), int), None, {"spacing": 1j}, TypeError, "Element of spacing"),
    (np.zeros((2, 2), int), None, {"spacing": np.inf}, ValueError, "Invalid spacing"),
    (np.zeros((2, 2), int), None, {"offset": (1,)}, ValueError, "Offset should be"),
])
def test_errors(labels, intensity, options, error, text):
    with pytest.raises(error, match=text):
        measure.regionprops(labels, intensity, **options)

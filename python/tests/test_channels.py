# SPDX-License-Identifier: Apache-2.0
"""Intensities of several channels, and regions kept by their columns."""
import numpy
import pytest

import skerry


def example(shape, channels, dtype):
    random = numpy.random.default_rng(5)
    labels = random.integers(-1, 4, shape).astype(numpy.int32)
    return labels, random.integers(0, 200, shape + (channels,)).astype(dtype)


@pytest.mark.parametrize("shape", [(30,), (8, 9), (3, 4, 5)])
@pytest.mark.parametrize("dtype", [numpy.uint8, numpy.float32])
def test_channels_are_those_of_single_calls(shape, dtype):
    labels, several = example(shape, 3, dtype)
    table = skerry.measure_labels(labels, several)
    columns = skerry.measure_columns(labels, ["intensity"], intensity=several)
    for channel in range(3):
        one = skerry.measure_labels(labels, several[..., channel])
        for name in ("min", "max", "mean", "std", "sum"):
            numpy.testing.assert_array_equal(table[f"intensity_{name}-{channel}"], one[f"intensity_{name}"])
        of_one = skerry.measure_columns(labels, ["intensity"], intensity=several[..., channel])
        for name in ("min", "max", "mean", "median", "std"):
            numpy.testing.assert_array_equal(columns[f"intensity_{name}-{channel}"], of_one[f"intensity_{name}"])


def test_names_are_scikit_images():
    measure = pytest.importorskip("skimage.measure")
    labels, several = example((12, 13), 2, numpy.uint8)
    names = ["intensity_mean", "intensity_max"]
    expected = measure.regionprops_table(numpy.maximum(labels, 0), several, properties=names)
    table = skerry.measure_columns(labels, names, intensity=several)
    assert [name for name in table.keys() if name != "label"] == list(expected)
    for name in expected:
        numpy.testing.assert_allclose(table[name], expected[name], rtol=1e-12)


def test_regions_are_kept_by_columns():
    labels, several = example((20, 20), 2, numpy.uint8)
    table = skerry.measure_columns(labels, ["area", "intensity_mean"], intensity=several)
    bounds = {"area": (None, 100), "intensity_mean-1": (95, 1e9)}
    right = (table["area"] <= 100) & (table["intensity_mean-1"] >= 95)
    image, kept = skerry.keep_regions(labels, bounds, intensity=several)
    numpy.testing.assert_array_equal(kept, table["label"][right])
    numpy.testing.assert_array_equal(image, numpy.where(numpy.isin(labels, kept), labels, 0))
    again = labels.copy()
    assert skerry.keep_regions(again, bounds, intensity=several, out=again)[0] is again
    numpy.testing.assert_array_equal(again, image)
    assert skerry.keep_regions(labels > 0, {})[0].dtype == numpy.uint8


@pytest.mark.parametrize("bounds, text", [
    ({"area": 3}, "bounds: 3 of 'area' is not a pair"),
    ({"area": ("x", 3)}, "bounds: 'x' is not a number"),
    ({3: (1, 2)}, "bounds: 3 is not the name of a column"),
    (["area"], "bounds: ['area'] is not a dict"),
    ({"centroid": (0, 1)}, "bounds: 'centroid' is several columns"),
    ({"aera": (0, 1)}, "bounds: there is no column or group 'aera'"),
])
def test_wrong_bounds_are_refused(bounds, text):
    with pytest.raises((TypeError, ValueError)) as refusal:
        skerry.keep_regions(numpy.ones((2, 2), int), bounds)
    assert str(refusal.value).startswith(text)


def test_wrong_channels_are_refused():
    with pytest.raises(ValueError, match=r"intensity: its shape \(3, 2, 2\) is not that of labels, \(2, 2\)"):
        skerry.measure_labels(numpy.ones((2, 2), int), numpy.ones((3, 2, 2)))

# SPDX-License-Identifier: Apache-2.0
"""measure_labels() and contacts() against NumPy over the pixels of each label."""
import numpy as np
import pytest

import skerry

RNG = np.random.default_rng(0)
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def some_labels(shape, dtype="i4"):
    """Labels with gaps, in several parts; of signed types also below 0."""
    return (RNG.integers(0, 9, shape) * 3 - (6 if np.dtype(dtype).kind == "i" else 0)).astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(20, 30), (4, 9, 11)])
def test_features_of_labels(shape, dtype):
    labels = some_labels(shape, dtype)
    greys = RNG.integers(0, 100, shape).astype("f4")
    for layout in (labels, np.asfortranarray(labels), labels[::-1][::-1]):
        table = skerry.measure_labels(layout, greys, moments=True)
        there = [label for label in np.unique(labels).tolist() if label > 0]
        assert table["label"].tolist() == there and len(table) == len(there) > 3
        for row, label in enumerate(there):
            pixels = np.argwhere(labels == label)
            assert table["area"][row] == len(pixels)
            assert table["intensity_max"][row] == greys[labels == label].max()
            for axis in range(len(shape)):
                assert table[f"bbox-{axis}"][row] == pixels[:, axis].min()
                assert table[f"bbox-{axis + len(shape)}"][row] == pixels[:, axis].max() + 1
                assert np.isclose(table[f"centroid-{axis}"][row], pixels[:, axis].mean(), rtol=1e-14)


def test_background():
    labels = np.array([[-2, 0, 3, 3]])
    for background, there in [("zero and below", [3]), (0, [-2, 3]), (3, [-2, 0]), (-2, [0, 3]), (None, [-2, 0, 3]), (99, [-2, 0, 3])]:
        assert skerry.measure_labels(labels, background=background)["label"].tolist() == there
    assert skerry.measure_labels(np.array([[0, 254]], np.uint8), background=-2)["label"].tolist() == [0, 254]
    largest = np.array([[2**64 - 1, 5]], np.uint64)
    assert skerry.measure_labels(largest)["label"].tolist() == [5, 2**64 - 1]
    assert skerry.measure_labels(largest, background=2**64 - 1)["label"].tolist() == [5]
    assert skerry.measure_labels(np.eye(3, dtype=bool))["area"].tolist() == [3]


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8"])
def test_background_of_every_type_of_integer(dtype):
    """The lowest integer of a type of NumPy is its own negative."""
    class Index:
        def __index__(self):
            return int(lowest)

    lowest = np.array(np.iinfo(dtype).min, dtype)[()]
    labels = np.array([[lowest, 0, lowest + 1]], dtype)
    for background in (lowest, int(lowest), Index()):
        assert skerry.measure_labels(labels, background=background)["label"].tolist() == [int(lowest) + 1, 0]


def test_background_that_is_no_label():
    class Broken:
        def __index__(self):
            raise RuntimeError("broken")

    for background in (2**64, -2**63 - 1, -2**70):
        with pytest.raises(ValueError, match=f"^background: {background} is not in "):
            skerry.measure_labels(np.ones((2, 2), int), background=background)
    with pytest.raises(TypeError, match="^background: .* is not an integer"):
        skerry.measure_labels(np.ones((2, 2), int), background=Broken())


def test_index():
    labels = np.array([[-2, 0, 3, 3]])
    table = skerry.measure_labels(labels, labels, index=[3, 7, -2], background=None)
    assert table["label"].tolist() == [3, 7, -2] and table["area"].tolist() == [2, 0, 1]
    assert table["intensity_sum"].tolist() == [6, 0, -2] and np.isnan(table["intensity_mean"][1])
    assert len(skerry.measure_labels(labels, index=[])) == 0
    table = skerry.measure_labels(labels, labels, index=[77], moments=True)
    zeros = ("label", "area", "bbox", "coordinate_sum", "intensity_sum")
    assert all(np.isnan(table[name][0]) for name in table if not name.startswith(zeros))
    assert all(table[name][0] == 0 for name in table if name.startswith(zeros[1:]))
    assert skerry.measure_labels(np.array([[1, 1, 0]], np.uint8), index=[300, 1, 2**64 - 1])["area"].tolist() == [0, 2, 0]


def test_index_of_columns():
    labels = np.array([[-2, 0, 3, 3]], np.int8)
    table = skerry.measure_labels(labels, index=[3, 700, -2, 3], columns=["perimeter", "area", "num_pixels"], background=None)
    assert table.keys() == ["label", "perimeter", "area", "num_pixels"]
    assert table["label"].tolist() == [3, 700, -2, 3] and table["label"].dtype == np.int64
    assert table["area"].tolist() == [2, 0, 1, 2] and table["num_pixels"].tolist() == [2, 0, 1, 2]
    whole = skerry.measure_columns(labels, "perimeter", background=None)
    perimeters = dict(zip(whole["label"].tolist(), whole["perimeter"]))
    assert np.isnan(table["perimeter"][1]) and table["perimeter"][[0, 2, 3]].tolist() == [perimeters[3], perimeters[-2], perimeters[3]]
    assert len(skerry.measure_labels(labels, index=[], columns="all")) == 0
    large = skerry.measure_labels(np.array([[2**63, 1]], np.uint64), index=[1, 2**63], columns="area")
    assert large["label"].tolist() == [1, 2**63] and large["area"].tolist() == [1, 1]


def test_area_is_in_pixels_or_in_units():
    labels = np.ones((2, 2), int)
    assert skerry.measure_labels(labels, spacing=np.array(0.5))["area"].tolist() == [4]
    assert skerry.measure_labels(labels, spacing=0.5)["area_spaced"].tolist() == [1]
    assert skerry.measure_labels(labels, columns="area", spacing=(0.5, 0.5))["area"].tolist() == [1]


def test_standard_deviation_of_large_integers():
    values = np.array([[2**60 + k for k in range(9)] * 5])
    assert skerry.measure_labels(np.ones_like(values), values)["intensity_std"][0] == np.std(np.arange(9))


def test_units_of_labels():
    table = skerry.measure_labels([[4, 4, 0]], spacing=0.5, unit="um")
    assert table["area_um2"].tolist() == [0.5] and table["label"].tolist() == [4]


def test_more_columns():
    labels = some_labels((20, 30), "u1")
    every = skerry.measure_labels(labels, labels, columns="all")
    assert {"solidity", "moments_hu-6", "feret_diameter_max", "euler_number"} <= set(every)
    few = skerry.measure_labels(labels, columns=["area", "hull"], threads=3)
    assert few.keys()[:2] == ["label", "area"] and np.array_equal(few["solidity"], every["solidity"])
    assert np.array_equal(every["area"], skerry.measure_labels(labels)["area"])
    assert np.array_equal(skerry.measure_labels(labels, columns="area", spacing=2)["area"], 4 * every["area"])
    for options, text in [({"columns": ["no_such"]}, "no_such"), ({"columns": "all", "moments": True}, "columns: goes without")]:
        with pytest.raises(ValueError, match=text):
            skerry.measure_labels(labels, **options)


@pytest.mark.parametrize("arguments, kind, text", [
    ({"labels": np.ones((3, 3))}, ValueError, "labels: dtype is float64; give integers of 8 to 64 bits or bool$"),
    ({"labels": np.ones((1, 1, 1, 3), int)}, ValueError, "labels: 4 dimensions"),
    ({"intensity": np.ones((2, 3))}, ValueError, "intensity: size 2 x 3"),
    ({"index": [1.5]}, TypeError, "index: dtype float64 is not an integer type"),
    ({"index": [2**64]}, ValueError, "index: 18446744073709551616 is not a label of uint8"),
    ({"columns": "aera"}, ValueError, "columns: there is no column or group 'aera'; did you mean 'area'?"),
    ({"columns": "nosuchthing"}, ValueError, "columns: there is no column or group 'nosuchthing'; docs/columns.md lists all"),
    ({"index": [-1]}, ValueError, "index: -1 is not a label of uint8"),
    ({"background": "none"}, ValueError, "background: 'none' is not 'zero and below', a label or None"),
    ({"background": 2**70}, ValueError, r"background: \d+ is not in -2\^63…2\^64 - 1"),
    ({"background": 1.5}, TypeError, "background: 1.5 is not an integer"),
    ({"unit": "um"}, ValueError, "unit: needs spacing"),
])
def test_arguments_that_are_refused(arguments, kind, text):
    labels = arguments.pop("labels", np.ones((3, 3), np.uint8))
    with pytest.raises(kind, match="^" + text):
        skerry.measure_labels(labels, **arguments)


# ---- contacts


def pairs_by_definition(labels, hops):
    """Pairs of labels of neighbouring pixels, and how many of each number of axes along which they differ."""
    found = {}
    shape = labels.shape
    for step in np.ndindex((3,) * labels.ndim):
        offset = np.array(step) - 1
        if not 0 < np.abs(offset).sum() <= hops or tuple(offset) < (0,) * labels.ndim:
            continue
        here = labels[tuple(slice(max(0, -o), min(s, s - o)) for o, s in zip(offset, shape))]
        there = labels[tuple(slice(max(0, o), min(s, s + o)) for o, s in zip(offset, shape))]
        for a, b in zip(here.ravel().tolist(), there.ravel().tolist()):
            if a != b and a > 0 and b > 0:
                kinds = found.setdefault((min(a, b), max(a, b)), np.zeros(labels.ndim, int))
                kinds[np.abs(offset).sum() - 1] += 1
    return found


@pytest.mark.parametrize("dtype", ["u1", "i4", "u8"])
@pytest.mark.parametrize("shape, connectivity, hops", [((12, 15), 4, 1), ((12, 15), 8, 2), ((4, 6, 7), 6, 1),
                                                       ((4, 6, 7), 18, 2), ((4, 6, 7), 26, 3)])
def test_contacts(shape, connectivity, hops, dtype):
    labels = some_labels(shape, dtype)
    expected = pairs_by_definition(labels, hops)
    table = skerry.contacts(labels, connectivity=connectivity)
    pairs = list(zip(table["label-0"].tolist(), table["label-1"].tolist()))
    assert pairs == sorted(expected)
    faces = np.sum([table[f"faces-{axis}"] for axis in range(len(shape))], axis=0)
    assert faces.tolist() == [expected[pair][0] for pair in pairs]
    if hops > 1:
        assert table["edges"].tolist() == [expected[pair][1] for pair in pairs]
    if hops > 2:
        assert table["corners"].tolist() == [expected[pair][2] for pair in pairs]


def test_surfaces():
    labels = np.array([[1, 1, 0], [2, 1, 0]])
    pairs, faces = skerry.contacts(labels, surfaces=True)
    assert pairs["label-0"].tolist() == [1] and pairs["label-1"].tolist() == [2]
    assert faces["label"].tolist() == [1, 2]
    assert [faces[f"to_regions-{axis}"].tolist() for axis in (0, 1)] == [[1, 1], [1, 1]]
    assert [faces[f"to_background-{axis}"].tolist() for axis in (0, 1)] == [[0, 0], [2, 0]]
    assert [faces[f"to_outside-{axis}"].tolist() for axis in (0, 1)] == [[3, 1], [1, 1]]
    assert len(skerry.contacts(np.zeros((3, 3), int))) == 0
    with pytest.raises(ValueError, match="^connectivity: 6 is not 4 or 8"):
        skerry.contacts(labels, connectivity=6)


def test_areas_of_contacts():
    labels = np.array([[1, 1, 0], [2, 1, 0]])
    pairs, faces = skerry.contacts(labels, spacing=(0.5, 0.25), surfaces=True)
    assert pairs.keys()[-1] == faces.keys()[-1] == "area"
    assert pairs["area"].tolist() == [0.25 + 0.5]  # a side of length spacing[1] along axis 0, one of spacing[0] along axis 1
    assert faces["area"].tolist() == [4 * 0.25 + 4 * 0.5, 2 * 0.25 + 2 * 0.5]
    volume = some_labels((4, 6, 7), "u1")
    sides = (2, 0.5, 0.25)
    table = skerry.contacts(volume, spacing=sides)
    areas = sum(table[f"faces-{axis}"] * np.prod(sides) / side for axis, side in enumerate(sides))
    assert np.allclose(table["area"], areas, rtol=1e-14)
    assert skerry.contacts(volume, spacing=0.5)["area"].tolist() == (
        sum(table[f"faces-{axis}"] for axis in range(3)) * 0.25).tolist()
    assert "area" not in skerry.contacts(labels)
    assert skerry.contacts([1, 1, 2], spacing=3)["area"].tolist() == [1]
    for spacing, kind, text in [((1, 2, 3), ValueError, "has 3 numbers; give one, or one for each of the 2 axes"),
                                ("1", TypeError, "'1' is not a number"), (0, ValueError, "must be finite and above 0")]:
        with pytest.raises(kind, match=f"^spacing: {text}"):
            skerry.contacts(labels, spacing=spacing)


def test_masks_do_not_get_lost():
    labels = np.ma.masked_array([[1, 1, 1]], [[0, 1, 0]])
    for call in (skerry.measure_labels, skerry.measure_columns, skerry.relabel, lambda each: skerry.remap(each, {1: 2}),
                 skerry.contacts, skerry.outline):
        with pytest.raises(TypeError, match="^labels: masked arrays are not supported"):
            call(labels)
    with pytest.raises(TypeError, match="^frames: masked arrays are not supported"):
        list(skerry.track([np.ma.masked_array(np.ones((2, 2)), True)]))

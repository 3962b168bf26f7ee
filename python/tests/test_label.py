# SPDX-License-Identifier: Apache-2.0
"""label() against scipy.ndimage.label, for every type and layout."""
import concurrent.futures
import copy
import itertools

import numpy as np
import pytest
import scipy.ndimage
from hypothesis import given, settings
from hypothesis import strategies as st

import skerry

TYPES = [bool, *(f"{kind}{bits}" for kind, bits in itertools.product("iu", (1, 2, 4, 8))), "f2", "f4", "f8"]
HOPS = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}


def expected(mask, connectivity):
    structure = scipy.ndimage.generate_binary_structure(mask.ndim, HOPS[connectivity])
    return scipy.ndimage.label(mask, structure)


def noise(shape, density, seed=0):
    return np.random.default_rng(seed).random(shape) < density


def layouts(image):
    """The same image in other layouts of memory."""
    yield "C", np.ascontiguousarray(image)
    yield "Fortran", np.asfortranarray(image)
    yield "backwards", np.ascontiguousarray(image[(slice(None, None, -1),) * image.ndim])[
        (slice(None, None, -1),) * image.ndim]
    wide = np.repeat(np.repeat(image, 3, axis=-1), 2, axis=0)
    yield "every third", wide[::2, ..., ::3]
    fields = np.zeros(image.shape, [("first", "u1"), ("pixel", image.dtype), ("last", "u2")])
    fields["pixel"] = image
    yield "field of records", fields["pixel"]
    fixed = image.copy()
    fixed.flags.writeable = False
    yield "read-only", fixed


@pytest.mark.parametrize("shape", [(37, 70), (5, 19, 67)])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_in_every_layout(dtype, shape):
    mask = noise(shape, 0.4)
    image = mask.astype(dtype) * np.array(1 if dtype is bool else 7, dtype)
    for connectivity in (4, 8) if len(shape) == 2 else (6, 18, 26):
        labels, n = expected(mask, connectivity)
        for name, array in layouts(image):
            found = skerry.label(array, connectivity=connectivity)
            assert found.count == n, name
            assert np.array_equal(found.image, labels), name
            assert found.image.strides == np.empty_like(array, found.image.dtype).strides, name
            assert found.image.strides == np.empty_like(array, found.image.dtype).strides, name


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_random_images(data):
    shape = data.draw(st.lists(st.integers(0, 40), min_size=2, max_size=3))
    mask = noise(shape, data.draw(st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.0])), data.draw(st.integers(0, 999)))
    connectivity = data.draw(st.sampled_from([4, 8] if len(shape) == 2 else [6, 18, 26]))
    labels, n = expected(mask, connectivity)
    found = skerry.label(mask, connectivity=connectivity, threads=data.draw(st.sampled_from([None, 1, 3])))
    assert found.count == n == skerry.count(mask, connectivity=connectivity)
    assert np.array_equal(found.image, labels)


@pytest.mark.parametrize("shape, all_neighbours", [((40, 50), 8), ((6, 20, 30), 26)])
def test_all_neighbours_connect_by_default(shape, all_neighbours):
    mask = noise(shape, 0.3)
    assert np.array_equal(skerry.label(mask).image, expected(mask, all_neighbours)[0])
    assert skerry.count(mask) != expected(mask, 4 if len(shape) == 2 else 6)[1]


def test_sequences_are_images():
    assert skerry.label([[1, 0], [0, 1]]).count == 1


# ---- what is foreground, and what stays


def test_rules_of_the_foreground():
    image = np.random.default_rng(3).integers(-100, 100, (50, 60))
    for rule, mask in [({"above": 20}, image > 20), ({"threshold": 20}, image > 20), ({"at_least": 20}, image >= 20),
                       ({"within": (-5, 60)}, (image >= -5) & (image <= 60)), ({}, image != 0)]:
        assert np.array_equal(skerry.label(image, **rule).image, expected(mask, 8)[0]), rule


def test_values_that_join():
    image = np.array([[1, 1, 2, 4, 0], [0, 2, 2, 5, 5]])
    assert skerry.label(image, equal=True).image.tolist() == [[1, 1, 2, 3, 0], [0, 2, 2, 4, 4]]
    assert skerry.label(image, delta=1).image.tolist() == [[1, 1, 1, 2, 0], [0, 1, 1, 2, 2]]
    assert skerry.label(image, background=2).image.tolist() == [[1, 1, 0, 2, 2], [1, 0, 0, 2, 2]]
    assert skerry.count(image, equal=True) == len(skerry.measure(image, equal=True)) == 4
    row = np.array([[1, 0, 0, 1]])
    assert skerry.count(row) == 2 and skerry.count(row, periodic=True) == skerry.count(row, periodic=(False, True)) == 1
    assert skerry.count(row, periodic=(True, False)) == 2


def test_comparisons_are_exact():
    image = np.array([[2**53, 0, 2**53 + 1]])
    assert skerry.label(image, above=2**53).image.tolist() == [[0, 0, 1]]
    with pytest.raises(ValueError, match="^above: 9007199254740993 is not a float64"):
        skerry.label(image, above=2**53 + 1)
    assert skerry.label([[np.nan, np.inf, 0.0]]).image.tolist() == [[0, 1, 0]]


def test_otsu_splits_between_classes():
    image = np.where(noise((60, 60), 0.3), 200, 20) + np.random.default_rng(1).integers(0, 9, (60, 60))
    assert np.array_equal(skerry.label(image, threshold="otsu").image, expected(image > 100, 8)[0])


def kept(mask, keeps):
    """Labels of the components that stay, numbered again."""
    labels, n = expected(mask, 8)
    stays = [False] + [keeps(labels == i) for i in range(1, n + 1)]
    return np.where(stays, np.cumsum(stays), 0)[labels]


def touches_border(component):
    inner = component.copy()
    inner[1:-1, 1:-1] = False
    return inner.any()


def test_selections():
    mask = noise((40, 60), 0.25)
    areas = np.bincount(expected(mask, 8)[0].ravel())[1:]
    third = np.sort(areas)[-3]
    for choice, keeps in [({"min_area": 4}, lambda one: one.sum() >= 4), ({"max_area": 4}, lambda one: one.sum() <= 4),
                          ({"clear_border": True}, lambda one: not touches_border(one))]:
        assert np.array_equal(skerry.label(mask, **choice).image, kept(mask, keeps)), choice
    largest = skerry.measure(mask, largest=3)["area"]
    assert len(largest) == 3 and largest.min() == third and largest.sum() == np.sort(areas)[-3:].sum()
    filled = scipy.ndimage.binary_fill_holes(mask, scipy.ndimage.generate_binary_structure(2, 1))
    assert np.array_equal(skerry.label(mask, fill_holes=True).image, expected(filled, 8)[0])
    assert filled.sum() > mask.sum()


# ---- labels


@pytest.mark.parametrize("n, dtype", [(0, "u1"), (255, "u1"), (256, "u2"), (65535, "u2"), (65536, "u4")])
def test_type_is_the_smallest_that_holds_the_labels(n, dtype):
    image = np.zeros(2 * 65536, bool)
    image[: 2 * n : 2] = True
    found = skerry.label(image.reshape(1, -1))
    assert found.count == n and found.image.dtype == np.dtype(dtype) and found.image.max() == n


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"])
def test_type_can_be_chosen(dtype):
    most = min(np.iinfo(dtype).max, 70000)
    image = np.zeros((1, 2 * most + 2), bool)
    image[0, : 2 * most : 2] = True
    found = skerry.label(image, dtype=dtype)
    assert found.image.dtype == np.dtype(dtype) and found.image.max() == most == found.count
    if most < 70000:
        image[0, -1] = image[0, -2] = True
        with pytest.raises(ValueError, match=f"^dtype: {most + 1} components do not fit"):
            skerry.label(image, dtype=dtype)


def test_out_is_written_in_place():
    mask = noise((40, 50), 0.3)
    place = np.full((50, 120), -1, np.int32)
    found = skerry.label(mask, out=place.T[20:100:2])
    assert found.image.base is not None and np.shares_memory(found.image, place)
    assert np.array_equal(place.T[20:100:2], expected(mask, 8)[0])
    untouched = np.delete(place.T, np.arange(20, 100, 2), axis=0)
    assert (untouched == -1).all()


def test_out_that_is_too_small_is_left_as_it_was():
    mask = np.zeros((1, 600), bool)
    mask[0, ::2] = True
    place = np.full(mask.shape, 9, np.uint8)
    with pytest.raises(ValueError, match="^out: 300 components do not fit uint8, which ends at 255"):
        skerry.label(mask, out=place)
    assert (place == 9).all()


def test_labels_stand_for_their_image():
    found = skerry.label([[1, 0, 1]])
    image, n = found
    assert image is found.image and n == found.count == 2
    assert np.asarray(found) is image
    assert np.asarray(found, float).tolist() == [[1.0, 0.0, 2.0]]
    assert np.array(found, copy=True) is not image
    assert repr(found) == "<Labels: 2 components, 1 x 3 uint8>"


# ---- errors


def test_labels_are_used_like_their_array():
    image = np.array([[9, 0, 0], [0, 0, 9]], np.uint8)
    labels = skerry.label(image)
    for found, expected in [(labels == 2, [[False, False, False], [False, False, True]]),
                            (labels != 0, [[True, False, False], [False, False, True]]),
                            (image * (labels == 1), [[9, 0, 0], [0, 0, 0]]), (3 - labels, [[2, 3, 3], [3, 3, 1]]),
                            (np.add(labels, labels), [[2, 0, 0], [0, 0, 4]]), (labels[1], [0, 0, 2]), (image[labels == 2], [9]),
                            (np.maximum(labels, 0, out=labels), [[1, 0, 0], [0, 0, 2]])]:
        assert np.asarray(found).tolist() == expected
    assert (labels.shape, labels.ndim, labels.dtype, labels.max()) == ((2, 3), 2, np.uint8, 2)
    assert copy.copy(labels).image is labels.image
    assert np.sum(image, where=labels == 1) == 9
    with pytest.raises(TypeError):
        np.add(labels, 1, where=labels)  # no mask
    again = labels
    again[again == 2] = 0
    again *= 3
    assert again is labels and labels.image.tolist() == [[3, 0, 0], [0, 0, 0]]
    with pytest.raises(AttributeError, match="nothing"):
        labels.nothing  # noqa: B018


def test_images_that_are_refused():
    square = np.ones((4, 4))
    for image, kind, text in [
        (np.ones((1, 1, 1, 1)), ValueError, "image: 4 dimensions are not 1, 2"),
        (square.astype(">f4"), TypeError, r"dtype >f4 is big-endian; convert it by image.astype\(image.dtype.newbyteorder"),
        (square.astype(complex), TypeError, "image: dtype complex128 is not bool, int8"),
        (square.astype("M8[s]"), TypeError, "image: dtype datetime64"),
        (square.astype(np.longdouble), TypeError, "image: dtype float128"),
        (square.astype(object), TypeError, "image: dtype object"),
        ("text", TypeError, "image: dtype <U4"),
        (np.ma.masked_array(square), TypeError, r"image: masked arrays are not supported; use image.filled\(0\)"),
    ]:
        with pytest.raises(kind, match=text):
            skerry.label(image)
    remedy = square.astype(">f4")
    assert skerry.label(remedy.astype(remedy.dtype.newbyteorder("="))).count == 1


@pytest.mark.parametrize("arguments, kind, text", [
    ({"connectivity": 6}, ValueError, "connectivity: 6 is not 4 or 8"),
    ({"connectivity": 1.5}, TypeError, "connectivity: 1.5 is not an integer"),
    ({"threads": 0}, ValueError, "threads: 0 is not in 1…1024"),
    ({"min_area": -1}, ValueError, "min_area: -1 is not in"),
    ({"min_area": 5, "max_area": 4}, ValueError, "min_area: 5 is above max_area 4"),
    ({"largest": 0}, ValueError, "largest: 0 is not in"),
    ({"above": "high"}, TypeError, "above: 'high' is not a number"),
    ({"above": 10**400}, ValueError, "above: 10.* is beyond the range"),
    ({"at_least": np.nan}, ValueError, "at_least: is NaN"),
    ({"delta": -1}, ValueError, "delta: -1 is not at least 0"),
    ({"delta": 1, "equal": True}, ValueError, "delta: give it or equal, not both"),
    ({"background": 1, "above": 1}, ValueError, "threshold: give one of threshold, above, at_least, within and background"),
    ({"periodic": (True, False, True)}, ValueError, "periodic: 3 bools for an image of 2 axes"),
    ({"periodic": (True,)}, ValueError, "periodic: 1 bools for an image of 2 axes"),
    ({"within": 3}, TypeError, "within: 3 is not a pair"),
    ({"within": (3, 1)}, ValueError, r"within: \(3, 1\) has no low <= high"),
    ({"threshold": "lee"}, ValueError, "threshold: 'lee' is not 'otsu'"),
    ({"above": 1, "threshold": 1}, ValueError, "threshold: give one of"),
    ({"dtype": float}, TypeError, "dtype: float64 is not a native integer type"),
    ({"dtype": "words"}, TypeError, "dtype: 'words' is not a type of NumPy"),
    ({"out": np.zeros((4, 5), "u1")}, ValueError, "out: its shape is not that of image"),
    ({"out": np.zeros((4, 4))}, TypeError, "out: dtype float64 is not an integer type"),
    ({"out": [[0]]}, TypeError, "out: <class 'list'> is not an array"),
    ({"out": np.broadcast_to(np.uint8(0), (4, 4))}, ValueError, "out: is read-only"),
    ({"out": np.zeros((4, 4), "u1"), "dtype": "u1"}, ValueError, "dtype: out has its own"),
])
def test_arguments_that_are_refused(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.label(np.ones((4, 4)), **arguments)


def test_out_does_not_overlap_the_image():
    image = np.ones((4, 4), np.uint8)
    with pytest.raises(ValueError, match="^out: memory overlaps that of the image"):
        skerry.label(image, out=image)


# ---- threads


def test_eight_threads_at_once():
    masks = [noise((300, 400 + i), 0.4, i) for i in range(32)]
    answers = [expected(mask, 8)[0] for mask in masks]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for found, answer in zip(pool.map(skerry.label, masks), answers):
                assert np.array_equal(found.image, answer)

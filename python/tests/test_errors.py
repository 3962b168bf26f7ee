# SPDX-License-Identifier: Apache-2.0
"""Every argument of every function gets everything that it does not take: the error names it, in words of skerry."""
import inspect

import numpy as np
import pytest

import skerry

IMAGE = np.array([[1, 1, 0, 2], [0, 0, 0, 2], [3, 0, 0, 0]])
TREE = skerry.max_tree(IMAGE.astype("u1"))
MIN_TREE = skerry.max_tree(IMAGE.astype("u1"), kind="min")
CHOICE = ["connectivity", "threshold", "above", "at_least", "within", "background", "equal", "delta", "periodic", "fill_holes",
          "min_area", "max_area", "clear_border", "largest"]

WRONG = {
    "None": None, "text": "x", "bytes": b"ab", "complex": 1j, "object": object(), "list": [1, "a"], "dict": {}, "NaN": float("nan"),
    "negative": -1, "huge": 10**30, "fraction": 2.5, "ragged": [[1], [1, 2]], "empty": np.zeros((0,)), "vector": np.ones(4),
    "4 dimensions": np.ones((2, 2, 2, 2)), "complex array": np.ones((3, 4), complex), "objects": np.ones((3, 4), object),
    "texts": np.full((3, 4), "a"), "masked": np.ma.masked_array(np.ones((3, 4)), mask=np.eye(3, 4)),
    "big-endian": np.ones((3, 4), ">i4"), "durations": np.ones((3, 4), "m8[s]"), "records": np.ones((3, 4), [("a", "u1")]),
    "long double": np.ones((3, 4), np.longdouble), "shape": np.ones((5, 6), int), "backwards": np.ones((3, 4), complex)[::-1],
}

CALLS = {
    "label": (skerry.label, {"image": IMAGE}), "count": (skerry.count, {"image": IMAGE}), "measure": (skerry.measure, {"image": IMAGE}),
    "measure_labels": (skerry.measure_labels, {"labels": IMAGE}), "measure_columns": (skerry.measure_columns, {"labels": IMAGE}),
    "keep_regions": (skerry.keep_regions, {"labels": IMAGE, "bounds": {"area": (2, None)}}),
    "contacts": (skerry.contacts, {"labels": IMAGE}), "outline": (skerry.outline, {"labels": IMAGE}),
    "relabel": (skerry.relabel, {"labels": IMAGE}), "remap": (skerry.remap, {"labels": IMAGE, "mapping": {1: 2, 2: 3, 3: 4}}),
    "max_tree": (skerry.max_tree, {"image": IMAGE.astype("u1")}), "MaxTree.measure": (TREE.measure, {}),
    "MaxTree.filter": (TREE.filter, {"keep": TREE.level > 1}), "MaxTree.area_opening": (TREE.area_opening, {"area": 2}),
    "MaxTree.area_closing": (MIN_TREE.area_closing, {"area": 2}), "MaxTree.h_maxima": (TREE.h_maxima, {"h": 1}),
    "MaxTree.h_minima": (MIN_TREE.h_minima, {"h": 1}), "Tracker": (skerry.Tracker, {"shape": (3, 4)}),
    "Engine": (skerry.Engine, {}),
}


def parameters(function):
    names = [name for name in inspect.signature(function).parameters if name != "choice"]
    return names + [name for name in CHOICE if name not in names] if len(names) != len(inspect.signature(function).parameters) else names


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("wrong", WRONG)
def test_errors_name_the_argument(name, wrong):
    function, given = CALLS[name]
    refused = 0
    for parameter in parameters(function):
        try:
            function(**{**given, parameter: WRONG[wrong]})
        except (TypeError, ValueError) as error:
            refused += 1
            subject, _, problem = str(error).partition(": ")
            assert subject == parameter and problem, (parameter, str(error))
            assert "incompatible function arguments" not in problem and "nanobind" not in problem
            assert len(problem) < 400, "an array is not written out"
    assert refused > 0 or (name, wrong) in {("MaxTree.measure", "None"), ("Engine", "None")}


@pytest.mark.parametrize("call, text", [
    (lambda: skerry.measure(IMAGE, columns=["area"]), r"measure\(\): unknown keyword 'columns'; label the image"),
    (lambda: skerry.measure(IMAGE, features=1), r"measure\(\): unknown keyword 'features'; moments=True adds second moments"),
    (lambda: skerry.count(IMAGE, zzz=1), r"count\(\): unknown keyword 'zzz'; beside its own it takes connectivity, threshold, .*, periodic$"),
    (lambda: skerry.count(IMAGE, dtype="u1"), r"count\(\): unknown keyword 'dtype'; only label\(\) returns labels of a type"),
    (lambda: skerry.measure(IMAGE, conectivity=4), r"measure\(\): unknown keyword 'conectivity'; did you mean 'connectivity'\?"),
    (lambda: skerry.label(IMAGE, equal=True, fill_holes=True), r"fill_holes: not with equal or delta; use within=\(v, v\)"),
    (lambda: skerry.label(IMAGE, periodic=(True, False), fill_holes=True), "fill_holes: not with periodic axes"),
    (lambda: skerry.keep_regions(IMAGE * 1000, {"area": (1, None)}, out=np.zeros((3, 4), "u1")), "out: label 1000 does not fit uint8"),
    (lambda: skerry.keep_regions(IMAGE, {"basic": (0, 1)}), "bounds: 'basic' is a group; name one column"),
    (lambda: skerry.keep_regions(IMAGE, {"aera": (0, 1)}), "bounds: there is no column or group 'aera'; did you mean 'area'"),
    (lambda: skerry.keep_regions(IMAGE, {"area": (5, 1)}), "bounds: area from 5 to 1 keeps nothing"),
    (lambda: skerry.keep_regions(IMAGE, {"shape": (0, 1)}), "bounds: 'shape' is a group; name one column"),
    (lambda: skerry.keep_regions(IMAGE, {"convex_area": (0, 1)}), "bounds: 'convex_area' is now called 'area_convex'"),
    (lambda: skerry.measure(IMAGE, np.ones((3, 4, 2))),
     r"intensity: has an axis of channels after those of image; measure\(\) takes one channel, measure_labels\(\) several"),
    (lambda: skerry.outline(IMAGE[0]), "labels: rank 1 has no outlines, which need 2 axes"),
    (lambda: skerry.outline(IMAGE)[3], "region: 3 is not one of 3 regions"),
])
def test_errors_in_words_of_the_call(call, text):
    with pytest.raises((TypeError, ValueError, IndexError), match="^" + text):
        call()


@pytest.mark.parametrize("array", [np.ones((3, 4), "i2")[::-1, ::-1], np.asfortranarray(np.ones((3, 4), "f4")), np.ones((0, 4), bool)])
def test_layouts_are_no_errors(array):
    assert skerry.label(array).count == min(array.size, 1)
    assert skerry.count(array) == min(array.size, 1)


@pytest.mark.parametrize("background", [2**53 + 1, 2**63 - 1, -2**63, 2**64 - 1])
def test_backgrounds_beyond_2_to_the_53_are_exact(background):
    image = np.array([[background, background - 1 if background > 0 else background + 1, background]],
                     "u8" if background > 0 else "i8")
    assert skerry.label(image, background=background).image.tolist() == [[0, 1, 0]]


def test_backgrounds_beyond_64_bits_are_refused():
    for background in (2**64, -2**63 - 1):
        with pytest.raises(ValueError, match=r"background: -?\d+ is not in"):
            skerry.label(IMAGE, background=background)
    with pytest.raises(ValueError, match="background: is NaN"):
        skerry.label(IMAGE, background=float("nan"))

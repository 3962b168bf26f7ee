# SPDX-License-Identifier: Apache-2.0
"""relabel() and remap() against NumPy."""
import numpy as np
import pytest

import skerry

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(20, 30), (4, 9, 11)])
def test_relabel(dtype, shape):
    labels = (np.random.default_rng(0).integers(0, 9, shape) * 3 - (6 if dtype[0] == "i" else 0)).astype(dtype)
    for layout in (labels, np.asfortranarray(labels)):
        ascending, originals = skerry.relabel(layout, order="ascending")
        there = np.unique(labels[labels > 0])
        assert originals.tolist() == there.tolist() and ascending.dtype == labels.dtype
        assert np.array_equal(ascending, np.where(labels > 0, np.searchsorted(there, labels) + 1, 0))
        found, originals = skerry.relabel(layout)
        assert np.array_equal(np.append(0, originals)[found], np.maximum(labels, 0))
        firsts = [found.ravel().tolist().index(label) for label in range(1, len(originals) + 1)]
        assert firsts == sorted(firsts) and sorted(originals) == there.tolist()


def test_relabel_places():
    labels = np.array([[500, 0, 7]])
    assert skerry.relabel(labels, dtype="u1")[0].dtype == np.uint8
    found, _ = skerry.relabel(labels, out=labels)
    assert found is labels and labels.tolist() == [[1, 0, 2]]
    assert skerry.relabel(np.array([[True, False]]))[0].tolist() == [[1, 0]]
    assert skerry.relabel(np.array([[5, 0, -2]]), background=None)[0].tolist() == [[1, 2, 3]]
    many = np.arange(1, 301).reshape(1, -1)
    small = np.arange(-100, 100).astype("i1").reshape(1, -1)
    for labels, options, text in [
            (small, {"background": None}, "labels: 200 regions do not fit int8, which ends at 127; give a wider type"),
            (many, {"dtype": "u1"}, "dtype: 300 regions do not fit uint8"), (many, {"out": many.astype("u1")}, "out: 300 regions"),
            (many, {"order": "x"}, "order: 'x'")]:
        with pytest.raises(ValueError, match="^" + text):
            skerry.relabel(labels, **options)
    with pytest.raises(TypeError, match="^dtype: >i4 is not in native byte order; give int32"):
        skerry.relabel(many, dtype=">i4")
    with pytest.raises(ValueError, match='^mapping: label 2 of the image is not named; name it, or pass unnamed="keep" or "zero"'):
        skerry.remap(np.array([[1, 2]]), {1: 2})
    assert skerry.remap(np.array([[True, False]]), {1: 7}).dtype == np.uint8
    with pytest.raises(ValueError, match="300"):
        skerry.relabel(many, dtype="u1")
    for options, text in [({"order": "size"}, "order: 'size' is not one of"), ({"dtype": "u1", "out": many}, "dtype: out has its own")]:
        with pytest.raises(ValueError, match=text):
            skerry.relabel(many, **options)


def test_remap_has_no_floats_in_between():
    labels = np.array([[1, 0, 2**63, 2**64 - 1]], np.uint64)
    mapping = {1: 2, 2**63: 2**63 + 1, 2**64 - 1: 5}
    assert skerry.remap(labels, mapping).tolist() == [[2, 0, 2**63 + 1, 5]]
    assert skerry.remap(labels, {np.int64(1): 2, np.uint64(2**63): 3, 2**64 - 1: 2**64 - 2}).tolist() == [[2, 0, 3, 2**64 - 2]]
    assert skerry.measure_labels(labels, index=[2**64 - 1, 1, 2**64 - 2])["area"].tolist() == [1, 1, 0]
    for wrong in (2**64, -1):
        with pytest.raises(ValueError, match=f"^mapping: {wrong} is not a label of uint64"):
            skerry.remap(labels, {1: 2, 2**63: wrong})
    with pytest.raises(TypeError, match="^mapping: dtype float64 is not an integer type"):
        skerry.remap(labels, {1.5: 2, 2**63: 3})


def test_mappings_of_other_kinds():
    class Series:  # of pandas: what it calls values is an array
        values = np.array([1, 1])

        def items(self):
            return zip([9, 4], [1, 1])

        def __len__(self):
            return 2

    assert skerry.remap(np.array([[9, 9, 0, 4]]), Series()).tolist() == [[1, 1, 0, 1]]
    with pytest.raises(TypeError, match="^mapping: "):
        skerry.remap(np.array([[1, 0]]), {1, 5}, unnamed="keep")  # in which order?


@pytest.mark.parametrize("call", [skerry.relabel, lambda labels, dtype: skerry.remap(labels, {1: 1}, dtype=dtype)])
def test_bool_is_no_type_of_labels(call):
    with pytest.raises(TypeError, match="^dtype: bool"):
        call(np.array([[1, 0]]), dtype=bool)


@pytest.mark.parametrize("labels, options, name", [
    (np.zeros((2, 2)), {}, "labels"), (np.zeros((2, 2)), {"out": np.zeros((2, 2), int)}, "labels"),
    (np.zeros((2, 2), int), {"out": np.zeros((2, 2))}, "out"), (np.zeros((2, 2), int), {"dtype": float}, "dtype")])
def test_remap_refuses_images_of_floats_by_name(labels, options, name):
    with pytest.raises(TypeError, match=f"^{name}: (dtype )?float64 is not an integer type"):
        skerry.remap(labels, {0: 1}, **options)


@pytest.mark.parametrize("dtype", TYPES)
def test_remap(dtype):
    labels = np.random.default_rng(0).integers(0, 4, (20, 30)).astype(dtype)
    assert np.array_equal(skerry.remap(labels, {1: 9, 2: 9, 3: 5}), np.array([0, 9, 9, 5])[labels])
    assert np.array_equal(skerry.remap(labels, ([1, 0], [7, 2]), unnamed="keep"), np.array([2, 7, 2, 3])[labels])
    assert np.array_equal(skerry.remap(labels, {1: 7}, unnamed="zero", dtype="i8"), np.array([0, 7, 0, 0])[labels])
    before = labels.copy()
    with pytest.raises(ValueError, match="[23]"):
        skerry.remap(labels, {1: 7}, out=labels)
    assert np.array_equal(labels, before)
    for mapping, text in [({1: 2**70}, "mapping"), (([1, 1, 2, 3], [1, 2, 3, 4]), "1"), (([1], [1, 2]), "mapping: 1 old labels, 2 new")]:
        with pytest.raises((ValueError, TypeError), match=text):
            skerry.remap(labels, mapping)

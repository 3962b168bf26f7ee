# SPDX-License-Identifier: Apache-2.0
"""Arrays of one dimension."""
import numpy
import pytest
import scipy.ndimage

import skerry


def lines(count):
    random = numpy.random.default_rng(3)
    for seed in range(count):
        line = random.integers(0, 3, random.integers(1, 60)).astype([numpy.uint8, numpy.int64, numpy.float32][seed % 3])
        yield line[::[1, -1, 2][seed % 3]]


def test_labels_are_scipys():
    for line in lines(60):
        labels, count = skerry.label(line)
        expected, expected_count = scipy.ndimage.label(line)
        numpy.testing.assert_array_equal(labels, expected)
        assert labels.shape == line.shape and count == expected_count == skerry.count(line)
        into = numpy.empty(line.shape, numpy.int32)
        skerry.label(line, connectivity=2, out=into)
        numpy.testing.assert_array_equal(into, expected)


def test_tables_have_one_axis():
    line = numpy.array([0, 3, 5, 0, 0, 1], numpy.uint8)
    table = skerry.measure(line, intensity=line, spacing=0.5, unit="um")
    assert table["bbox-0"].tolist() == [1, 5] and table["bbox-1"].tolist() == [3, 6]
    assert table["area_um"].tolist() == [1, 0.5]
    assert table["intensity_sum"].tolist() == [8, 1]
    assert "centroid-1" not in table.keys()


def test_given_labels():
    labels = numpy.array([5, 5, 0, 2, 5, -1])
    table = skerry.measure_columns(labels, intensity=numpy.arange(6, dtype=numpy.uint8))
    assert table["label"].tolist() == [2, 5]
    assert table["centroid-0"].tolist() == [3, 5 / 3]
    assert table["centroid_weighted-0"].tolist() == [3, 17 / 5]
    assert skerry.measure_labels(labels)["area"].tolist() == [1, 3]
    assert skerry.relabel(labels)[0].tolist() == [1, 1, 0, 2, 1, 0]
    assert skerry.remap(labels, {5: 1}, unnamed="zero").tolist() == [1, 1, 0, 0, 1, 0]
    pairs, surfaces = skerry.contacts(labels, surfaces=True)
    assert (pairs["label-0"].tolist(), pairs["label-1"].tolist(), pairs["faces-0"].tolist()) == ([2], [5], [1])
    assert surfaces["to_outside-0"].tolist() == [0, 1]


@pytest.mark.parametrize("call, text", [
    (lambda line: skerry.label(line, connectivity=4), "connectivity: 4 is not 2"),
    (lambda line: skerry.label(line, fill_holes=True), "fill_holes: an image of rank 1 has no holes"),
    (lambda line: skerry.label(line, periodic=(True, True)), "periodic: 2 bools for an image of 1 axes"),
    (lambda line: skerry.label(line, out=numpy.empty((1, 6), numpy.int32)), "out: its shape is not that of image"),
    (lambda line: skerry.measure_columns(line, "perimeter"), "columns: 'perimeter' needs a plane; labels has rank 1"),
    (lambda line: skerry.measure_labels(line, intensity=line[None]), "intensity: "),
    (lambda line: skerry.outline(line), "labels: "),
    (lambda line: skerry.max_tree(line), "image: "),
])
def test_what_other_arrays_have_is_refused(call, text):
    with pytest.raises(ValueError) as refusal:
        call(numpy.array([0, 1, 1, 0, 2, 2]))
    assert str(refusal.value).startswith(text)

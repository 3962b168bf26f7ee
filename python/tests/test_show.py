# SPDX-License-Identifier: Apache-2.0
"""skerry.show, and the examples of docs/gallery.md."""
import importlib.machinery
import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import skerry

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "docs/gallery").glob("[0-9]_*.py"))


def gallery():
    loader = importlib.machinery.SourceFileLoader("gallery", str(ROOT / "script/gallery"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("gallery", loader))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_examples_print_what_the_page_says(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    if path.stem == "8_gpu":
        monkeypatch.setenv("PATH", "")  # where there is a GPU it prints something else
    assert gallery().section(path, picture=False) in (ROOT / "docs/gallery.md").read_text()


def test_the_page_has_all_examples():
    assert len(EXAMPLES) == 8 == (ROOT / "docs/gallery.md").read_text().count("\n## ")
    pictures = {path.stem for path in (ROOT / "docs/pictures/gallery").glob("*.png")}
    assert pictures == {path.stem[2:] for path in EXAMPLES} - {"gpu"}


@pytest.fixture
def axes():
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def layers(axes):
    return [picture.get_array() for picture in axes.get_images()]


def test_colours_are_those_of_labels(axes):
    labels = skerry.label(np.array([[1, 0, 1], [0, 0, 1]]))
    image = np.arange(6).reshape(2, 3)
    assert skerry.show(labels, image, axes=axes, alpha=0.25) is axes
    below, above = layers(axes)
    assert np.array_equal(below, image) and above.shape == (2, 3, 4)
    assert np.array_equal(above[..., 3], (labels.image > 0) * 0.25)
    assert np.array_equal(above[0, 2], above[1, 2]) and not np.array_equal(above[0, 0], above[0, 2])
    alone = skerry.show(np.array([[0, 2]], np.int64), axes=axes)
    assert np.array_equal(layers(alone)[-1][0, 1, :3], above[0, 2, :3]) and layers(alone)[-1][0, 1, 3] == 1
    assert np.array_equal(layers(skerry.show(np.array([[False, True]]), axes=axes))[-1][..., 3], [[0, 1]])


def test_slices_of_volumes(axes):
    labels = np.zeros((3, 2, 2), int)
    labels[2] = 5
    assert not layers(skerry.show(labels, labels, axes=axes))[-1][..., 3].any()
    assert layers(skerry.show(labels, labels, axes=axes, depth=-1))[-1][..., 3].all()
    with pytest.raises(ValueError, match="^depth: 3 is not a slice of 3"):
        skerry.show(labels, axes=axes, depth=3)


def test_outlines_and_numbers(axes):
    labels = np.array([[7, 7, 0], [0, 9, 9]])
    skerry.show(labels, axes=axes, outlines=True, numbers=True)
    assert [text.get_text() for text in axes.texts] == ["7", "9"]
    assert axes.texts[0].get_position() == (0.5, 0.0)
    lines = axes.collections[0].get_segments()
    assert len(lines) == 2 and lines[0].tolist()[0] == lines[0].tolist()[-1] == [-0.5, -0.5]


def test_refusals(axes):
    for labels, image, error, text in [(np.ones((2, 2)), None, TypeError, "labels: dtype float64"),
                                       (np.ones(4, int), None, ValueError, "labels: 1 dimensions"),
                                       (np.ones((2, 2), int), np.ones((3, 2)), ValueError, "image: shape")]:
        with pytest.raises(error, match=f"^{text}"):
            skerry.show(labels, image, axes=axes)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match="show: needs matplotlib: pip install matplotlib"):
        skerry.show(np.ones((2, 2), int))

# SPDX-License-Identifier: Apache-2.0
"""The examples of docstrings, of README.md and of docs/, as printed."""
import doctest
import importlib
import pathlib
import pkgutil
import re

import numpy as np
import pytest

import skerry

# The plugin of napari imports napari, which has its own tests; test_dask.py runs the examples of
# skerry.dask and of docs/any_size.md.
MODULES = ["skerry", *(each.name for each in pkgutil.walk_packages(skerry.__path__, "skerry.")
                       if each.name not in ("skerry._native", "skerry.dask", "skerry._dask_regions") and not each.name.startswith("skerry.napari._"))]
ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_docstrings_have_examples():
    finder = doctest.DocTestFinder()
    with_examples = {test.name for name in MODULES for test in finder.find(importlib.import_module(name)) if test.examples}
    assert {"skerry._components.label", "skerry._components.measure", "skerry._tree.max_tree",
            "skerry.ndimage.label", "skerry.skimage.measure.label", "skerry.cc3d.connected_components", "skerry._track.track",
            "skerry.cv2.connectedComponents"} <= with_examples


@pytest.mark.parametrize("page", ["README.md", "docs/columns.md", "docs/site/tutorial.md"])
def test_pages(monkeypatch, page):
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / page), module_relative=False, encoding="utf-8")
    assert results.attempted > 4 and results.failed == 0


def columns_of_page(page):
    """Of the table in docs/columns.md: quantity, group and rank."""
    found, ranks_of = set(), {}
    for row in re.findall(r"^\| .*`.*\|$", page.split("**Weights.**")[0], re.MULTILINE):
        names, _, _, ranks, group, _ = (cell.strip() for cell in row.strip("|").split("|"))
        first, *others = (name.split("-")[0] for name in re.findall("`(.+?)`", names))
        for name in [first, *(first[:first.rindex("_")] + name if name.startswith("_") else name for name in others)]:
            ranks_of[name] = ranks_of[name.replace("_weighted", "")] if ranks == "as above" else ranks.split(", ")
            found |= {(name, group, int(rank)) for rank in ranks_of[name]}
    return found


def test_page_of_columns_has_all_columns():
    measured = set()
    for rank in (1, 2, 3):
        labels = np.ones((2,) * rank, np.uint8)
        for group in skerry.column_groups():
            names = skerry.measure_columns(labels, group, intensity=labels).keys()
            measured |= {(name.split("-")[0], group, rank) for name in names if name != "label" or group == "basic"}
    assert columns_of_page((ROOT / "docs/columns.md").read_text()) == measured


def test_version_is_that_of_the_library():
    header = (ROOT / "include/skerry/version.hpp").read_text()
    assert f'version = "{skerry.__version__}"' in header

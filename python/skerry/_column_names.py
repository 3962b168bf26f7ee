# SPDX-License-Identifier: Apache-2.0
"""What is asked of columns by name."""
import contextlib
import difflib
import functools
import re

import numpy

from . import _native


def _of_scikit_image(name):
    """What became of a property of scikit-image that is no column, or None."""
    from .skimage import _names  # which has more to import than most calls need
    stem, *numbers = name.split("-")
    present = _names.DEPRECATED.get(stem, stem)
    if present in _names.OBJECTS:
        return "is an object, not a column; skerry.skimage.measure.regionprops has it"
    return None if present == stem else f"is now called {'-'.join([present, *numbers])!r}"


def _nothing(rank):
    return numpy.zeros((0,) * rank, numpy.uint8)


@functools.cache
def _measurable(rank):
    """All columns that measure_columns() has of images of this rank."""
    return tuple(_native.measure_columns(_nothing(rank), ["all"], _nothing(rank), None, True, None, None))


@functools.cache
def _with_argument(rank, argument):
    """The columns that a table of components has with moments=True, or with an image of intensities."""
    image = _nothing(rank) if argument == "intensity=..." else None
    return tuple(_native.measure_labels(_nothing(rank), image, None, True, argument == "moments=True", None, "", None).names())


def why_absent(name, present):
    """Of a table with the columns `present`: that it lacks one of this name, and the remedy."""
    rank = sum(column.startswith("centroid-") for column in present)
    if any(column.startswith(f"{name}-") for column in present):
        return f"{name!r} is several columns; give one, such as {f'{name}-0'!r}"
    if "coordinate_sum-0" in present and "id" not in present:
        for argument in ("moments=True", "intensity=..."):
            if name in _with_argument(rank, argument):
                return f"there is no column {name!r} in this table; measure with {argument}"
    if "label" in present and any(name in (column, column.partition("-")[0]) for each in (1, 2, 3) for column in _measurable(each)):
        return f"there is no column {name!r} in this table; give the labels and the name to skerry.measure_columns()"
    became = _of_scikit_image(str(name))
    new = re.search("is now called '(.+)'", became or "")
    if new and new[1] not in present:
        became += f", and {why_absent(new[1], present)}"
    near = difflib.get_close_matches(str(name), present, 1)
    remedy = f"{name!r} {became}" if became else f"did you mean {near[0]!r}?" if near else f"there are {', '.join(present)}"
    return f"there is no column {name!r} in this table; {remedy}"


@contextlib.contextmanager
def near_names(rank):
    """Adds the name that an unknown column is nearest to, among those of images of this rank, or what scikit-image has of it."""
    try:
        yield
    except ValueError as failure:
        unknown = re.match(r"(\w+): there is no column or group '(.*)';", str(failure), re.DOTALL)
        if unknown is None:
            raise
        argument, name = unknown.groups()
        fate = _of_scikit_image(name)
        if fate is not None:
            raise ValueError(f"{argument}: {name!r} {fate}") from None
        known = [*_measurable(rank), *_native.column_groups(), "shape"]
        near = difflib.get_close_matches(name, {each.partition("-")[0] for each in known} | set(known), 1)
        remedy = f"did you mean {near[0]!r}?" if near else "docs/columns.md lists all"
        raise ValueError(f"{argument}: there is no column or group {name!r}; {remedy}") from None

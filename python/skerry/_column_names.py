# SPDX-License-Identifier: Apache-2.0
"""What is asked of columns by name."""
import contextlib
import difflib
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
        nothing = numpy.zeros((0,) * rank, numpy.uint8)
        known = list(_native.measure_columns(nothing, ["all"], nothing, None, True, None, None)) + _native.column_groups() + ["shape"]
        near = difflib.get_close_matches(name, {each.partition("-")[0] for each in known} | set(known), 1)
        remedy = f"did you mean {near[0]!r}?" if near else "docs/columns.md lists all"
        raise ValueError(f"{argument}: there is no column or group {name!r}; {remedy}") from None

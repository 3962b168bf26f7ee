# SPDX-License-Identifier: Apache-2.0
"""What is asked of columns by name."""
import contextlib
import difflib
import re

import numpy

from . import _native


@contextlib.contextmanager
def near_names(labels):
    """Adds the name that an unknown column is nearest to."""
    try:
        yield
    except ValueError as failure:
        unknown = re.match(r"(\w+: there is no column or group '(.*)');", str(failure), re.DOTALL)
        if unknown is None:
            raise
        nothing = numpy.zeros((0,) * len(labels.shape), numpy.uint8)
        known = list(_native.measure_columns(nothing, ["all"], nothing, None, True, None, None)) + _native.column_groups()
        near = difflib.get_close_matches(unknown[2], {name.partition("-")[0] for name in known} | set(known), 1)
        remedy = f"did you mean {near[0]!r}?" if near else "docs/columns.md lists all"
        raise ValueError(f"{unknown[1]}; {remedy}") from None

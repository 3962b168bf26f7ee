# SPDX-License-Identifier: Apache-2.0
"""What is asked of columns by name, and rows by label."""
import contextlib
import difflib
import re

import numpy

from . import _native
from ._table import Table


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
        known = list(_native.measure_columns(nothing, ["all"], nothing, True, None, None)) + _native.column_groups()
        near = difflib.get_close_matches(unknown[2], {name.partition("-")[0] for name in known} | set(known), 1)
        remedy = f"did you mean {near[0]!r}?" if near else "docs/columns.md lists all"
        raise ValueError(f"{unknown[1]}; {remedy}") from None


def rows_of(table, index):
    """Rows for these labels, in this order. Of a label without pixels, area and columns of integers are 0, and others NaN."""
    places = {label: row for row, label in enumerate(table["label"].tolist())}
    rows = numpy.array([places.get(label, -1) for label in index], numpy.intp)
    found = rows >= 0
    columns = {}
    for name in table:
        column = table[name]
        taken = numpy.full(len(rows), 0 if column.dtype.kind in "iu" or name == "area" else numpy.nan, column.dtype)
        taken[found] = column[rows[found]]
        columns[name] = taken
    columns["label"] = numpy.array(index, numpy.uint64 if max(index, default=0) >= 2**63 else numpy.int64)
    return Table._of(columns, len(rows))

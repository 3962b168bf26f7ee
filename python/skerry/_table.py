# SPDX-License-Identifier: Apache-2.0
"""Tables of features."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any
import functools
import html
import os

import numpy

from . import _native
from ._column_names import why_absent

if TYPE_CHECKING:
    from ._types import Array, Type

_SHOWN_ROWS = 10


class _Arrays:
    """The columns of a table that was computed elsewhere."""

    def __init__(self, arrays, rows):
        self._arrays = arrays
        self.rows = rows

    def names(self):
        return list(self._arrays)

    def columns(self, names):
        return {name: self._arrays[name] for name in names}


class Table:
    """Named columns of equal length, each an array.

    A column is computed when it is first asked for; ``arrays`` computes several at once. Libraries that know Arrow's
    PyCapsule interface take a table as it is, without a copy: ``pyarrow.table(table)``, ``polars.DataFrame(table)``,
    DuckDB. ``to_pandas``, ``to_polars`` and ``to_numpy`` convert it.
    """

    def __init__(self, columns: Any) -> None:
        self._source = columns
        self._arrays = {}

    @functools.cached_property
    def _names(self):
        return self._source.names()

    @classmethod
    def _of(cls, arrays, rows):
        return cls(_Arrays(arrays, rows))

    def keys(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._names)

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str):
            raise TypeError(f"table[...] takes the name of one column, not {name!r}; arrays([...]) takes several names")
        if name not in self._arrays:
            self.arrays([name])
        return self._arrays[name]

    def arrays(self, names: Iterable[str] | None = None) -> dict[str, Array]:
        """A dict of these columns, or of all: several are computed sooner together than one by one, since rows are read once.
        They share memory, which is free again when the last of them is let go.

        >>> Table._of({"area": numpy.ones(1), "label": numpy.arange(1)}, 1).arrays(["label"])
        {'label': array([0])}
        """
        names = self._names if names is None else list(names)
        arrays = self._arrays
        missing = [name for name in dict.fromkeys(names) if name not in arrays]
        if missing:
            arrays.update(self._computed(missing))
        return {name: arrays[name] for name in names}

    def _computed(self, names):
        try:
            return self._source.columns(names)
        except (KeyError, TypeError, ValueError):  # names are listed only now: that takes as long as some columns
            for name in names:
                if name not in self._names:
                    raise KeyError(why_absent(name, self._names)) from None
            raise

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        """Number of rows."""
        return self._source.rows

    def to_numpy(self) -> Array:
        """A structured array with a field for each column."""
        arrays = self.arrays()
        rows = numpy.empty(len(self), [(name, array.dtype) for name, array in arrays.items()])
        for name, array in arrays.items():
            rows[name] = array
        return rows

    def __array__(self, dtype: Type | None = None, copy: bool | None = None) -> Array:
        raise TypeError("a table is several arrays: to_numpy() makes one of its rows, to_pandas() a DataFrame, arrays() a dict")

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        try:
            import pandas  # only for those who ask for it
        except ImportError as missing:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
        return pandas.DataFrame(self.arrays())

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        try:
            import polars  # only for those who ask for it
        except ImportError as missing:
            raise ImportError("to_polars() needs polars: pip install polars") from missing
        return polars.DataFrame(self.arrays())

    def to_parquet(self, folder: str | os.PathLike[str], *, rows: int = 2**20) -> list[str]:
        """Writes the table in parts of so many rows, part-00000.parquet and so on, into a new or empty folder, which readers of
        Parquet take as one table. A part is there when it is whole. Returns the names of the parts. Needs pyarrow."""
        try:
            import pyarrow  # only for those who ask for it
            import pyarrow.parquet
        except ImportError as missing:
            raise ImportError("to_parquet() needs pyarrow: pip install 'skerry[parquet]'") from missing
        if rows < 1:
            raise ValueError(f"rows: {rows} is not above 0")
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):
            raise ValueError(f"folder: {os.fspath(folder)} is not empty; parts of another table would mix with this one")
        arrays, parts = self.arrays(), []
        for number, begin in enumerate(range(0, max(len(self), 1), rows)):
            part = os.path.join(folder, f"part-{number:05d}.parquet")
            pyarrow.parquet.write_table(pyarrow.table({name: array[begin:begin + rows] for name, array in arrays.items()}), part + ".partial")
            os.replace(part + ".partial", part)
            parts.append(part)
        return parts

    def _columns(self):
        return [(name, numpy.ascontiguousarray(array)) for name, array in self.arrays().items()], len(self)

    def __arrow_c_schema__(self) -> object:
        """Types of the columns, by Arrow's PyCapsule interface."""
        return _native.arrow_schema(*self._columns())

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        """The rows as one struct array. Types are those of the columns, whatever is requested."""
        columns = self._columns()
        return _native.arrow_schema(*columns), _native.arrow_array(*columns)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of one batch. Types are those of the columns, whatever is requested."""
        return _native.arrow_stream(*self._columns())

    def __reduce__(self) -> tuple[Any, ...]:
        return Table._of, (self.arrays(), len(self))

    def __repr__(self) -> str:
        return f"<Table: {len(self)} rows; {', '.join(self._names)}>"

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        shown = min(len(self), _SHOWN_ROWS)
        columns = [[f"{value:.6g}" if column.dtype.kind == "f" else str(value) for value in column[:shown]]
                   for column in self.arrays().values()]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._names)
        body = "".join("<tr>" + "".join(f"<td>{value}</td>" for value in row) + "</tr>" for row in zip(*columns))
        return (f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
                f"<p>{len(self)} rows × {len(self._names)} columns</p>")

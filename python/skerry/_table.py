# SPDX-License-Identifier: Apache-2.0
"""Tables of features."""
import numpy


class Table:
    """Named columns of equal length, each an array; ``dict(table)`` and ``pandas.DataFrame(dict(table))`` work.

    A column is computed when it is first asked for.
    """

    def __init__(self, columns):
        self._source = columns
        self._names = columns.names()
        self._arrays = {}

    def keys(self):
        """Names of the columns, in order."""
        return list(self._names)

    def __getitem__(self, name):
        if name not in self._arrays:
            if name not in self._names:
                raise KeyError(name)
            self._arrays[name] = self._source.column(name)
        return self._arrays[name]

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        """Number of rows."""
        return self._source.rows

    def to_numpy(self):
        """A structured array with a field for each column."""
        rows = numpy.empty(len(self), [(name, self[name].dtype) for name in self._names])
        for name in self._names:
            rows[name] = self[name]
        return rows

    def to_pandas(self):
        """A pandas.DataFrame."""
        try:
            import pandas  # only for those who ask for it
        except ImportError as missing:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
        return pandas.DataFrame(dict(self))

    def __repr__(self):
        return f"<Table: {len(self)} rows; {', '.join(self._names)}>"

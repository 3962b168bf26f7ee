# SPDX-License-Identifier: Apache-2.0
"""Where the labels of blocks go."""
import os

import numpy

from . import _block_arrays, _ome


class Output:
    """Where labels go: a new array of NumPy or Zarr, which is made when their number is known, or a given one."""

    def __init__(self, out, dtype, asked, ome):
        self.given, self.path, self.dtype, self.array = out, None, dtype, asked.array
        self.is_new, self.ome = True, ome
        if dtype is not None and numpy.dtype(dtype).kind not in "iu":
            raise TypeError(f"dtype: {numpy.dtype(dtype)} is not an integer type")
        if isinstance(out, (str, os.PathLike)):
            self.path = _ome.first_level(out) if ome else os.fspath(out)
            self.given = _block_arrays.existing(self.path)
            if self.given is not None and asked.resume is None:
                raise ValueError(f"out: {self.path} exists; remove it, or open it and give the array, which is overwritten")
        elif ome:
            raise ValueError("ome: metadata are written beside an array that a path names; give out as a path")
        if self.given is not None:
            if self.path is None and dtype is not None:
                raise ValueError("dtype: out has its own")
            _block_arrays.check_out(self.given, asked.array)
            self.is_new = False

    def unit(self):
        """What two blocks must not both write, as far as that is known before labels are counted."""
        return _block_arrays.unit_of(self.given) if self.given is not None else None

    def name(self):
        return self.path or str(type(self.given))

    def open(self, grid, count):
        """The array, of a type that holds the labels."""
        name = "out" if self.given is not None else "dtype"
        dtype = self.given.dtype if self.given is not None else numpy.dtype(self.dtype or numpy.min_scalar_type(count))
        _block_arrays.check_fit(dtype, count, name)
        if self.given is not None:
            return self.given
        if self.path is None:
            return numpy.zeros(self.array.shape, dtype)
        block = tuple(max(axis[1] - axis[0], 1) for axis in grid.bounds)
        return _block_arrays.create(self.path, self.array, dtype, block)

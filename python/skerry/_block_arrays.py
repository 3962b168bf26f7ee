# SPDX-License-Identifier: Apache-2.0
"""Arrays that blocks are read from and written to: NumPy's, Zarr's, and what has a shape and takes slices as they do."""
import math
import os
import pathlib
import pickle
import typing

import numpy

# Chunks are put together to blocks of about so many pixels, so that a block is worth a task.
_PIXELS_WORTH_A_TASK = 2**23
_UNIT_WITHOUT_CHUNKS = {2: (512, 512), 3: (64, 64, 64)}


class Part(typing.NamedTuple):
    """A region of an array, for a worker."""

    array: typing.Any
    region: typing.Any

    def read(self):
        return numpy.asarray(self.array[self.region])


def zarr_module():
    try:
        import zarr  # only for those who ask for it
    except ImportError as missing:
        raise ImportError("out: a path is written as a Zarr array, which needs zarr-python: pip install 'skerry[zarr]'") from missing
    if int(zarr.__version__.split(".")[0]) < 3:
        raise ImportError(f"out: a path is written as a Zarr array of version 3; zarr-python is {zarr.__version__}, and 3 is needed")
    return zarr


def is_zarr(array):
    return type(array).__module__.partition(".")[0] == "zarr"


def check_source(array, name, shape=None, of="array", channels=False):
    """What is read block by block, as it is; sequences as arrays. ``shape`` is that of the array ``of``; with ``channels`` it may have
    an axis of channels after it."""
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; use {name}.filled(0)")
    if hasattr(array, "dask"):
        raise TypeError(f"{name}: this is an array of Dask; use skerry.dask.label")
    if not all(hasattr(array, each) for each in ("shape", "dtype", "__getitem__")):
        array = numpy.asarray(array)
    if shape is None and len(array.shape) not in (2, 3):
        raise ValueError(f"{name}: {len(array.shape)} dimensions are not 2 (rows, columns) or 3 (slices, rows, columns)")
    if shape is not None:
        check_shape(array, name, shape, of, channels)
    return array


def check_shape(array, name, shape, of, channels):
    """Refuses another shape; with ``channels`` it may have an axis of channels after it."""
    found = tuple(array.shape)
    if channels and len(found) == len(shape) + 1:
        if found[:-1] != shape:
            raise ValueError(f"{name}: its shape {found} is not that of {of}, {shape}, with an axis of channels after it")
    elif found != shape:
        raise ValueError(f"{name}: its shape {found} is not that of {of}, {shape}")


def travels(array):
    """Whether another process that gets the array reads and writes the same pixels."""
    if isinstance(array, numpy.ndarray) or type(getattr(array, "store", None)).__name__ == "MemoryStore":
        return False
    try:
        pickle.dumps(array)
    except Exception:  # each library has its own
        return False
    return True


def unit_of(array):
    """Shape of what is read or written at once: the shards of an array of Zarr, else its chunks; None where there are none."""
    return getattr(array, "shards", None) or getattr(array, "chunks", None)


def block_shape(shape, unit):
    """The unit, or several side by side where it is small."""
    unit = unit or _UNIT_WITHOUT_CHUNKS[len(shape)]
    block = list(unit)
    while math.prod(block) < _PIXELS_WORTH_A_TASK and any(side < length for side, length in zip(block, shape)):
        axis = min((axis for axis in range(len(shape)) if block[axis] < shape[axis]), key=block.__getitem__)
        block[axis] *= 2
    return tuple(block)


def check_blocks(blocks, shape):
    """Block sides as the caller gives them."""
    sides = tuple(blocks)
    if len(sides) != len(shape) or not all(isinstance(side, (int, numpy.integer)) and side > 0 for side in sides):
        raise ValueError(f"blocks: {blocks!r} has not one length above 0 for each of the {len(shape)} axes")
    return tuple(map(int, sides))


def check_writers(grid, unit):
    """Refuses blocks of which two would write one chunk or shard: the later would drop what the earlier wrote."""
    shared = any(bound % side for axis, side in zip(grid.bounds, unit) for bound in axis[1:-1])
    if shared:
        raise ValueError(f"blocks: two blocks would write one chunk or shard of out; give lengths that are multiples of {tuple(unit)}")


def check_out(out, source):
    """Refuses, before any work, an array that labels cannot be written to."""
    if not hasattr(out, "__setitem__") or not hasattr(out, "dtype"):
        raise TypeError(f"out: {type(out)} is not an array that can be written, nor a path")
    if tuple(out.shape) != tuple(source.shape):
        raise ValueError(f"out: its shape {tuple(out.shape)} is not that of array, {tuple(source.shape)}")
    if out.dtype.kind not in "iu":
        raise TypeError(f"out: dtype {out.dtype} is not an integer type")
    if getattr(out, "read_only", False) or (isinstance(out, numpy.ndarray) and not out.flags.writeable):
        raise ValueError("out: is read-only")
    both = (out, source)
    overlap = out is source or (all(isinstance(each, numpy.ndarray) for each in both) and numpy.may_share_memory(out, source))
    if overlap or (all(map(is_zarr, both)) and out.store_path == source.store_path):
        raise ValueError("out: is the array itself, of which each block is read twice")


def check_fit(dtype, count, name):
    end = numpy.iinfo(dtype).max
    if count > end:
        raise ValueError(f"{name}: {count} components do not fit {dtype}, which ends at {end}; give a wider type")


def existing(path):
    """The Zarr array at a path, or None. Raises ValueError for something else."""
    zarr = zarr_module()
    is_there = os.path.exists(path)  # zarr 3.1.0 makes a folder when it finds none
    try:
        found = zarr.open(path, mode="r+")
    except FileNotFoundError:
        if is_there:
            raise ValueError(f"out: {path} exists and is no Zarr array") from None
        return None
    if not isinstance(found, zarr.Array):
        raise ValueError(f"out: {path} is a Zarr group; give the path of an array in it")
    return found


def remove_leftovers(array):
    """Of an array in files, those of workers that were killed: each file is written under another name first."""
    root = getattr(getattr(array, "store", None), "root", None)
    if root is not None:
        for leftover in pathlib.Path(root, array.path).rglob("*.partial"):
            leftover.unlink(missing_ok=True)


def create(path, source, dtype, block, shape=None):
    """A Zarr array of version 3 for labels, with the chunks and shards of the source, where they fit the blocks."""
    zarr = zarr_module()
    chunks, shards = getattr(source, "chunks", None), getattr(source, "shards", None)
    unit = shards or chunks
    if unit is None or any(side % of for side, of in zip(block, unit)):
        chunks, shards = block, None
    names = ("z", "y", "x")[-len(source.shape):]
    return zarr.create_array(store=os.fspath(path), shape=shape or source.shape, chunks=chunks, shards=shards, dtype=dtype,
                             fill_value=0, dimension_names=names)

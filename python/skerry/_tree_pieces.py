# SPDX-License-Identifier: Apache-2.0
"""Area openings and closings of 8-bit arrays of any size, block by block."""
import numpy

from . import _block_arrays, _block_calls, _native
from ._arguments import shown
from ._block_asked import Arrays
from ._block_output import Output
from ._connectivity import NEIGHBOURS
from ._held_piece import HeldPiece
from ._workers import Task


class TreePiece(HeldPiece):
    """The border tree of some blocks of an image; it never changes. Pickled, it is ``to_bytes()``."""

    __slots__ = ()
    _native_type = _native.TreePiece

    nodes = property(lambda self: self._held.nodes)


def build_task(part, origin, whole, of_pits, connectivity, threads):
    return TreePiece._of(_native.build_block(part.read(), origin, whole, of_pits, connectivity, threads))


def join_task(*pieces):
    return TreePiece._of(_native.join_trees([piece._held for piece in pieces]))


def filter_task(part, origin, whole, of_pits, connectivity, nodes, area, out, threads):
    block = part.read()
    given = out if isinstance(out, _block_arrays.Part) and isinstance(out.array, numpy.ndarray) else None
    filtered = numpy.empty(block.shape, block.dtype) if given is None else given.read()
    _native.filter_block(block, origin, whole, of_pits, connectivity, *nodes, area, filtered, threads)
    if not isinstance(out, _block_arrays.Part):
        return filtered
    if given is None:
        out.array[out.region] = filtered
    return None


class _Trees(_block_calls.RegionTree):
    """Pieces of trees, joined as they arrive."""

    piece_type = TreePiece

    def join_task(self):
        return join_task


def _checked(asked, area, connectivity):
    """The array's connectivity, by default all neighbours."""
    if asked.array.dtype not in (numpy.uint8, numpy.int8):
        raise TypeError(f"array: dtype {asked.array.dtype} is not uint8 or int8; skerry.max_tree takes other types, as a whole")
    if isinstance(area, bool) or not isinstance(area, (int, numpy.integer)):
        raise TypeError(f"area: {shown(area)} is not an integer")
    if area < 0:
        raise ValueError(f"area: {area} is below 0")
    known = NEIGHBOURS[len(asked.shape)]
    if connectivity is not None and connectivity not in known:
        raise ValueError(f"connectivity: {shown(connectivity)} is not {' or '.join(map(str, known))}")
    return known[-1] if connectivity is None else int(connectivity)


def _filter_blocks(call, how, nodes, area, out):
    """The second pass. ``nodes`` are what is known of all border trees."""
    grid, kept, by_workers = call.grid, call.checkpoint, call.reaches(out)

    def arguments(index):
        part = nodes.of_block(grid.origin(index), grid.block_shape(index), grid.shape)
        to = _block_arrays.Part(out, grid.region(index)) if by_workers else None
        return call.part(call.array, index), grid.origin(index), grid.shape, *how, part, area, to, call.threads

    def take(index, filtered):
        if filtered is not None:
            out[grid.region(index)] = filtered
        if kept:
            kept.mark_written(index)

    call.crew.run(Task(filter_task, lambda index=index: arguments(index), lambda result, index=index: take(index, result))
                  for index in grid if not (kept and kept.is_written(index)))


def _area_filter(keywords, of_pits):
    area, out = keywords["area"], keywords["out"]
    asked = Arrays({**keywords, "intensity": None, "moments": False}, "array")
    connectivity = _checked(asked, area, keywords["connectivity"])
    asked.question = {"area": int(area), "connectivity": connectivity, "of_pits": of_pits}
    new = out is None or isinstance(out, (str, bytes)) or hasattr(out, "__fspath__")
    output = Output(out, asked.array.dtype if new else None, asked, False)
    if output.given is not None and output.given.dtype != asked.array.dtype:
        raise TypeError(f"out: dtype {output.given.dtype} is not that of array, {asked.array.dtype}")
    grid = asked.grid(output.unit() or _block_arrays.unit_of(asked.array))
    if output.given is not None and _block_arrays.is_zarr(output.given):
        _block_arrays.check_writers(grid, output.unit())
    if 0 in asked.shape:
        return output.open(grid, 0)
    how = of_pits, connectivity
    with asked.call(grid, {}, output.name()) as call:
        def arguments(index):
            return call.part(call.array, index), grid.origin(index), grid.shape, *how, call.threads

        pieces = _block_calls.join_blocks(call, _Trees(call), build_task, arguments, ())
        nodes = _native.resolve_areas([piece._held for piece in pieces], int(area))
        filtered = output.open(grid, 0)
        if output.is_new and call.checkpoint:
            call.checkpoint.forget_written()
        _filter_blocks(call, how, nodes, int(area), filtered)
        if call.checkpoint or call.crew.lost_workers:
            _block_arrays.remove_leftovers(filtered)
    return filtered


def area_opening(array, area, *, connectivity=None, out=None, blocks=None, executor=None, retries=3, resume=None, threads=None):
    """Flattens the peaks of an 8-bit array that need not fit in memory: components of any threshold set with fewer than ``area``
    pixels are lowered to their surroundings.

    >>> area_opening(numpy.array([[1, 3, 1, 2]], numpy.uint8), 2, blocks=(1, 2))
    array([[1, 1, 1, 1]], dtype=uint8)

    Each block is read twice, and the max-tree of each is built twice: first for the nodes that reach its faces, which are joined
    with those of other blocks, and then for its pixels. The caller holds these nodes of all blocks.

    Parameters
    ----------
    array : array of (rows, columns) or (slices, rows, columns)
        Of uint8 or int8; else as ``array`` in ``label``.
    area : int
        Fewer pixels are too few.
    connectivity : int
        As in ``skerry.max_tree``; by default all neighbours.
    out : path or array
        As in ``label``, of the type of ``array``. By default the result comes in a new array in memory.
    blocks, executor, retries, resume, threads
        As in ``label``.

    Returns
    -------
    array
        What ``skerry.max_tree(array).area_opening(area)`` gives for the whole array, bit for bit; in ``out`` or a new array.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    RuntimeError
        When workers died and the executor cannot be made again.
    """
    return _area_filter(locals(), False)


def area_closing(array, area, *, connectivity=None, out=None, blocks=None, executor=None, retries=3, resume=None, threads=None):
    """Fills the pits of an 8-bit array that need not fit in memory: as ``area_opening``, of the darker side.

    >>> area_closing(numpy.array([[3, 1, 3, 2]], numpy.uint8), 2, blocks=(1, 2))
    array([[3, 3, 3, 3]], dtype=uint8)

    Parameters
    ----------
    array, area, and all others
        As in ``area_opening``.

    Returns
    -------
    array
        What ``skerry.max_tree(array, kind="min").area_closing(area)`` gives for the whole array, bit for bit.
    """
    return _area_filter(locals(), True)

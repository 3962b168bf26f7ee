# SPDX-License-Identifier: Apache-2.0
"""Images of any size in blocks, which are labelled anywhere and in any order: the labels and tables of one call, bit for bit.

``label`` and ``measure`` work on arrays that are larger than memory, with any executor. The steps that they are made of are here
too, for other ways to hand out work.
"""
import os

import numpy

from . import _block_arrays, _block_calls, _ome
from ._block_asked import Arrays
from ._block_output import Output
from ._column_pieces import ColumnPiece, columns_of, join_columns, measure_block_columns, needs_for, needs_of_columns, part_of
from ._holes import fill_block, label_background
from ._outline import outline as _outline_whole
from ._outline_pieces import OutlinePiece, join_outlines, outline_block, outline_of
from ._pieces import (BlockLabels, Numbering, Piece, bounds_or_none, emit_block, join, label_block, labels_of_block, number, parted,
                      table_of_nothing)
from ._region_pieces import RegionPiece, join_regions, measure_block, table_of
from ._block_track import track
from ._regions import (_ZERO_AND_BELOW, _names, measure_columns as _columns_whole, measure_labels as _measure_whole, without_pixels)
from ._tree_pieces import area_closing, area_opening

__all__ = ["BlockLabels", "ColumnPiece", "Numbering", "OutlinePiece", "Piece", "RegionPiece", "area_closing", "area_opening",
           "columns_of", "emit_block", "fill_block", "join", "join_columns", "join_outlines", "join_regions", "label",
           "label_background", "label_block", "labels_of_block", "measure", "measure_block", "measure_block_columns",
           "measure_columns", "measure_labels", "needs_of_columns", "number", "outline", "outline_block", "outline_of", "part_of",
           "table_of", "track"]


class _Asked(Arrays):
    """Keywords of label() and measure()."""

    def __init__(self, keywords):
        super().__init__(keywords, "array")
        self.choice, self.keep = parted(keywords)
        self.fill_holes = bool(keywords["fill_holes"])
        self.question = {"keep": {**self.keep, "bounds": bounds_or_none(self.keep["bounds"])}, "fill_holes": self.fill_holes}
        self.table_of_nothing = table_of_nothing(self.array, self.intensity, self.choice, self.keep, self.moments, self.fill_holes)

    def number(self, call):
        """The first pass, and that for holes. Returns (Numbering, Table)."""
        if call.choice["threshold"] == "otsu":
            call.choice = {**call.choice, "threshold": _block_calls.find_otsu(call)}
        if self.fill_holes:
            call.holes = _block_calls.find_holes(call)
        return _block_calls.number_blocks(call, self.keep)


def measure(array, intensity=None, *, connectivity=None, threshold=None, above=None, at_least=None, within=None, background=None,
            equal=False, delta=None, periodic=False, fill_holes=False, min_area=0, max_area=None, clear_border=False, largest=None,
            bounds=None, moments=False, spacing=None, unit="", blocks=None, executor=None, retries=3, resume=None, threads=None):
    """Measures the connected components of an array, block by block, without writing labels.

    >>> image = numpy.array([[0, 7, 7, 0, 0], [0, 0, 7, 0, 9]])
    >>> measure(image, blocks=(1, 2))["area"]
    array([3, 1])

    Parameters
    ----------
    array, intensity, and all others
        As in ``label``.

    Returns
    -------
    Table
        As from ``skerry.measure`` for the whole array, bit for bit.
    """
    asked = _Asked(locals())
    if 0 in asked.shape:
        return asked.table_of_nothing
    with asked.call(asked.grid(_block_arrays.unit_of(asked.array)), asked.choice) as call:
        return asked.number(call)[1]


def measure_labels(labels, intensity=None, *, background=_ZERO_AND_BELOW, moments=False, spacing=None, unit="", blocks=None,
                   executor=None, retries=3, resume=None, threads=None):
    """Measures the regions of a label image that need not fit in memory, block by block: all pixels of one label are one region,
    connected or not.

    >>> table = measure_labels(numpy.array([[1, 1, 0, 7], [0, 0, 0, 1]]), blocks=(1, 2))
    >>> table["label"], table["area"]
    (array([1, 7]), array([3, 1]))

    Each block is read once. The caller holds the table.

    Parameters
    ----------
    labels : array of (rows, columns) or (slices, rows, columns)
        As ``array`` in ``label``, of integers of 8 to 64 bits or bool; labels may have gaps.
    intensity : array
        Adds intensity columns, read from this array of the same shape, or with an axis of channels after it: as in
        ``skerry.measure_labels``, all channels are measured in one pass.
    moments, spacing, unit, blocks, executor, retries, resume, threads
        As in ``label``.
    background : "zero and below", a label, or None
        Labels that are background; with None all are regions.

    Returns
    -------
    Table
        As from ``skerry.measure_labels`` for the whole array, bit for bit.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    RuntimeError
        When workers died and the executor cannot be made again.
    """
    asked = Arrays(locals(), "labels", channels=True)
    none, grey = without_pixels(asked.array, asked.intensity)
    nothing = _measure_whole(none, grey, background=background, moments=moments, spacing=spacing, unit=unit)
    if 0 in asked.shape:
        return nothing
    with asked.call(asked.grid(_block_arrays.unit_of(asked.array)), {"background": background}) as call:
        return table_of(_block_calls.measure_regions(call), spacing=spacing, unit=unit)


def measure_columns(labels, columns=("all",), *, intensity=None, background=_ZERO_AND_BELOW, spacing=None, blocks=None, executor=None,
                    retries=3, resume=None, threads=None):
    """Measures columns of scikit-image's regionprops_table, and some more, for a label image that need not fit in memory, block by
    block. For the columns of components, give the labels that ``label`` wrote.

    >>> labels = numpy.array([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 5]])
    >>> table = measure_columns(labels, ["area_filled", "perimeter"], blocks=(2, 2))
    >>> table["area_filled"], table["perimeter"]
    (array([9., 1.]), array([8., 0.]))

    Each block is read once, with a pixel around it in a volume and two in a plane where columns need neighbours; twice where moments or
    weighted centroids are asked for, which need the boxes of all regions first. The caller holds what all regions are made of: for
    hulls the ends of each of their rows, for filled areas each of their runs, for medians each value that a region has.

    Parameters
    ----------
    labels : array of (rows, columns) or (slices, rows, columns)
        As in ``measure_labels``.
    columns, background, spacing
        As in ``skerry.measure_columns``.
    intensity : array
        As there, of the shape of ``labels``, or with an axis of channels after it.
    blocks, executor, retries, resume, threads
        As in ``label``.

    Returns
    -------
    Table
        As from ``skerry.measure_columns`` for the whole array, bit for bit.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    RuntimeError
        When workers died and the executor cannot be made again.
    """
    asked = Arrays({**locals(), "moments": False}, "labels", channels=True)
    columns = _names(columns)
    none, grey = without_pixels(asked.array, asked.intensity)
    nothing = _columns_whole(none, columns, intensity=grey, background=background, spacing=spacing)
    if 0 in asked.shape:
        return nothing
    needs = needs_for(none, columns, grey, spacing)
    asked.question = {"columns": columns, "spacing": spacing}
    with asked.call(asked.grid(_block_arrays.unit_of(asked.array)), {"background": background}) as call:
        pieces = _block_calls.measure_columns(call, columns, spacing, needs)
        return columns_of(pieces, columns, spacing=spacing, signed=asked.array.dtype.kind == "i", threads=threads)


def outline(labels, *, connectivity=4, background=_ZERO_AND_BELOW, keep_collinear=False, blocks=None, executor=None, retries=3,
            resume=None, threads=None):
    """Follows the outlines of the regions of a label image that need not fit in memory, block by block, along the edges of pixels.

    >>> outlines = outline(numpy.array([[7, 7], [0, 7]]), blocks=(1, 1))
    >>> outlines[0][0][0].tolist()
    [[0, 0], [2, 0], [2, 2], [1, 2], [1, 1], [0, 1]]

    Each block is read once, with a pixel around it. The caller holds all vertices, and a row for each polygon.

    Parameters
    ----------
    labels : array of (rows, columns)
        As in ``measure_labels``.
    connectivity, background, keep_collinear
        As in ``skerry.outline``. Outlines that are simplified or go through centres, and nesting, need the whole image.
    blocks, executor, retries, resume, threads
        As in ``label``.

    Returns
    -------
    Outlines
        As from ``skerry.outline`` for the whole array: the same vertices in the same order.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    RuntimeError
        When workers died and the executor cannot be made again.
    """
    asked = Arrays({**locals(), "intensity": None, "moments": False}, "labels")
    choice = {"connectivity": connectivity, "background": background, "keep_collinear": keep_collinear}
    nothing = _outline_whole(numpy.empty((0,) * len(asked.shape), asked.array.dtype), **choice)
    if 0 in asked.shape:
        return nothing
    with asked.call(asked.grid(_block_arrays.unit_of(asked.array)), choice) as call:
        return outline_of(_block_calls.outline_regions(call))


def label(array, *, connectivity=None, threshold=None, above=None, at_least=None, within=None, background=None, equal=False,
          delta=None, periodic=False, fill_holes=False, min_area=0, max_area=None, clear_border=False, largest=None, bounds=None,
          intensity=None, moments=False, spacing=None, unit="",
          dtype=None, out=None, ome=False, blocks=None, executor=None, retries=3, resume=None, threads=None):
    """Labels and measures the connected components of an array that need not fit in memory, block by block.

    >>> image = numpy.array([[0, 7, 7, 0, 0], [0, 0, 7, 0, 9]])
    >>> labels, table = label(image, blocks=(1, 2))
    >>> labels
    array([[0, 1, 1, 0, 0],
           [0, 0, 1, 0, 2]], dtype=uint8)
    >>> table["area"]
    array([3, 1])

    Each block is read twice, and labelled twice: first for its piece, which is joined with those of its neighbours, and when all
    components are numbered, for its labels. A worker holds one block and its labels; the caller holds the table.

    Parameters
    ----------
    array : array of (rows, columns) or (slices, rows, columns)
        A zarr.Array, a numpy.ndarray or memmap, a dataset of h5py, or what else has ``shape``, ``dtype`` and slices. It must not
        change during the call.
    connectivity, threshold, above, at_least, within, background, equal, delta, periodic
        As in ``skerry.label``. threshold="otsu" reads each block once more, twice where values are floats or integers of 32 or 64 bits.
    fill_holes : bool
        Adds the holes of components to them first. They are found in a pass of their own: each block is then read three times.
    min_area, max_area, clear_border, largest
        As in ``skerry.label``, decided on the whole array before a label is written.
    bounds : dict
        Of those, keeps the components whose columns in the table are within these bounds: names of columns, each with the smallest and
        the largest value that is kept, None for no limit: ``{"extent": (0.5, None), "bbox-0": (1, None)}``.
    intensity : array
        Adds intensity columns, read from this array of the same shape.
    moments, spacing, unit
        As in ``skerry.measure``.
    dtype : unsigned or signed integer type
        Type of a new array; by default the smallest unsigned one that holds the labels.
    out : path or array
        A path makes a Zarr array of version 3 there, with the chunks and shards of ``array``. An array of zarr, NumPy or h5py, of
        the same shape and an integer type, is overwritten. By default labels come in a new array in memory.
    ome : bool
        Makes ``out`` an OME-Zarr 0.5 label image: a group with the labels at full resolution and at halves of it, by nearest
        neighbours, and ``image-label`` metadata. A path IMAGE/labels/NAME also enters NAME in the group IMAGE/labels.
    blocks : sequence of int
        Shape of a block. By default it is that of a shard, else of a chunk, of ``out`` if that is an array, else of ``array``; several
        side by side where these have few pixels. Two blocks may not share a shard or chunk of ``out``.
    executor : executor, distributed.Client, or function that makes an executor
        Who works: any concurrent.futures.Executor, such as ThreadPoolExecutor, ProcessPoolExecutor, or mpi4py's MPIPoolExecutor;
        by default the calling thread. Workers of other processes read and write arrays of Zarr themselves; NumPy's and h5py's
        are read and written by the caller.
    retries : int
        How often a function is asked for another executor when a worker died.
    resume : path
        A folder where pieces and finished blocks are kept: the same call again goes on from there after it was interrupted. The
        labels are the same bytes. Delete it when the labels are done.
    threads : int
        Threads of each worker; by default 1, and one per processor in the calling thread.

    Returns
    -------
    (array, Table)
        Labels 1..n as ``skerry.label`` numbers them for the whole array, in ``out`` or a new array, and the rows of
        ``skerry.measure``, bit for bit, whatever the blocks and workers.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also when the labels do not fit their type, before any is written.
    RuntimeError
        When workers died and the executor cannot be made again.
    """
    asked = _Asked(locals())
    output = Output(out, dtype, asked, ome)
    grid = asked.grid(output.unit() or _block_arrays.unit_of(asked.array))
    if output.given is not None and _block_arrays.is_zarr(output.given):
        _block_arrays.check_writers(grid, output.unit())
    if 0 in asked.shape:
        return output.open(grid, 0), asked.table_of_nothing
    with asked.call(grid, asked.choice, output.name()) as call:
        numbering, table = asked.number(call)
        labels = output.open(grid, numbering.count)
        if output.is_new and call.checkpoint:
            call.checkpoint.forget_written()
        _block_calls.write_blocks(call, numbering, labels, output.is_new)
        if ome:
            _ome.finish(os.fspath(out), labels, spacing, unit, call.crew)
        if call.checkpoint or call.crew.lost_workers:
            _block_arrays.remove_leftovers(labels)
    return labels, table

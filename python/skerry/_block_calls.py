# SPDX-License-Identifier: Apache-2.0
"""The two passes over the blocks of an array: pieces that are joined in a tree, then labels."""
import functools

import numpy

from ._block_arrays import Part, travels
from ._column_pieces import ColumnPiece, join_columns, measure_block_columns, part_of
from ._holes import fill_block, label_background
from ._outline_pieces import OutlinePiece, join_outlines, outline_block
from ._pieces import Piece, emit_block, join, label_block, labels_of_block, number
from ._region_pieces import RegionPiece, join_regions, measure_block
from ._thresholds import bound_of, counted_range, counts_of, join_counts, join_ranges, range_of
from ._workers import Task


def filled(block, origin, whole, holes, choice, threads):
    """The block to label, and how: one whose holes are filled is a mask."""
    if holes is None:
        return block, choice
    return fill_block(block, origin, whole, holes, threads=threads, **choice), {"connectivity": choice["connectivity"]}


def range_task(part):
    return range_of(part.read())


def counts_task(part, limits):
    return counts_of(part.read(), limits)


def background_task(part, origin, whole, choice, threads):
    return label_background(part.read(), origin, whole, threads=threads, **choice)


def label_task(part, intensity, origin, whole, holes, choice, moments, threads):
    grey = None if intensity is None else intensity.read()
    block, choice = filled(part.read(), origin, whole, holes, choice, threads)
    return label_block(block, origin, whole, intensity=grey, moments=moments, threads=threads, **choice)


def measure_task(part, intensity, origin, whole, choice, moments, threads):
    grey = None if intensity is None else intensity.read()
    return measure_block(part.read(), origin, whole, intensity=grey, moments=moments, threads=threads, **choice)


def columns_task(part, intensity, origin, shape, whole, known, choice, threads):
    grey = None if intensity is None else intensity.read()
    return measure_block_columns(part.read(), origin, shape, whole, intensity=grey, known=known, threads=threads, **choice)


def outline_task(part, origin, shape, whole, choice, threads):
    return outline_block(part.read(), origin, shape, whole, threads=threads, **choice)


def emit_task(part, origin, whole, labels, holes, choice, out, threads):
    """Labels of a block: into the part of an array that is ``out``, or returned as an array when that is a dtype."""
    block, choice = filled(part.read(), origin, whole, holes, choice, threads)
    if not isinstance(out, Part):
        return emit_block(block, origin, whole, labels, out=numpy.empty(block.shape, out), threads=threads, **choice)
    if isinstance(out.array, numpy.ndarray):
        emit_block(block, origin, whole, labels, out=out.read(), threads=threads, **choice)
    else:
        out.array[out.region] = emit_block(block, origin, whole, labels, out=numpy.empty(block.shape, out.array.dtype),
                                           threads=threads, **choice)
    return None


def all_open(piece):
    """Splits a piece of which nothing is closed before the end."""
    return piece, None


class Tree:
    """Pieces that arrive in any order are joined with their neighbours; what is closed waits for the numbering in the caller."""

    piece_type = Piece
    split = staticmethod(Piece.split)

    def __init__(self, call):
        self._put = call.crew.put
        self._parents, self._children = {}, {}
        level = 0
        for level, nodes in enumerate(call.grid.levels(), 1):
            for node, children in nodes.items():
                self._children[level, node] = [(level - 1, child) for child in children]
                self._parents.update(((level - 1, child), (level, node)) for child in children)
        self._open, self._pieces = {}, []

    def join_task(self):
        return join

    def task(self, place, function, arguments):
        """The task of a node, (level, index), that makes its piece; that of the last node comes to the caller whole."""
        if place in self._parents:
            return Task(function, arguments, functools.partial(self._add, place), self.split)
        return Task(function, arguments, self._pieces.append)

    def add(self, place, piece):
        """Takes the piece of a node from the caller; returns the task that became possible, in a list."""
        if place not in self._parents:
            self._pieces.append(piece)
            return []
        opened, closed = self.split(piece)
        return self._add(place, self._put(opened), closed)

    def _add(self, place, opened, closed):
        if closed is not None:
            self._pieces.append(closed)
        self._open[place] = opened
        parent = self._parents[place]
        if not all(child in self._open for child in self._children[parent]):
            return []
        pieces = [self._open.pop(child) for child in self._children.pop(parent)]
        return [self.task(parent, self.join_task(), lambda: pieces)]

    def pieces(self):
        return self._pieces


class RegionTree(Tree):
    """The same of pieces of label images, of which nothing is closed before the end."""

    piece_type = RegionPiece
    split = staticmethod(all_open)

    def join_task(self):
        return join_regions


class ColumnTree(RegionTree):
    """The same of pieces for columns."""

    piece_type = ColumnPiece

    def join_task(self):
        return join_columns


class OutlineTree(Tree):
    """The same of pieces of outlines."""

    piece_type = OutlinePiece
    split = staticmethod(OutlinePiece.split)

    def join_task(self):
        return join_outlines


class Call:
    """What one call works on, and who does it."""

    def __init__(self, array, intensity, grid, crew, *, choice, moments, threads, checkpoint):
        self.array, self.intensity, self.grid, self.crew = array, intensity, grid, crew
        self.choice, self.moments, self.checkpoint = choice, moments, checkpoint
        self.holes = None  # the Numbering of the holes that are filled
        # Workers beside each other have a thread each; on GPUs it is usual there.
        self.threads = threads if threads is not None or crew.is_caller or crew.devices else 1
        self._read_by_workers = {id(each): self.reaches(each) for each in (array, intensity)}
        # The scheduler of a cluster holds the arguments of tasks that it may have to repeat: no block may be among them.
        self.pieces_stay = crew.keeps_results and checkpoint is None and all(self._read_by_workers.values())

    def reaches(self, array):
        """Whether workers read and write an array themselves."""
        return self.crew.in_process or travels(array)

    def part(self, array, index, halo=0):
        """A block for a worker, with pixels around it: read by it where it can, else here."""
        region = self.grid.region(index, halo)
        part = Part(array, region + (slice(None),) * (len(array.shape) - len(region)))
        return part if self._read_by_workers[id(array)] else Part(part.read(), ...)

    def holes_of(self, index):
        if self.holes is None:
            return None
        return labels_of_block(self.holes, self.grid.origin(index), self.grid.block_shape(index))


def join_blocks(call, tree, task, arguments, kind, see=None):
    """Runs a task for each block whose piece is not known from before, and joins pieces. ``kind`` tells passes apart; ``see`` is
    called with each block and its piece, which comes to the caller for it."""
    kept = call.checkpoint

    def take(index, piece):
        if see:
            see(index, piece)
        if kept:
            kept.keep((*kind, *index), piece)
        return tree.add((0, index), piece)

    def tasks():
        for index in call.grid:
            piece = kept and kept.piece((*kind, *index), tree.piece_type)
            if piece:
                if see:
                    see(index, piece)
                yield from tree.add((0, index), piece)
            elif call.pieces_stay and not see:
                yield tree.task((0, index), task, functools.partial(arguments, index))
            else:
                yield Task(task, functools.partial(arguments, index), functools.partial(take, index))

    call.crew.run(tasks())
    return tree.pieces()


def _parts(call, index):
    """The block of the array, and that of the intensity image."""
    return call.part(call.array, index), None if call.intensity is None else call.part(call.intensity, index)


def _reduced(call, task, join_results, *arguments):
    """Runs a task for each block, and joins the results as they come."""
    found = []

    def take(result):
        found[:] = [join_results([*found, result])]

    call.crew.run(Task(task, lambda index=index: (call.part(call.array, index), *arguments), take) for index in call.grid)
    return found[0]


def find_otsu(call):
    """Passes before the others: Otsu's threshold of the whole array."""
    limits = counted_range(call.array.dtype) or _reduced(call, range_task, join_ranges)
    return bound_of(_reduced(call, counts_task, join_counts, limits), limits, dtype=call.array.dtype)


def find_holes(call):
    """A pass before the others. Returns the Numbering of all holes."""
    def arguments(index):
        return call.part(call.array, index), call.grid.origin(index), call.grid.shape, call.choice, call.threads

    return number(join_blocks(call, Tree(call), background_task, arguments, ("holes",)), clear_border=True)[0]


def number_blocks(call, keep):
    """First pass. Returns (Numbering, Table)."""
    def arguments(index):
        return (*_parts(call, index), call.grid.origin(index), call.grid.shape, call.holes_of(index), call.choice, call.moments,
                call.threads)

    return number(join_blocks(call, Tree(call), label_task, arguments, ()), **keep)


def measure_regions(call, kind=(), see=None):
    """The only pass over a label image. Returns pieces."""
    def arguments(index):
        return (*_parts(call, index), call.grid.origin(index), call.grid.shape, call.choice, call.moments, call.threads)

    return join_blocks(call, RegionTree(call), measure_task, arguments, kind, see)


def measure_columns(call, columns, spacing, needs):
    """The pass over a label image for columns, after one for the rows that they have to know. Returns pieces."""
    halo, knows, with_intensities = needs
    rows, parts = None, {}
    if knows:
        intensity, call.intensity = call.intensity, call.intensity if with_intensities else None
        rows = join_regions(*measure_regions(call, ("rows",), parts.__setitem__))
        call.intensity = intensity
    choice = {**call.choice, "columns": columns, "spacing": spacing}

    def arguments(index):
        grey = None if call.intensity is None else call.part(call.intensity, index)
        known = rows if rows is None or call.crew.in_process else part_of(rows, parts[index])
        return (call.part(call.array, index, halo), grey, call.grid.origin(index), call.grid.block_shape(index), call.grid.shape, known,
                choice, call.threads)

    return join_blocks(call, ColumnTree(call), columns_task, arguments, ())


def outline_regions(call):
    """The only pass over a label image for its outlines, which takes a pixel around each block. Returns pieces."""
    def arguments(index):
        return (call.part(call.array, index, 1), call.grid.origin(index), call.grid.block_shape(index), call.grid.shape, call.choice,
                call.threads)

    return join_blocks(call, OutlineTree(call), outline_task, arguments, ())


def write_blocks(call, numbering, out, is_zero):
    """Second pass. ``is_zero`` when the array that labels are written to holds zeros."""
    grid, kept, by_workers = call.grid, call.checkpoint, call.reaches(out)

    def arguments(index, labels):
        to = Part(out, grid.region(index)) if by_workers else out.dtype
        return call.part(call.array, index), grid.origin(index), grid.shape, labels, call.holes_of(index), call.choice, to, call.threads

    def take(index, written):
        if written is not None:
            out[grid.region(index)] = written
        if kept:
            kept.mark_written(index)

    def tasks():
        for index in grid:
            if kept and kept.is_written(index):
                continue
            labels = labels_of_block(numbering, grid.origin(index), grid.block_shape(index))
            if labels.label.any():
                yield Task(emit_task, functools.partial(arguments, index, labels), functools.partial(take, index))
            else:
                take(index, None if is_zero else 0)

    call.crew.run(tasks())

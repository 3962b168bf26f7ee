# SPDX-License-Identifier: Apache-2.0
"""Tables of label images of Dask."""
import functools
import itertools

import numpy

from ._arguments import flag
from ._column_pieces import columns_of, join_columns, measure_block_columns, needs_for, part_of
from ._dask_graphs import dask_modules, delayed, graph_of, join_layer, key_of, same_chunks
from ._grid import Grid
from ._region_pieces import join_regions, measure_block, table_of
from ._regions import (_ZERO_AND_BELOW, _names, measure_columns as _columns_whole, measure_labels as _measure_whole, without_pixels)


def _measure_task(block, grey, origin, *, whole, background, moments):
    return measure_block(numpy.asarray(block), origin, whole, intensity=None if grey is None else numpy.asarray(grey),
                         background=background, moments=moments, threads=1)


def _join_regions_task(pieces):
    return join_regions(*pieces)


def _table_task(piece, *, spacing, unit):
    return table_of([piece], spacing=spacing, unit=unit)


def _known_task(rows, pieces):
    return [part_of(rows, piece) for piece in pieces]


def _shell_task(block, origin, *, halo):
    """The sides of a block, each with its origin: all that any other block takes from it."""
    block, sides = numpy.asarray(block), []
    for axis, length in enumerate(block.shape):
        for begin in {0, max(length - halo, 0)}:
            side = (slice(None),) * axis + (slice(begin, begin + halo),)
            sides.append((origin[:axis] + (origin[axis] + begin,) + origin[axis + 1:], block[side].copy()))
    return sides


def _with_halo(block, origin, shells, region):
    """The block in the middle of the pixels of a region, which the shells of other blocks have."""
    around = numpy.empty([each.stop - each.start for each in region], block.dtype)
    for begin, part in [*itertools.chain.from_iterable(shells), (origin, block)]:
        low = [max(at, each.start) for at, each in zip(begin, region)]
        high = [min(at + length, each.stop) for at, length, each in zip(begin, part.shape, region)]
        if all(a < b for a, b in zip(low, high)):
            to = tuple(slice(a - each.start, b - each.start) for a, b, each in zip(low, high, region))
            around[to] = part[tuple(slice(a - at, b - at) for a, b, at in zip(low, high, begin))]
    return around


def _columns_task(block, grey, origin, region, shells, known, which, *, whole, choice):
    block = numpy.asarray(block)
    around = _with_halo(block, origin, shells, region) if shells else block
    return measure_block_columns(around, origin, block.shape, whole, intensity=None if grey is None else numpy.asarray(grey),
                                 known=known and known[which], threads=1, **choice)


def _join_columns_task(pieces):
    return join_columns(*pieces)


def _row_layer(labels, intensity, grid, token, *, background, moments):
    piece = f"skerry-regions-{token}"
    task = functools.partial(_measure_task, whole=grid.shape, background=background, moments=moments)
    layer = {(piece, *index): (task, key_of(labels, index), key_of(intensity, index), grid.origin(index)) for index in grid}
    last, joins = join_layer(grid, piece, f"skerry-regions-join-{{}}-{token}", _join_regions_task)
    return last, {**layer, **joins}


def measure_labels(labels, intensity=None, *, background=_ZERO_AND_BELOW, moments=False, spacing=None, unit=""):
    """Measures the regions of a label image of Dask, lazily: all pixels of one label are one region, connected or not.

    >>> import dask.array
    >>> image = dask.array.from_array(numpy.array([[1, 1, 0, 7], [0, 0, 0, 1]]), chunks=(1, 2))
    >>> measure_labels(image).compute()["area"]
    array([3, 1])

    Parameters
    ----------
    labels, intensity : dask.array.Array of (rows, columns) or (slices, rows, columns)
        As ``array`` and ``intensity`` in ``label``; labels are integers of 8 to 64 bits or bool, and ``intensity`` may have an axis of
        channels after those of the labels: all are measured in one pass.
    background, moments, spacing, unit
        As in ``skerry.measure_labels``.

    Returns
    -------
    dask.delayed.Delayed
        The Table of ``skerry.measure_labels`` for the whole array, bit for bit.
    """
    labels, intensity = same_chunks(labels, intensity, "labels", channels=True)
    none, grey = without_pixels(labels, intensity)
    nothing = _measure_whole(none, grey, background=background, moments=moments, spacing=spacing, unit=unit)
    if 0 in labels.shape:
        return dask_modules().delayed(nothing)
    grid = Grid.of_chunks(labels.chunks)
    sources = [each for each in (labels, intensity) if each is not None]
    token = dask_modules().base.tokenize([each.name for each in sources], background, moments, spacing, unit)
    table = f"skerry-region-table-{token}"
    piece, layer = _row_layer(labels, intensity, grid, token, background=background, moments=flag("moments", moments))
    layer[table] = (functools.partial(_table_task, spacing=spacing, unit=unit), piece)
    return delayed(table, graph_of(table, layer, sources))


def measure_columns(labels, columns=("all",), *, intensity=None, background=_ZERO_AND_BELOW, spacing=None):
    """Measures columns of scikit-image's regionprops_table, and some more, for the regions of a label image of Dask, lazily.

    >>> import dask.array
    >>> labels = dask.array.from_array(numpy.array([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 5]]), chunks=(2, 2))
    >>> measure_columns(labels, "area_filled").compute()["area_filled"]
    array([9., 1.])

    Parameters
    ----------
    labels, intensity : dask.array.Array of (rows, columns) or (slices, rows, columns)
        As in ``measure_labels``. ``labels`` may be those that ``label`` gives.
    columns, background, spacing
        As in ``skerry.measure_columns``.

    Returns
    -------
    dask.delayed.Delayed
        The Table of ``skerry.measure_columns``, bit for bit. A task has a block and the sides of its neighbours; the last one has
        what all regions are made of, as ``skerry.blocks.measure_columns`` says.
    """
    labels, intensity = same_chunks(labels, intensity, "labels", channels=True)
    columns = _names(columns)
    none, grey = without_pixels(labels, intensity)
    nothing = _columns_whole(none, columns, intensity=grey, background=background, spacing=spacing)
    if 0 in labels.shape:
        return dask_modules().delayed(nothing)
    needs = needs_for(none, columns, grey, spacing)
    graph = _ColumnGraph(labels, intensity, {"columns": columns, "background": background, "spacing": spacing}, needs)
    return graph.table()


class _ColumnGraph:
    """Tasks for the blocks of a label image: shells of blocks and rows of regions, where columns need them, then columns."""

    def __init__(self, labels, intensity, choice, needs):
        self.labels, self.intensity, self.choice = labels, intensity, choice
        self.halo, self.knows, self.with_intensities = needs
        self.grid = Grid.of_chunks(labels.chunks)
        self.sources = [each for each in (labels, intensity) if each is not None]
        self.token = dask_modules().base.tokenize([each.name for each in self.sources], choice)
        self.layer = {}

    def table(self):
        piece, table = (f"skerry-{what}-{self.token}" for what in ("columns", "column-table"))
        shells, known = self._shells(), self._known()
        task = functools.partial(_columns_task, whole=self.grid.shape, choice=self.choice)
        for index in self.grid:
            self.layer[piece, *index] = (task, key_of(self.labels, index), key_of(self.intensity, index), self.grid.origin(index),
                                         self.grid.region(index, self.halo), shells(index), *known.get(index, (None, None)))
        last, joins = join_layer(self.grid, piece, f"skerry-columns-join-{{}}-{self.token}", _join_columns_task)
        self.layer.update(joins)
        finish = functools.partial(columns_of, columns=self.choice["columns"], spacing=self.choice["spacing"],
                                   signed=self.labels.dtype.kind == "i")
        self.layer[table] = (finish, [last])
        return delayed(table, graph_of(table, self.layer, self.sources))

    def _shells(self):
        """A function that lists the keys of the shells that a block takes from."""
        if self.halo == 0 or len(self.grid) == 1:
            return lambda index: None
        name = f"skerry-shell-{self.token}"
        task = functools.partial(_shell_task, halo=self.halo)
        self.layer.update(((name, *index), (task, (self.labels.name, *index), self.grid.origin(index))) for index in self.grid)
        return lambda index: [(name, *other) for other in self.grid.around(index, self.halo)]

    def _known(self):
        """For each block where the rows are that it has to know."""
        if not self.knows:
            return {}
        grey = self.intensity if self.with_intensities else None
        last, rows = _row_layer(self.labels, grey, self.grid, self.token, background=self.choice["background"], moments=False)
        self.layer.update(rows)
        groups = next(iter(self.grid.levels()), {(0,) * self.labels.ndim: [(0,) * self.labels.ndim]}).values()
        known = {}
        for group, members in enumerate(groups):
            name = (f"skerry-known-{self.token}", group)
            self.layer[name] = (_known_task, last, [(f"skerry-regions-{self.token}", *index) for index in members])
            known.update((index, (name, which)) for which, index in enumerate(members))
        return known

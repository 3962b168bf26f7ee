# SPDX-License-Identifier: Apache-2.0
"""Connected components of arrays of Dask: lazy, with the labels and tables of one call for the whole array, bit for bit."""
import functools
import operator

import numpy

from . import _block_arrays
from ._arguments import flag
from ._dask_graphs import check_array, dask_modules, delayed, graph_of, same_chunks
from ._dask_regions import measure_columns, measure_labels
from ._grid import Grid
from ._pieces import emit_block, join, label_block, labels_of_block, number, parted, table_of_nothing

__all__ = ["label", "measure", "measure_columns", "measure_labels"]


# What tasks do. What is the same for all blocks is bound to the function, so that a graph has it once.


def _label_task(block, grey, origin, *, whole, choice, moments):
    return label_block(numpy.asarray(block), origin, whole, intensity=None if grey is None else numpy.asarray(grey), moments=moments,
                       threads=1, **choice)


def _join_task(pieces):
    return join(*pieces).split()


def _number_task(pieces, *, keep):
    return number(pieces, **keep)


def _check_task(numbering, *, dtype):
    _block_arrays.check_fit(dtype, numbering.count, "dtype")
    return numbering


def _pick_task(numbering, places):
    return [labels_of_block(numbering, origin, shape) for origin, shape in places]


def _emit_task(block, picked, which, origin, *, whole, choice, dtype):
    block = numpy.asarray(block)
    return emit_block(block, origin, whole, picked[which], out=numpy.empty(block.shape, dtype), threads=1, **choice)


class _Graph:
    """Tasks for the blocks of one array; names end in a token of all that they depend on."""

    def __init__(self, array, intensity, choice, moments, keep):
        self.array, self.intensity, self.choice, self.moments, self.keep = array, intensity, choice, moments, keep
        self.grid = Grid.of_chunks(array.chunks)
        self.token = dask_modules().base.tokenize(array.name, None if intensity is None else intensity.name, choice, moments, keep)
        self.groups = [[(0,) * array.ndim]]

    def _name(self, what):
        return f"skerry-{what}-{self.token}"

    def numbering(self):
        """The numbering and the table, as two Delayed."""
        label_task = functools.partial(_label_task, whole=self.grid.shape, choice=self.choice, moments=self.moments)
        pieces, numbered = self._name("piece"), self._name("number")
        layer = {}
        for index in self.grid:
            grey = None if self.intensity is None else (self.intensity.name, *index)
            layer[pieces, *index] = (label_task, (self.array.name, *index), grey, self.grid.origin(index))
        closed, opened = [], pieces
        for level, nodes in enumerate(self.grid.levels()):
            joined, still_open, done = (self._name(f"{what}-{level}") for what in ("join", "open", "closed"))
            for node, children in nodes.items():
                layer[joined, *node] = (_join_task, [(opened, *child) for child in children])
                layer[still_open, *node] = (operator.itemgetter(0), (joined, *node))
                layer[done, *node] = (operator.itemgetter(1), (joined, *node))
                closed.append((done, *node))
            if level == 0:
                self.groups = list(nodes.values())
            opened = still_open
        root = (opened, *(0,) * self.array.ndim)
        layer[numbered] = (functools.partial(_number_task, keep=self.keep), [root, *closed])
        sources = [each for each in (self.array, self.intensity) if each is not None]
        both = delayed(numbered, graph_of(numbered, layer, sources))
        return tuple(self._item(both, what, item) for item, what in enumerate(("numbering", "table")))

    def _item(self, of, what, item):
        name = self._name(what)
        return delayed(name, graph_of(name, {name: (operator.itemgetter(item), of.key)}, [of]))

    def labels(self, numbering, again, dtype):
        """An array of labels; ``again`` are the blocks to label for it."""
        name, picked, checked = (f"{self._name(what)}-{dtype}" for what in ("label", "pick", "check"))
        layer = {checked: (functools.partial(_check_task, dtype=dtype), numbering.key)}
        emit_task = functools.partial(_emit_task, whole=self.grid.shape, choice=self.choice, dtype=dtype)
        for group, members in enumerate(self.groups):
            layer[picked, group] = (_pick_task, checked, [(self.grid.origin(index), self.grid.block_shape(index)) for index in members])
            for which, index in enumerate(members):
                layer[name, *index] = (emit_task, (again.name, *index), (picked, group), which, self.grid.origin(index))
        return dask_modules().array.Array(graph_of(name, layer, [again, numbering]), name, self.array.chunks, dtype=dtype)


def _checked(array, intensity, choice, keep, moments):
    """The same, and the table of nothing; refuses, before any work, what no image could have."""
    array, intensity = same_chunks(array, intensity, "array")
    return array, intensity, table_of_nothing(array, intensity, choice, keep, moments)


def label(array, *, connectivity=None, threshold=None, above=None, at_least=None, within=None, background=None, equal=False,
          delta=None, periodic=False, min_area=0, max_area=None, clear_border=False, largest=None, intensity=None, moments=False,
          spacing=None, unit="", dtype="uint32", reread=True):
    """Labels and measures the connected components of an array of Dask, lazily.

    >>> import dask
    >>> import dask.array
    >>> image = dask.array.from_array(numpy.array([[0, 7, 7, 0, 0], [0, 0, 7, 0, 9]]), chunks=(1, 2))
    >>> labels, table = label(image)
    >>> labels, table = dask.compute(labels, table)
    >>> labels
    array([[0, 1, 1, 0, 0],
           [0, 0, 1, 0, 2]], dtype=uint32)
    >>> table["area"]
    array([3, 1])

    A chunk is a block: fewer than three tasks for each, besides those of ``array``. Compute labels and table together, or the first
    pass runs for each of them.

    Parameters
    ----------
    array : dask.array.Array of (rows, columns) or (slices, rows, columns)
        Chunks of any lengths, also different ones along an axis; its pixels are the same each time that they are computed.
    connectivity, threshold, above, at_least, within, background, equal, delta, periodic
        As in ``skerry.label``; a threshold is a number.
    min_area, max_area, clear_border, largest
        As in ``skerry.label``, decided on the whole array.
    intensity : dask.array.Array
        Adds intensity columns, read from this array of the same shape.
    moments, spacing, unit
        As in ``skerry.measure``.
    dtype : unsigned or signed integer type
        Type of the labels. Their number is not known before they are computed, and uint32 holds as many as there can be; a type
        that holds fewer is checked when they are computed, before the first label is written.
    reread : bool
        Computes ``array`` a second time for the labels, so that only the blocks in work are in memory. With False each chunk stays
        in memory from the first pass to the second: for arrays that are dear to compute, or persisted.

    Returns
    -------
    (dask.array.Array, dask.delayed.Delayed)
        Labels 1..n as ``skerry.label`` numbers them for the whole array, in the chunks of ``array``, and the Table of
        ``skerry.measure``, bit for bit.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; when labels are computed, also where they do not fit ``dtype``.
    """
    choice, keep = parted(locals())
    dtype = numpy.dtype(dtype)
    if dtype.kind not in "iu":
        raise TypeError(f"dtype: {dtype} is not an integer type")
    array, intensity, empty = _checked(array, intensity, choice, keep, moments)
    dask = dask_modules()
    if 0 in array.shape:
        return dask.array.zeros(array.shape, dtype=dtype, chunks=array.chunks), dask.delayed(empty)
    graph = _Graph(array, intensity, choice, flag("moments", moments), keep)
    numbering, table = graph.numbering()
    again = dask.graph_manipulation.bind(array, numbering) if reread else array
    return graph.labels(numbering, again, dtype), table


def measure(array, intensity=None, *, connectivity=None, threshold=None, above=None, at_least=None, within=None, background=None,
            equal=False, delta=None, periodic=False, min_area=0, max_area=None, clear_border=False, largest=None, moments=False,
            spacing=None, unit=""):
    """Measures the connected components of an array of Dask, lazily and without labels.

    >>> import dask.array
    >>> image = dask.array.from_array(numpy.array([[0, 7, 7, 0, 0], [0, 0, 7, 0, 9]]), chunks=(1, 2))
    >>> measure(image).compute()["area"]
    array([3, 1])

    Parameters
    ----------
    array, intensity, and all others
        As in ``label``.

    Returns
    -------
    dask.delayed.Delayed
        The Table of ``skerry.measure`` for the whole array, bit for bit.
    """
    choice, keep = parted(locals())
    array, intensity, empty = _checked(array, intensity, choice, keep, moments)
    if 0 in array.shape:
        return dask_modules().delayed(empty)
    return _Graph(array, intensity, choice, flag("moments", moments), keep).numbering()[1]

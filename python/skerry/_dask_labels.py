# SPDX-License-Identifier: Apache-2.0
"""The tasks by which components of arrays of Dask are labelled and measured."""
import functools
import operator

import numpy

from . import _block_arrays
from ._block_calls import filled
from ._dask_graphs import dask_modules, delayed, graph_of, join_layer
from ._grid import Grid
from ._holes import label_background
from ._pieces import emit_block, join, label_block, labels_of_block, number
from ._thresholds import bound_of, counted_range, counts_of, join_counts, join_ranges, range_of

# What tasks do. What is the same for all blocks is bound to the function, so that a graph has it once.


def _chosen(choice, bound):
    return choice if bound is None else {**choice, "threshold": bound}


def _label_task(block, grey, origin, bound, holes, which, *, whole, choice, moments):
    block, choice = filled(numpy.asarray(block), origin, whole, holes and holes[which], _chosen(choice, bound), 1)
    return label_block(block, origin, whole, intensity=None if grey is None else numpy.asarray(grey), moments=moments, threads=1, **choice)


def _background_task(block, origin, bound, *, whole, choice):
    return label_background(numpy.asarray(block), origin, whole, threads=1, **_chosen(choice, bound))


def _join_task(pieces):
    return join(*pieces).split()


def _number_task(pieces, *, keep):
    return number(pieces, **keep)


def _check_task(numbering, *, dtype):
    _block_arrays.check_fit(dtype, numbering.count, "dtype")
    return numbering


def _pick_task(numbering, places):
    return [labels_of_block(numbering, origin, shape) for origin, shape in places]


def _emit_task(block, picked, which, origin, bound, holes, *, whole, choice, dtype):
    block, choice = filled(numpy.asarray(block), origin, whole, holes and holes[which], _chosen(choice, bound), 1)
    return emit_block(block, origin, whole, picked[which], out=numpy.empty(block.shape, dtype), threads=1, **choice)


class LabelGraph:
    """Tasks for the blocks of one array; names end in a token of all that they depend on. ``array`` are the blocks of the next pass:
    after each they are computed anew, or with ``reread`` False the same."""

    bound = holes = None  # what passes before the first found, as Delayed

    def __init__(self, array, intensity, choice, moments, keep, *, fill_holes=False, reread=True):
        self.array, self.intensity, self.choice, self.moments, self.keep = array, intensity, choice, moments, keep
        self._given, self.reread = array, reread
        self.grid = Grid.of_chunks(array.chunks)
        names = array.name, None if intensity is None else intensity.name
        self.token = dask_modules().base.tokenize(*names, choice, moments, keep, bool(fill_holes))
        self.groups = list(next(iter(self.grid.levels()), {0: [(0,) * array.ndim]}).values())
        self.bound = self._otsu() if choice["threshold"] == "otsu" else None
        self._holes_of = {}
        if fill_holes:
            self._find_holes()

    def _name(self, what):
        return f"skerry-{what}-{self.token}"

    def _after(self, passed):
        """The blocks of the pass after that of a Delayed."""
        if self.reread:
            self.array = dask_modules().graph_manipulation.bind(self._given, passed)

    def _bound_key(self):
        return None if self.bound is None else self.bound.key

    def _sources(self, *others):
        return [each for each in (self.array, self.bound, self.holes, *others) if each is not None]

    def _otsu(self):
        """Otsu's threshold, as a Delayed; of integers of 8 and 16 bits in one pass."""
        limits, before = counted_range(self.array.dtype), []
        if limits is None:
            before.append(self._reduced("range", range_of, join_ranges))
            limits = before[0].key
        counts = self._reduced("counts", functools.partial(counts_of, limits=limits) if not before else counts_of, join_counts,
                               *([limits] if before else []), before=before)
        name, find = self._name("otsu"), functools.partial(bound_of, dtype=self.array.dtype)
        layer = {name: (find, counts.key, limits) if before else (functools.partial(find, limits=limits), counts.key)}
        return delayed(name, graph_of(name, layer, [counts, *before]))

    def _reduced(self, what, task, join_task, *arguments, before=()):
        """A task for each block, and the join of all results."""
        name, key = self._name(what), self._name(f"{what}-all")
        layer = {(name, *index): (task, (self.array.name, *index), *arguments) for index in self.grid}
        last, joins = join_layer(self.grid, name, f"{name}-join-{{}}", join_task)
        layer[key] = (operator.itemgetter(slice(None)), last)
        found = delayed(key, graph_of(key, {**layer, **joins}, [self.array, *before]))
        self._after(found)
        return found

    def _joined(self, layer, what):
        """Adds the joins of the pieces ``what`` to a layer. Returns the keys of all that is to be numbered."""
        closed, opened = [], self._name(what)
        for level, nodes in enumerate(self.grid.levels()):
            joined, still_open, done = (self._name(f"{what}-{each}-{level}") for each in ("join", "open", "closed"))
            for node, children in nodes.items():
                layer[joined, *node] = (_join_task, [(opened, *child) for child in children])
                layer[still_open, *node] = (operator.itemgetter(0), (joined, *node))
                layer[done, *node] = (operator.itemgetter(1), (joined, *node))
                closed.append((done, *node))
            opened = still_open
        return [(opened, *(0,) * self.array.ndim), *closed]

    def _picked(self, layer, name, numbering):
        """Adds to a layer the labels of each group of blocks. Returns for each block the key, and its place there."""
        places = {}
        for group, members in enumerate(self.groups):
            layer[name, group] = (_pick_task, numbering, [(self.grid.origin(index), self.grid.block_shape(index)) for index in members])
            places.update((index, ((name, group), which)) for which, index in enumerate(members))
        return places

    def _find_holes(self):
        task = functools.partial(_background_task, whole=self.grid.shape, choice=self.choice)
        name, numbered, done = (self._name(what) for what in ("background", "holes", "holes-of-blocks"))
        layer = {(name, *index): (task, (self.array.name, *index), self.grid.origin(index), self._bound_key()) for index in self.grid}
        layer[numbered] = (functools.partial(_number_task, keep={"clear_border": True}), self._joined(layer, "background"))
        numbering = self._item(delayed(numbered, graph_of(numbered, layer, self._sources())), "hole-numbers", 0)
        picks = {}
        self._holes_of = self._picked(picks, self._name("pick-holes"), numbering.key)
        picks[done] = (operator.itemgetter(0), [numbering.key])
        self.holes = delayed(done, graph_of(done, picks, [numbering]))
        self._after(self.holes)

    def numbering(self):
        """The numbering and the table, as two Delayed."""
        task = functools.partial(_label_task, whole=self.grid.shape, choice=self.choice, moments=self.moments)
        pieces, numbered = self._name("piece"), self._name("number")
        layer = {}
        for index in self.grid:
            grey = None if self.intensity is None else (self.intensity.name, *index)
            layer[pieces, *index] = (task, (self.array.name, *index), grey, self.grid.origin(index), self._bound_key(),
                                     *self._holes_of.get(index, (None, None)))
        layer[numbered] = (functools.partial(_number_task, keep=self.keep), self._joined(layer, "piece"))
        both = delayed(numbered, graph_of(numbered, layer, self._sources(self.intensity)))
        return tuple(self._item(both, what, item) for item, what in enumerate(("numbering", "table")))

    def _item(self, of, what, item):
        name = self._name(what)
        return delayed(name, graph_of(name, {name: (operator.itemgetter(item), of.key)}, [of]))

    def labels(self, numbering, dtype):
        """An array of labels."""
        self._after(numbering)
        name, picked, checked = (f"{self._name(what)}-{dtype}" for what in ("label", "pick", "check"))
        layer = {checked: (functools.partial(_check_task, dtype=dtype), numbering.key)}
        task = functools.partial(_emit_task, whole=self.grid.shape, choice=self.choice, dtype=dtype)
        for index, (labels, which) in self._picked(layer, picked, checked).items():
            layer[name, *index] = (task, (self.array.name, *index), labels, which, self.grid.origin(index), self._bound_key(),
                                   self._holes_of.get(index, (None,))[0])
        return dask_modules().array.Array(graph_of(name, layer, self._sources(numbering)), name, self.array.chunks, dtype=dtype)


# SPDX-License-Identifier: Apache-2.0
"""The steps by which blocks of an image are labelled alone and joined; skerry.blocks.label puts them together."""
import typing

import numpy

from . import _native
from ._arguments import bounds_of_columns, flag, shown
from ._components import _choice, measure
from ._held_piece import HeldPiece
from ._table import Table


class Piece(HeldPiece):
    """What is known of the components of some blocks of an image; it never changes. Pickled, it is ``to_bytes()``.

    >>> left = label_block(numpy.array([[1, 1], [0, 0]]), (0, 0), (2, 4))
    >>> left
    <Piece: 4 of 2 x 4 pixels; components: 1 open, 0 closed>
    >>> right = label_block(numpy.array([[0, 1], [0, 1]]), (0, 2), (2, 4))
    >>> join(right, left) == join(left, right)
    True

    A component is open while one of its pixels has a neighbour in a block that is not part of the piece; the rows of
    closed components are final. ``Piece()`` is of no block and joins to any piece.

    Attributes: ``shape`` of the whole image, ``pixels`` in the piece's blocks, ``complete`` when these are all pixels, and the
    numbers of ``open`` and ``closed`` components.
    """

    __slots__ = ()
    _native_type = _native.Piece

    open = property(lambda self: self._held.open)
    closed = property(lambda self: self._held.closed)

    def split(self):
        """Parts the piece so that what is joined further is as small as its faces.

        Returns
        -------
        (Piece, Piece)
            The piece without its closed components, and a piece of no block that has only these, for ``number``.
        """
        opened, closed = self._held.split()
        return Piece._of(opened), Piece._of(closed)

    def __repr__(self):
        sides = " x ".join(map(str, self.shape))
        return f"<Piece: {self.pixels} of {sides} pixels; components: {self.open} open, {self.closed} closed>"


class BlockLabels(typing.NamedTuple):
    """Labels of the components of one block: that whose first pixel in the block has raster index first[i] in the whole
    image has label[i], or 0 where it was dropped. ``count`` labels are in the whole image."""

    first: numpy.ndarray
    label: numpy.ndarray
    count: int


class Numbering:
    """The components of a whole image, as ``number`` makes them: ``shape`` of the image, ``count`` of labels, ``first`` pixels
    and ``label`` of the components of all blocks."""

    __slots__ = ("_held",)

    def __init__(self, shape, first, label, count):
        self._held = _native.Numbering(shape, first, label, count)

    @classmethod
    def _of(cls, held):
        numbering = cls.__new__(cls)
        numbering._held = held
        return numbering

    shape = property(lambda self: self._held.shape)
    count = property(lambda self: self._held.count)
    first = property(lambda self: self._held.first)
    label = property(lambda self: self._held.label)

    def __reduce__(self):
        return Numbering, (self.shape, self.first, self.label, self.count)

    def __repr__(self):
        return f"<Numbering: {self.count} components, {' x '.join(map(str, self.shape))}>"


def label_block(block, origin, whole, *, connectivity=None, threshold=None, above=None, at_least=None, within=None,
                background=None, equal=False, delta=None, periodic=False, intensity=None, moments=False, threads=None):
    """Labels one block of an image, for itself.

    >>> label_block(numpy.eye(3), (0, 3), (3, 6)).open
    1

    Parameters
    ----------
    block : array of (rows, columns) or (slices, rows, columns)
        Pixels, as in ``skerry.label``; at least one.
    origin, whole : sequence of int
        Index of the block's first pixel in the whole image, and the shape of that.
    connectivity, threshold, above, at_least, within, background, equal, delta, periodic, threads
        As in ``skerry.label``; a threshold is a number. The same for all blocks; axes of the whole image are periodic.
    intensity : array
        Adds intensity columns, read from this array of the block's shape.
    moments : bool
        Adds the columns of second moments.

    Returns
    -------
    Piece

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also when sums over the whole image could overflow.
    """
    chosen = _choice(connectivity, threshold, above, at_least, within, background=background, equal=equal,
                     delta=delta, periodic=periodic)
    return Piece._of(_native.label_block(block, origin, whole, chosen, intensity, flag("moments", moments), threads))


def join(*pieces):
    """Joins pieces of one image, of blocks that do not overlap, in any order and grouping: the result has the same bytes.

    >>> join() == Piece()
    True

    Returns
    -------
    Piece

    Raises
    ------
    ValueError
        For pieces that overlap, or are of different images or choices.
    """
    return Piece._of(_native.join(Piece._held_of(pieces)))


def bounds_or_none(bounds):
    """What ``bounds_of_columns`` makes of a keyword that may be left out."""
    return [] if bounds is None else bounds_of_columns(bounds)


def number(pieces, *, min_area=0, max_area=None, clear_border=False, largest=None, bounds=None, spacing=None, unit=""):
    """Numbers the components of a whole image.

    >>> whole = label_block(numpy.array([[1, 0, 1]]), (0, 0), (1, 3))
    >>> numbering, table = number([whole])
    >>> numbering, table["centroid-1"]
    (<Numbering: 2 components, 1 x 3>, array([0., 2.]))

    Parameters
    ----------
    pieces : sequence of Piece
        Together all blocks of the image, joined or not, and what ``split`` took out of them; in any order.
    min_area, max_area, clear_border, largest
        Which components stay, as in ``skerry.label``; decided on the whole image.
    bounds : dict
        Names of columns of the table, each with the smallest and the largest value that is kept, both included; None for no limit.
        Of the components that the arguments above leave.
    spacing, unit
        As in ``skerry.measure``, for the table.

    Returns
    -------
    (Numbering, Table)
        Labels 1..n in raster order of first pixels, and the rows of ``skerry.measure`` for the whole image, bit for bit.

    Raises
    ------
    ValueError
        When blocks are missing or overlap, or pieces are of different images or choices; for bounds of a column that the table has
        not.
    """
    keep = _choice(min_area=min_area, max_area=max_area, clear_border=clear_border, largest=largest)
    numbering, columns = _native.number(Piece._held_of(pieces), keep, bounds_or_none(bounds), spacing, unit)
    return Numbering._of(numbering), Table(columns)


def labels_of_block(numbering, origin, shape):
    """The part of the labels that ``emit_block`` needs for the block of this origin and shape.

    >>> whole = label_block(numpy.array([[1, 0, 1]]), (0, 0), (1, 3))
    >>> labels_of_block(number([whole])[0], (0, 2), (1, 1)).label
    array([2], dtype=uint64)

    Returns
    -------
    BlockLabels
    """
    return BlockLabels(*numbering._held.labels_of_block(origin, shape))


def emit_block(block, origin, whole, labels, *, out, threads=None, **choice):
    """Writes the labels of one block: those that ``skerry.label`` writes for the whole image.

    >>> image = numpy.array([[1, 0, 1]])
    >>> numbering, _ = number([label_block(image, (0, 0), (1, 3))])
    >>> out = numpy.empty((1, 1), int)
    >>> emit_block(image[:, 2:], (0, 2), (1, 3), labels_of_block(numbering, (0, 2), (1, 1)), out=out)
    array([[2]])

    Parameters
    ----------
    block, origin, whole, threads, and the keywords connectivity to periodic
        The same as for ``label_block``.
    labels : BlockLabels
        ``labels_of_block`` of this block.
    out : array
        Labels are written there; of the block's shape and any integer type.

    Returns
    -------
    array
        ``out``.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also when the labels of the whole image do not fit ``out``, which is then unchanged.
    """
    first, label, count = labels
    _native.emit_block(block, origin, whole, _choice(**choice), first, label, count, out, threads)
    return out


_CHOICE = ("connectivity", "threshold", "above", "at_least", "within", "background", "equal", "delta", "periodic")
_KEEP = ("min_area", "max_area", "clear_border", "largest", "bounds", "spacing", "unit")


def parted(keywords):
    """What the steps take of a call's keywords: those of label_block and emit_block, and those of number."""
    return {name: keywords[name] for name in _CHOICE}, {name: keywords[name] for name in _KEEP}


def table_of_nothing(array, intensity, choice, keep, moments, fill_holes=False):
    """The table of an array without pixels; refuses, before any work, what no array could be asked."""
    if choice["threshold"] == "otsu" and 0 not in array.shape:
        _choice(**choice)
        choice = {**choice, "threshold": 0}  # what it is shows when the pixels are read
    none = numpy.empty((0,) * len(array.shape), array.dtype)
    grey = None if intensity is None else numpy.empty(none.shape, intensity.dtype)
    keep = dict(keep)
    bounds = bounds_or_none(keep.pop("bounds"))
    table = measure(none, grey, moments=moments, fill_holes=fill_holes, **choice, **keep)
    for name, *_ in bounds:
        if name not in table:
            raise ValueError(f"bounds: {shown(name)} is not among the columns {', '.join(table)}")
    return table

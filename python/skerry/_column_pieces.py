# SPDX-License-Identifier: Apache-2.0
"""The steps by which all columns of blocks of a label image are measured and joined; skerry.blocks.measure_columns puts them
together."""
import numpy

from . import _native
from ._column_names import near_names
from ._held_piece import HeldPiece
from ._region_pieces import RegionPiece
from ._regions import _ZERO_AND_BELOW, _background, _channels, _names
from ._table import Table


class ColumnPiece(HeldPiece):
    """What is known of the regions of some blocks of a label image, for their columns; it never changes. Pickled, it is
    ``to_bytes()``.

    >>> measure_block_columns(numpy.array([[1, 7]]), (0, 0), (1, 2), (1, 2), "perimeter")
    <ColumnPiece: 2 of 1 x 2 pixels; 2 regions>

    ``ColumnPiece()`` is of no block and joins to any piece.

    Attributes: ``shape`` of the whole image, ``pixels`` in the piece's blocks, ``complete`` when these are all pixels, and the number
    of ``regions``.
    """

    __slots__ = ()
    _native_type = _native.ColumnPiece

    regions = property(lambda self: self._held.regions)

    def __repr__(self):
        sides = " x ".join(map(str, self.shape))
        return f"<ColumnPiece: {self.pixels} of {sides} pixels; {self.regions} regions>"


def needs_of_columns(rank, columns, *, intensity=None, channels=None, spacing=None):
    """What columns need of blocks.

    >>> needs_of_columns(2, "perimeter"), needs_of_columns(3, ["area", "moments"])
    ((2, False, False), (0, True, False))

    Parameters
    ----------
    rank : 2 or 3
        Of the image.
    columns, spacing
        As in ``skerry.measure_columns``.
    intensity : dtype
        Of the intensity image, where there is one.
    channels : int
        How many there are, where the intensity image has an axis of channels.

    Returns
    -------
    (int, bool, bool)
        How many pixels around a block it needs; whether the table of all blocks has to be known first; and whether that has to
        have the intensities.
    """
    labels = numpy.empty((0,) * rank, int)
    grey = None if intensity is None else numpy.empty(labels.shape + (() if channels is None else (channels,)), intensity)
    return needs_for(labels, columns, grey, spacing)


def needs_for(labels, columns, intensity, spacing):
    """The same for a label image and its intensities, both without pixels."""
    with near_names(labels.ndim):
        return _native.needs_of_columns(labels.ndim, _names(columns), _channels(intensity, labels.shape), spacing)


def measure_block_columns(labels, origin, shape, whole, columns, *, intensity=None, background=_ZERO_AND_BELOW, spacing=None, known=None,
                          threads=None):
    """Measures the regions of one block of a label image for their columns.

    >>> labels = numpy.array([[1, 1, 0, 7], [1, 1, 0, 7]])
    >>> left = measure_block_columns(labels, (0, 0), (2, 2), (2, 4), "perimeter")
    >>> right = measure_block_columns(labels, (0, 2), (2, 2), (2, 4), "perimeter")
    >>> columns_of([left, right], "perimeter")["perimeter"]
    array([4., 0.])

    Parameters
    ----------
    labels : array of (rows, columns) or (slices, rows, columns)
        Labels of the block and of the pixels around it, as many on each side as ``needs_of_columns`` says, fewer where the image ends.
    origin, shape : sequence of int
        Index of the block's own first pixel in the whole image, and the block's shape, without the pixels around it.
    whole : sequence of int
        Shape of the whole image.
    columns, background, spacing, threads
        As in ``skerry.measure_columns``; the same for all blocks.
    intensity : array
        Of the block itself, or with an axis of channels after that.
    known : RegionPiece
        Of all blocks, where ``needs_of_columns`` says so, or ``part_of`` it.

    Returns
    -------
    ColumnPiece

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also when sums over the whole image could overflow.
    """
    if known is not None and not isinstance(known, RegionPiece):
        raise TypeError(f"known: {known!r} is not a RegionPiece")
    return ColumnPiece._of(_native.measure_block_columns(labels, origin, shape, whole, _names(columns),
                                                         _channels(intensity, shape, "the block"), _background(background),
                                                         spacing, known and known._held, threads))


def join_columns(*pieces):
    """Joins pieces of one label image, of blocks that do not overlap, in any order and grouping: the result has the same bytes.

    >>> join_columns() == ColumnPiece()
    True

    Returns
    -------
    ColumnPiece

    Raises
    ------
    ValueError
        For pieces that overlap, are of different images or choices, or knew different tables.
    """
    return ColumnPiece._of(_native.join_columns(ColumnPiece._held_of(pieces)))


def part_of(every, block):
    """The rows of all blocks for the regions of one of them: what a worker has to know.

    >>> from skerry.blocks import measure_block
    >>> whole = measure_block(numpy.array([[1, 1, 0, 7]]), (0, 0), (1, 4))
    >>> part_of(whole, measure_block(numpy.array([[0, 7]]), (0, 2), (1, 4))).regions
    1

    Returns
    -------
    RegionPiece
    """
    return RegionPiece._of(_native.part_of(every._held, block._held))


def columns_of(pieces, columns, *, spacing=None, signed=True, threads=None):
    """The columns of a whole label image.

    >>> whole = measure_block_columns(numpy.array([[1, 1, 0, 7]]), (0, 0), (1, 4), (1, 4), "hull")
    >>> columns_of([whole], "solidity")["solidity"]
    array([1., 1.])

    Parameters
    ----------
    pieces : sequence of ColumnPiece
        Together all blocks of the image, joined or not, in any order.
    columns, spacing, threads
        As in ``skerry.measure_columns``; columns of groups that the blocks were measured for.
    signed : bool
        Whether labels are of a signed type.

    Returns
    -------
    Table
        The rows of ``skerry.measure_columns`` for the whole image, bit for bit.

    Raises
    ------
    ValueError
        When blocks are missing or overlap, pieces are of different images or choices, or lack what a column needs.
    """
    found = _native.columns_of(ColumnPiece._held_of(pieces), _names(columns), spacing, signed, threads)
    return Table._of(found, len(found["label"]))

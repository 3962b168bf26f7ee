# SPDX-License-Identifier: Apache-2.0
"""The steps by which blocks of a label image are measured alone and joined; skerry.blocks.measure_labels puts them together."""
import numpy

from . import _native
from ._arguments import flag
from ._held_piece import HeldPiece
from ._regions import _ZERO_AND_BELOW, _background, _channels
from ._table import Table


class RegionPiece(HeldPiece):
    """What is known of the regions of some blocks of a label image; it never changes. Pickled, it is ``to_bytes()``.

    >>> left = measure_block(numpy.array([[1, 7]]), (0, 0), (1, 4))
    >>> left
    <RegionPiece: 2 of 1 x 4 pixels; 2 regions>

    ``RegionPiece()`` is of no block and joins to any piece.

    Attributes: ``shape`` of the whole image, ``pixels`` in the piece's blocks, ``complete`` when these are all pixels, and the number
    of ``regions``.
    """

    __slots__ = ()
    _native_type = _native.RegionPiece

    regions = property(lambda self: self._held.regions)

    def __repr__(self):
        sides = " x ".join(map(str, self.shape))
        return f"<RegionPiece: {self.pixels} of {sides} pixels; {self.regions} regions>"


def measure_block(labels, origin, whole, *, intensity=None, background=_ZERO_AND_BELOW, moments=False, threads=None):
    """Measures the regions of one block of a label image.

    >>> measure_block(numpy.array([[1, 1, 0, 7]]), (0, 4), (2, 8)).regions
    2

    Parameters
    ----------
    labels : array of (rows, columns) or (slices, rows, columns)
        Labels, as in ``skerry.measure_labels``; at least one pixel.
    origin, whole : sequence of int
        Index of the block's first pixel in the whole image, and the shape of that.
    intensity : array
        Adds intensity columns, read from this array of the block's shape, or with an axis of channels after it.
    background, moments, threads
        As in ``skerry.measure_labels``; the same for all blocks.

    Returns
    -------
    RegionPiece

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also when sums over the whole image could overflow.
    """
    return RegionPiece._of(_native.measure_block(labels, origin, whole, _channels(intensity, numpy.shape(labels)), _background(background),
                                                 flag("moments", moments), threads))


def join_regions(*pieces):
    """Joins pieces of one label image, of blocks that do not overlap, in any order and grouping: the result has the same bytes.

    >>> join_regions() == RegionPiece()
    True

    Returns
    -------
    RegionPiece

    Raises
    ------
    ValueError
        For pieces that overlap, or are of different images or choices.
    """
    return RegionPiece._of(_native.join_regions(RegionPiece._held_of(pieces)))


def table_of(pieces, *, spacing=None, unit=""):
    """The table of a whole label image.

    >>> whole = measure_block(numpy.array([[1, 1, 0, 7]]), (0, 0), (1, 4))
    >>> table_of([whole])["area"]
    array([2, 1])

    Parameters
    ----------
    pieces : sequence of RegionPiece
        Together all blocks of the image, joined or not, in any order.
    spacing, unit
        As in ``skerry.measure_labels``.

    Returns
    -------
    Table
        The rows of ``skerry.measure_labels`` for the whole image, bit for bit.

    Raises
    ------
    ValueError
        When blocks are missing or overlap, or pieces are of different images or choices.
    """
    return Table(_native.table_of(RegionPiece._held_of(pieces), spacing, unit))

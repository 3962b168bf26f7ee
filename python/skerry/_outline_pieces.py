# SPDX-License-Identifier: Apache-2.0
"""The steps by which blocks of a label image are outlined alone and joined; skerry.blocks.outline puts them together."""
import numpy

from . import _native
from ._arguments import flag
from ._held_piece import HeldPiece
from ._outline import Outlines
from ._regions import _ZERO_AND_BELOW, _background


class OutlinePiece(HeldPiece):
    """What is known of the outlines in some blocks of a label image; it never changes. Pickled, it is ``to_bytes()``.

    >>> left = outline_block(numpy.array([[1, 7, 7]]), (0, 0), (1, 2), (1, 4))
    >>> left
    <OutlinePiece: 2 of 1 x 4 pixels; chains: 1 open, 1 closed>

    A chain is a part of an outline; it is open while it leaves the piece's blocks. ``OutlinePiece()`` is of no block and joins to any
    piece.

    Attributes: ``shape`` of the whole image, ``pixels`` in the piece's blocks, ``complete`` when these are all pixels, and the
    numbers of ``open`` and ``closed`` chains.
    """

    __slots__ = ()
    _native_type = _native.OutlinePiece

    open = property(lambda self: self._held.open)
    closed = property(lambda self: self._held.closed)

    def split(self):
        """Parts the piece so that what is joined further is as small as its faces.

        Returns
        -------
        (OutlinePiece, OutlinePiece)
            The piece without what is closed, and a piece of no block that has only this, for ``outline_of``.
        """
        opened, closed = self._held.split()
        return OutlinePiece._of(opened), OutlinePiece._of(closed)

    def __repr__(self):
        sides = " x ".join(map(str, self.shape))
        return f"<OutlinePiece: {self.pixels} of {sides} pixels; chains: {self.open} open, {self.closed} closed>"


def outline_block(labels, origin, shape, whole, *, connectivity=4, background=_ZERO_AND_BELOW, keep_collinear=False, threads=None):
    """Follows the outlines in one block of a label image.

    >>> outline_block(numpy.array([[1, 7, 7]]), (0, 0), (1, 2), (1, 4)).open
    1

    Parameters
    ----------
    labels : array of (rows, columns)
        Labels of the block, as in ``skerry.outline``, and of a pixel around it on each side, but where the image ends.
    origin, shape, whole : sequence of int
        Index of the block's first pixel in the whole image, the shape of the block without the pixels around it, and that of the
        whole image.
    connectivity, background, keep_collinear, threads
        As in ``skerry.outline``; the same for all blocks.

    Returns
    -------
    OutlinePiece

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    """
    return OutlinePiece._of(_native.outline_block(labels, origin, shape, whole, connectivity, _background(background),
                                                  flag("keep_collinear", keep_collinear), threads))


def join_outlines(*pieces):
    """Joins pieces of one label image, of blocks that do not overlap, in any order and grouping: the result has the same bytes.

    >>> join_outlines() == OutlinePiece()
    True

    Returns
    -------
    OutlinePiece

    Raises
    ------
    ValueError
        For pieces that overlap, or are of different images or choices.
    """
    return OutlinePiece._of(_native.join_outlines(OutlinePiece._held_of(pieces)))


def outline_of(pieces):
    """The outlines of a whole label image.

    >>> whole = outline_block(numpy.array([[1, 1, 0, 7]]), (0, 0), (1, 4), (1, 4))
    >>> outline_of([whole])[1][0][0].tolist()
    [[3, 0], [4, 0], [4, 1], [3, 1]]

    Parameters
    ----------
    pieces : sequence of OutlinePiece
        Together all blocks of the image, joined or not, and what ``split`` took out of them; in any order.

    Returns
    -------
    Outlines
        Those of ``skerry.outline`` for the whole image: the same vertices in the same order.

    Raises
    ------
    ValueError
        When blocks are missing or overlap, or pieces are of different images or choices.
    """
    return Outlines(*_native.outline_of(OutlinePiece._held_of(pieces)))

# SPDX-License-Identifier: Apache-2.0
"""The steps by which holes are filled in blocks."""
import numpy

from . import _native
from ._components import _choice
from ._pieces import Piece, label_block, labels_of_block, number


def label_background(block, origin, whole, *, threads=None, **choice):
    """Labels the background of one block, to find the holes of the whole image: ``number`` of all blocks with ``clear_border=True``
    keeps just these.

    >>> ring = numpy.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> number([label_background(ring, (0, 0), (3, 3))], clear_border=True)[0].count
    1

    Parameters
    ----------
    block, origin, whole, threads, and the keywords connectivity to background
        As for ``label_block``. The background is connected by the dual rule, as ``skerry.label`` says of ``fill_holes``.

    Returns
    -------
    Piece

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also for what fills no holes: ``equal``, ``delta`` and periodic axes.
    """
    return Piece._of(_native.label_background(block, origin, whole, _choice(**choice), threads))


def fill_block(block, origin, whole, holes, *, threads=None, **choice):
    """The foreground of one block with the holes of the whole image filled, for ``label_block`` and ``emit_block``.

    >>> ring = numpy.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])
    >>> holes, _ = number([label_background(ring, (0, 0), (3, 3))], clear_border=True)
    >>> filled = fill_block(ring, (0, 0), (3, 3), labels_of_block(holes, (0, 0), (3, 3)))
    >>> bool(filled.all()), label_block(filled, (0, 0), (3, 3)).closed
    (True, 1)

    Parameters
    ----------
    block, origin, whole, threads, and the keywords connectivity to background
        The same as for ``label_background``.
    holes : BlockLabels
        ``labels_of_block`` of this block, of the pieces that ``label_background`` made.

    Returns
    -------
    array of bool
        Of the block's shape.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    """
    first, label, count = holes
    return _native.fill_block(block, origin, whole, _choice(**choice), first, label, count, threads)

# SPDX-License-Identifier: Apache-2.0
"""Regions of given label images: features, contacts."""
import numpy

from . import _native
from ._table import Table

_ZERO_AND_BELOW = "zero and below"


def _background(background):
    """As the extension takes it: True for 0 and all negative labels."""
    if isinstance(background, str) and background == _ZERO_AND_BELOW:
        return True
    if isinstance(background, (str, bool)):
        raise ValueError(f"background: {background!r} is not '{_ZERO_AND_BELOW}', a label or None")
    return background


def _bits(index, dtype, name):
    """Labels as 64 bits each; those of an image of signed integers are signed."""
    array = numpy.asarray(index)
    if array.dtype.kind not in "iu" and array.size > 0:
        raise TypeError(f"{name}: dtype {array.dtype} is not an integer type")
    limits = numpy.iinfo(numpy.uint8 if dtype == bool else dtype)
    for end in (array.min(initial=0), array.max(initial=0)):
        if not limits.min <= int(end) <= limits.max:
            raise ValueError(f"{name}: {end} is not a label of {dtype}")
    return array.ravel().astype(numpy.int64 if limits.min < 0 else numpy.uint64).view(numpy.uint64)


def measure_labels(labels, intensity=None, *, columns=None, index=None, background=_ZERO_AND_BELOW, moments=False,
                   spacing=None, unit="", threads=None):
    """Measures the regions of a label image: all pixels of one label are one region, connected or not.

    >>> table = measure_labels(numpy.array([[1, 1, 0, 7], [0, 0, 0, 1]]))
    >>> table["label"], table["area"]
    (array([1, 7]), array([3, 1]))
    >>> measure_labels(numpy.array([[1, 1, 0, 7]]), index=[7, 3, 1])["area"]
    array([1, 0, 2])
    >>> measure_labels(numpy.eye(3, dtype=int), columns=["area", "euler_number"])["euler_number"]
    array([1])

    Parameters
    ----------
    labels : array of (rows, columns) or (slices, rows, columns)
        Integers of 8 to 64 bits or bool, any strides; labels may have gaps.
    intensity : array
        Adds intensity columns, read from this array of the same shape.
    columns : "all", or names
        Other columns than those of ``measure``: of scikit-image's regionprops_table and some more, as docs/columns.md lists
        them, by name ("solidity"), quantity ("moments_hu") or group ("hull"). Lengths are in units of the spacing.
    index : sequence of int
        Rows for these labels, in this order; a label without pixels, and one that is background, has area 0.
        By default a row for each label that there is, in ascending order.
    background : "zero and below", a label, or None
        Labels that are no region; with None all are regions.
    moments, spacing, unit, threads
        As in ``measure``.

    Returns
    -------
    Table
        The columns of ``measure``, with the labels of the regions.
    """
    labels = numpy.asarray(labels)
    if columns is not None:
        if index is not None or moments or unit:
            raise ValueError("columns: goes without index, moments and unit")
        names = [columns] if isinstance(columns, str) else list(columns)
        found = _native.measure_columns(labels, names, intensity, _background(background), spacing, threads)
        return Table._of(found, len(found["label"]))
    if index is not None:
        index = _bits(index, labels.dtype, "index")
    return Table(_native.measure_labels(labels, intensity, index, _background(background), bool(moments), spacing, unit,
                                        threads))


def contacts(labels, *, connectivity=None, background=_ZERO_AND_BELOW, surfaces=False, threads=None):
    """Finds the regions of a label image that touch, and counts their common faces.

    >>> table = contacts(numpy.array([[1, 1, 2], [0, 3, 2]]), connectivity=4)
    >>> list(zip(table["first"].tolist(), table["second"].tolist()))
    [(1, 2), (1, 3), (2, 3)]
    >>> table["faces-0"] + table["faces-1"]
    array([1, 1, 1])

    Parameters
    ----------
    labels, background, threads
        As in ``measure_labels``.
    connectivity : int
        Which pixels touch: 4 or 8 in 2 dimensions; 6, 18 or 26 in 3. All (8 or 26) by default.
    surfaces : bool
        Returns the faces of each region, too.

    Returns
    -------
    Table, or (Table, Table) with surfaces
        A row for each pair of labels first < second, ascending: faces along each axis (sides of pixels in 2 dimensions),
        edges and in 3 dimensions corners, which are pairs of pixels that differ along two and three axes. With surfaces, a
        row for each label: its faces to other regions, to the background and to the outside of the image.
    """
    pairs, faces = _native.contacts(labels, connectivity, _background(background), bool(surfaces), threads)
    table = Table._of(pairs, len(pairs["first"]))
    return (table, Table._of(faces, len(faces["label"]))) if surfaces else table

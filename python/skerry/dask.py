# SPDX-License-Identifier: Apache-2.0
"""Connected components of arrays of Dask: lazy, with the labels and tables of one call for the whole array, bit for bit."""
import numpy

from ._arguments import flag
from ._dask_graphs import dask_modules, same_chunks
from ._dask_labels import LabelGraph
from ._dask_regions import measure_columns, measure_labels
from ._pieces import parted, table_of_nothing

__all__ = ["label", "measure", "measure_columns", "measure_labels"]


def _checked(array, intensity, choice, keep, moments, fill_holes):
    """The same, and the table of nothing; refuses, before any work, what no image could have."""
    array, intensity = same_chunks(array, intensity, "array")
    return array, intensity, table_of_nothing(array, intensity, choice, keep, moments, fill_holes)


def label(array, *, connectivity=None, threshold=None, above=None, at_least=None, within=None, background=None, equal=False,
          delta=None, periodic=False, fill_holes=False, min_area=0, max_area=None, clear_border=False, largest=None,
          bounds=None, intensity=None, moments=False, spacing=None, unit="", dtype="uint32", reread=True):
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
        As in ``skerry.label``. threshold="otsu" adds a pass that counts values, and for integers of 32 and 64 bits and floats one
        that finds their range.
    fill_holes : bool
        Adds the holes of components to them first. They are found in a pass of their own.
    min_area, max_area, clear_border, largest
        As in ``skerry.label``, decided on the whole array.
    bounds : dict
        As in ``skerry.blocks.label``.
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
    array, intensity, empty = _checked(array, intensity, choice, keep, moments, fill_holes)
    dask = dask_modules()
    if 0 in array.shape:
        return dask.array.zeros(array.shape, dtype=dtype, chunks=array.chunks), dask.delayed(empty)
    graph = LabelGraph(array, intensity, choice, flag("moments", moments), keep, fill_holes=fill_holes, reread=reread)
    numbering, table = graph.numbering()
    return graph.labels(numbering, dtype), table


def measure(array, intensity=None, *, connectivity=None, threshold=None, above=None, at_least=None, within=None, background=None,
            equal=False, delta=None, periodic=False, fill_holes=False, min_area=0, max_area=None, clear_border=False, largest=None,
            bounds=None, moments=False, spacing=None, unit=""):
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
    array, intensity, empty = _checked(array, intensity, choice, keep, moments, fill_holes)
    if 0 in array.shape:
        return dask_modules().delayed(empty)
    return LabelGraph(array, intensity, choice, flag("moments", moments), keep, fill_holes=fill_holes).numbering()[1]

# SPDX-License-Identifier: Apache-2.0
"""Regions of given label images: features, columns, contacts."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal, overload
import collections.abc

import numpy

from . import _native
from ._arguments import array, bounds_of_columns, flag, is_on_device
from ._column_names import near_names
from ._device import place_for, type_of
from ._table import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._types import Array, Background, Image, Number, Spacing

_ZERO_AND_BELOW: Final = "zero and below"


def _background(background):
    """As the extension takes it: True for 0 and all negative labels."""
    if isinstance(background, str) and background == _ZERO_AND_BELOW:
        return True
    if isinstance(background, (str, bool)):
        raise ValueError(f"background: {background!r} is not '{_ZERO_AND_BELOW}', a label or None")
    return background


def _integers(index, name):
    found = array(name, index)
    if found.dtype.kind in "iu" or found.size == 0:
        return found
    numbers = numpy.asarray(index, object).ravel().tolist()  # NumPy makes floats of [1, 2**63]
    if found.dtype == bool or not all(isinstance(number, (int, numpy.integer)) for number in numbers):
        instead = "; for real values index an array by label: values[labels]" if name == "mapping" else ""
        raise TypeError(f"{name}: dtype {found.dtype} is not an integer type{instead}")
    return numpy.array([int(number) for number in numbers], object)


def _array(name, given):
    """What is given, as an array of NumPy or of a GPU."""
    return given if is_on_device(given) else array(name, given)


def _host_labels(given):
    """A label image, as an array of NumPy; the extension refuses those of a GPU."""
    if is_on_device(given):
        _native.contacts(given, None, None, False, None, None)
    return array("labels", given)


def _labels_anywhere(given):
    """A label image, as an array of NumPy, or of a GPU where the extension has CUDA."""
    return given if is_on_device(given) and hasattr(_native, "device_of") else _host_labels(given)


def _channels(intensity, of_labels, name="labels"):
    """The image of intensities, or a list of those of its channels where it has an axis more than labels of this shape."""
    if intensity is None:
        return None
    several = _array("intensity", intensity)
    shape, of_labels = tuple(several.shape), tuple(of_labels)
    if len(shape) != len(of_labels) + 1:
        return several
    if shape[:-1] != of_labels:
        raise ValueError(f"intensity: its shape {shape} is not that of {name}, {of_labels}, with an axis of channels after it")
    return [several[..., channel] for channel in range(shape[-1])] or None


def without_pixels(labels, intensity):
    """Arrays without pixels, of the types and with the channels of these."""
    none = numpy.empty((0,) * len(labels.shape), labels.dtype)
    return none, None if intensity is None else numpy.empty(none.shape + tuple(intensity.shape[none.ndim:]), intensity.dtype)


def _bits(index, dtype, name, image="labels", absent=False):
    """Labels of an image of this dtype, as 64 bits each; those of signed integers are signed. With ``absent`` also larger ones, which no
    pixel has."""
    if dtype.kind not in "biu":
        raise TypeError(f"{image}: {dtype} is not an integer type")
    found = _integers(index, name)
    limits = numpy.iinfo(numpy.uint8 if dtype == bool else dtype)
    if absent:
        limits = numpy.iinfo(numpy.int64 if limits.min < 0 else numpy.uint64)
    for end in (found.min(initial=0), found.max(initial=0)):
        if not limits.min <= int(end) <= limits.max:
            raise ValueError(f"{name}: {end} is not a label of {dtype}")
    return found.ravel().astype(numpy.int64 if limits.min < 0 else numpy.uint64).view(numpy.uint64)


def _names(columns):
    names = columns if isinstance(columns, collections.abc.Iterable) and not isinstance(columns, str) else [columns]
    names = list(names)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"columns: {name!r} is not the name of a column, a quantity or a group")
    return names


def column_groups() -> list[str]:
    """Names of the groups of columns that measure_columns() takes besides "all" and "shape"; docs/columns.md has their columns.

    >>> "hull" in column_groups()
    True

    Returns
    -------
    list of str
    """
    return _native.column_groups()


def measure_columns(labels: Image, columns: str | Iterable[str] = ("all",), *, intensity: Image | None = None,
                    background: Background = _ZERO_AND_BELOW, spacing: Spacing = None, threads: int | None = None) -> Table:
    """Measures columns of scikit-image's regionprops_table, and some more, for the regions of a label image.

    >>> labels = numpy.array([[1, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 5]])
    >>> table = measure_columns(labels, ["area", "area_filled", "euler_number"])
    >>> table.keys()
    ['label', 'area', 'area_filled', 'euler_number']
    >>> table["area"], table["area_filled"], table["euler_number"]
    (array([8., 1.]), array([9., 1.]), array([0, 1]))
    >>> measure_columns(labels, "centroid", spacing=(1, 0.5))["centroid-1"]
    array([0.5, 1.5])
    >>> measure_columns(labels, "intensity_median", intensity=numpy.arange(12).reshape(3, 4))["intensity_median"]
    array([ 5., 11.])

    Parameters
    ----------
    labels : array of (pixels), (rows, columns) or (slices, rows, columns)
        Integers of 8 to 64 bits or bool, any strides; labels may have gaps. An array on a GPU is measured there; the call waits.
    columns : str, or sequence of str
        Names of columns ("moments_hu-3"), quantities ("moments_hu"), groups ("hull", see ``column_groups``), "shape", which is
        patterns, hull and filled together, or "all", which is all that there are for these arguments. docs/columns.md lists them with definitions and units.
    intensity : array
        Of the shape of ``labels``, or with an axis of channels after it, as in scikit-image: names of columns of intensities then
        end with the number of the channel, "intensity_mean-1". Without it there are no such columns.
    background : "zero and below", a label, or None
        Labels that are background; with None all are regions.
    spacing : number, or one for each axis
        Distance between neighbouring pixels: coordinates, lengths, areas and moments are in its unit, under the same names: "area"
        is the number of pixels times the size of one. ``measure`` and ``measure_labels`` keep "area" in pixels.
    threads : int
        As in ``label``. Every number of threads gives the same bits.

    Returns
    -------
    Table
        A row for each region, in ascending order of labels; "label" first, then the columns in the order of the request.
        Columns of integers are int64 (labels are uint64 where one reaches 2^63); others are float64.

    Raises
    ------
    ValueError, TypeError
        Naming the argument; also for a column unavailable for this rank, intensity image or spacing.
    """
    return _columns_of(_array("labels", labels), columns, intensity, None, background, spacing, threads)


def _columns_of(labels, columns, intensity, index, background, spacing, threads):
    with near_names(len(labels.shape)):
        found = _native.measure_columns(labels, _names(columns), _channels(intensity, labels.shape), index, _background(background), spacing, threads)
    return Table._of(found, len(found["label"]))


def keep_regions(labels: Image, bounds: Mapping[str, tuple[Number | None, Number | None]], *, intensity: Image | None = None,
                 background: Background = _ZERO_AND_BELOW, spacing: Spacing = None, out: Image | None = None,
                 threads: int | None = None) -> tuple[Array, Array]:
    """Keeps the regions of a label image whose columns are within bounds, and makes all other pixels 0.

    >>> keep_regions(numpy.array([[1, 1, 0, 7, 7, 7]]), {"area": (3, None)})
    (array([[0, 0, 0, 7, 7, 7]]), array([7]))

    Parameters
    ----------
    labels, intensity, background, spacing, threads
        As in ``measure_columns``.
    bounds : dict
        Names of columns, each with the smallest and the largest value that is kept, both included; None for no limit. A column is
        one of ``measure_columns``, by its whole name: "centroid-0". NaN is not kept; limits that hold nothing are an error.
    out : array
        As in ``relabel``.

    Returns
    -------
    labels : array
        ``out``, or a new array of the dtype of ``labels`` (of bool uint8), with the labels that they had; ``relabel`` numbers them.
        Of labels on a GPU an array of their library.
    kept : array of int
        The labels that are kept, ascending.

    Raises
    ------
    ValueError, TypeError
        Naming the argument, as ``measure_columns``; nothing is written then.
    """
    labels = _labels_anywhere(labels)
    within = bounds_of_columns(bounds)
    place = place_for(labels, out, None)
    with near_names(len(labels.shape)):
        kept = _native.keep_regions(labels, within, place, _channels(intensity, labels.shape), _background(background), spacing, threads)
    return place, kept


def measure_labels(labels: Image, intensity: Image | None = None, *, columns: str | Iterable[str] | None = None,
                   index: ArrayLike | None = None, background: Background = _ZERO_AND_BELOW, moments: bool = False,
                   spacing: Spacing = None, unit: str = "", threads: int | None = None) -> Table:
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
    labels : array of (pixels), (rows, columns) or (slices, rows, columns)
        Integers of 8 to 64 bits or bool, any strides; labels may have gaps.
    intensity : array
        Adds intensity columns, read from this array of the same shape, or with an axis of channels after it: all channels
        are measured in one pass, and names end with their numbers.
    columns : "all", or names
        Returns those of ``measure_columns`` instead of those of ``measure``. They differ with ``spacing``: "area" is then in its
        unit, where without ``columns`` it is in pixels, and area_spaced in units.
    index : sequence of int
        Rows for these labels, in this order; a label without pixels, and one that is background, has area and sums 0, an empty
        box at 0, and NaN in all other columns; with ``columns`` also 0 in other columns of integers. By default a row for each
        label that there is, in ascending order.
    background : "zero and below", a label, or None
        Labels that are background; with None all are regions.
    moments, spacing, unit, threads
        As in ``measure``.

    Returns
    -------
    Table
        The columns of ``measure``, with the labels of the regions.
    """
    labels = _array("labels", labels)
    if columns is not None and (moments or unit):
        raise ValueError("columns: goes without moments and unit")
    if index is not None:
        index = _bits(index, type_of(labels.dtype), "index", absent=True)
    if columns is not None:
        return _columns_of(labels, columns, intensity, index, background, spacing, threads)
    return Table(_native.measure_labels(labels, _channels(intensity, labels.shape), index, _background(background),
                                        flag("moments", moments), spacing, unit, threads))


@overload
def contacts(labels: Image, *, connectivity: int | None = None, background: Background = _ZERO_AND_BELOW,
             surfaces: Literal[False] = False, spacing: Spacing = None, threads: int | None = None) -> Table: ...


@overload
def contacts(labels: Image, *, connectivity: int | None = None, background: Background = _ZERO_AND_BELOW,
             surfaces: Literal[True], spacing: Spacing = None, threads: int | None = None) -> tuple[Table, Table]: ...


def contacts(labels: Image, *, connectivity: int | None = None, background: Background = _ZERO_AND_BELOW, surfaces: bool = False,
             spacing: Spacing = None, threads: int | None = None) -> Table | tuple[Table, Table]:
    """Finds the regions of a label image that touch, and counts their common faces.

    >>> table = contacts(numpy.array([[1, 1, 2], [0, 3, 2]]), connectivity=4)
    >>> list(zip(table["label-0"].tolist(), table["label-1"].tolist()))
    [(1, 2), (1, 3), (2, 3)]
    >>> contacts(numpy.array([[1, 1, 2], [0, 3, 2]]), connectivity=4, spacing=(0.5, 0.25))["area"]
    array([0.5 , 0.25, 0.5 ])

    Parameters
    ----------
    labels, background, threads
        As in ``measure_labels``.
    connectivity : int
        Which pixels touch: 2 neighbours in 1 dimension, 4 or 8 in 2; 6, 18 or 26 in 3. All by default.
    surfaces : bool
        Returns the faces of each region, too.
    spacing : number, or one for each axis
        Distance between neighbouring pixels; adds the column "area", in its unit.

    Returns
    -------
    Table, or (Table, Table) with surfaces
        A row for each pair of labels, label-0 < label-1, ascending. "faces-0", "faces-1", … count the pairs of neighbours along
        that axis, one pixel of each region; in a plane each pair of "faces-0" is a side of length spacing[1], and one of
        "faces-1" a side of length spacing[0]. "edges", and in 3 dimensions "corners", count pairs of pixels that differ along two
        and three axes. With spacing, "area" is that of the faces: in 2 dimensions the length of the contact, in 1 their number.
        With surfaces, also a row for each "label": "to_regions-0", …, "to_background-0", … and "to_outside-0", … count its faces
        to other regions, to the background and to the outside of the image, by axis; "area" is that of all of them.
    """
    pairs, faces = _native.contacts(labels, connectivity, _background(background), flag("surfaces", surfaces), spacing, threads)
    table = Table._of(pairs, len(pairs["label-0"]))
    return (table, Table._of(faces, len(faces["label"]))) if surfaces else table

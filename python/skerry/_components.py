# SPDX-License-Identifier: Apache-2.0
"""Connected components of one image: labels and features."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, Unpack
import difflib
import inspect

from . import _native
from ._arguments import flag, is_on_device
from ._device import label as label_on_device
from ._labels import Labels
from ._table import Table

if TYPE_CHECKING:
    from ._types import Choice, Image, Number, Spacing, Type


def _choice(connectivity=None, threshold=None, above=None, at_least=None, within=None, fill_holes=False, min_area=0,
            max_area=None, clear_border=False, largest=None, background=None, equal=False, delta=None, periodic=False):
    fill_holes = flag("fill_holes", fill_holes)
    if fill_holes:
        if flag("equal", equal) or delta is not None:
            raise ValueError("fill_holes: not with equal or delta; use within=(v, v) for the components of one value")
        if periodic is True or isinstance(periodic, Sequence) and any(axis is True for axis in periodic):
            raise ValueError("fill_holes: not with periodic axes, since holes are cut off from the image border")
    return _native.Choice(connectivity, threshold, above, at_least, within, fill_holes, min_area, max_area,
                          flag("clear_border", clear_border), largest, background, flag("equal", equal), delta, periodic)


_REMEDIES: Final = {
    "columns": "label the image, and give the labels to measure_columns()",
    "features": "moments=True adds second moments, measure_columns() has all columns of labels", "dtype": "only label() returns labels of a type",
    "out": "only label() returns labels"}
_KNOWN: Final = tuple(inspect.signature(_choice).parameters)


def _choice_of(function, choice):
    """The choice of a function's keywords; others are refused in its name."""
    for keyword in choice:
        if keyword not in _KNOWN:
            near = difflib.get_close_matches(keyword, _KNOWN, 1)
            remedy = f"did you mean {near[0]!r}?" if near else _REMEDIES.get(keyword, f"beside its own it takes {', '.join(_KNOWN)}")
            raise TypeError(f"{function}(): unknown keyword {keyword!r}; {remedy}")
    return _choice(**choice)


def label(image: Image, *, connectivity: int | None = None, threshold: Number | Literal["otsu"] | None = None,
          above: Number | None = None, at_least: Number | None = None, within: tuple[Number, Number] | None = None,
          background: Number | None = None, equal: bool = False, delta: Number | None = None,
          periodic: bool | Sequence[bool] = False, fill_holes: bool = False, min_area: int = 0, max_area: int | None = None,
          clear_border: bool = False, largest: int | None = None, dtype: Type | None = None, out: Image | None = None,
          threads: int | None = None) -> Labels:
    """Labels the connected components of an image.

    >>> import numpy as np
    >>> image = np.array([[0, 7, 7, 0, 0], [0, 0, 7, 0, 9]])
    >>> labels = label(image)
    >>> labels.count
    2
    >>> labels.image
    array([[0, 1, 1, 0, 0],
           [0, 0, 1, 0, 2]], dtype=uint8)
    >>> label(image, above=8).count
    1
    >>> label(np.array([[5, 5, 3, 3, 0]]), equal=True).image
    array([[1, 1, 2, 2, 0]], dtype=uint8)

    Parameters
    ----------
    image : array of (pixels), (rows, columns) or (slices, rows, columns)
        bool, integers of 8 to 64 bits, float16, float32 or float64, in native byte order; any strides; not copied. With
        skerry-cuda13 also arrays on a GPU, by DLPack or ``__cuda_array_interface__``: see Notes.
    connectivity : int
        2 neighbours in 1 dimension, 4 or 8 in 2; 6, 18 or 26 in 3. All by default, as in scikit-image and cc3d.
    threshold : number or "otsu"
        Pixels above it are foreground; "otsu" finds it. By default all pixels but 0 are foreground; NaN never is.
    above, at_least, within : number, number, (low, high)
        Other rules, instead of threshold: pixel > above, pixel >= at_least, low <= pixel <= high. Comparisons are exact.
    background : number
        Another rule: all pixels but those of this value.
    equal : bool
        Neighbours join only when their values are equal: labels of many values in one pass.
    delta : number
        Neighbours join when their values differ by at most this much.
    periodic : bool, or one for each axis
        Axes that wrap around: their first and last pixels are neighbours and do not count as border. Boxes, centroids and
        moments of tables are not wrapped.
    fill_holes : bool
        Fills the holes of components first; 2 and 3 dimensions only.
    min_area, max_area : int
        Keeps components of so many pixels.
    clear_border : bool
        Drops components that touch the border of the image.
    largest : int
        Keeps so many of the largest components.
    dtype : unsigned or signed integer type
        Type of the labels; by default the smallest unsigned one that holds their number.
    out : array
        Labels are written there; it has the image's shape and any integer type, and does not overlap the image.
    threads : int
        1 to 1024; one per processor by default. The labels do not depend on it. Of an array on a GPU those for the host's part.

    Returns
    -------
    Labels
        ``image`` has labels 1..``count`` in raster order of each component's first pixel, and 0 for the background. Its
        order in memory is that of the image given.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also when the labels do not fit ``dtype`` or ``out``, which is then unchanged.
    MemoryError

    Notes
    -----
    The labels of an array on a GPU are computed there, and are an array of the same library: of CuPy or PyTorch, else a
    ``DeviceArray``. The work is enqueued on the current stream of that library (or the one that the interface names), with
    memory of its allocator; nothing waits, so that it can be captured in a CUDA graph after a first call. ``count`` waits
    when it is asked for. By default labels are uint32, and int32 for PyTorch; when they do not fit ``dtype``, ``count`` raises
    ValueError. A line of pixels on a GPU is given as the plane ``image[None]``.
    """
    chosen = _choice(connectivity, threshold, above, at_least, within, fill_holes, min_area, max_area, clear_border,
                     largest, background, equal, delta, periodic)
    if is_on_device(image):
        return label_on_device(image, chosen, dtype, out)
    return Labels(*_native.label(image, chosen, dtype, out, threads))


def count(image: Image, *, threads: int | None = None, **choice: Unpack[Choice]) -> int:
    """Counts the components that ``label`` would find, in about half its time; takes its keywords but dtype and out.

    >>> count([[1, 0, 1]])
    2
    """
    return _native.count(image, _choice_of("count", choice), threads)


def measure(image: Image, intensity: Image | None = None, *, moments: bool = False, spacing: Spacing = None, unit: str = "",
            threads: int | None = None, **choice: Unpack[Choice]) -> Table:
    """Measures the connected components of an image, in one pass and without a label image.

    >>> import numpy as np
    >>> image = np.array([[0, 7, 7, 0, 0], [0, 0, 7, 0, 9]])
    >>> table = measure(image, intensity=image)
    >>> table["area"]
    array([3, 1])
    >>> table["intensity_max"]
    array([7., 9.])
    >>> table.keys()[:6]
    ['label', 'area', 'bbox-0', 'bbox-1', 'bbox-2', 'bbox-3']

    Parameters
    ----------
    image, threads, and ``label``'s keywords from connectivity to largest
        As in ``label``; a component across a periodic axis has the box and centroid of its pixels where they are stored. An array on a GPU is measured there; the call waits, and its table is in host memory.
    intensity : array
        Adds intensity columns, read from this array of the image's shape: one channel. ``measure_labels`` takes several.
    moments : bool
        Adds axis lengths, eccentricity, orientation and second central moments.
    spacing : number, or one for each axis
        Distance between neighbouring pixels; adds columns in units, such as area_spaced. Columns without a unit in their names
        stay in pixels, unlike those of ``measure_columns``.
    unit : str
        Name of the unit of ``spacing``, for the names of its columns: "um" makes area_um2 of area.

    Returns
    -------
    Table
        One row for each component, in the order of labels. Columns have the names and definitions of scikit-image's
        regionprops_table; boxes, areas and coordinate sums are exact integers.
    """
    if intensity is not None:
        of_image, of_intensity = (tuple(getattr(array, "shape", ())) for array in (image, intensity))
        if of_image and of_intensity[:-1] == of_image:
            raise ValueError("intensity: has an axis of channels after those of image; measure() takes one channel, measure_labels() several")
    return Table(_native.measure(image, _choice_of("measure", choice), intensity, flag("moments", moments), spacing, unit, threads))

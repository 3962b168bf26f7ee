# SPDX-License-Identifier: Apache-2.0
"""New labels for the regions of label images."""
from __future__ import annotations

from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Literal

import numpy

from . import _native
from ._arguments import array, shown
from ._device import place_for, type_of
from ._regions import _ZERO_AND_BELOW, _array, _background, _bits, _labels_anywhere

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ._types import Array, Background, Image, Type


def relabel(labels: Image, *, background: Background = _ZERO_AND_BELOW,
            order: Literal["first_pixel", "ascending"] = "first_pixel", dtype: Type | None = None, out: Image | None = None,
            threads: int | None = None) -> tuple[Array, Array]:
    """Numbers the regions of a label image 1..n, without gaps.

    >>> relabel(numpy.array([[9, 9, 0, 4]]))
    (array([[1, 1, 0, 2]]), array([9, 4]))

    Parameters
    ----------
    labels : array of (pixels), (rows, columns) or (slices, rows, columns)
        Integers of 8 to 64 bits or bool, any strides. An array on a GPU gives one of its library, as ``label`` does; the call
        waits.
    background : "zero and below", a label, or None
        Labels that become 0; with None no label does.
    order : "first_pixel" or "ascending"
        The new labels' order: by the first pixel of each region, or by their old labels.
    dtype : integer type
        Of the result; that of ``labels`` by default, and uint8 for bool.
    out : array
        Array to write, possibly ``labels``, of which after Ctrl-C either all is written or nothing; of another ``out`` perhaps some.
    threads : int
        As in ``label``.

    Returns
    -------
    (labels, originals)
        ``originals[i]`` is the old label of the new label i + 1.
    """
    labels = _labels_anywhere(labels)
    place = place_for(labels, out, dtype)
    try:
        originals = _native.relabel(labels, _background(background), order, place, threads)
    except ValueError as failure:
        argument, _, problem = str(failure).partition(": ")
        if argument != "out" or out is not None:
            raise
        raise ValueError(f"labels: {problem}" if dtype is None else f"dtype: {problem}") from None
    return place, originals


def _pair(mapping):
    """Old and new labels."""
    if hasattr(mapping, "items"):  # a dict or a pandas Series
        pairs = list(mapping.items())
        return [old for old, _ in pairs], [new for _, new in pairs]
    if isinstance(mapping, (str, bytes, Set)) or not hasattr(mapping, "__len__") or len(mapping) != 2:
        raise TypeError(f"mapping: {shown(mapping)} is not a dict or a pair (old labels, new labels)")
    return tuple(array("mapping", each).ravel() for each in mapping)


def remap(labels: Image, mapping: Mapping[int, int] | tuple[ArrayLike, ArrayLike], *,
          unnamed: Literal["refuse", "keep", "zero"] = "refuse", dtype: Type | None = None, out: Image | None = None,
          threads: int | None = None) -> Array:
    """Gives labels other numbers.

    >>> remap(numpy.array([[9, 9, 0, 4]]), {9: 1, 4: 1})
    array([[1, 1, 0, 1]])

    Parameters
    ----------
    labels, dtype, out, threads
        As in ``relabel``.
    mapping : dict or pandas Series of old to new labels, or (old labels, new labels)
        Several old labels may get the same new one.
    unnamed : "refuse", "keep" or "zero"
        How to treat labels missing from the mapping: an error, kept as they are, or 0. 0 stays 0 unless it is named.

    Raises
    ------
    ValueError, TypeError
        For a wrong argument, or a label that is not named; nothing is written then.
    """
    labels = _labels_anywhere(labels)
    place = place_for(labels, out, dtype)
    old, new = _pair(mapping)
    if len(old) != len(new):
        raise ValueError(f"mapping: {len(old)} old labels, {len(new)} new ones")
    old = _bits(old, type_of(labels.dtype), "mapping")
    new = _bits(new, type_of(_array("out", place).dtype), "mapping", "dtype" if out is None else "out")
    try:
        _native.remap(labels, old, new, unnamed, place, threads)
    except ValueError as failure:
        raise ValueError(str(failure).replace("choose to keep such labels or to make them 0", 'pass unnamed="keep" or "zero"')) from None
    return place

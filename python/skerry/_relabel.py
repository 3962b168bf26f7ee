# SPDX-License-Identifier: Apache-2.0
"""Other labels for the regions of label images."""
import numpy

from . import _native
from ._regions import _ZERO_AND_BELOW, _array, _background, _bits


def _place(labels, out, dtype):
    if out is not None:
        if dtype is not None:
            raise ValueError("dtype: out has its own")
        return out
    kind = labels.dtype if dtype is None else numpy.dtype(dtype)
    return numpy.empty_like(labels, numpy.uint8 if kind == bool else kind, subok=False)


def relabel(labels, *, background=_ZERO_AND_BELOW, order="first_pixel", dtype=None, out=None, threads=None):
    """Numbers the regions of a label image 1..n, without gaps.

    >>> relabel(numpy.array([[9, 9, 0, 4]]))
    (array([[1, 1, 0, 2]]), array([9, 4]))

    Parameters
    ----------
    labels : array of (pixels), (rows, columns) or (slices, rows, columns)
        Integers of 8 to 64 bits or bool, any strides.
    background : "zero and below", a label, or None
        Labels that become 0; with None no label does.
    order : "first_pixel" or "ascending"
        The new labels' order: by the first pixel of each region, or by their old labels.
    dtype : integer type
        Of the result; that of ``labels`` by default.
    out : array
        Is written; it may be ``labels``.
    threads : int
        As in ``label``.

    Returns
    -------
    (labels, originals)
        ``originals[i]`` is the old label of the new label i + 1.
    """
    labels = _array("labels", labels)
    place = _place(labels, out, dtype)
    originals = _native.relabel(labels, _background(background), order, place, threads)
    return place, originals


def remap(labels, mapping, *, unnamed="refuse", dtype=None, out=None, threads=None):
    """Gives labels other numbers.

    >>> remap(numpy.array([[9, 9, 0, 4]]), {9: 1, 4: 1})
    array([[1, 1, 0, 1]])

    Parameters
    ----------
    labels, dtype, out, threads
        As in ``relabel``.
    mapping : dict, or (old labels, new labels)
        Several old labels may get the same new one.
    unnamed : "refuse", "keep" or "zero"
        What becomes of labels that the mapping does not name: an error, themselves, or 0. 0 stays 0 unless it is named.

    Raises
    ------
    ValueError
        For a label that is not named; nothing is written then.
    """
    labels = _array("labels", labels)
    place = _place(labels, out, dtype)
    old, new = (list(mapping), list(mapping.values())) if hasattr(mapping, "values") else mapping
    if len(old) != len(new):
        raise ValueError(f"mapping: {len(old)} old labels, {len(new)} new ones")
    old = _bits(old, labels.dtype, "mapping")
    new = _bits(new, numpy.asarray(place).dtype, "mapping", "dtype" if out is None else "out")
    _native.remap(labels, old, new, unnamed, place, threads)
    return place

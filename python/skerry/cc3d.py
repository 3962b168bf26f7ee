# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of cc3d (connected-components-3d), as of version 4.1."""
import numpy

from . import _native
from ._components import _choice
from ._connectivity import as_image
from ._fallback import original, the_rest_of

__all__ = ["connected_components"]

__getattr__ = the_rest_of("cc3d")

_CONNECTIVITY = {1: {6: 4, 18: 4, 26: 4}, 2: {4: 4, 6: 4, 8: 8, 18: 8, 26: 8}, 3: {6: 6, 18: 18, 26: 26}}
_TYPES = [numpy.dtype(bits) for bits in ("uint16", "uint32", "uint64")]


def _reason(data, binary, out_file):
    """Why skerry leaves a call to cc3d, or None."""
    if data.ndim not in _CONNECTIVITY:
        return f"data: {data.ndim} dimensions are not 1, 2 or 3"
    if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8 or not data.dtype.isnative:
        return f"data: dtype {data.dtype}"
    if data.dtype.kind == "f" and not binary and numpy.isnan(data).any():
        return "data: NaN"
    return None if out_file is None else "out_file:"


def connected_components(data, max_labels=-1, connectivity=26, return_N=False, delta=0, out_dtype=None, out_file=None,
                         periodic_boundary=False, binary_image=False):
    """Labels the connected components of an image, as cc3d.connected_components does.

    >>> connected_components(numpy.array([[1, 1, 2], [0, 7, 2]]), connectivity=4, return_N=True)
    (array([[1, 1, 2],
           [0, 3, 2]], dtype=uint16), 3)

    Labels are numbered in the order of memory, as cc3d's are but for 8 neighbours, where its order is another one.

    Parameters
    ----------
    data : array of 1, 2 or 3 dimensions
        Of bool, integers or floats. Neighbours of equal values join.
    max_labels : int
        Is not needed.
    connectivity : int
        4 (or 6) or 8 (or 18, 26) in 2 dimensions; 6, 18 or 26 in 3.
    return_N : bool
        Returns the number of components, too.
    delta : number
        Neighbours join when their values differ by at most this much.
    periodic_boundary : bool
        The image wraps around.
    out_dtype : uint16, uint32 or uint64
        By default the smallest one that holds the labels.
    binary_image : bool
        Pixels other than 0 are foreground, and join whatever their values.

    Returns
    -------
    labels, or (labels, N)
    """
    binary = binary_image or data.dtype == bool
    reason = _reason(data, binary, out_file)
    if reason is not None:
        return original("cc3d", "connected_components", reason)(
            data, max_labels, connectivity, return_N, delta, out_dtype, out_file, periodic_boundary, binary_image)
    if connectivity not in _CONNECTIVITY[data.ndim]:
        known = ", ".join(map(str, _CONNECTIVITY[data.ndim]))
        raise ValueError(f"connectivity: {connectivity} is not one of {known}, for {data.ndim} dimensions")
    if out_dtype is not None and numpy.dtype(out_dtype) not in _TYPES:
        raise ValueError(f"out_dtype: {numpy.dtype(out_dtype)} is not uint16, uint32 or uint64")
    image = data != 0 if binary and data.dtype.kind == "f" else data  # to skerry.label, NaN is background
    joins = {} if binary else {"delta": delta} if delta else {"equal": True}
    turned = data.flags.f_contiguous and not data.flags.c_contiguous
    chosen = _choice(connectivity=_CONNECTIVITY[data.ndim][connectivity],
                     periodic=_periodic(periodic_boundary, data.ndim), **joins)
    labels, count = _native.label(as_image(image.T if turned else image), chosen, out_dtype, None, None)
    if labels.dtype == numpy.uint8:
        labels = labels.astype(numpy.uint16)
    labels = labels.T if turned else labels.reshape(image.shape)
    return (labels, count) if return_N else labels


def _periodic(wanted, rank):
    """A row of pixels is an image of one row, which does not wrap around."""
    return (False, bool(wanted)) if rank == 1 else bool(wanted)

# SPDX-License-Identifier: Apache-2.0
"""Drop-in for scipy.ndimage: ``from skerry import ndimage``.

Calls that skerry has no engine for (dimensions other than 2 and 3, other structures, other types) go to SciPy, if it is
installed.
"""
import numpy

from . import _native
from ._components import _choice

_CONNECTIVITY = {2: (4, 8), 3: (6, 18, 26)}


def _scipy(reason):
    try:
        import scipy.ndimage  # only where skerry cannot
    except ImportError as missing:
        raise ImportError(f"{reason}, which is left to SciPy: pip install scipy") from missing
    return scipy.ndimage


def _structures(rank):
    """Connectivity by the bytes of its structure."""
    steps = numpy.abs(numpy.indices((3,) * rank) - 1).sum(axis=0)
    return {(steps <= hops).tobytes(): neighbours for hops, neighbours in enumerate(_CONNECTIVITY[rank], 1)}


_KNOWN = {rank: _structures(rank) for rank in _CONNECTIVITY}


def _connectivity(structure, rank):
    """Neighbours that a structure stands for: 4 or 8, or 6, 18 or 26; None for other structures."""
    if structure is None:
        return _CONNECTIVITY[rank][0]
    wanted = numpy.asarray(structure, dtype=bool)
    return _KNOWN[rank].get(wanted.tobytes()) if wanted.shape == (3,) * rank else None


def _type_of(output):
    if isinstance(output, numpy.ndarray):
        return output.dtype
    return numpy.dtype(numpy.int32 if output is None else output)


def _reason(image, structure, output):
    """Why skerry leaves a call to SciPy, or None."""
    if image.ndim not in _CONNECTIVITY:
        return f"input: {image.ndim} dimensions are not 2 or 3"
    if image.dtype.kind not in "biuf" or image.dtype.itemsize > 8 or not image.dtype.isnative:
        return f"input: dtype {image.dtype}"
    if _connectivity(structure, image.ndim) is None:
        return "structure: it has other neighbours than 4 or 8, or 6, 18 or 26"
    type_of_output = _type_of(output)
    if type_of_output.kind not in "iu" or not type_of_output.isnative:
        return f"output: dtype {type_of_output}"
    if isinstance(output, numpy.ndarray) and (output.shape != image.shape or numpy.may_share_memory(image, output)):
        return "output: its shape or memory"
    return None


def label(input, structure=None, output=None):
    """Labels the features of an array, as scipy.ndimage.label does.

    >>> labels, n = label([[1, 0, 1], [0, 1, 0]])
    >>> n
    3
    >>> label([[1, 0, 1], [0, 1, 0]], structure=numpy.ones((3, 3)))
    (array([[1, 0, 1],
           [0, 1, 0]], dtype=int32), 1)

    Parameters
    ----------
    input : array
        Pixels other than 0 are features, NaN too.
    structure : array of 3 x 3 or 3 x 3 x 3
        Which neighbours connect; by default those with a common side.
    output : dtype or array
        Type of the labels, int32 by default; or where they are written.

    Returns
    -------
    (labels, n), or n alone if output is an array

    Raises RuntimeError when the labels do not fit the type of ``output``, as SciPy does.
    """
    image = numpy.asarray(input)
    reason = _reason(image, structure, output)
    if reason is not None:
        return _scipy(reason).label(input, structure, output)
    if image.dtype.kind == "f":  # to skerry.label, NaN is background
        image = image != 0
    into = output if isinstance(output, numpy.ndarray) else None
    kind = None if into is not None else _type_of(output)
    chosen = _choice(connectivity=_connectivity(structure, image.ndim))
    try:
        labels, count = _native.label(image, chosen, kind, into, None)
    except ValueError as failure:
        if "components do not fit" in str(failure):
            raise RuntimeError("insufficient bit-depth in requested output type") from failure
        raise
    return count if into is not None else (labels, count)


def find_objects(input, max_label=0):
    """Slices of the box of each label, as scipy.ndimage.find_objects gives them; needs SciPy."""
    return _scipy("find_objects").find_objects(input, max_label)

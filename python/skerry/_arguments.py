# SPDX-License-Identifier: Apache-2.0
"""Arguments that are no images: errors begin with the argument's name."""
import collections.abc

import numpy


def shown(value):
    """What a message says of a value: arrays by shape and type."""
    if isinstance(value, numpy.ndarray):
        return f"an array of shape {value.shape} of {value.dtype}"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def flag(name, value):
    """True or False; 0 and 1 are, too."""
    if value is True or value is False:
        return value
    if isinstance(value, (numpy.bool_, int, numpy.integer)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{name}: {shown(value)} is not True or False")


def number(name, value):
    """A float of a number that is no text and no array."""
    try:
        return float(value) if numpy.ndim(value) == 0 and not isinstance(value, (str, bytes)) else float(None)
    except (TypeError, ValueError, OverflowError) as failure:
        raise TypeError(f"{name}: {shown(value)} is not a number") from failure


def bounds_of_columns(bounds):
    """Tuples (column, least, most) of a dict of names of columns and pairs; None is no limit."""
    try:
        given = dict(bounds).items()
    except (TypeError, ValueError) as failure:
        raise TypeError(f"bounds: {shown(bounds)} is not a dict of names of columns and pairs (least, most)") from failure
    within = []
    for name, limits in given:
        if not isinstance(name, str):
            raise TypeError(f"bounds: {shown(name)} is not the name of a column")
        if isinstance(limits, (str, bytes)) or not isinstance(limits, collections.abc.Sequence) or len(limits) != 2:
            raise ValueError(f"bounds: {shown(limits)} of {name!r} is not a pair (least, most)")
        least, most = (end if limit is None else number("bounds", limit) for limit, end in zip(limits, (-numpy.inf, numpy.inf)))
        within.append((name, least, most))
    return within


def dtype_of(name, value):
    """The type of NumPy that a value names."""
    try:
        return numpy.dtype(value)
    except (TypeError, ValueError, SyntaxError) as failure:
        raise TypeError(f"{name}: {shown(value)} is not a type of NumPy") from failure


def is_on_device(given):
    """Whether an array says that its memory is a GPU's."""
    if type(given) is numpy.ndarray:
        return False
    place = getattr(type(given), "__dlpack_device__", None)
    if place is not None:
        return place(given)[0] in (2, 13)  # of DLPack: CUDA, and managed by CUDA
    return hasattr(type(given), "__cuda_array_interface__")


def array(name, given):
    """What is given, as an array; a mask would get lost."""
    if isinstance(given, numpy.ma.MaskedArray):
        raise TypeError(f"{name}: masked arrays are not supported; use {name}.filled(0)")
    try:
        return numpy.asarray(given)
    except (TypeError, ValueError) as failure:
        raise ValueError(f"{name}: {shown(given)} is not an array: {failure}") from failure

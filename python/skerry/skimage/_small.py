# SPDX-License-Identifier: Apache-2.0
"""Objects and holes by their size."""
import math
import warnings

import numpy

from .. import _native
from .._components import _choice
from .._connectivity import as_image, from_hops
from .._fallback import original

_NOT_GIVEN = object()
_MAX_SIZE = 64  # of the signatures


def _check_type(array):
    if array.dtype.kind not in "biu":
        raise TypeError(f"Only bool or integer image types are supported. Got {array.dtype}.")


def _keep_labels(out, least):
    """Sets labels of fewer than ``least`` pixels to 0."""
    if out.min(initial=0) < 0:
        raise ValueError("Negative value labels are not supported. Try relabeling the input with "
                         "`scipy.ndimage.label` or `skimage.morphology.label`.")
    # bincount makes a place for each number up to the largest label, and fails silently for 2^63 - 1.
    few = out.max(initial=0) < 4 * out.size + 65536
    numbers = out if few else numpy.unique(out, return_inverse=True)[1].reshape(out.shape) + (0 if (out == 0).any() else 1)
    sizes = numpy.bincount(numbers.ravel())
    if len(sizes) == 2:
        warnings.warn("Only one label was provided to `remove_small_objects`. Did you mean to use a boolean array?",
                      stacklevel=4)
    out[(sizes < least)[numbers]] = 0


def _warn_of_the_old(name, value, max_size):
    """What scikit-image says of an argument of versions before 0.26."""
    if value is _NOT_GIVEN:
        return
    warnings.warn(f"Parameter `{name}` is deprecated since version 0.26.0 and will be removed in 2.0.0 (or later). To avoid this "
                  "warning, use the parameter `max_size` instead, which is one less.", FutureWarning, stacklevel=3)
    if max_size != _MAX_SIZE:
        raise ValueError(f"{name}: `max_size` is given, too; use only the latter to avoid conflicting values")


def _least(given, max_size):
    """How many pixels the smallest object has that stays."""
    return math.floor(max_size) + 1 if given is _NOT_GIVEN else math.ceil(given)


def remove_small_objects(ar, min_size=_NOT_GIVEN, connectivity=1, *, max_size=64, out=None):
    """Removes objects of at most max_size pixels, as skimage.morphology.remove_small_objects does.

    >>> remove_small_objects(numpy.array([[True, True, False, True]]), max_size=1)
    array([[ True,  True, False, False]])

    Parameters
    ----------
    ar : array of bool, or of labels
        Objects are connected components, or all pixels of a label.
    min_size : int
        Of versions before 0.26: objects of fewer pixels are removed.
    connectivity : int
        Along how many axes neighbours may differ; for arrays of bool.
    max_size : int
        Objects of so many pixels or fewer are removed.
    out : array
        Is written, and may be ``ar``.
    """
    _warn_of_the_old("min_size", min_size, max_size)
    _check_type(ar)
    if out is None:
        out = ar.copy()
    else:
        out[...] = ar
    return _remove(ar, out, connectivity, _least(min_size, max_size))


def _remove(ar, out, connectivity, least):
    """Removes objects of fewer than ``least`` pixels from ``out``, which has the pixels of ``ar``."""
    if least <= 1:
        return out
    if out.dtype != bool:
        _keep_labels(out, least)
        return out
    if ar.ndim == 0:  # one pixel
        out[...] = False
        return out
    neighbours = from_hops(connectivity, ar.ndim)
    if neighbours is None:
        function = original("skimage.morphology", "remove_small_objects", f"ar: {ar.ndim} dimensions", stacklevel=4)
        return function(ar, connectivity=connectivity, out=out, max_size=least - 1)
    chosen = _choice(connectivity=neighbours, min_area=least)
    labels, _ = _native.label(as_image(out), chosen, None, None, None)
    numpy.not_equal(labels.reshape(out.shape), 0, out=out)
    return out


def remove_small_holes(ar, area_threshold=_NOT_GIVEN, connectivity=1, *, max_size=64, out=None):
    """Fills holes of at most max_size pixels, as skimage.morphology.remove_small_holes does.

    >>> remove_small_holes(numpy.array([[True, False, True]]), max_size=1)
    array([[ True,  True,  True]])

    Parameters
    ----------
    ar : array of bool, or of labels, which are taken as bool
    area_threshold : int
        Of versions before 0.26: holes of fewer pixels are filled.
    connectivity, max_size, out
        As in ``remove_small_objects``.
    """
    _warn_of_the_old("area_threshold", area_threshold, max_size)
    _check_type(ar)
    if ar.dtype != bool:
        warnings.warn("Any labeled images will be returned as a boolean array. Did you mean to use a boolean array?",
                      UserWarning, stacklevel=2)
    if out is None:
        out = numpy.empty(ar.shape, bool)
    elif out.dtype != bool:
        raise TypeError("out dtype must be bool")
    numpy.logical_not(ar, out=out)
    _remove(out, out, connectivity, _least(area_threshold, max_size))
    return numpy.logical_not(out, out=out)

# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of skimage.measure, as of version 0.26."""
import numpy

from .. import _native
from .._components import _choice
from .._connectivity import as_image, from_hops
from .._fallback import original, the_rest_of

__all__ = ["label"]

__getattr__ = the_rest_of("skimage.measure")


def _reason(image, neighbours, background):
    """Why skerry leaves a call to scikit-image, or None."""
    if neighbours is None:
        return f"label_image: {image.ndim} dimensions are not 1, 2 or 3, or connectivity:"
    if image.dtype.kind not in "biu" or not image.dtype.isnative:
        return f"label_image: dtype {image.dtype}"
    if image.dtype == bool:
        return None if background in (None, 0, 1) else f"background: {background}"
    return None if background is None or abs(background) <= 2**53 else f"background: {background}"


def label(label_image, background=None, return_num=False, connectivity=None):
    """Labels the connected components of equal values, as skimage.measure.label does.

    >>> label(numpy.array([[1, 1, 2], [0, 7, 2]]), connectivity=1, return_num=True)
    (array([[1, 1, 2],
           [0, 3, 2]]), 3)

    Parameters
    ----------
    label_image : array of 1, 2 or 3 dimensions
        Of bool or integers.
    background : int
        The value that is background, 0 by default.
    return_num : bool
        Returns the number of components, too.
    connectivity : int
        Along how many axes neighbours may differ, 1 to the number of dimensions, which is the default.

    Returns
    -------
    labels, or (labels, number)
    """
    image = numpy.asarray(label_image)
    neighbours = from_hops(image.ndim if connectivity is None else connectivity, image.ndim)
    reason = _reason(image, neighbours, background)
    if reason is not None:
        return original("skimage.measure", "label", reason)(label_image, background, return_num, connectivity)
    if image.dtype == bool:
        kind, chosen = numpy.int32, _choice(connectivity=neighbours)
        image = ~image if background == 1 else image
    else:
        kind, chosen = numpy.int64, _choice(connectivity=neighbours, background=background, equal=True)
    labels, count = _native.label(as_image(image), chosen, kind, None, None)
    labels = labels.reshape(image.shape)
    return (labels, count) if return_num else labels

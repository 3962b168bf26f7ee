# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of skimage.measure, as of version 0.26."""
import numpy

from .. import _native
from .._components import _choice
from .._connectivity import as_image, from_hops
from .._fallback import original, the_rest_of

__all__ = ["label"]

__getattr__ = the_rest_of("skimage.measure")


def _reason(image, background, connectivity):
    """Why skerry leaves a call to scikit-image, or None."""
    if connectivity is None:
        return f"label_image: {image.ndim} dimensions are not 1, 2 or 3"
    if image.dtype != bool:
        return f"label_image: dtype {image.dtype}"
    return None if background in (None, 0, 1) else f"background: {background}"


def label(label_image, background=None, return_num=False, connectivity=None):
    """Labels the connected components of an image, as skimage.measure.label does.

    >>> label(numpy.array([[1, 0, 1], [0, 1, 0]], bool), connectivity=1, return_num=True)
    (array([[1, 0, 2],
           [0, 3, 0]], dtype=int32), 3)

    Parameters
    ----------
    label_image : array of 1, 2 or 3 dimensions
        Of bool; images of other types are left to scikit-image.
    background : bool
        Which pixels are background, False by default.
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
    reason = _reason(image, background, neighbours)
    if reason is not None:
        return original("skimage.measure", "label", reason)(label_image, background, return_num, connectivity)
    if background == 1:
        image = ~image
    labels, count = _native.label(as_image(image), _choice(connectivity=neighbours), numpy.int32, None, None)
    labels = labels.reshape(image.shape)
    return (labels, count) if return_num else labels

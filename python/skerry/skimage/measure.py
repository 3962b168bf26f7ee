# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of skimage.measure, as of version 0.26."""
import numpy

from .. import _device_drop_ins as on_device
from .. import _native
from .._components import _choice
from .._connectivity import NEIGHBOURS, as_image, from_hops
from .._fallback import original, the_rest_of
from ._properties import regionprops
from ._properties_table import regionprops_table

__all__ = ["euler_number", "label", "perimeter", "perimeter_crofton", "regionprops", "regionprops_table"]

__getattr__ = the_rest_of("skimage.measure")


def _reason(image, neighbours, background):
    """Why skerry leaves a call to scikit-image, or None."""
    if image.ndim not in NEIGHBOURS:
        return f"label_image: {image.ndim} dimensions are not 1, 2 or 3"
    if neighbours is None:
        return f"connectivity: it is not in 1…{image.ndim}"
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
    labels, or (labels, number); those of an array of CuPy are an int32 array of CuPy, as cucim.skimage.measure.label gives them
    """
    if on_device.is_cupy(label_image):
        return on_device.label_measure(label_image, background, return_num, connectivity)
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


def _of_one_region(mask, column):
    """The value of a column for all pixels of a mask as one region; 0 where it is empty."""
    return _native.measure_columns(mask, [column], None, None, True, None, None)[column].sum()


def euler_number(image, connectivity=None):
    """Counts pieces less holes of an image, as skimage.measure.euler_number does.

    >>> int(euler_number(numpy.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])))
    0

    Parameters
    ----------
    image : array of 2 or 3 dimensions
        Pixels above 0 are the objects.
    connectivity : int
        That of all neighbours, the default; calls with another one are left to scikit-image.

    Returns
    -------
    int
    """
    array = numpy.asarray(image)
    if array.ndim not in (2, 3) or array.size == 0:
        return original("skimage.measure", "euler_number", f"image: shape {array.shape}")(image, connectivity)
    if connectivity not in (None, array.ndim):
        return original("skimage.measure", "euler_number", f"connectivity: {connectivity}")(image, connectivity)
    number = _of_one_region(array > 0, "euler_number")
    return number if array.ndim == 2 else int(number)


def perimeter(image, neighborhood=4):
    """Measures the length of the border of a mask, as skimage.measure.perimeter does.

    >>> float(perimeter(numpy.ones((3, 3), bool)))
    8.0

    Parameters
    ----------
    image : array of 2 dimensions
        Of bool, or of integers 0 and 1; calls with other ones are left to scikit-image.
    neighborhood : int
        4; calls with another one are left to scikit-image.

    Returns
    -------
    float
    """
    array = numpy.asarray(image)
    reason = None
    if array.ndim != 2 or array.size == 0 or array.dtype.kind not in "biu":
        reason = f"image: shape {array.shape} of {array.dtype}"
    elif array.dtype != bool and not (array.min() >= 0 and array.max() <= 1):
        reason = "image: it has values other than 0 and 1"
    elif neighborhood != 4:
        reason = f"neighborhood: {neighborhood}"
    if reason is not None:
        return original("skimage.measure", "perimeter", reason)(image, neighborhood)
    return _of_one_region(array != 0, "perimeter")


def perimeter_crofton(image, directions=4):
    """Measures the length of the border of an image's objects, as skimage.measure.perimeter_crofton does.

    >>> round(float(perimeter_crofton(numpy.ones((3, 3), bool))), 6)
    10.265993

    Parameters
    ----------
    image : array of 2 dimensions
        Pixels above 0 are the objects.
    directions : int
        4; calls with 2 are left to scikit-image.

    Returns
    -------
    float
    """
    array = numpy.asarray(image)
    if array.ndim != 2 or array.size == 0:
        return original("skimage.measure", "perimeter_crofton", f"image: shape {array.shape}")(image, directions)
    if directions == 2:
        return original("skimage.measure", "perimeter_crofton", "directions: 2")(image, directions)
    return _of_one_region(array > 0, "perimeter_crofton")

# SPDX-License-Identifier: Apache-2.0
"""Drop-in for scipy.ndimage: ``from skerry import ndimage``.

Calls that skerry has no engine for (more than 3 dimensions, other structures, other types), and all other functions, are
SciPy's, if it is installed.
"""
import numpy

from . import _device_drop_ins as on_device
from . import _native
from ._components import _choice
from ._connectivity import NEIGHBOURS, as_image, from_structure
from ._fallback import original, the_rest_of
from ._pixels import labeled_comprehension, value_indices
from ._places import extrema, find_objects, histogram, maximum_position, median, minimum_position
from ._statistics import center_of_mass, maximum, mean, minimum, standard_deviation, sum, sum_labels, variance

__all__ = ["binary_fill_holes", "center_of_mass", "extrema", "find_objects", "histogram", "label", "labeled_comprehension",
           "maximum", "maximum_position", "mean", "median", "minimum", "minimum_position", "standard_deviation", "sum",
           "sum_labels", "value_indices", "variance"]

__getattr__ = the_rest_of("scipy.ndimage")


def _type_of(output):
    if isinstance(output, numpy.ndarray):
        return output.dtype
    return numpy.dtype(numpy.int32 if output is None else output)


def _reason(image, structure, output):
    """Why skerry leaves a call to SciPy, or None."""
    if image.ndim not in NEIGHBOURS:
        return f"input: {image.ndim} dimensions are not 1, 2 or 3"
    if image.dtype.kind not in "biuf" or image.dtype.itemsize > 8 or not image.dtype.isnative:
        return f"input: dtype {image.dtype}"
    if from_structure(structure, image.ndim) is None:
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
    structure : array of 3 x 3, in 3 dimensions of 3 x 3 x 3
        Which neighbours connect; by default those with a common side.
    output : dtype or array
        Type of the labels, int32 by default; or where they are written.

    Returns
    -------
    (labels, n), or n alone if output is an array

    Raises RuntimeError when the labels do not fit the type of ``output``, as SciPy does. Of an array of CuPy labels are an array
    of CuPy, as cupyx.scipy.ndimage.label gives them.
    """
    if on_device.is_cupy(input):
        return on_device.label_ndimage(input, structure, output)
    image = numpy.asarray(input)
    reason = _reason(image, structure, output)
    if reason is not None:
        return original("scipy.ndimage", "label", reason)(input, structure, output)
    if image.dtype.kind == "f":  # to skerry.label, NaN is background
        image = image != 0
    into = as_image(output) if isinstance(output, numpy.ndarray) else None
    kind = None if into is not None else _type_of(output)
    chosen = _choice(connectivity=from_structure(structure, image.ndim))
    try:
        labels, count = _native.label(as_image(image), chosen, kind, into, None)
    except ValueError as failure:
        if "components do not fit" in str(failure):
            raise RuntimeError("insufficient bit-depth in requested output type") from failure
        raise
    return count if into is not None else (labels.reshape(image.shape), count)


def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """Fills the holes of an array, as scipy.ndimage.binary_fill_holes does.

    >>> print(binary_fill_holes([[1, 1, 1], [1, 0, 1], [1, 1, 1]]).all())
    True

    Parameters
    ----------
    input : array of 2 or 3 dimensions
        Pixels other than 0 are filled already.
    structure : array
        Through which neighbours the background is connected: with a common side by default, or all.
    output : array of bool
        Where the result is written.
    origin : int
        Other than 0 is left to SciPy.
    axes : tuple of int
        Others than all are left to SciPy, which has them since 1.17.
    """
    image = numpy.asarray(input)
    if axes is not None and len({axis % max(image.ndim, 1) for axis in numpy.atleast_1d(axes)}) != image.ndim:
        function = original("scipy.ndimage", "binary_fill_holes", f"axes: {axes} of {image.ndim} dimensions")
        return function(input, structure, output, origin, axes=axes)
    background = from_structure(structure, image.ndim) if image.ndim in (2, 3) else None
    foreground = {4: 8, 8: 4, 6: 26, 26: 6}.get(background)
    if (image.size == 0 or image.ndim == 0) and output is None:  # SciPy divides by 0
        return numpy.asarray(image != 0)
    if foreground is None or not numpy.all(numpy.equal(origin, 0)) or image.dtype.kind not in "biuf":
        reason = f"structure: another neighbourhood, or input of {image.ndim} dimensions of {image.dtype}"
        return original("scipy.ndimage", "binary_fill_holes", reason)(input, structure, output, origin)
    chosen = _choice(connectivity=foreground, fill_holes=True)
    labels, _ = _native.label(image if image.dtype == bool else image != 0, chosen, None, None, None)
    if isinstance(output, numpy.ndarray):
        numpy.not_equal(labels, 0, out=output, casting="unsafe")
        return None
    return labels != 0

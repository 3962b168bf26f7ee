# SPDX-License-Identifier: Apache-2.0
"""What the drop-ins do with arrays of CuPy: the functions that cupyx and cuCIM have, with arrays of CuPy as results."""
import sys

import numpy

from ._components import _choice
from ._connectivity import NEIGHBOURS, from_hops, from_structure
from ._device import label as enqueue
from ._fallback import original
from ._regions import measure_columns, measure_labels

CUPYX, _CUCIM = "cupyx.scipy.ndimage", "cucim.skimage.measure"


def is_cupy(array):
    """Whether it is an array of CuPy."""
    return "cupy" in sys.modules and isinstance(array, sys.modules["cupy"].ndarray)


def _as_image(array):
    return array[numpy.newaxis] if array.ndim == 1 else array


def _numpy(array):
    return array.get() if is_cupy(array) else array


def label_ndimage(input, structure, output):
    """cupyx.scipy.ndimage.label, whose count makes it wait."""
    neighbours = from_structure(_numpy(structure), input.ndim) if input.ndim in NEIGHBOURS else None
    given = is_cupy(output)
    kind = numpy.dtype(output.dtype if given else numpy.int32 if output is None else output)
    reason = None
    if neighbours is None:
        reason = f"structure: another neighbourhood, or input of {input.ndim} dimensions"
    elif input.dtype.kind not in "biuf":
        reason = f"input: dtype {input.dtype}"
    elif kind.kind not in "iu":
        reason = f"output: dtype {kind}"
    elif given and (output.shape != input.shape or sys.modules["cupy"].may_share_memory(input, output)):
        reason = "output: its shape or memory"
    if reason is not None:
        return original(CUPYX, "label", reason)(input, structure, output)
    image = input != 0 if input.dtype.kind == "f" else input  # to skerry.label, NaN is background
    found = enqueue(_as_image(image), _choice(connectivity=neighbours), None if given else kind, _as_image(output) if given else None)
    try:
        count = found.count
    except ValueError as failure:
        raise RuntimeError("insufficient bit-depth in requested output type") from failure
    return count if given else (found.image.reshape(input.shape), count)


def label_measure(label_image, background, return_num, connectivity):
    """cucim.skimage.measure.label; waits only for the number, if that is asked for."""
    rank = label_image.ndim
    neighbours = from_hops(rank if connectivity is None else connectivity, rank)
    if neighbours is None or label_image.dtype.kind not in "biu" or not (background is None or abs(background) <= 2**53):
        reason = f"label_image: {rank} dimensions of {label_image.dtype}, connectivity {connectivity}, or background {background}"
        return original(_CUCIM, "label", reason)(label_image, background, return_num, connectivity)
    image = label_image
    if image.dtype == bool:
        chosen, image = _choice(connectivity=neighbours), ~image if background == 1 else image
    else:
        chosen = _choice(connectivity=neighbours, background=background, equal=True)
    found = enqueue(_as_image(image), chosen, numpy.int32, None)
    labels = found.image.reshape(label_image.shape)
    return (labels, found.count) if return_num else labels


def sums(input, labels, index):
    """A table with a row for each of the labels, in host memory, or None for what is left to cupyx."""
    if not is_cupy(labels) or index is None or labels.shape != input.shape or labels.ndim not in NEIGHBOURS:
        return None
    if labels.dtype.kind not in "biu" or input.dtype.kind not in "biuf":
        return None
    return measure_labels(_as_image(labels), _as_image(input), index=numpy.atleast_1d(_numpy(index)).ravel(), background=None)


def feature(name, column, input, labels, index):
    """sum_labels, mean or standard_deviation of cupyx.scipy.ndimage."""
    table = sums(input, labels, index) if column is not None else None
    if table is None:
        return original(CUPYX, name, "labels or index: no integers for each pixel")(input, labels, index)
    found = table[column].reshape(numpy.shape(_numpy(index)))
    return sys.modules["cupy"].asarray(found)


def _columns_of(name, keys):
    """The columns of a property, or None where skerry does not measure it on a GPU."""
    found = [key for key in keys if key == name or (key.startswith(name + "-") and key[len(name) + 1:].replace("-", "").isdigit())]
    return found or None


def _why_not(label_image, intensity_image, properties, given):
    """What skerry does not measure on a GPU, or None."""
    if given:
        return f"{next(iter(given))}: arrays of CuPy have none"
    if label_image.ndim not in (2, 3) or label_image.dtype.kind not in "biu":
        return f"label_image: {label_image.ndim} dimensions of {label_image.dtype}"
    weighted = [name for name in properties if "weighted" in name]
    if intensity_image is not None and weighted:
        if intensity_image.ndim != label_image.ndim:
            return f"properties: {', '.join(weighted)} of several channels"
        if intensity_image.dtype.kind == "f" and not bool(sys.modules["cupy"].isfinite(intensity_image).all()):
            return "intensity_image: it has infinities or NaN"
    return None


def regionprops_table(label_image, intensity_image, properties, separator, **others):
    """cucim.skimage.measure.regionprops_table; the table's rows make it wait."""
    given = {name: value for name, value in others.items() if value is not None}
    reason, table = _why_not(label_image, intensity_image, properties, given), None
    if reason is None:
        try:
            table = measure_columns(label_image, list(properties), intensity=intensity_image)
            missing = [name for name in properties if _columns_of(name, table.keys()) is None]  # groups
            reason = f"properties: {', '.join(missing)}" if missing else None
        except ValueError as failure:  # of a property that there is not
            reason = f"properties: {str(failure).removeprefix('columns: ')}"
    if reason is not None:
        function = original(_CUCIM, "regionprops_table", reason)
        return function(label_image, intensity_image, properties, separator=separator, **given)
    to_device = sys.modules["cupy"].asarray
    found = {}
    for name in properties:
        for key in _columns_of(name, table.keys()):
            found[key.replace("-", separator)] = to_device(table[key].astype(float) if key == "area" else table[key])
    return found

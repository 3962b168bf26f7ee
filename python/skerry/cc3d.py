# SPDX-License-Identifier: Apache-2.0
"""Drop-in for functions of cc3d (connected-components-3d), as of version 4.1: ``from skerry import cc3d``."""
import numpy

from . import _native
from ._components import _choice
from ._connectivity import as_image
from ._fallback import original, the_rest_of
from ._masks import Masks
from ._stack import components_of_slabs
from ._table import Table
from ._voxel_graphs import (DimensionError, color_connectivity_graph, contacts, estimate_provisional_labels, region_graph,
                            voxel_connectivity_graph)

__all__ = ["DimensionError", "color_connectivity_graph", "connected_components", "connected_components_stack", "contacts",
           "dust", "each", "estimate_provisional_labels", "largest_k", "region_graph", "statistics", "voxel_connectivity_graph"]

__getattr__ = the_rest_of("cc3d")

_CONNECTIVITY = {1: {6: 4, 18: 4, 26: 4}, 2: {4: 4, 6: 4, 8: 8, 18: 8, 26: 8}, 3: {6: 6, 18: 18, 26: 26}}
_TYPES = [numpy.dtype(bits) for bits in ("uint16", "uint32", "uint64")]


def _check(data, connectivity, delta, out_dtype):
    if data.ndim not in _CONNECTIVITY:
        raise DimensionError(f"data: {data.ndim} dimensions are not 1, 2 or 3")
    if data.dtype.kind not in "biuf" or data.dtype.itemsize > 8:
        raise TypeError(f"data: dtype {data.dtype} is not bool, an integer of 8 to 64 bits, float16, float32 or float64")
    if delta and data.dtype == numpy.float16:
        raise TypeError("delta: it is not taken for float16")
    if connectivity not in _CONNECTIVITY[data.ndim]:
        known = ", ".join(map(str, _CONNECTIVITY[data.ndim]))
        raise ValueError(f"connectivity: {connectivity} is not one of {known}, for {data.ndim} dimensions")
    if out_dtype is not None and numpy.dtype(out_dtype) not in _TYPES:
        raise ValueError(f"out_dtype: {numpy.dtype(out_dtype)} is not uint16, uint32 or uint64")


def _along_memory(array):
    """The array, or its transpose if that is the one in C order; and whether it is."""
    turned = array.flags.f_contiguous and not array.flags.c_contiguous
    return (array.T, True) if turned else (array, False)


def _periodic(wanted, rank):
    """A row of pixels is an image of one row, which does not wrap around."""
    return (False, bool(wanted)) if rank == 1 else bool(wanted)


def _in_a_file(labels, out_file):
    """The labels in a file that is mapped into memory, in their order there."""
    order = "C" if labels.flags.c_contiguous else "F"
    mapped = numpy.memmap(out_file, labels.dtype, "w+", shape=labels.shape, order=order)
    mapped[...] = labels
    return mapped


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
        Of bool, integers or floats. Neighbours of equal values join. A call with NaN is left to cc3d.
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
    out_file : path, or open file
        The labels are a numpy.memmap of this file.
    binary_image : bool
        Pixels other than 0 are foreground, and join whatever their values.

    Returns
    -------
    labels, or (labels, N)
    """
    data = data.astype(data.dtype.newbyteorder("="), copy=False)
    binary = binary_image or data.dtype == bool
    _check(data, connectivity, delta, out_dtype)
    if data.dtype.kind == "f" and not binary and numpy.isnan(data).any():
        return original("cc3d", "connected_components", "data: NaN")(
            data, max_labels, connectivity, return_N, delta, out_dtype, out_file, periodic_boundary, binary_image)
    image = data != 0 if binary and data.dtype.kind == "f" else data  # to skerry.label, NaN is background
    joins = {} if binary else {"delta": delta} if delta else {"equal": True}
    chosen = _choice(connectivity=_CONNECTIVITY[data.ndim][connectivity],
                     periodic=_periodic(periodic_boundary, data.ndim), **joins)
    read, turned = _along_memory(image)
    labels, count = _native.label(as_image(read), chosen, out_dtype, None, None)
    if labels.dtype == numpy.uint8:
        labels = labels.astype(numpy.uint16)
    labels = labels.T if turned else labels.reshape(image.shape)
    if out_file is not None:
        labels = _in_a_file(labels, out_file)
    return (labels, count) if return_N else labels


def connected_components_stack(stacked_images, connectivity=26, return_N=False, binary_image=False):
    """Labels a volume that comes in slabs, as cc3d.connected_components_stack does.

    Parameters
    ----------
    stacked_images : iterable of arrays of 3 dimensions
        Of the same first and second side; they follow each other along the third axis, and each is read once.
    connectivity : 6 or 26
    return_N : bool
        Returns the number of components, too.
    binary_image : bool
        As in ``connected_components``.

    Returns
    -------
    CrackleArray, or (CrackleArray, N)
        A compressed volume of the package crackle-codec, which has to be installed.
    """
    if connectivity not in (6, 26):
        raise ValueError(f"connectivity: {connectivity} is not 6 or 26")
    found, count = components_of_slabs(stacked_images, lambda image: connected_components(
        image, connectivity=connectivity, return_N=True, out_dtype=numpy.uint64, binary_image=bool(binary_image)))
    return (found, count) if return_N else found


def _rows(labels, most):
    """Counts, half-open boxes (minima, then maxima) and centroids of the labels 0..most, axes in the order of the array."""
    read, turned = _along_memory(labels)
    index = numpy.arange(most + 1, dtype=numpy.uint64)
    table = Table(_native.measure_labels(read, None, index, None, False, None, "", None)).arrays()
    axes = range(labels.ndim)[::-1] if turned else range(labels.ndim)
    boxes = [[table[f"bbox-{axis + end * labels.ndim}"] for axis in axes] for end in (0, 1)]
    return table["area"], numpy.array(boxes), numpy.stack([table[f"centroid-{axis}"] for axis in axes], axis=1)


def statistics(out_labels, no_slice_conversion=False):
    """Counts, boxes and centroids of the labels 0..N of a label image, as cc3d.statistics gives them.

    >>> found = statistics(numpy.array([[1, 1, 0], [0, 0, 3]]))
    >>> found["voxel_counts"]
    array([3, 2, 0, 1], dtype=uint32)
    >>> found["bounding_boxes"][1]
    (slice(0, 1, None), slice(0, 2, None))

    Parameters
    ----------
    out_labels : array of 1, 2 or 3 dimensions
        Of bool or integers from 0 to the number of voxels. One of 1 dimension is an image of one column.
    no_slice_conversion : bool
        Gives boxes as an array of first and last coordinates, axis by axis.

    Returns
    -------
    dict
        ``voxel_counts``, ``bounding_boxes`` and ``centroids``, with an item for each label. A label without voxels has no box
        (as an array: 65535 to 0) and a centroid of NaN. The values of an empty image are None.
    """
    labels = out_labels.reshape(-1, 1) if out_labels.ndim == 1 else out_labels
    if labels.dtype.kind not in "biu" or labels.ndim not in (2, 3):
        raise TypeError(f"out_labels: {out_labels.ndim} dimensions of {labels.dtype} are not labels of an image")
    if labels.size == 0:
        return {"voxel_counts": None, "bounding_boxes": None, "centroids": None}
    labels = labels.astype(labels.dtype.newbyteorder("="), copy=False)
    least, most = int(labels.min()), int(labels.max())
    if least < 0 or most > labels.size:
        wrong = least if least < 0 else most
        raise ValueError(f"out_labels: {wrong} is not in 0 to {labels.size}, the number of voxels")
    counts, (low, high), centroids = _rows(labels, most)
    found = {"voxel_counts": counts.astype(numpy.uint32 if labels.size < 2**32 else numpy.uint64)}
    if no_slice_conversion:
        ends = numpy.where(counts > 0, [low, high - 1], [[[65535]], [[0]]])
        kind = numpy.uint16 if max(labels.shape) <= 65535 else numpy.uint32
        found["bounding_boxes"] = ends.transpose(2, 1, 0).reshape(most + 1, -1).astype(kind)
    else:
        sides = [zip(starts.tolist(), stops.tolist()) for starts, stops in zip(low, high)]
        found["bounding_boxes"] = [tuple(slice(*side) for side in box) if count else None
                                   for count, box in zip(counts.tolist(), zip(*sides))]
    return {**found, "centroids": centroids}


def each(labels, binary=False, in_place=False):
    """Iterates over the labels above 0 and the image of each, as cc3d.each does.

    >>> [(label, image.tolist()) for label, image in each(numpy.array([[1, 0, 7]]))]
    [(1, [[1, 0, 0]]), (7, [[0, 0, 7]])]

    Parameters
    ----------
    labels : array of integers
        Of 1, 2 or 3 dimensions.
    binary : bool
        Images are masks.
    in_place : bool
        The images are one read-only array, whose content changes.
    """
    if labels.dtype == bool:  # whose image is a mask
        labels, binary = labels.view(numpy.uint8), True
    if labels.dtype.kind not in "iu" or labels.ndim not in _CONNECTIVITY:
        raise TypeError(f"labels: {labels.ndim} dimensions of {labels.dtype} are not labels of an image")
    return Masks(labels, bool(binary), bool(in_place))


def _components(image, connectivity, delta, binary_image, precomputed_ccl):
    """Labels, and the voxels of each."""
    labels = image if precomputed_ccl else connected_components(image, connectivity=connectivity, delta=delta,
                                                                binary_image=binary_image)
    sizes = statistics(labels, no_slice_conversion=True)["voxel_counts"]
    return labels, numpy.zeros(1, numpy.uint32) if sizes is None else sizes


def dust(img, threshold, connectivity=26, in_place=False, binary_image=False, precomputed_ccl=False, invert=False,
         return_N=False):
    """Sets components of fewer than ``threshold`` voxels to 0, as cc3d.dust does.

    >>> dust(numpy.array([[5, 5, 0, 7]]), 2)
    array([[5, 5, 0, 0]])

    Parameters
    ----------
    img : array of 1, 2 or 3 dimensions
    threshold : number, or (low, high)
        Keeps components of at least so many voxels; or of low <= voxels < high.
    connectivity, binary_image
        As in ``connected_components``.
    in_place : bool
        Changes ``img``.
    precomputed_ccl : bool
        ``img`` has labels of connected_components already.
    invert : bool
        Keeps the other components.
    return_N : bool
        Returns the number of components that are left, too.
    """
    labels, sizes = _components(img, connectivity, 0, binary_image, precomputed_ccl)
    low, high = threshold if isinstance(threshold, (tuple, list)) else (threshold, numpy.inf)
    keeps = (sizes >= low) & (sizes < high)
    keeps = ~keeps if invert else keeps
    result = img if in_place else img.copy(order="K")
    result[~keeps[labels]] = 0
    left = int((keeps & (sizes > 0))[1:].sum())
    return (result, left) if return_N else result


def largest_k(img, k, connectivity=26, delta=0, return_N=False, binary_image=False, precomputed_ccl=False):
    """Labels the k largest components, as cc3d.largest_k does; of equally large ones the first.

    >>> largest_k(numpy.array([[5, 0, 7, 7, 0, 3, 3]]), 2)
    array([[0, 0, 1, 1, 0, 2, 2]], dtype=uint16)

    Parameters
    ----------
    img : array of 1, 2 or 3 dimensions
    k : int
        How many. The result for 1 is a mask.
    connectivity, delta, binary_image
        As in ``connected_components``.
    return_N : bool
        Returns the number of components, too.
    precomputed_ccl : bool
        ``img`` has labels of connected_components already.
    """
    if k < 0:
        raise ValueError(f"k: {k} is not at least 0")
    labels, sizes = _components(img, connectivity, delta, binary_image, precomputed_ccl)
    if labels.dtype == bool:
        labels = labels.astype(bool if k == 1 else numpy.uint16)
    there = int((sizes[1:] > 0).sum())
    if there > k:
        largest = numpy.sort(numpy.argsort(-sizes[1:].astype(numpy.int64), kind="stable")[:k]) + 1
        numbers = numpy.zeros(len(sizes), bool if k == 1 else labels.dtype)
        numbers[largest] = numpy.arange(1, k + 1)
        labels = numbers[labels]
    return (labels, min(k, there)) if return_N else labels

# SPDX-License-Identifier: Apache-2.0
"""The graphs of cc3d: contacts of regions, and connections of voxels."""
import itertools

import numpy

from ._regions import contacts as find_contacts

_TOUCHING = {2: {4: 4, 6: 4, 8: 8, 18: 8, 26: 8}, 3: {6: 6, 18: 18, 26: 26}}

# Steps (x, y, z), the axes of an array in order, by the bits of a voxel's connections.
_FACES = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
_EDGES = [(1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0), (1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1), (1, 0, -1),
          (-1, 0, -1), (0, 1, -1), (0, -1, -1)]
_CORNERS = [(x, y, z) for z, y, x in itertools.product((1, -1), repeat=3)]
_STEPS = {4: _FACES[:4], 8: _FACES[:4] + _EDGES[:4], 6: _FACES, 18: _FACES + _EDGES, 26: _FACES + _EDGES + _CORNERS}


class DimensionError(Exception):
    """An array has another number of dimensions than 1, 2 or 3."""


def contacts(labels, connectivity=26, surface_area=True, anisotropy=(1, 1, 1)):
    """Finds the labels above 0 or below that touch, and their common surface, as cc3d.contacts does.

    >>> contacts(numpy.array([[1, 1], [2, 3]]), connectivity=4)
    {(1, 2): 1.0, (1, 3): 1.0, (2, 3): 1.0}

    Parameters
    ----------
    labels : array of 1, 2 or 3 dimensions
        Of bool or integers.
    connectivity : int
        Which voxels touch: 4 or 8 in 2 dimensions; 6, 18 or 26 in 3.
    surface_area : bool
        Common faces by their area; else the number of pairs of voxels that touch. Here each pair counts once; cc3d counts some
        twice for 8 and 26 neighbours.
    anisotropy : number for each axis
        Sides of a voxel; with 6, 18 and 26 neighbours also that of the axis which an image of 2 dimensions lacks.

    Returns
    -------
    dict of float, by pairs of labels
    """
    if labels.dtype.kind not in "biu":
        raise TypeError(f"labels: dtype {labels.dtype} is not an integer type")
    image = labels.reshape(-1, 1) if labels.ndim == 1 else labels
    if image.ndim not in _TOUCHING:
        raise DimensionError(f"labels: {labels.ndim} dimensions are not 1, 2 or 3")
    if connectivity not in _TOUCHING[image.ndim]:
        known = ", ".join(map(str, _TOUCHING[image.ndim]))
        raise ValueError(f"connectivity: {connectivity} is not one of {known}, for {labels.ndim} dimensions")
    if image.size == 0:
        return {}
    sides = numpy.array([*anisotropy, 1, 1, 1][:2 if connectivity in (4, 8) else 3], float)
    table = find_contacts(image.astype(image.dtype.newbyteorder("="), copy=False), background=0,
                          connectivity=_TOUCHING[image.ndim][connectivity])
    areas = (numpy.prod(sides) / sides if surface_area else numpy.ones(3))[:image.ndim]
    total = sum(area * table[f"faces-{axis}"] for axis, area in enumerate(areas))
    if not surface_area:
        total = total + sum(table[name] for name in ("edges", "corners") if name in table)
    pairs = zip(table["label-0"].tolist(), table["label-1"].tolist())
    return dict(zip(pairs, total.tolist()))


def region_graph(labels, connectivity=26):
    """The pairs of labels that touch, as a set.

    >>> sorted(region_graph(numpy.array([[1, 1], [2, 3]])))
    [(1, 2), (1, 3), (2, 3)]
    """
    return set(contacts(labels, connectivity))


def _ends(step, shape):
    """Slices of the voxels that have a voxel one step on, and of these."""
    here = tuple(slice(max(-way, 0), side - max(way, 0)) for way, side in zip(step, shape))
    there = tuple(slice(max(way, 0), side - max(-way, 0)) for way, side in zip(step, shape))
    return here, there


def voxel_connectivity_graph(data, connectivity=26):
    """Marks the neighbours of each voxel that have its value, or are outside, as cc3d.voxel_connectivity_graph does.

    >>> voxel_connectivity_graph(numpy.array([[1, 1], [1, 2]]), connectivity=4)
    array([[15, 14],
           [11,  5]], dtype=uint8)

    Parameters
    ----------
    data : array of 1, 2 or 3 dimensions
        Of bool or integers.
    connectivity : int
        4 or 8, in 2 dimensions; 6, 18 or 26.

    Returns
    -------
    array of uint8, or of uint32 for 18 and 26
        Bits from the lowest, where x, y and z are the first, second and third axis: +x, -x, +y, -y; for 4 and 8 then xy, -xy,
        x-y, -x-y; for others then +z, -z, xy, -xy, x-y, -x-y, xz, -xz, yz, -yz, x-z, -x-z, y-z, -y-z, xyz, -xyz, x-yz, -x-yz,
        xy-z, -xy-z, x-y-z, -x-y-z.
    """
    if data.dtype.kind not in "biu":
        raise TypeError(f"data: dtype {data.dtype} is not an integer type")
    if data.ndim not in (1, 2, 3):
        raise DimensionError(f"data: {data.ndim} dimensions are not 1, 2 or 3")
    if connectivity not in _STEPS or (connectivity in (4, 8) and data.ndim == 3):
        known = "6, 18 or 26" if data.ndim == 3 else "4, 6, 8, 18 or 26"
        raise ValueError(f"connectivity: {connectivity} is not {known}, for {data.ndim} dimensions")
    steps = _STEPS[connectivity]
    image = data.reshape(data.shape + (1,) * (3 - data.ndim))
    graph = numpy.full(image.shape, 2 ** len(steps) - 1, numpy.uint32 if len(steps) > 8 else numpy.uint8, order="F")
    for bit, step in enumerate(steps):
        here, there = _ends(step, image.shape)
        graph[here] -= (image[here] != image[there]).astype(graph.dtype) << graph.dtype.type(bit)
    return graph.reshape(data.shape, order="F")


def _joined(pairs, size):
    """Of each of ``size`` voxels the smallest one that pairs join it to, directly or by others."""
    roots = numpy.arange(size)
    while len(pairs):
        low, high = numpy.sort(roots[pairs].T, axis=0)
        numpy.minimum.at(roots, high, low)
        while not numpy.array_equal(roots, roots[roots]):
            roots = roots[roots]
        pairs = pairs[roots[pairs[:, 0]] != roots[pairs[:, 1]]]
    return roots


def color_connectivity_graph(vcg, connectivity=26, return_N=False):
    """Labels the components of a graph of voxels, as cc3d.color_connectivity_graph does.

    >>> color_connectivity_graph(voxel_connectivity_graph(numpy.array([[1, 1], [2, 2]]), connectivity=4), connectivity=4)
    array([[1, 1],
           [2, 2]], dtype=uint32)

    Parameters
    ----------
    vcg : array of uint8 or uint32, of 2 or 3 dimensions
        Bits as voxel_connectivity_graph makes them. Of the two bits of a pair of voxels, that of the one that comes later in
        Fortran order counts.
    connectivity : int
        4 or 8 in 2 dimensions, 6 or 26 in 3. 8 with uint32 has the bits of 26.
    return_N : bool
        Returns the number of components, too.

    Returns
    -------
    array of uint32, or (array, number)
        Labels from 1, in Fortran order.
    """
    if vcg.dtype not in (numpy.uint8, numpy.uint32):
        raise ValueError(f"vcg: dtype {vcg.dtype} is not uint8 or uint32")
    if vcg.ndim not in (2, 3):
        raise DimensionError(f"vcg: {vcg.ndim} dimensions are not 2 or 3")
    known = (4, 8, 6, 26) if vcg.ndim == 2 else (6, 26)
    if connectivity not in known or (connectivity == 26 and vcg.dtype == numpy.uint8):
        raise ValueError(f"connectivity: {connectivity} is not one of {known} for {vcg.ndim} dimensions of {vcg.dtype}")
    graph = vcg.reshape(vcg.shape + (1,) * (3 - vcg.ndim))
    bits = _STEPS[26] if vcg.dtype == numpy.uint32 and connectivity == 8 else _STEPS[connectivity]
    numbers = numpy.arange(graph.size).reshape(graph.shape, order="F")
    pairs = [numpy.zeros((0, 2), numpy.int64)]
    for bit, step in enumerate(bits):
        if step not in _STEPS[connectivity] or step[::-1] > (0, 0, 0):
            continue
        here, there = _ends(step, graph.shape)
        joins = (graph[here] >> graph.dtype.type(bit)) & graph.dtype.type(1) != 0
        pairs.append(numpy.stack([numbers[here][joins], numbers[there][joins]], axis=1))
    roots = _joined(numpy.concatenate(pairs), graph.size)
    firsts = roots == numpy.arange(graph.size)
    labels = numpy.cumsum(firsts, dtype=numpy.uint32)[roots].reshape(vcg.shape, order="F")
    return (labels, int(firsts.sum())) if return_N else labels


def estimate_provisional_labels(data):
    """The runs of equal values other than 0 in the rows of an image, and the first and last row that has one.

    >>> estimate_provisional_labels(numpy.array([[0, 0, 0], [1, 1, 2]]))
    (2, 1, 1)

    Parameters
    ----------
    data : array of 1, 2 or 3 dimensions
        In C order; of one in Fortran order, columns are rows.

    Returns
    -------
    (runs, first row, last row); (0, -1, -1) without any
    """
    rows = numpy.ascontiguousarray(data.T if data.flags.f_contiguous else data)
    rows = rows.reshape(-1, max(rows.shape[-1], 1))
    starts = rows != 0
    starts[:, 1:] &= rows[:, 1:] != rows[:, :-1]
    there = numpy.flatnonzero(starts.any(axis=1))
    if len(there) == 0:
        return 0, -1, -1
    return int(starts.sum()), int(there[0]), int(there[-1])

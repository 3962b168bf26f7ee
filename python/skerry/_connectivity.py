# SPDX-License-Identifier: Apache-2.0
"""Neighbourhoods as other libraries name them: hops, structures, and numbers of neighbours."""
import numpy

# Of images of 1, 2 and 3 dimensions, by hops along axes. A row of pixels is an image of one row.
NEIGHBOURS = {1: (4,), 2: (4, 8), 3: (6, 18, 26)}


def as_image(array):
    """The array, or an array of 1 dimension as an image of one row; without a copy."""
    return array[numpy.newaxis] if array.ndim == 1 else array


def from_hops(hops, rank):
    """Neighbours by the number of axes along which they may differ: 1..rank, as scikit-image counts; None for others."""
    return dict(enumerate(NEIGHBOURS.get(rank, ()), 1)).get(hops)


def _structures(rank):
    """Neighbours by the bytes of their structure."""
    steps = numpy.abs(numpy.indices((3,) * rank) - 1).sum(axis=0)
    return {(steps <= hops).tobytes(): neighbours for hops, neighbours in enumerate(NEIGHBOURS[rank], 1)}


_STRUCTURES = {rank: _structures(rank) for rank in NEIGHBOURS}


def from_structure(structure, rank):
    """Neighbours that an array of 3 x ... x 3 stands for, by default those with a common side; None for others."""
    if structure is None:
        return NEIGHBOURS[rank][0]
    wanted = numpy.asarray(structure, dtype=bool)
    return _STRUCTURES[rank].get(wanted.tobytes()) if wanted.shape == (3,) * rank else None

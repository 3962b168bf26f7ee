# SPDX-License-Identifier: Apache-2.0
"""What calls on arrays of Dask share."""
import math

from ._block_arrays import check_shape


def dask_modules():
    try:
        import dask.array  # only for those who ask for it
        import dask.graph_manipulation
    except ImportError as missing:
        raise ImportError("skerry.dask needs Dask: pip install 'skerry[dask]'") from missing
    return dask


def delayed(key, graph):
    from dask.delayed import Delayed
    return Delayed(key, graph)


def graph_of(name, layer, dependencies):
    """The tasks of a layer after those of collections."""
    from dask.highlevelgraph import HighLevelGraph
    return HighLevelGraph.from_collections(name, layer, dependencies=dependencies)


def _check_dask(array, name):
    dask = dask_modules()
    if not isinstance(array, dask.array.Array):
        raise TypeError(f"{name}: {type(array)} is not a dask.array.Array")
    return array


def check_array(array, name):
    _check_dask(array, name)
    if array.ndim not in (2, 3):
        raise ValueError(f"{name}: {array.ndim} dimensions are not 2 (rows, columns) or 3 (slices, rows, columns)")
    if any(math.isnan(side) for side in array.shape):
        raise ValueError(f"{name}: has chunks of unknown length; call compute_chunk_sizes() first")
    return array


def _without_empty_chunks(array):
    chunks = tuple(tuple(length for length in axis if length) or (0,) for axis in array.chunks)
    return array if chunks == array.chunks else array.rechunk(chunks)


def same_chunks(array, intensity, name, channels=False):
    """The arrays with the same chunks, each with pixels; with ``channels`` the intensities may have an axis of channels, which is one
    chunk."""
    array = _without_empty_chunks(check_array(array, name))
    if intensity is not None:
        check_shape(_check_dask(intensity, "intensity"), "intensity", array.shape, name, channels)
        intensity = intensity.rechunk(array.chunks + intensity.shape[array.ndim:])
    return array, intensity


def key_of(array, index):
    """The key of a block; None where there is no array."""
    return None if array is None else (array.name, *index, *(0,) * (array.ndim - len(index)))


def join_layer(grid, piece, name, task):
    """Joins the pieces of all blocks. Returns the key of the last one, and the tasks."""
    layer = {}
    for level, nodes in enumerate(grid.levels()):
        joined = name.format(level)
        layer.update(((joined, *node), (task, [(piece, *child) for child in children])) for node, children in nodes.items())
        piece = joined
    return (piece, *(0,) * len(grid.shape)), layer

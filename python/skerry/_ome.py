# SPDX-License-Identifier: Apache-2.0
"""Label images as OME-Zarr 0.5 has them: a group of arrays, each half as long as the one before, and metadata."""
import os
import posixpath

import numpy

from ._block_arrays import Part, block_shape, create, unit_of, zarr_module
from ._grid import Grid
from ._workers import Task

_VERSION = "0.5"
_LONGEST_SIDE_OF_LAST_LEVEL = 256
_UNITS = {"nm": "nanometer", "um": "micrometer", "µm": "micrometer", "mm": "millimeter", "cm": "centimeter", "m": "meter", "km": "kilometer"}


def first_level(path):
    """Where the labels at full resolution are."""
    return f"{os.fspath(path).rstrip('/')}/0"


def halve_task(source, to):
    """Every other pixel of each axis, which is the nearest one of the level below."""
    to.array[to.region] = source.read()[(slice(None, None, 2),) * len(to.region)]


def _half(path, source, crew):
    """The next level of the pyramid."""
    shape = tuple(-(-side // 2) for side in source.shape)
    unit = unit_of(source)
    level = create(path, source, source.dtype, unit, shape)
    grid = Grid.of_blocks(shape, block_shape(shape, unit))

    def task(index):
        to = grid.region(index)
        region = tuple(slice(2 * side.start, min(2 * side.stop, length)) for side, length in zip(to, source.shape))
        return Task(halve_task, lambda: (Part(source, region), Part(level, to)), lambda _: None)

    crew.run(map(task, grid))
    return level


def _metadata(name, rank, levels, spacing, unit):
    sizes = numpy.broadcast_to(1 if spacing is None else spacing, rank)
    axes = [{"name": axis, "type": "space"} for axis in ("z", "y", "x")[-rank:]]
    for axis in axes:
        if unit in _UNITS:
            axis["unit"] = _UNITS[unit]
    datasets = [{"path": str(level),
                 "coordinateTransformations": [{"type": "scale", "scale": [float(side) * 2**level for side in sizes]}]}
                for level in range(levels)]
    return {"version": _VERSION, "multiscales": [{"name": name, "axes": axes, "datasets": datasets}],
            "image-label": {"source": {"image": "../../"}}}


def finish(path, labels, spacing, unit, crew):
    """Adds the levels and the metadata to labels that are written."""
    zarr = zarr_module()
    path = path.rstrip("/")
    levels, level = 1, labels
    while max(level.shape) > _LONGEST_SIDE_OF_LAST_LEVEL:
        level = _half(f"{path}/{levels}", level, crew)
        levels += 1
    parent, name = posixpath.split(path)
    group = zarr.open_group(path, mode="a", zarr_format=3)
    group.attrs["ome"] = _metadata(name, labels.ndim, levels, spacing, unit)
    if posixpath.basename(parent) == "labels":
        listing = zarr.open_group(parent, mode="a", zarr_format=3)
        names = dict(listing.attrs.get("ome", {})).get("labels", [])
        listing.attrs["ome"] = {"version": _VERSION, "labels": [*(each for each in names if each != name), name]}

# SPDX-License-Identifier: Apache-2.0
"""An image cut into blocks along each axis, and the tree by which their pieces are joined."""
import itertools
import math

# Pieces of so many neighbouring blocks, or more, are joined at a time.
_JOINED_AT_ONCE = 8


class Grid:
    """Blocks between bounds: those of each axis ascend from 0 to the length of the axis."""

    def __init__(self, bounds):
        self.bounds = tuple(tuple(axis) for axis in bounds)
        self.shape = tuple(axis[-1] for axis in self.bounds)
        self.counts = tuple(len(axis) - 1 for axis in self.bounds)

    @classmethod
    def of_blocks(cls, shape, block):
        """Blocks of one shape; those at the ends are smaller."""
        return cls((*range(0, length, side), length) for length, side in zip(shape, block))

    @classmethod
    def of_chunks(cls, chunks):
        """Blocks of the lengths that Dask lists for each axis."""
        return cls((0, *itertools.accumulate(axis)) for axis in chunks)

    def __len__(self):
        return math.prod(self.counts)

    def __iter__(self):
        """Indices of the blocks, in raster order."""
        return itertools.product(*map(range, self.counts))

    def origin(self, index):
        return tuple(axis[i] for axis, i in zip(self.bounds, index))

    def block_shape(self, index):
        return tuple(axis[i + 1] - axis[i] for axis, i in zip(self.bounds, index))

    def region(self, index, halo=0):
        """The block as slices of the image, with so many pixels around it as far as there are any."""
        return tuple(slice(max(axis[i] - halo, 0), min(axis[i + 1] + halo, axis[-1])) for axis, i in zip(self.bounds, index))

    def around(self, index, halo):
        """Indices of the other blocks with pixels at most so far from the block."""
        ranges = []
        for axis, i in zip(self.bounds, index):
            low, high = i, i
            while low > 0 and axis[low] > axis[i] - halo:
                low -= 1
            while high + 2 < len(axis) and axis[high + 1] < axis[i + 1] + halo:
                high += 1
            ranges.append(range(low, high + 1))
        return [other for other in itertools.product(*ranges) if other != index]

    def levels(self):
        """The tree of joins from its leaves: for each level a dict from the index of a node to the indices, on the level below,
        of the neighbours that it joins. The last level has one node; a grid of one block has no level."""
        counts = self.counts
        while math.prod(counts) > 1:
            sides = _group(counts)
            nodes = {}
            for index in itertools.product(*map(range, counts)):
                nodes.setdefault(tuple(i // side for i, side in zip(index, sides)), []).append(index)
            yield nodes
            counts = tuple(-(-count // side) for count, side in zip(counts, sides))


def _group(counts):
    """Shape of the group of blocks that one join takes: as near to a cube as there are blocks."""
    sides = [1] * len(counts)
    while math.prod(sides) < _JOINED_AT_ONCE and any(side < count for side, count in zip(sides, counts)):
        axis = min((axis for axis in range(len(counts)) if sides[axis] < counts[axis]), key=sides.__getitem__)
        sides[axis] *= 2
    return sides

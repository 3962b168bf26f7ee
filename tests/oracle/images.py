# SPDX-License-Identifier: Apache-2.0
"""Random images and volumes of several types, and the masks that the command line makes of them."""
import numpy as np

# (NumPy type, options of the command line, the same rule in NumPy)
RULES = [
    (np.bool_, [], lambda image: image),
    (np.uint8, ["--threshold", "127"], lambda image: image > 127),
    (np.uint16, ["--at-least", "30000"], lambda image: image >= 30000),
    (np.int16, ["--threshold", "0"], lambda image: image > 0),
    (np.int32, ["--range", "-5", "1000000"], lambda image: (image >= -5) & (image <= 1000000)),
    (np.float32, ["--threshold", "0.5"], lambda image: image > 0.5),
    (np.float64, ["--range", "0.25", "0.75"], lambda image: (image >= 0.25) & (image <= 0.75)),
]


def shapes(random, rank, count):
    """Small shapes, and some with sides around the 64 pixels of a machine word."""
    for _ in range(count):
        if rank == 3:
            yield tuple(int(side) for side in random.integers(1, (9, 12, 70)))
        elif random.random() < 0.3:
            yield int(random.integers(1, 8)), int(random.choice([31, 32, 63, 64, 65, 127, 128, 129]))
        else:
            yield tuple(int(side) for side in random.integers(1, (45, 60)))


def values_of(random, kind, shape):
    """Values on both sides of every threshold above."""
    if kind == np.bool_:
        return random.random(shape) < random.uniform(0.1, 0.9)
    if np.issubdtype(kind, np.floating):
        return random.random(shape).astype(kind)
    if kind == np.int32:
        return random.integers(-1_000_000, 2_000_000, shape, dtype=kind)
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def image_of(random, kind, shape):
    """An image made of blocks of 1 to 3 pixels, so that components have sizes of all kinds."""
    block = int(random.integers(1, 4))
    coarse = values_of(random, kind, tuple(-(-side // block) for side in shape))
    for axis in range(len(shape)):
        coarse = coarse.repeat(block, axis)
    return np.ascontiguousarray(coarse[tuple(slice(side) for side in shape)])

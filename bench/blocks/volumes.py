# SPDX-License-Identifier: Apache-2.0
"""Volumes of any size from a seed, chunk by chunk: the same pixels whatever is made of them first."""
import argparse

import numpy

SEED = 19
_TILE = 64  # side of the lattice of random values, which repeats
_OCTAVES = (64, 32, 16, 8, 4)


def granular(origin, shape, side=4):
    """Cubes of ``side`` pixels with a value of 0 to 255 each; origin and shape are multiples of it."""
    random = numpy.random.default_rng([SEED, *origin])
    cubes = random.integers(0, 256, [length // side for length in shape], "u1")
    for axis in range(3):
        cubes = cubes.repeat(side, axis)
    return cubes


def _weights(begin, length, period):
    """Pixels from lattice points: the matrix that interpolates along one axis, and the lattice points that it takes."""
    places = numpy.arange(begin, begin + length) / period
    low = numpy.floor(places).astype(int)
    first = low[0]
    matrix = numpy.zeros((length, low[-1] + 2 - first), "f4")
    matrix[numpy.arange(length), low - first] = 1 - (places - low)
    matrix[numpy.arange(length), low - first + 1] = places - low
    return matrix, numpy.arange(first, first + matrix.shape[1]) % _TILE


def natural(origin, shape):
    """Noise of several scales, each half as strong as the next larger one: blobs within blobs, 0 to 255."""
    total = numpy.zeros(shape, "f4")
    for octave, period in enumerate(_OCTAVES):
        lattice = numpy.random.default_rng([SEED, octave]).random((_TILE,) * 3, "f4") - 0.5
        axes = [_weights(begin, length, period) for begin, length in zip(origin, shape)]
        part = lattice[numpy.ix_(*(points for _, points in axes))]
        for matrix, _ in axes:  # the first axis becomes the last, three times
            part = numpy.tensordot(part, matrix, axes=(0, 1))
        total += part * (period / _OCTAVES[0]) ** 0.5
    return numpy.clip(total * 128 + 128, 0, 255).astype("u1")


# Name: how it is made, and above which value a pixel is foreground.
VOLUMES = {"natural": (natural, 160), "g4": (granular, 229)}


def options(description, **defaults):
    """A parser with these options, which are spelled the same in all programs, and their defaults."""
    known = {"side": {"type": int}, "chunk": {"type": int}, "image": {"choices": VOLUMES}}
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", default=default, **known[name])
    return parser


def chunks(side, chunk):
    """Origins of the chunks of a cube."""
    return [(z, y, x) for z in range(0, side, chunk) for y in range(0, side, chunk) for x in range(0, side, chunk)]


def region(origin, chunk):
    return tuple(slice(begin, begin + chunk) for begin in origin)


def largest_resident_set():
    """GiB of this process so far; getrusage() would count what it was forked from."""
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 2**20

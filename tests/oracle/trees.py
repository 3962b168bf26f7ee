# SPDX-License-Identifier: Apache-2.0
"""Compares max-trees and their filters with scikit-image on random images.

Usage: trees.py TREE_ANSWERS. Exits with 77 when a Python package is missing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import skimage
    from skimage import morphology
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import images

TYPES = np.uint8, np.uint16, np.int16, np.uint32, np.float32
SCALE = float(os.environ.get("SKERRY_TEST_SCALE", "1"))


class Answers:
    """skerry's process."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.image, self.output = pathlib.Path(folder) / "image", pathlib.Path(folder) / "output"

    def ask(self, job, image, connectivity, kind, limit):
        image.tofile(self.image)
        shape = (0, *image.shape) if image.ndim == 2 else image.shape
        words = job, image.dtype.name, *shape, connectivity, kind, limit, self.image, self.output
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            sys.exit("trees.py: skerry's process ended")
        return np.fromfile(self.output, np.uint32 if job == "parents" else image.dtype).reshape(image.shape)


def parents_by_first_pixel(image, axes):
    """scikit-image's parent image, with the first pixel of each node for its canonical pixel."""
    parent, order = (array.ravel() for array in morphology.max_tree(image, axes))
    values, pixels = image.ravel(), np.arange(image.size)
    canonical = np.where((values[parent] != values) | (pixels == order[0]), pixels, parent)
    first = np.full(image.size, image.size)
    np.minimum.at(first, canonical, pixels)
    node = first[canonical]
    parent_of_canonical = first[canonical[parent]]
    return np.where(node == pixels, parent_of_canonical[canonical], node).reshape(image.shape)


def image_of(random, kind, shape):
    if kind == np.float32:
        image = images.image_of(random, np.float32, shape)
        return np.round(image, 1).astype(np.float32) if random.random() < 0.5 else image
    image = images.image_of(random, kind, shape)
    limits = np.iinfo(kind)
    if random.random() < 0.6:  # few levels, and both ends of the type
        step = (int(limits.max) - int(limits.min)) // int(random.integers(2, 12)) + 1
        image = (image.astype(np.int64) // step * step).clip(limits.min, limits.max).astype(kind)
    return image


def reconstructed(image, h):
    values = image.astype(np.float64)
    return lambda footprint: morphology.reconstruction(np.maximum(values - h, values.min()), values, footprint=footprint)


def closed(opening, closing, image, limit, axes):
    """scikit-image turns floats over by 1 - image, which rounds."""
    return -opening(-image, limit, axes) if image.dtype == np.float32 else closing(image, limit, axes)


def differences(answers, random, image, connectivity):
    """Names of what differs."""
    axes = 1 if connectivity in (4, 6) else image.ndim
    footprint = morphology.disk(1) if image.ndim == 2 else morphology.ball(1)
    footprint = footprint if axes == 1 else np.ones((3,) * image.ndim)
    area, side = int(random.integers(1, image.size + 1)) // 3, int(random.integers(1, max(image.shape) + 1))
    spread = float(image.max()) - float(image.min())
    h = float(np.float32(spread * random.random() / 2))
    h = h if image.dtype == np.float32 else float(int(h))
    wanted = {
        ("parents", "max", 0): lambda: parents_by_first_pixel(image, axes),
        ("area", "max", area): lambda: morphology.area_opening(image, area, axes),
        ("area", "min", area): lambda: closed(morphology.area_opening, morphology.area_closing, image, area, axes),
        ("side", "max", side): lambda: morphology.diameter_opening(image, side, axes),
        ("side", "min", side): lambda: closed(morphology.diameter_opening, morphology.diameter_closing, image, side, axes),
        ("extrema", "max", h): lambda: reconstructed(image, h)(footprint).astype(image.dtype),
    }
    for (job, kind, limit), want in wanted.items():
        got = answers.ask(job, image, connectivity, kind, limit)
        if not np.array_equal(got, want()):
            yield f"{job} {kind} {limit}"


def main(program):
    random = np.random.default_rng(20240611)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        answers = Answers(program, folder)
        for rank, connectivities in ((2, (4, 8)), (3, (6, 26))):
            for connectivity in connectivities:
                for kind in TYPES:
                    for shape in images.shapes(random, rank, max(2, int(10 * SCALE))):
                        # Where a side is shorter than 3, scikit-image mistakes neighbours for each other.
                        shape = tuple(min(max(side, 3), 130 if rank == 2 else 20) for side in shape)
                        image = image_of(random, kind, shape)
                        for name in differences(answers, random, image, connectivity):
                            sys.exit(f"different: {name} of {image.dtype} {image.shape}, connectivity {connectivity}")
                        compared += 1
    print(f"{compared} images have the trees and filterings of scikit-image {skimage.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])

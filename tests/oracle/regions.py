# SPDX-License-Identifier: Apache-2.0
"""Compares tables and new labels of given label images with SciPy and scikit-image, on random labels of every integer type.

Usage: regions.py SKERRY. Exits with 77 when a Python package is missing.
"""
import os
import pathlib
import sys
import tempfile

try:
    import numpy as np
    import scipy.ndimage
    import skimage.measure
    import skimage.segmentation
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from compare import Difference, close, expect, read_table, run

TYPES = (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int16, np.int32, np.int64)
SCALE = float(os.environ.get("SKERRY_TEST_SCALE", "1"))


def labels_of(random, dtype, shape):
    """Regions of several parts, with gaps between their labels, and negative labels as background."""
    choices = np.unique(random.integers(0, 120, 9)).astype(dtype)
    if np.issubdtype(dtype, np.signedinteger):
        choices[0] = -5
    labels = random.choice(choices, shape)
    return np.repeat(labels, 2, axis=-1)[..., : shape[-1]].copy()


def compare_table(table, labels, image):
    index = np.unique(labels[labels > 0])
    expect((table["label"] == index).all() and len(table["label"]) == len(index), "labels")
    positive = np.where(labels > 0, labels, 0).astype(np.int64)
    expect((table["area"] == np.bincount(positive.ravel())[index.astype(int)]).all(), "areas")
    boxes = scipy.ndimage.find_objects(positive)
    centres = np.array(scipy.ndimage.center_of_mass(np.ones_like(positive), positive, index))
    for axis in range(labels.ndim):
        sides = [boxes[int(label) - 1][axis] for label in index]
        expect((table[f"bbox-{axis}"] == [side.start for side in sides]).all(), f"starts along axis {axis}")
        expect((table[f"bbox-{axis + labels.ndim}"] == [side.stop for side in sides]).all(), f"ends along axis {axis}")
        close(table[f"centroid-{axis}"], centres[:, axis], 1e-12, f"centroids along axis {axis}")
    numbers = (("sum", scipy.ndimage.sum_labels), ("mean", scipy.ndimage.mean), ("min", scipy.ndimage.minimum),
               ("max", scipy.ndimage.maximum), ("std", scipy.ndimage.standard_deviation))
    for name, function in numbers:
        close(table[f"intensity_{name}"], np.asarray(function(image, positive, index)), 1e-9, f"intensity_{name}")
    if labels.ndim == 3:
        return
    axes = skimage.measure.regionprops_table(positive, properties=("label", "major_axis_length"))
    close(table["axis_major_length"], axes["major_axis_length"], 1e-7, "axis_major_length")


def compare_one(skerry, random, folder):
    dtype = TYPES[random.integers(len(TYPES))]
    shape = tuple(random.integers(2, 40, 2)) if random.random() < 0.6 else tuple(random.integers(2, 12, 3))
    labels, image = labels_of(random, dtype, shape), random.integers(0, 60000, shape).astype(np.uint16)
    if not (labels > 0).any():
        return
    order = "F" if random.random() < 0.3 else "C"
    np.save(folder / "labels.npy", np.asarray(labels, order=order))
    np.save(folder / "image.npy", image)
    run(skerry, "measure", "--labels", folder / "labels.npy", "--intensity", folder / "image.npy", "-q", "-o",
        folder / "table.csv")
    compare_table(read_table(folder / "table.csv"), labels, image)
    run(skerry, "relabel", folder / "labels.npy", "--order", "labels", "-q", "-o", folder / "new.npy")
    want, _, _ = skimage.segmentation.relabel_sequential(np.where(labels > 0, labels, 0).astype(np.int64))
    expect((np.load(folder / "new.npy") == want).all(), "new labels")


def main(skerry):
    random = np.random.default_rng(5)
    rounds = max(4, int(40 * SCALE))
    with tempfile.TemporaryDirectory() as name:
        for _ in range(rounds):
            compare_one(skerry, random, pathlib.Path(name))
    print(f"{rounds} label images are as SciPy {scipy.__version__} and scikit-image {skimage.__version__} have them")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Difference as difference:
        sys.exit(f"different: {difference}")

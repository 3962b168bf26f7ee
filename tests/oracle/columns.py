# SPDX-License-Identifier: Apache-2.0
"""Compares every column with scikit-image's regionprops_table, by hand: it needs scikit-image 0.26.

Usage: columns.py COLUMN_ANSWERS. Prints how many columns of how many images agree, and which do not.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import skimage
from skimage import data, filters, measure
from skimage.measure._regionprops import COL_DTYPES

# scikit-image's own tests ask for 6 or 7 decimals of values of the order of 1: the same, relative to a column's largest value.
TOLERANCE = 1e-7
OBJECTS = {"coords", "coords_scaled", "image", "image_convex", "image_filled", "image_intensity", "slice"}
PLANES_ONLY = {"eccentricity", "moments_hu", "moments_weighted_hu", "orientation", "perimeter", "perimeter_crofton"}
NOT_IN_VOLUMES = PLANES_ONLY | {"area_convex", "solidity", "feret_diameter_max"}  # the last three: not here


def sample():
    """The image of scikit-image's own tests of regionprops."""
    return np.array([[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0],
                     [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0],
                     [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0],
                     [0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0],
                     [0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0],
                     [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
                     [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0],
                     [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
                     [0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1],
                     [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]])


def images():
    """Name, labels, spacing."""
    random = np.random.default_rng(1)
    yield "scikit-image's test image", sample(), (1, 1)
    coins = data.coins()
    yield "coins", measure.label(coins > filters.threshold_otsu(coins)), (1, 1)
    yield "horse", measure.label(~data.horse()), (1, 1)
    text = data.page()
    yield "page", measure.label(text < filters.threshold_otsu(text)), (1, 1)
    yield "binary blobs", measure.label(data.binary_blobs(256, rng=2)), (1, 1)
    yield "binary blobs, spacing 0.5", measure.label(data.binary_blobs(128, rng=3)), (0.5, 0.5)
    yield "binary blobs, spacing 2, 0.7", measure.label(data.binary_blobs(128, rng=4)), (2, 0.7)
    yield "unconnected regions", random.integers(0, 6, (40, 50)), (1, 1)
    yield "noise", measure.label(random.random((120, 130)) < 0.55), (1, 1)
    yield "a volume of blobs", measure.label(data.binary_blobs(40, n_dim=3, rng=5)), (1, 1, 1)
    yield "a volume of noise, spacing 2, 1, 0.5", random.integers(0, 4, (9, 10, 12)), (2, 1, 0.5)


def ask(program, folder, labels, grey, spacing, names=()):
    """skerry's columns and seconds."""
    labels.astype(np.int32).tofile(folder / "labels")
    grey.tofile(folder / "grey")
    shape = (0, *labels.shape) if labels.ndim == 2 else labels.shape
    spacing = (1, *spacing) if labels.ndim == 2 else spacing
    words = [program, *shape, folder / "labels", grey.dtype, folder / "grey", *spacing, *names]
    done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    columns = {line.split(" ", 1)[0]: np.array(line.split(" ")[1:], float) for line in done.stdout.splitlines()}
    return columns, float(done.stderr)


def difference(name, ours, columns):
    """The largest difference, relative to the largest value of the column. scikit-image finds central moments as differences of
    moments, and rounds as these: those of order 1, which are 0, are what rounding leaves."""
    theirs = np.asarray(columns[name], float)
    if np.any(np.isnan(ours) != np.isnan(theirs)):
        return np.inf
    scale = max(1, *(np.nanmax(np.abs(columns[each]), initial=0) for each in (name, name.replace("_central", ""))))
    return np.nanmax(np.abs(ours - theirs), initial=0) / scale


def greys(shape):
    """Intensities of each kind of sum: of narrow integers, of wide ones, and of floats."""
    random = np.random.default_rng(7)
    yield random.integers(0, 4096, shape).astype(np.uint16)
    yield random.integers(0, 2**40, shape)
    yield random.random(shape).astype(np.float32)
    yield 1e6 * random.random(shape) + 1e3


def cases():
    for name, labels, spacing in images():
        for grey in greys(labels.shape):
            yield f"{name}, {grey.dtype}", labels, spacing, grey


def main():
    program = sys.argv[1]
    agreed = compared = 0
    print(f"scikit-image {skimage.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        for name, labels, spacing, grey in cases():
            wanted = set(COL_DTYPES) - OBJECTS
            if labels.ndim == 3:
                wanted -= NOT_IN_VOLUMES
            if len(set(spacing)) != 1:
                wanted -= {"perimeter", "perimeter_crofton"}
            if set(spacing) != {1}:
                wanted -= {"moments_hu", "moments_weighted_hu"}
            start = time.perf_counter()
            theirs = measure.regionprops_table(labels, grey, sorted(wanted), spacing=spacing)
            seconds = time.perf_counter() - start
            ours, our_seconds = ask(program, pathlib.Path(folder), labels, grey, spacing, sorted(wanted))
            wrong = {column: difference(column, ours[column], theirs) if column in ours else np.inf for column in theirs}
            wrong = {column: by for column, by in wrong.items() if not by <= TOLERANCE}
            compared += len(theirs)
            agreed += len(theirs) - len(wrong)
            print(f"{name}: {len(theirs) - len(wrong)} of {len(theirs)} columns, {len(theirs['label'])} regions; "
                  f"{our_seconds * 1e3:.2f} ms instead of {seconds * 1e3:.0f} ms")
            for column, by in wrong.items():
                print(f"    {column} differs by {by:.3g}")
    print(f"{agreed} of {compared} columns agree to {TOLERANCE} of the column's largest value")


main()

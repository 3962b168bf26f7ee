# SPDX-License-Identifier: Apache-2.0
"""Compares max-trees and min-trees of the command line tool with SciPy and scikit-image on random images.

Usage: tree_command.py SKERRY. Exits with 77 when a Python package is missing.
"""
import os
import pathlib
import sys
import tempfile

try:
    import numpy as np
    import scipy.ndimage
    import skimage.morphology
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

from compare import AXES, Difference, close, expect, read_table, run, structure

TYPES = (np.uint8, np.uint16, np.int16, np.uint32, np.float32)
SCALE = float(os.environ.get("SKERRY_TEST_SCALE", "1"))


def image_of(random, dtype, shape):
    """Noise of few levels, or smooth hills of many."""
    if random.random() < 0.5:
        values = random.integers(0, 2 ** int(random.integers(1, 7)), shape).astype(np.float64)
    else:
        values = scipy.ndimage.gaussian_filter(random.random(shape), 1.5) * 200
    if dtype == np.float32:
        return (values / 3 - 5).astype(dtype)
    values = np.floor(values)
    return (values - 50 if dtype == np.int16 else values * 257 if dtype == np.uint16 else values).astype(dtype)


def upwards(image, kind):
    """The image whose max-tree has the nodes of the tree of that kind."""
    exact = image.astype(np.float64)
    return exact if kind == "max" else -exact


def component(up, level, pixel, connectivity):
    labels, _ = scipy.ndimage.label(up >= level, structure(up.ndim, AXES[connectivity]))
    return labels == labels.ravel()[pixel]


def meeting_level(up, inside, connectivity):
    """The highest level at which the component holds something higher than its peak."""
    peak = up[inside].max()
    pixel = int(np.flatnonzero(inside.ravel() & (up.ravel() == peak))[0])
    levels = np.unique(up[up <= peak])[::-1]
    return next(level for level in levels if up[component(up, level, pixel, connectivity)].max() > peak)


def compare_nodes(image, kind, connectivity, table, nodes, parents):
    """Every row from its definition: the component of its first pixel in the threshold set of its level."""
    up = upwards(image, kind)
    sign = 1 if kind == "max" else -1
    level, first, parent = table["level"] * sign, table["first_pixel"].astype(int), table["parent"].astype(int)
    order = np.lexsort((first, level))
    expect((order == np.arange(len(order))).all(), "nodes are not numbered by level and first pixel")
    expect((level[nodes] == up).all(), "a pixel is not at the level of its node")
    flat, pixel = nodes.ravel(), np.arange(nodes.size)
    expect((parents.ravel() == np.where(first[flat] == pixel, first[parent[flat]], first[flat])).all(), "parents")
    for node in range(len(level)):
        inside = component(up, level[node], first[node], connectivity)
        places = np.array(np.nonzero(inside))
        values = up[inside]
        own = np.flatnonzero(inside.ravel() & (up.ravel() == level[node]))
        expect(own[0] == first[node] and (flat[own] == node).all(), f"pixels of node {node}")
        below = level[parent[node]]
        expect(node == 0 or below < level[node], f"level below node {node}")
        if node > 0:  # nothing lies between: the next component that is larger is the parent's
            around = scipy.ndimage.binary_dilation(inside, structure(up.ndim, AXES[connectivity])) & ~inside
            around_at = component(up, below, first[node], connectivity).ravel()
            expect(up[around].max() == below and around_at[first[parent[node]]], f"parent of node {node}")
        variances = np.cov(places, bias=True).reshape(up.ndim, up.ndim) + np.eye(up.ndim) / 12
        axes, n = np.linalg.eigvalsh(variances), len(values)
        best = n / (2 * np.pi) if up.ndim == 2 else 0.6 * (3 * n / (4 * np.pi)) ** (2 / 3)
        exact = {"area": n, "height": values.max() - below}
        for axis in range(up.ndim):
            exact[f"bbox-{axis}"] = places[axis].min()
            exact[f"bbox-{axis + up.ndim}"] = places[axis].max() + 1
        for name, want in exact.items():
            expect(table[name][node] == want, f"{name} of node {node} is {table[name][node]} instead of {want}")
        near = {"volume": (values - below).sum(), "level_mean": sign * values.mean(), "level_variance": values.var(),
                "bbox_diagonal": np.linalg.norm(np.ptp(places, axis=1) + 1), "compactness": best / np.trace(variances),
                "elongation": np.sqrt(axes[-1] / axes[0])}
        near.update({f"centroid-{axis}": places[axis].mean() for axis in range(up.ndim)})
        if (up == values.max()).sum() == 1 and values.max() < up.max():  # no tie for the peak
            near["dynamics"] = values.max() - meeting_level(up, inside, connectivity)
        for name, want in near.items():
            close(table[name][node:node + 1], np.array([want], float), 1e-6, f"{name} of node {node}")


def reconstruction(up, h, connectivity):
    cut = skimage.morphology.reconstruction(up - h, up, footprint=structure(up.ndim, AXES[connectivity]))
    return np.maximum(cut, up.min())


def compare_filters(image, kind, connectivity, out):
    up, sign = upwards(image, kind), 1 if kind == "max" else -1
    # Its area_closing of floats rounds.
    area = (sign * skimage.morphology.area_opening(up, 5, connectivity=AXES[connectivity])).astype(image.dtype)
    expect((out["area"] == area).all(), "--min-area is not scikit-image's")
    distance = np.abs(image.astype(np.float64) - area.astype(np.float64))
    expect((out["hat"] == distance.astype(out["hat"].dtype)).all(), "--top-hat is not the difference")
    cut = sign * reconstruction(up, 3, connectivity)
    expect((out["h"] == cut.astype(image.dtype)).all(), "--h is not scikit-image's reconstruction")


def compare_batch(skerry, random, kind, connectivity, count):
    """Trees of many images of all types by a few commands, then each by the other libraries."""
    rank = 2 if connectivity in (4, 8) else 3
    common = ["-q", "--kind", kind, "--connectivity", connectivity]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "in").mkdir()
        for i in range(count):
            # scikit-image's trees are wrong for sides below 3.
            shape = tuple(int(side) for side in random.integers(3, 11 if rank == 2 else 6, rank))
            np.save(folder / "in" / f"{i:03}.npy", image_of(random, TYPES[i % len(TYPES)], shape))
        inputs = sorted((folder / "in").iterdir())
        run(skerry, "tree", *inputs, *common, "--table", folder / "{name}.csv", "--nodes", folder / "{name}-nodes.npy",
            "--parents", folder / "{name}-parents.npy", "--min-area", 5, "-o", folder / "{name}-area.npy")
        run(skerry, "tree", *inputs, *common, "--min-area", 5, "--top-hat", "-o", folder / "{name}-hat.npy")
        run(skerry, "tree", *inputs, *common, "--h", 3, "-o", folder / "{name}-h.npy")
        for path in inputs:
            image = np.load(path)
            outputs = "nodes", "parents", "area", "hat", "h"
            out = {what: np.load(folder / f"{path.stem}-{what}.npy") for what in outputs}
            table = read_table(folder / f"{path.stem}.csv")
            try:
                compare_nodes(image, kind, connectivity, table, out["nodes"], out["parents"])
                compare_filters(image, kind, connectivity, out)
            except Difference as difference:
                where = f"{kind}-tree of {image.dtype} {image.shape}, connectivity {connectivity}"
                raise Difference(f"{where}: {difference}") from None
    return len(inputs)


def main(skerry):
    random = np.random.default_rng(20240711)
    compared = 0
    for connectivity in (4, 8, 6, 26):
        for kind in ("max", "min"):
            compared += compare_batch(skerry, random, kind, connectivity, len(TYPES) * max(1, int(6 * SCALE)))
    print(f"{compared} trees are as SciPy {scipy.__version__} and scikit-image {skimage.__version__} have them")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Difference as difference:
        sys.exit(f"different: {difference}")

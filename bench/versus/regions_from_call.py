#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Given label images from Python, next to cc3d and scikit-image: tables, columns that read neighbours, and labels by value.

regions_from_call.py [--side 4096] [--volume 512] [--turns 5] [--json FILE]

Label images are the components, with 8 neighbours, of squares of 1, 4 and 16 pixels, half of them foreground, as uint32. Images to be
labelled by value are such squares and cubes of the values 0 to 4, as uint8 and uint32. All programs take turns on the same images in one process;
outputs are compared before anything is timed. In a turn each program is called four times in a row, since its first call meets the threads
and the memory that the program before has left; a call of more than a second is not repeated. Prints the least times in ms, and writes all of
them. Needs the Python package, cc3d and scikit-image.
"""
import argparse
import importlib.metadata
import itertools
import json
import os
import platform
import sys
import time

import cc3d
import numpy as np
import skimage.measure

import skerry

GRANULARITIES = 1, 4, 16
COLUMNS = ["perimeter", "euler_number", "moments_central"]
THREADS = 1, 2
CALLS_IN_TURN = 4


def blocks(shape, granularity, values):
    cells = np.random.default_rng(granularity).integers(0, values, [side // granularity for side in shape], dtype=np.uint8)
    return np.kron(cells, np.ones([granularity] * len(shape), np.uint8))


def by_threads(call):
    return {f"skerry, {threads} thread{'s' * (threads > 1)}": lambda image, threads=threads: call(image, threads) for threads in THREADS}


def require(same, what):
    if not same:
        sys.exit(f"{what}: the answers differ")


def check_table(image):
    ours, theirs = skerry.measure_labels(image), cc3d.statistics(image)
    require(np.array_equal(ours["area"], theirs["voxel_counts"][1:]), "areas")
    boxes = np.array([[axis.start, axis.stop] for box in theirs["bounding_boxes"][1:] for axis in box]).reshape(-1, 2, 2)
    for axis in (0, 1):
        require(np.array_equal(ours[f"bbox-{axis}"], boxes[:, axis, 0]), "boxes")
        require(np.allclose(ours[f"centroid-{axis}"], theirs["centroids"][1:, axis]), "centroids")


def check_columns(image):
    ours, theirs = skerry.measure_columns(image, COLUMNS), skimage.measure.regionprops_table(image, properties=COLUMNS)
    for name, column in theirs.items():
        raw = np.abs(column).max(initial=1)
        if name in ("moments_central-0-1", "moments_central-1-0"):  # 0, but for the rounding of scikit-image
            raw = np.inf
        require(np.all(np.abs(ours[name] - column) <= 1e-7 * raw), name)


def check_values(connectivity):
    def check(image):
        theirs, count = cc3d.connected_components(image, connectivity=connectivity, return_N=True)
        ours = skerry.label(image, equal=True, connectivity=connectivity)
        require(ours.count == count, "components")
        pairs = np.unique(np.asarray(ours).astype(np.uint64).ravel() << np.uint64(32) | theirs.ravel().astype(np.uint64))
        require(len(pairs) == count + (image == 0).any(), "labels")

    return check


def jobs(options):
    """Title, images by granularity, programs, and what compares their outputs."""
    plane = (options.side,) * 2
    given = {g: np.asarray(skerry.label(blocks(plane, g, 2), connectivity=8), np.uint32) for g in GRANULARITIES}
    yield "area, box, sums", given, {
        **by_threads(lambda image, threads: skerry.measure_labels(image, threads=threads)), "cc3d.statistics": cc3d.statistics}, check_table
    yield "perimeter, Euler number, central moments", given, {
        **by_threads(lambda image, threads: skerry.measure_columns(image, COLUMNS, threads=threads)),
        "regionprops_table": lambda image: skimage.measure.regionprops_table(image, properties=COLUMNS)}, check_columns
    for (shape, connectivity), dtype in itertools.product(((plane, 8), ((options.volume,) * 3, 26)), (np.uint8, np.uint32)):
        title = f"labels by value, {dtype.__name__}, {' x '.join(map(str, shape))}, {connectivity} neighbours"
        yield title, {g: blocks(shape, g, 5).astype(dtype) for g in GRANULARITIES[len(shape) - 2:]}, {
            **by_threads(lambda image, threads, connectivity=connectivity: skerry.label(
                image, equal=True, connectivity=connectivity, dtype=np.uint32, threads=threads)),
            "cc3d": lambda image, connectivity=connectivity: cc3d.connected_components(
                image, connectivity=connectivity, out_dtype=np.uint32)
        }, check_values(connectivity)


def timed(call, image):
    begin = time.perf_counter()
    call(image)
    return 1e3 * (time.perf_counter() - begin)


def times_of_turn(call, image):
    first = timed(call, image)
    return [first] + [timed(call, image) for _ in range(CALLS_IN_TURN - 1) if first < 1000]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--volume", type=int, default=512)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "scikit-image", "connected-components-3d")}
    found = {"skerry": skerry.__version__, "versions": versions, "processors": os.cpu_count(), "machine": platform.machine(),
             "side": options.side, "volume": options.volume, "turns": options.turns, "calls_in_turn": CALLS_IN_TURN, "load_before": os.getloadavg()[0], "jobs": []}
    for title, images, programs, check in jobs(options):
        for granularity, image in images.items():
            check(image)
            times = {name: [] for name in programs}
            for _ in range(options.turns):
                for name, call in programs.items():
                    times[name] += times_of_turn(call, image)
            found["jobs"].append({"job": title, "granularity": granularity, "pixels": image.size, "milliseconds": times})
            print(f"{title}, g = {granularity}: " + ", ".join(f"{name} {min(each):.1f}" for name, each in times.items()), flush=True)
    found["load_after"] = os.getloadavg()[0]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()

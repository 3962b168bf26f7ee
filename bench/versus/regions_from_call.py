#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Given label images from Python, next to cc3d and scikit-image: tables, columns that read neighbours, and labels by value.

regions_from_call.py [--side 4096] [--volume 512] [--turns 5] [--json FILE]

Label images are uint32: the components, with 8 neighbours, of squares of 1, 4 and 16 pixels, half of them foreground; and segmentations of
photographs, samples/ above Otsu's threshold, cut by a watershed of the distance to the background, repeated until the image is full. Images
to be labelled by value are such squares and cubes of the values 0 to 4, as uint8 and uint32. All programs take turns on the same images in
one process; outputs are compared before anything is timed. A turn begins when no thread of the process runs: those of NumPy's BLAS, which
scikit-image calls, look for more work for some 100 ms, on a processor that the next program needs. In a turn each program is called for a
quarter of a second, and at least once: the first calls wake threads and processors. Beside them NumPy reads the image and nothing else,
which other work on the machine slows as much. Prints the least times in ms, and writes the least and the median of each turn. Needs the
Python package, cc3d and scikit-image.
"""
import argparse
import concurrent.futures
import importlib.metadata
import itertools
import json
import os
import platform
import statistics
import sys
import time

import cc3d
import numpy as np
import scipy.ndimage
import skimage.measure
import skimage.segmentation

import skerry
from photographs import objects_of

GRANULARITIES = 1, 4, 16
PHOTOGRAPHS = "coins.png", "galaxies.png"
COLUMNS = ["perimeter", "euler_number", "moments_central"]
THREADS = 1, 2
MILLISECONDS_OF_TURN = 250


def blocks(shape, granularity, values):
    cells = np.random.default_rng(granularity).integers(0, values, [side // granularity for side in shape], dtype=np.uint8)
    return np.kron(cells, np.ones([granularity] * len(shape), np.uint8))


def segmented(name, side):
    objects = objects_of(name)
    tile = skimage.segmentation.watershed(-scipy.ndimage.distance_transform_edt(objects), mask=objects)
    rows, columns = (-(-side // length) for length in tile.shape)
    first = np.arange(rows * columns).reshape(rows, columns) * tile.max()
    labels = np.tile(tile, (rows, columns)) + np.kron(first, np.ones(tile.shape, np.int64))
    filled = np.where(np.tile(objects, (rows, columns)), labels, 0)[:side, :side]
    return np.ascontiguousarray(skimage.segmentation.relabel_sequential(filled)[0], np.uint32)


def by_threads(call):
    return {f"skerry, {threads} thread{'s' * (threads > 1)}": lambda image, threads=threads: call(image, threads) for threads in THREADS}


def readers():
    """Programs that read all of an image, and no more."""
    threads = concurrent.futures.ThreadPoolExecutor(max(THREADS))

    def read(image, count):
        for _ in threads.map(np.bitwise_or.reduce, np.array_split(image.reshape(-1).view(np.uint64), count)):
            pass

    return {f"read, {count} thread{'s' * (count > 1)}": lambda image, count=count: read(image, count) for count in THREADS}


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
    given = {f"g = {g}": np.asarray(skerry.label(blocks(plane, g, 2), connectivity=8), np.uint32) for g in GRANULARITIES}
    given |= {name: segmented(name, options.side) for name in PHOTOGRAPHS}
    yield "area, box, sums", given, {
        **by_threads(lambda image, threads: skerry.measure_labels(image, threads=threads)), "cc3d.statistics": cc3d.statistics}, check_table
    yield "perimeter, Euler number, central moments", given, {
        **by_threads(lambda image, threads: skerry.measure_columns(image, COLUMNS, threads=threads)),
        "regionprops_table": lambda image: skimage.measure.regionprops_table(image, properties=COLUMNS)}, check_columns
    for (shape, connectivity), dtype in itertools.product(((plane, 8), ((options.volume,) * 3, 26)), (np.uint8, np.uint32)):
        title = f"labels by value, {dtype.__name__}, {' x '.join(map(str, shape))}, {connectivity} neighbours"
        yield title, {f"g = {g}": blocks(shape, g, 5).astype(dtype) for g in GRANULARITIES[len(shape) - 2:]}, {
            **by_threads(lambda image, threads, connectivity=connectivity: skerry.label(
                image, equal=True, connectivity=connectivity, dtype=np.uint32, threads=threads)),
            "cc3d": lambda image, connectivity=connectivity: cc3d.connected_components(
                image, connectivity=connectivity, out_dtype=np.uint32)
        }, check_values(connectivity)


def timed(call, image):
    begin = time.perf_counter()
    call(image)
    return 1e3 * (time.perf_counter() - begin)


def wait_for_rest():
    used = float("inf")
    while used > 0.001:
        begin = time.process_time()
        time.sleep(0.01)
        used = time.process_time() - begin


def times_of_turn(call, image):
    wait_for_rest()
    times = []
    while sum(times) < MILLISECONDS_OF_TURN:
        times.append(timed(call, image))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--volume", type=int, default=512)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "scikit-image", "connected-components-3d")}
    found = {"skerry": skerry.__version__, "versions": versions, "processors": os.cpu_count(), "machine": platform.machine(),
             "side": options.side, "volume": options.volume, "turns": options.turns, "milliseconds_of_turn": MILLISECONDS_OF_TURN,
             "load_before": os.getloadavg()[0], "jobs": []}
    floors = readers()
    for title, images, programs, check in jobs(options):
        programs.update(floors)
        for image_name, image in images.items():
            check(image)
            least, medians = {name: [] for name in programs}, {name: [] for name in programs}
            for _ in range(options.turns):
                for name, call in programs.items():
                    times = times_of_turn(call, image)
                    least[name].append(min(times))
                    medians[name].append(statistics.median(times))
            found["jobs"].append({"job": title, "image": image_name, "pixels": image.size, "milliseconds": least, "medians": medians})
            print(f"{title}, {image_name}: " + ", ".join(f"{name} {min(each):.1f}" for name, each in least.items()), flush=True)
    found["load_after"] = os.getloadavg()[0]
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cupyx.scipy.ndimage.label on the random images and volumes of the GPU benches.

Images are drawn by the recipe of bench/data. Before anything is timed, CuPy's labels, brought to raster order if they are
not, must be those of skerry's CPU engine, which is also what the benches of skerry's CUDA engine compare with. Times are
CUDA events around the calls, CuPy's own allocations and waits for the host inside, as every user has them.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

try:
    import cupy
    import numpy
    from cupyx.scipy import ndimage
except ImportError as error:
    sys.exit(f"cupy_label.py: {error}; the comparison with CuPy is left out")

from skerry_process import Skerry, numbers

NEIGHBOURS = {2: {8: 2, 4: 1}, 3: {26: 3, 18: 2, 6: 1}}  # connectivity → rank of the structuring element
PLACES = 3  # copies of the image, so that no call finds its pixels in the cache


def drawn(side, dimensions, granularity, seed):
    """One 32-bit number per block."""
    blocks = -(-side // granularity)
    draws = numpy.random.RandomState(seed)._bit_generator.random_raw(blocks**dimensions)
    return cupy.asarray(draws.astype(numpy.uint32).reshape((blocks,) * dimensions))


def image_of(draws, side, granularity, density):
    image = (draws.astype(cupy.uint64) * 100 < (density << 32)).astype(cupy.uint8)
    for axis in range(draws.ndim):
        image = image.repeat(granularity, axis)
    return cupy.ascontiguousarray(image[(slice(0, side),) * draws.ndim])


def in_raster_order(labels, count):
    """The same partition with labels in the order of their first pixels."""
    first = cupy.full(count + 1, labels.size, cupy.int64)
    cupy.minimum.at(first, labels.ravel(), cupy.arange(labels.size))
    rank = cupy.zeros(count + 1, labels.dtype)
    rank[1 + cupy.argsort(first[1:])] = cupy.arange(1, count + 1)
    return rank[labels]


def check(skerry, image, structure, connectivity, path):
    count = int(skerry.ask("label", connectivity, os.cpu_count())[0])
    skerry.ask("save_labels", path)
    right = cupy.asarray(numpy.fromfile(path, numpy.uint32).reshape(image.shape))
    labels, found = ndimage.label(image, structure)
    if found != count:
        sys.exit(f"cupy_label.py: {found} components, skerry's CPU engine finds {count}")
    if not cupy.array_equal(labels, right) and not cupy.array_equal(in_raster_order(labels, found), right):
        sys.exit("cupy_label.py: another partition than that of skerry's CPU engine")


def seconds_of(images, structure, repetitions):
    output = cupy.empty(images[0].shape, numpy.int32)
    seconds = []
    for i in range(repetitions + 1):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        ndimage.label(images[i % PLACES], structure, output)
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(begin, end) * 1e-3)
    return seconds[1:]  # the first one warms up


def bench(skerry, side, dimensions, granularity, arguments, path):
    """One row per connectivity."""
    shape = f"{side}{'²' if dimensions == 2 else '³'}"
    rows = {connectivity: {"method": "CuPy", "job": "labels", "connectivity": connectivity, "shape": shape,
                           "granularity": granularity, "by_density": {}} for connectivity in NEIGHBOURS[dimensions]}
    draws = drawn(side, dimensions, granularity, arguments.seed)
    for density in arguments.densities:
        image = image_of(draws, side, granularity, density)
        skerry.ask("make_image" if dimensions == 2 else "make", side, granularity, density, arguments.seed)
        for connectivity, row in rows.items():
            structure = ndimage.generate_binary_structure(dimensions, NEIGHBOURS[dimensions][connectivity])
            check(skerry, image, structure, connectivity, path)
            images = [image] + [image.copy() for _ in range(PLACES - 1)]
            median = statistics.median(seconds_of(images, structure, arguments.repetitions))
            row["by_density"][str(density)] = round(image.size / median / 1e9, 3)
    for row in rows.values():
        speeds = list(row["by_density"].values())
        row["mean Gpx/s"] = round(statistics.mean(speeds), 3)
        row["slowest / mean"] = round(min(speeds) / statistics.mean(speeds), 3)
        print(f"CuPy      labels      {shape} {row['connectivity']:2}-conn g={granularity:<2} mean {row['mean Gpx/s']:6.1f} "
              f"least {100 * row['slowest / mean']:3.0f} % : " + " ".join(f"{s:6.1f}" for s in speeds), flush=True)
    return list(rows.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of skerry_volumes")
    parser.add_argument("--quick", action="store_true", help="2048², 128³, three densities")
    parser.add_argument("--sizes", type=numbers, default=[8192])
    parser.add_argument("--volumes", type=numbers, default=[512], help="sides of volumes, with blocks of 4³ voxels")
    parser.add_argument("--granularities", type=numbers, default=[1, 4, 16], help="of images")
    parser.add_argument("--densities", type=numbers, default=list(range(5, 100, 10)))
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="file for the numbers")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sizes, arguments.volumes, arguments.densities = [2048], [128], [10, 50, 90]
    skerry = Skerry(arguments.program)
    rows = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = os.path.join(folder, "labels.raw")
        for side in arguments.sizes:
            for granularity in arguments.granularities:
                rows += bench(skerry, side, 2, granularity, arguments, path)
        for side in arguments.volumes:
            rows += bench(skerry, side, 3, 4, arguments, path)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"head": {"CuPy": cupy.__version__, "repetitions": str(arguments.repetitions)}, "rows": rows}, file,
                      ensure_ascii=False)


if __name__ == "__main__":
    main()

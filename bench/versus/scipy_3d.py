#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""skerry next to scipy.ndimage.label on random volumes.

The two take turns on the same volumes, in the same minutes. Before anything is timed, NumPy draws the volume again by
the recipe of bench/data, and SciPy's labels must be skerry's, voxel by voxel: both number components in raster order.
skerry's table must be the one of these labels.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

try:
    import numpy
    import scipy
    from scipy import ndimage
except ImportError as error:
    sys.exit(f"scipy_3d.py: {error}; the comparison with SciPy is left out (Debian: python3-scipy)")

from skerry_process import Skerry, numbers

NEIGHBOURS = {6: 1, 18: 2, 26: 3}  # connectivity → SciPy's rank of the structuring element


def draw(side, granularity, density, seed):
    """The recipe of bench/data/README.md."""
    blocks = -(-side // granularity)
    draws = numpy.random.RandomState(seed)._bit_generator.random_raw(blocks**3)
    small = (draws * numpy.uint64(100) < numpy.uint64(density << 32)).astype(numpy.uint8)
    volume = small.reshape(blocks, blocks, blocks)
    for axis in range(3):
        volume = volume.repeat(granularity, axis)
    return numpy.ascontiguousarray(volume[:side, :side, :side])


def saved(skerry, command, dtype, shape, folder):
    path = os.path.join(folder, "volume.raw")
    skerry.ask(command, path)
    return numpy.fromfile(path, dtype).reshape(shape)


def check(skerry, volume, output, structure, connectivity, threads, folder):
    count = ndimage.label(volume, structure, output)
    for number in threads:
        ours, _ = skerry.timed("label", connectivity, number)
        if ours != count:
            sys.exit(f"scipy_3d.py: {ours} components with {number} threads, SciPy finds {count}")
        if not numpy.array_equal(saved(skerry, "save_labels", numpy.uint32, volume.shape, folder), output):
            sys.exit(f"scipy_3d.py: labels with {number} threads are not SciPy's")
        ours, _ = skerry.timed("measure", connectivity, number)
        if ours != count:
            sys.exit(f"scipy_3d.py: {ours} rows with {number} threads, SciPy finds {count} components")
        skerry.ask("check_table")
    return count


def compare(skerry, volume, connectivity, arguments, folder):
    """Medians in voxels per microsecond (Mvx/s) by method and threads."""
    output = numpy.zeros(volume.shape, numpy.int32)
    structure = ndimage.generate_binary_structure(3, NEIGHBOURS[connectivity])
    components = check(skerry, volume, output, structure, connectivity, arguments.threads, folder)
    seconds = {}
    for _ in range(arguments.repetitions):
        begin = time.perf_counter()
        ndimage.label(volume, structure, output)
        seconds.setdefault(("SciPy", 1), []).append(time.perf_counter() - begin)
        for threads in arguments.threads:
            for method, command in (("skerry", ("label", connectivity)), ("skerry features", ("measure", connectivity)),
                                    ("copy streamed", ("copy",))):
                seconds.setdefault((method, threads), []).append(skerry.timed(*command, threads)[1])
    speed = {key: volume.size / 1e6 / statistics.median(values) for key, values in seconds.items()}
    return components, speed


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of skerry_volumes")
    parser.add_argument("--quick", action="store_true", help="128³, one density, 3 repetitions")
    parser.add_argument("--side", type=int, default=512)
    parser.add_argument("--granularity", type=int, default=4)
    parser.add_argument("--densities", type=numbers, default=[10, 30, 50])
    parser.add_argument("--connectivities", type=numbers, default=[6, 26])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="file for the numbers")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.side, arguments.densities, arguments.repetitions = 128, [30], 3
    return arguments


def main():
    arguments = parse()
    skerry = Skerry(arguments.program)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for density in arguments.densities:
            recipe = (arguments.side, arguments.granularity, density, arguments.seed)
            volume = draw(*recipe)
            skerry.ask("make", *recipe)
            if not numpy.array_equal(saved(skerry, "save_volume", numpy.uint8, volume.shape, folder), volume):
                sys.exit("scipy_3d.py: the two programs draw different volumes")
            for connectivity in arguments.connectivities:
                components, speed = compare(skerry, volume, connectivity, arguments, folder)
                for (method, threads), rate in speed.items():
                    rows.append({"method": method, "connectivity": connectivity, "size": arguments.side,
                                 "granularity": arguments.granularity, "density": density, "threads": threads,
                                 "mega_voxels_per_second": round(rate, 1), "components": components})
                print(f"{arguments.side}³ g={arguments.granularity} {density} % {connectivity}-connectivity, Mvx/s: " +
                      ", ".join(f"{m} ({t}) {rate:.0f}" for (m, t), rate in speed.items()) +
                      f"; skerry / SciPy {speed['skerry', arguments.threads[0]] / speed['SciPy', 1]:.1f}", flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"scipy": scipy.__version__, "numpy": numpy.__version__, "seed": arguments.seed,
                       "repetitions": arguments.repetitions, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()

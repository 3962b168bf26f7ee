#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""skerry's max-tree next to scikit-image's, with the area of every node, on natural-like images.

The two take turns on the same images, in the same minutes. Before anything is timed, every pixel's node must begin at the
same pixel and have the same area in both.
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
    import skimage
    from skimage.morphology import _max_tree, max_tree
except ImportError as error:
    sys.exit(f"skimage_trees.py: {error}; the comparison with scikit-image is left out (Debian: python3-skimage)")

from skerry_process import Skerry, numbers


def peer(image, connectivity):
    """Parent image, pixels from the root to the leaves, and areas of canonical pixels."""
    parent, order = max_tree(image, 1 if connectivity == 4 else 2)
    return parent.ravel(), order, _max_tree._compute_area(image.ravel(), parent.ravel(), order)


def saved(skerry, command, dtype, folder):
    path = os.path.join(folder, "array.raw")
    skerry.ask(command, path)
    return numpy.fromfile(path, dtype)


def check(skerry, image, connectivity, threads, folder):
    parent, order, area = peer(image, connectivity)
    values, pixels = image.ravel(), numpy.arange(image.size)
    canonical = numpy.where((values[parent] != values) | (pixels == order[0]), pixels, parent)
    first = numpy.full(image.size, image.size)
    numpy.minimum.at(first, canonical, pixels)
    for number in threads:
        nodes, _ = skerry.timed("tree_area", connectivity, number)
        if not numpy.array_equal(saved(skerry, "save_first", numpy.uint32, folder), first[canonical]):
            sys.exit(f"skimage_trees.py: nodes with {number} threads are not scikit-image's")
        if not numpy.array_equal(saved(skerry, "save_area", numpy.uint32, folder), area[canonical]):
            sys.exit(f"skimage_trees.py: areas with {number} threads are not scikit-image's")
    return nodes


def compare(skerry, image, connectivity, arguments, folder):
    """Nodes, and medians in Mpx/s by method and threads."""
    nodes = check(skerry, image, connectivity, arguments.threads, folder)
    seconds = {}
    for _ in range(arguments.repetitions):
        begin = time.perf_counter()
        peer(image, connectivity)
        seconds.setdefault(("scikit-image", 1), []).append(time.perf_counter() - begin)
        for _ in range(arguments.turns):
            for threads in arguments.threads:
                for method, command in (("skerry tree", ("tree", connectivity)),
                                        ("skerry tree + area", ("tree_area", connectivity)), ("copy", ("copy",))):
                    seconds.setdefault((method, threads), []).append(skerry.timed(*command, threads)[1])
    return nodes, {key: image.size / 1e6 / statistics.median(values) for key, values in seconds.items()}


def texts(text):
    return text.split(",")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path of skerry_tree_desk")
    parser.add_argument("--quick", action="store_true", help="1024², 3 repetitions")
    parser.add_argument("--side", type=int, default=4096)
    parser.add_argument("--types", type=texts, default=["uint8", "uint16", "float32"])
    parser.add_argument("--connectivities", type=numbers, default=[4])
    parser.add_argument("--threads", type=numbers, default=[1, 2])
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3, help="calls of skerry for each of scikit-image")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="file for the numbers")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.side, arguments.repetitions = 1024, 3
    return arguments


def main():
    arguments = parse()
    skerry = Skerry(arguments.program)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in arguments.types:
            skerry.ask("make", kind, arguments.side, arguments.seed)
            image = saved(skerry, "save_image", kind, folder).reshape(arguments.side, arguments.side)
            for connectivity in arguments.connectivities:
                nodes, speed = compare(skerry, image, connectivity, arguments, folder)
                for (method, threads), rate in speed.items():
                    rows.append({"method": method, "type": kind, "connectivity": connectivity, "size": arguments.side,
                                 "threads": threads, "mega_pixels_per_second": round(rate, 2), "nodes": nodes})
                ratio = speed["skerry tree + area", arguments.threads[0]] / speed["scikit-image", 1]
                print(f"{arguments.side}² {kind} {connectivity}-connectivity, {nodes} nodes, Mpx/s: " +
                      ", ".join(f"{m} ({t}) {rate:.1f}" for (m, t), rate in speed.items()) +
                      f"; skerry / scikit-image, {arguments.threads[0]} thread: {ratio:.1f}", flush=True)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"skimage": skimage.__version__, "numpy": numpy.__version__, "seed": arguments.seed,
                       "repetitions": arguments.repetitions, "load_average": os.getloadavg(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of noise from the user's call, next to OpenCV's connectedComponentsWithStats and cc3d.statistics.

tables_from_call.py [--sides 512,2048,8192] [--densities 10,50,90] [--neighbours 8]

Squares of 1, 4 and 16 pixels, and photographs of samples/ above Otsu's threshold; one thread. All programs take turns on the
same images in one process, two calls each, after their areas have been compared. Prints the least processor time of a call, ms: of skerry the count alone, the
table, and the table with seven columns as arrays; of OpenCV the labels alone, which its table includes. Needs scikit-image for the photographs.
"""
import argparse
import time

import cc3d
import cv2
import numpy as np

import skerry
from photographs import objects_of

GRANULARITIES = 1, 4, 16
COLUMNS = "area", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "centroid-0", "centroid-1"
PHOTOGRAPHS = "coins.png", "page.png", "galaxies.png"


def squares(side, granularity, density):
    cells = np.random.default_rng(granularity).random((-(-side // granularity),) * 2) < density / 100
    return np.ascontiguousarray(np.kron(cells, np.ones((granularity,) * 2, np.uint8))[:side, :side].astype(np.uint8))


def calls_of(neighbours):
    def table(image):
        return skerry.measure(image, connectivity=neighbours, threads=1)

    def with_columns(image):
        return table(image).arrays(COLUMNS)

    return {
        "count": lambda image: skerry.count(image, connectivity=neighbours, threads=1),
        "table": table,
        "with columns": with_columns,
        "OpenCV labels": lambda image: cv2.connectedComponents(image, connectivity=neighbours),
        "OpenCV table": lambda image: cv2.connectedComponentsWithStats(image, connectivity=neighbours),
        "cc3d": lambda image: cc3d.statistics(cc3d.connected_components(image, connectivity=neighbours, binary_image=True)),
    }


def row(calls, title, image, turns):
    areas = calls["table"](image)["area"]
    theirs = calls["OpenCV table"](image)[2][1:, cv2.CC_STAT_AREA]
    if not np.array_equal(np.sort(areas), np.sort(theirs)):
        raise SystemExit(f"{title}: other areas than OpenCV's")
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(turns):
        for name, call in calls.items():
            for _ in range(2):  # the second finds the memory that the first gave back
                begin = time.process_time()
                call(image)
                least[name] = min(least[name], 1e3 * (time.process_time() - begin))
    best = min(least["OpenCV table"], least["cc3d"])
    ratios = " / ".join(f"{best / least[name]:.1f}" for name in ("count", "table", "with columns"))
    print(f"| {title} | {len(areas)} | {' | '.join(f'{each:.3g}' for each in least.values())} | {ratios} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(number) for number in text.split(",")]
    parser.add_argument("--sides", type=numbers, default=[512, 2048, 8192])
    parser.add_argument("--densities", type=numbers, default=[10, 50, 90])
    parser.add_argument("--neighbours", type=int, choices=(4, 8), default=8)
    options = parser.parse_args()
    calls = calls_of(options.neighbours)
    cv2.setNumThreads(1)
    print(f"skerry {skerry.__version__}, OpenCV {cv2.__version__}, NumPy {np.__version__}; {options.neighbours} neighbours, one thread, processor time, ms\n")
    print(f"| image | components | {' | '.join(calls)} | best table of others / count, table, with columns |")
    print(f"|---|--:|{'--:|' * len(calls)}--:|")
    for side in options.sides:
        for granularity in GRANULARITIES:
            for density in options.densities:
                row(calls, f"{side}², {granularity}, {density} %", squares(side, granularity, density), max(3, 2**25 // side**2))
    for name in PHOTOGRAPHS:
        row(calls, name, objects_of(name).astype(np.uint8), 60)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of noise from the user's call, next to OpenCV's connectedComponentsWithStats and cc3d.statistics.

tables_from_call.py [--sides 512,2048,8192] [--densities 10,50,90]

Squares of 1, 4 and 16 pixels, and photographs of samples/ above Otsu's threshold; 8 neighbours, one thread. All programs take turns on the
same images in one process, after their areas have been compared. Prints the least processor time of a call, ms: of skerry the count alone, the
table, and the table with seven columns as arrays; of OpenCV the labels alone, which its table includes. Needs scikit-image for the photographs.
"""
import argparse
import pathlib
import time

import cc3d
import cv2
import numpy as np
import skimage.filters
import skimage.io

import skerry

GRANULARITIES = 1, 4, 16
COLUMNS = "area", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "centroid-0", "centroid-1"
PHOTOGRAPHS = "coins.png", "page.png", "galaxies.png"
SAMPLES = pathlib.Path(__file__).parents[2] / "samples"


def squares(side, granularity, density):
    cells = np.random.default_rng(granularity).random((-(-side // granularity),) * 2) < density / 100
    return np.ascontiguousarray(np.kron(cells, np.ones((granularity,) * 2, np.uint8))[:side, :side].astype(np.uint8))


def photograph(name):
    grey = skimage.io.imread(SAMPLES / name)
    grey = grey[..., 0] if grey.ndim == 3 else grey
    return np.ascontiguousarray((grey > skimage.filters.threshold_otsu(grey)).astype(np.uint8))


def with_columns(image):
    table = skerry.measure(image, threads=1)
    return [table[name] for name in COLUMNS]


CALLS = {
    "count": lambda image: skerry.count(image, threads=1),
    "table": lambda image: skerry.measure(image, threads=1),
    "with columns": with_columns,
    "OpenCV labels": lambda image: cv2.connectedComponents(image, connectivity=8),
    "OpenCV table": lambda image: cv2.connectedComponentsWithStats(image, connectivity=8),
    "cc3d": lambda image: cc3d.statistics(cc3d.connected_components(image, connectivity=8, binary_image=True)),
}


def row(title, image, turns):
    areas = skerry.measure(image)["area"]
    theirs = CALLS["OpenCV table"](image)[2][1:, cv2.CC_STAT_AREA]
    if not np.array_equal(np.sort(areas), np.sort(theirs)):
        raise SystemExit(f"{title}: other areas than OpenCV's")
    least = dict.fromkeys(CALLS, float("inf"))
    for _ in range(turns):
        for name, call in CALLS.items():
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
    options = parser.parse_args()
    cv2.setNumThreads(1)
    print(f"skerry {skerry.__version__}, OpenCV {cv2.__version__}, NumPy {np.__version__}; 8 neighbours, one thread, processor time, ms\n")
    print(f"| image | components | {' | '.join(CALLS)} | best table of others / count, table, with columns |")
    print(f"|---|--:|{'--:|' * len(CALLS)}--:|")
    for side in options.sides:
        for granularity in GRANULARITIES:
            for density in options.densities:
                row(f"{side}², {granularity}, {density} %", squares(side, granularity, density), max(3, (2**26 // side**2)))
    for name in PHOTOGRAPHS:
        row(name, photograph(name), 60)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Labels from Python, from the call to the returned array, next to SciPy and, where they are installed, OpenCV and cc3d.

from_python.py [SIDE]     images of SIDE x SIDE pixels, 2048 by default, and of 64 x 64, whose time is that of the call

Everything has 8 neighbours and runs in turns on the same images; counts are compared before anything is timed. Prints a
table of medians in milliseconds. Needs the Python package, SciPy, and nothing else.
"""
import importlib
import sys
import time

import numpy as np
import scipy.ndimage

import skerry
import skerry.ndimage

ALL_NEIGHBOURS = np.ones((3, 3))


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def contenders():
    """Name, and a function from an image to the number of its components."""
    yield "skerry.label", lambda image: skerry.label(image).count
    yield "skerry.label, one thread", lambda image: skerry.label(image, threads=1).count
    yield "skerry.ndimage.label", lambda image: skerry.ndimage.label(image, ALL_NEIGHBOURS)[1]
    yield "skerry.measure, no labels", lambda image: len(skerry.measure(image))
    yield f"scipy {scipy.__version__}", lambda image: scipy.ndimage.label(image, ALL_NEIGHBOURS)[1]
    if cv2 := optional("cv2"):
        yield f"opencv {cv2.__version__}", lambda image: cv2.connectedComponents(image, connectivity=8)[0] - 1
    if cc3d := optional("cc3d"):
        yield "cc3d", lambda image: cc3d.connected_components(image, connectivity=8, binary_image=True, return_N=True)[1]


def squares(side, granularity, random):
    cells = random.random((side // granularity, side // granularity)) < 0.5
    return np.kron(cells, np.ones((granularity, granularity), np.uint8)).astype(np.uint8)


def clouds(side, random):
    """Noise of three sizes, half of it foreground: shapes and specks, as in a thresholded picture."""
    grey = sum(weight * scipy.ndimage.gaussian_filter(random.standard_normal((side, side)), radius)
               for radius, weight in ((20, 60), (3, 6), (1, 1)))
    return (grey > np.median(grey)).astype(np.uint8)


def medians(calls, image, turns):
    times = {name: [] for name, _ in calls}
    for _ in range(turns):
        for name, call in calls:
            begin = time.perf_counter()
            call(image)
            times[name].append(time.perf_counter() - begin)
    return {name: 1e3 * float(np.median(each)) for name, each in times.items()}


def main(side):
    random = np.random.default_rng(0)
    images = {"noise": squares(side, 1, random), "squares of 4": squares(side, 4, random), "clouds": clouds(side, random),
              "clouds of 64": clouds(64, random)}
    calls = list(contenders())
    rows = {}
    for title, image in images.items():
        counts = {name: call(image) for name, call in calls}
        if len(set(counts.values())) != 1:
            sys.exit(f"{title}: the numbers of components differ: {counts}")
        rows[title] = medians(calls, image, 500 if image.size <= 4096 else 25)
    print(f"| {side} x {side}, ms | {' | '.join(images)} |\n|---|{'--:|' * len(images)}")
    for name, _ in calls:
        print(f"| {name} | {' | '.join(f'{row[name]:.4g}' for row in rows.values())} |")


main(int(sys.argv[1]) if len(sys.argv) > 1 else 2048)

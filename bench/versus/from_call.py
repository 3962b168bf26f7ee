#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From the user's call to the result in the user's memory: labels, tables and openings, next to the libraries of Python.

from_call.py [--sides 512,2048,8192] [--volume 512] [--turns 15] [--cold 5] [--minima]

Images of squares, or cubes, of 1, 4 and 16 pixels, half of them foreground, all neighbours, and photographs of samples/ above Otsu's
threshold. Warm: all programs take turns on the same images in one process. A turn is two calls, of which the second counts, since the first finds
caches that others have filled. Above half a second it is one call in each of three turns, above five seconds one turn. Cold: the first call of
a fresh process, which has imported its library and has the image, in turns of
processes. Outputs are compared before anything is timed. Prints medians in milliseconds; with --minima, for a busy machine, the
least times. "best of others" is the fastest of SciPy, scikit-image, cc3d and OpenCV, as far as they are installed; of these
OpenCV alone takes several threads. Openings are of photographs, and of 512 x 512 pixels at most, for which scikit-image takes seconds. Needs
the Python package and scikit-image.
"""
import argparse
import importlib
import importlib.metadata
import os
import subprocess
import sys
import time

import numpy as np
import scipy.ndimage
import skimage.measure
import skimage.morphology

import skerry
from photographs import grey_of, objects_of

GRANULARITIES = 1, 4, 16
COLUMNS = "label", "area", "bbox", "centroid"
PHOTOGRAPHS = "coins.png", "page.png", "galaxies.png"


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


cc3d, cv2 = optional("cc3d"), optional("cv2")


def squares(side, granularity, rank=2):
    cells = np.random.default_rng(granularity).random((side // granularity,) * rank) < 0.5
    return np.kron(cells, np.ones((granularity,) * rank, np.uint8)).astype(np.uint8)


def with_opencv(threads, call):
    def work(image):
        cv2.setNumThreads(threads)
        return call(image)

    return work


def labellers(threads, rank=2):
    """Name, and a function from an image to the number of its components."""
    every = np.ones((3,) * rank)
    found = {"skerry.label": lambda image: skerry.label(image, threads=threads).count,
             "skerry.label, int32": lambda image: skerry.label(image, threads=threads, dtype=np.int32).count,
             "SciPy": lambda image: scipy.ndimage.label(image, every)[1],
             "scikit-image": lambda image: skimage.measure.label(image, return_num=True)[1]}
    if cv2 and rank == 2:
        found["OpenCV"] = with_opencv(threads, lambda image: cv2.connectedComponents(image, connectivity=8)[0] - 1)
    if cc3d:
        found["cc3d"] = lambda image: cc3d.connected_components(image, connectivity=3**rank - 1, binary_image=True,
                                                                return_N=True)[1]
    return found


def measurers(threads, rank=2):
    """Name, and a function from an image to the number of rows of its table."""
    found = {"skerry.measure": lambda image: len(skerry.measure(image, threads=threads)),
             "regionprops_table": lambda image: len(skimage.measure.regionprops_table(
                 skimage.measure.label(image), properties=COLUMNS)["label"])}
    if cv2 and rank == 2:
        found["OpenCV WithStats"] = with_opencv(threads, lambda image: cv2.connectedComponentsWithStats(image)[0] - 1)
    if cc3d:
        found["cc3d.statistics"] = lambda image: len(cc3d.statistics(cc3d.connected_components(
            image, connectivity=3**rank - 1, binary_image=True))["voxel_counts"]) - 1
    return found


def openers(threads, rank=2):
    """Name, and a function from an image to the sum of its opening."""
    return {"skerry.max_tree, opened": lambda image: int(skerry.max_tree(image, connectivity=4, threads=threads)
                                                         .area_opening(64, threads=threads).sum(dtype=np.int64)),
            "skimage.area_opening": lambda image: int(skimage.morphology.area_opening(image, 64).sum(dtype=np.int64))}


KINDS = {"labels": labellers, "table": measurers, "opening": openers}


def blurred_noise(side, granularity):
    noise = np.random.default_rng(granularity).standard_normal((side, side))
    grey = scipy.ndimage.gaussian_filter(noise, granularity / 2)
    return (255 * (grey - grey.min()) / (np.max(grey) - grey.min())).astype(np.uint8)


def images(kind, options):
    """Title, and image, of all that calls of this kind are timed on."""
    for side in options.sides if kind != "opening" else [512]:
        for granularity in GRANULARITIES:
            image = blurred_noise(side, granularity) if kind == "opening" else squares(side, granularity)
            yield f"{side}², {granularity}", image
    if options.volume and kind != "opening":
        for granularity in GRANULARITIES:
            yield f"{options.volume}³, {granularity}", squares(options.volume, granularity, 3)
    for name in PHOTOGRAPHS:
        yield name, grey_of(name) if kind == "opening" else objects_of(name).astype(np.uint8)


def check(kind, calls, image):
    answers = {name: call(image) for name, call in calls.items()}
    if len(set(answers.values())) != 1:
        sys.exit(f"{kind}: the answers differ: {answers}")


def warm(calls, image, turns, middle=np.median):
    times = {name: [] for name in calls}

    def has_enough(own):
        return own and (own[-1] > 5 or (own[-1] > 0.5 and len(own) >= 3))

    for _ in range(turns):
        for name, call in calls.items():
            if has_enough(times[name]):
                continue
            if times[name] and times[name][-1] < 0.5:
                call(image)
            begin = time.perf_counter()
            call(image)
            times[name].append(time.perf_counter() - begin)
    return {name: 1e3 * float(middle(each)) for name, each in times.items()}


def first_call(kind, threads, name, side, rank):
    """Seconds of the first call, in this process."""
    image = squares(side, 4, rank)
    call = KINDS[kind](threads, rank)[name]
    begin = time.perf_counter()
    call(image)
    return time.perf_counter() - begin


def cold(kind, threads, side, rank, options):
    calls = KINDS[kind](threads, rank)
    times = {name: [] for name in calls}
    for _ in range(options.cold):
        for name in calls:
            if times[name] and times[name][-1] > 5:
                continue
            words = [sys.executable, __file__, "--first", kind, str(threads), name, str(side), str(rank)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            times[name].append(float(done.stdout))
    return {name: 1e3 * float(options.middle(each)) for name, each in times.items()}


def row(title, times, names):
    mine = [name for name in times if name.startswith("skerry")]
    best = min(value for name, value in times.items() if name not in mine)
    ratios = " / ".join(f"{best / times[name]:.1f}" for name in mine)
    cells = " | ".join(f"{times[name]:.3g}" if name in times else "–" for name in names)
    print(f"| {title} | {cells} | {ratios} |", flush=True)


def table(kind, threads, options):
    names = list(KINDS[kind](threads))
    print(f"\n{kind}, {threads} thread{'s' * (threads > 1)}, ms\n\n| image | {' | '.join(names)} | best of others / skerry |")
    print(f"|---|{'--:|' * (len(names) + 1)}", flush=True)
    for title, image in images(kind, options):
        calls = KINDS[kind](threads, image.ndim)
        check(kind, calls, image)
        row(f"{title}, warm", warm(calls, image, options.turns, options.middle), names)
    if options.cold and kind != "opening":
        for side, rank in [(side, 2) for side in options.sides] + [(options.volume, 3)] * bool(options.volume):
            row(f"{side}{'²³'[rank - 2]}, 4, cold", cold(kind, threads, side, rank, options), names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sides", type=lambda text: [int(side) for side in text.split(",")], default=[512, 2048, 8192])
    parser.add_argument("--volume", type=int, default=512)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--cold", type=int, default=5)
    parser.add_argument("--minima", dest="middle", action="store_const", const=np.min, default=np.median)
    parser.add_argument("--first", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first:
        kind, threads, name, side, rank = options.first
        print(first_call(kind, int(threads), name, int(side), int(rank)))
        return
    versions = {name: importlib.metadata.version(name) for name in ("numpy", "scipy", "scikit-image")}
    versions.update({each.__name__: each.__version__ for each in (cv2, cc3d) if hasattr(each, "__version__")})
    print(f"skerry {skerry.__version__}, {', '.join(f'{name} {version}' for name, version in versions.items())}; "
          f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    small = squares(64, 4)
    calls = labellers(1)
    check("labels", calls, small)
    times = warm(calls, small, 500, options.middle)
    print(f"\nlabels of 64 x 64, us: {', '.join(f'{name} {1e3 * value:.3g}' for name, value in times.items())}")
    for kind in KINDS:
        for threads in (1, 2):
            table(kind, threads, options)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times what CuPy measures of label images on a GPU, on those of skerry_cuda_regions.

cupy_regions.py PROGRAM [--json=FILE] [--sizes=8192] [--granularities=1,4,16] [--densities=10,50,90] [--repetitions=7]

PROGRAM is skerry_cuda_regions, which writes its label images. Times are between events of the stream, medians; results are checked
against NumPy's first. cuCIM, which has regionprops_table, is timed where it is installed.
"""
import json
import os
import subprocess
import sys
import tempfile

import cupy
import cupyx.scipy.ndimage as ndimage
import numpy

HISTOGRAM_BINS = 8


def options_of(arguments):
    found = {"sizes": "8192", "granularities": "1,4,16", "densities": "10,50,90", "repetitions": "7", "json": ""}
    for argument in arguments:
        name, _, value = argument.removeprefix("--").partition("=")
        if argument == "--quick":
            found |= {"sizes": "2048", "repetitions": "5"}
        elif name in found:
            found[name] = value
    return found


def seconds(call, repetitions):
    """The median time between events."""
    spent = []
    for _ in range(repetitions):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        call()
        end.record()
        end.synchronize()
        spent.append(cupy.cuda.get_elapsed_time(begin, end) * 1e-3)
    return sorted(spent)[len(spent) // 2]


def jobs_of(labels, greys, count):
    """Names of jobs, calls, and what NumPy says of the first result."""
    index = cupy.arange(1, count + 1, dtype=labels.dtype)
    host, grey = labels.get().ravel(), greys.get().ravel().astype(float)
    area = numpy.bincount(host, minlength=count + 1)[1:]
    total = numpy.bincount(host, weights=grey, minlength=count + 1)[1:]
    yield "area (bincount)", lambda: cupy.bincount(labels.ravel(), minlength=count + 1), lambda found: found[1:].get(), area
    yield "sum of u8 (bincount)", lambda: cupy.bincount(labels.ravel(), weights=greys.ravel(), minlength=count + 1), \
        lambda found: found[1:].get(), total
    wide = greys.astype(cupy.uint32)  # of bytes its sums are slower by far
    yield "sum_labels of u32", lambda: ndimage.sum_labels(wide, labels, index), lambda found: found.get(), total
    try:
        from cucim.skimage.measure import regionprops_table
    except ImportError:
        return
    yield "cuCIM area, box, centroid", lambda: regionprops_table(labels.astype("i4"), properties=("area", "bbox", "centroid")), \
        lambda found: found["area"].get(), area


def label_images(program, size, granularity, density):
    """The labels of skerry_cuda_regions."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labels")
        subprocess.run([program, f"--sizes={size}", f"--granularities={granularity}", f"--densities={density}",
                        f"--labels-to={path}"], check=True, stdout=subprocess.DEVNULL)
        return numpy.fromfile(path, numpy.uint32).reshape(size, size)


def main():
    program, how = sys.argv[1], options_of(sys.argv[2:])
    rows = {}
    for size in map(int, how["sizes"].split(",")):
        place = cupy.arange(size * size, dtype=cupy.uint32) * cupy.uint32(2654435761)
        greys = (place >> 24).astype(cupy.uint8).reshape(size, size)
        for granularity in map(int, how["granularities"].split(",")):
            for density in map(int, how["densities"].split(",")):
                labels = cupy.asarray(label_images(program, size, granularity, density))
                for name, call, result, expected in jobs_of(labels, greys, int(labels.max())):
                    if not numpy.array_equal(result(call()), expected):
                        raise SystemExit(f"cupy_regions: {name}, {size}, g={granularity}, {density} % is wrong")
                    speed = size * size / seconds(call, int(how["repetitions"])) / 1e9
                    key = (name, size, granularity)
                    rows.setdefault(key, {"method": "CuPy", "job": name, "shape": f"{size}²", "granularity": granularity,
                                          "by_density": {}})["by_density"][str(density)] = speed
    for row in rows.values():
        speeds = row["by_density"].values()
        row["mean Gpx/s"] = sum(speeds) / len(speeds)
        print(f"{row['method']:9} {row['job']:27} {row['shape']} g={row['granularity']:<2} mean {row['mean Gpx/s']:6.1f} :",
              *(f"{speed:6.1f}" for speed in speeds))
    if how["json"]:
        with open(how["json"], "w") as file:
            json.dump({"head": {"CuPy": cupy.__version__}, "rows": list(rows.values())}, file, ensure_ascii=False)


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU from the user's call: labels and tables next to cupyx and cuCIM, tensors of PyTorch, and its CUDA graphs.

gpu_from_call.py [--sides 512,2048,8192] [--volume 512] [--turns 15] [--quick]

Images of squares, or cubes, of 1, 4 and 16 pixels, half of them foreground, all neighbours. All programs take turns on the same arrays
of one process. Labels and counts are compared before anything is timed; cuCIM's labels are brought to the order of first pixels. A
call of labels also reads their number, as cupyx does; a call of PyTorch is timed until the GPU is done, with and without the number, and
so is a replay of a CUDA graph. Tables have areas, boxes and centroids, in memory of the GPU. Prints medians in milliseconds. Needs
skerry-cuda13 and CuPy; PyTorch and cuCIM are left out where they are missing.
"""
import argparse
import importlib
import time

import cupy
import numpy as np
from cupyx.scipy import ndimage as cupyx_ndimage

import skerry
import skerry.skimage.measure

GRANULARITIES = 1, 4, 16
COLUMNS = "label", "area", "bbox", "centroid"


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        print(f"{name} is left out: {missing}")
        return None


cucim = optional("cucim.skimage.measure")
torch = optional("torch")


def cells(side, rank, granularity):
    drawn = np.random.default_rng(granularity).random((-(-side // granularity),) * rank) < 0.5
    image = cupy.asarray(drawn.astype(np.uint8))
    for axis in range(rank):
        image = image.repeat(granularity, axis)
    return cupy.ascontiguousarray(image[(slice(0, side),) * rank])


def medians(calls, turns):
    times = {name: [] for name in calls}
    for turn in range(turns + 1):
        for name, call in calls.items():
            cupy.cuda.Device().synchronize()
            begin = time.perf_counter()
            call()
            cupy.cuda.Device().synchronize()
            if turn > 0:
                times[name].append(time.perf_counter() - begin)
    return {name: 1e3 * float(np.median(each)) for name, each in times.items()}


def row(title, times):
    own, *others = times
    ratios = " / ".join(f"{times[other] / times[own]:.1f}" for other in others)
    print(f"| {title} | {' | '.join(f'{value:.3f}' for value in times.values())} | {ratios} |", flush=True)


def head(title, names):
    print(f"\n{title}, ms\n\n| image | {' | '.join(names)} | others / skerry |\n|---|{'--:|' * (len(names) + 1)}")


def canonical(labels):
    """The same labels in the order of first pixels."""
    count = int(labels.max())
    first = cupy.full(count + 1, labels.size, cupy.int64)
    cupy.minimum.at(first, labels.ravel(), cupy.arange(labels.size))
    rank = cupy.zeros(count + 1, cupy.int64)
    rank[1 + cupy.argsort(first[1:])] = cupy.arange(1, count + 1)
    return rank[labels]


def labellers(image):
    every = np.ones((3,) * image.ndim)
    calls = {"skerry": lambda: tuple(skerry.label(image, dtype="int32")),
             "cupyx": lambda: cupyx_ndimage.label(image, every)}
    if cucim:
        calls["cuCIM"] = lambda: cucim.label(image, return_num=True)
    return calls


def check_labels(image, calls):
    want = skerry.label(image.get())
    on_host = cupy.asarray(want.image)
    for name, call in calls.items():
        labels, count = call()
        same = int(count) == want.count and bool((labels == on_host).all() or (canonical(labels) == on_host).all())
        if not same:
            raise SystemExit(f"{name}: other labels than those of the CPU engine")


def labels_of(shapes, turns):
    head("labels and their number", labellers(cupy.zeros((1, 1), "u1")))
    for side, rank in shapes:
        for granularity in GRANULARITIES:
            image = cells(side, rank, granularity)
            calls = labellers(image)
            check_labels(image, calls)
            row(f"{side}{'²³'[rank - 2]}, g = {granularity}", medians(calls, turns))


def tables_of(sides, turns):
    if cucim is None:
        return
    head("table of given labels", ("skerry", "cuCIM", "cuCIM, in batches"))
    for side in sides:
        for granularity in GRANULARITIES:
            labels = skerry.label(cells(side, 2, granularity), dtype="int32").image
            calls = {"skerry": lambda: skerry.skimage.measure.regionprops_table(labels, properties=COLUMNS),
                     "cuCIM": lambda: cucim.regionprops_table(labels, properties=COLUMNS, batch_processing=False),
                     "cuCIM, in batches": lambda: cucim.regionprops_table(labels, properties=COLUMNS, batch_processing=True)}
            if int(labels.max()) > 3000:
                del calls["cuCIM"]  # a kernel or more for each region
            tables = {name: call() for name, call in calls.items()}
            for name, table in tables.items():
                if not all(cupy.allclose(cupy.asarray(table[key]), cupy.asarray(value)) for key, value in tables["skerry"].items()):
                    raise SystemExit(f"{name}: another table")
            times = medians(calls, min(turns, 5))
            row(f"{side}², g = {granularity}", {name: times.get(name, float("nan")) for name in ("skerry", "cuCIM", "cuCIM, in batches")})


def tensors_of(sides, turns):
    if torch is None:
        return
    names = "skerry.label", "with its number", "into out", "replay of a graph", "cupyx"
    head("tensors of PyTorch", names)
    for side in (64, *sides):
        image = cells(side, 2, 4)
        tensor = torch.from_dlpack(image)
        out = torch.empty(tensor.shape, dtype=torch.int32, device="cuda")
        skerry.label(tensor)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = skerry.label(tensor)
        graph.replay()
        torch.cuda.synchronize()
        want = skerry.label(image.get())
        if captured.count != want.count or not np.array_equal(captured.image.cpu().numpy(), want.image):
            raise SystemExit("graph: other labels than those of the CPU engine")
        every = np.ones((3, 3))
        calls = {"skerry.label": lambda: skerry.label(tensor), "with its number": lambda: skerry.label(tensor).count,
                 "into out": lambda: skerry.label(tensor, out=out), "replay of a graph": graph.replay,
                 "cupyx": lambda: cupyx_ndimage.label(image, every)}
        row(f"{side}², g = 4", medians(calls, turns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sides", type=lambda text: [int(side) for side in text.split(",")], default=[512, 2048, 8192])
    parser.add_argument("--volume", type=int, default=512)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="small images, for work in progress")
    options = parser.parse_args()
    sides, volume = ([512], 64) if options.quick else (options.sides, options.volume)
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{name}; skerry {skerry.__version__}, CuPy {cupy.__version__}, NumPy {np.__version__}"
          f"{f', PyTorch {torch.__version__}' if torch else ''}")
    labels_of([*((side, 2) for side in sides), (volume, 3)], options.turns)
    tensors_of(sides, options.turns)
    tables_of(sides, options.turns)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What skerry_papers has measured, and what of it is looked for."""
import json

FEATURES = ["naive", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd", "skerry"]
OWN_FIRST_PIXEL = "skerry, first pixel"  # labels of its own numbering, as rivals leave them
LABELS = ["skerry", OWN_FIRST_PIXEL, "jung", "playne-direct", "playne-block"]
MORE_LABELS = ["naive", "ha", "flsl"]  # that label too
CPU_LABELS = ["suzuki", "he", "he-runs", "rosenfeld"]  # the text's CPU1 and CPU2, the second by runs, and what stood in for it
TMK_PHASES = ["label blocks", "reduce borders", "resolve", "initialise", "merge (shared memory)",
              "merge (global memory)", "size update", "balance", "copy", "second copy"]
TREE_STEPS = ["tile construction", "horizontal merge", "global parent image update", "vertical merge", "flatten"]


def read(path):
    with open(path) as file:
        result = json.load(file)
    return result["head"], result["samples"]


def of(samples, **wanted):
    return [s for s in samples if all(s.get(key) == value for key, value in wanted.items())]


def values(samples, key):
    """In the order they come, without repeats."""
    return list(dict.fromkeys(s[key] for s in samples))


def beside_a_gpu(on_cpu):
    """Of a run on a CPU what stands in tables of a GPU: the text's programs of a CPU, and trees, which are one claim's rival."""
    rivals = [{**s, "figure": s["figure"].replace(" cpu", "")} for s in on_cpu if s["figure"].startswith("001") and s["method"] in CPU_LABELS]
    return rivals + of(on_cpu, figure="004 cpu")


def of_a_gpu(samples):
    """Without what beside_a_gpu() added."""
    return [s for s in samples if s["method"] not in CPU_LABELS and " cpu" not in s["figure"]]


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers) if numbers else None


def mean_speed(samples):
    """Gpx/s of all pixels in all of the time: the harmonic mean, for images of one size."""
    speeds = [s["Gpx/s"] for s in samples]
    return len(speeds) / sum(1 / speed for speed in speeds) if speeds else None


def by_size(samples):
    """Features of [Lemaitre2021] by size: the largest over those densities only that the others have, too."""
    small = of(samples, figure="002 size")
    densities = values(small, "density")
    large = [s for s in of(samples, figure="002 density", connectivity=4) if s["density"] in densities]
    return small + (large if set(values(large, "density")) == set(densities) else [])

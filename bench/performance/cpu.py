# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance.md that are of a CPU."""
import json
import re
import statistics

from tables import head_row, number, row

from .results import json_of, lines_of, of_time, origin, percent, stages, table_after, threads, versus

SIDES = (1, 4, 16)
OPENCV, OURS = "OpenCV best", "skerry"


def by_time(table, name, g):
    return of_time(table[name][g][:-1])


def means(table, name):
    return [f"{by_time(table, name, g):.0f} ({table[name][g][-1]:.0f})" for g in SIDES]


def times_as_fast(table, name, other):
    return [f"{by_time(table, name, g) / by_time(table, other, g):.1f} ×" for g in SIDES]


def next_to_opencv(name, side, jobs):
    """Of each job and connectivity the other library, ours and their ratio, one thread."""
    lines = head_row("Mpx/s, mean of time (of throughput)", *[f"g = {g}" for g in SIDES])
    tables = versus(name)
    for job in jobs:
        for connectivity in (8, 4):
            table = tables[side, connectivity, 1]
            title = f"{job}, {connectivity} neighbours"
            lines += [row(f"{title}: OpenCV", *means(table, f"{job}: {OPENCV}")),
                      row(f"{title}: skerry", *[f"**{cell}**" for cell in means(table, f"{job}: {OURS}")]),
                      row(f"{title}: times as fast", *times_as_fast(table, f"{job}: {OURS}", f"{job}: {OPENCV}"))]
    return lines


def floors_of(table):
    return [row("floor: reading", *means(table, "floor: read")),
            row("floor: copy u8 → u32, streamed stores", *means(table, "floor: copy, streamed"))]


def xeon():
    name, side = "xeon.txt", 4096
    table = versus(name)[side, 8, 1]
    copied = by_time(table, "labels: skerry", 16) / by_time(table, "floor: copy, streamed", 16)
    read = by_time(table, "features: skerry", 16) / by_time(table, "floor: read", 16)
    return [f"Intel Xeon with AVX-512, one thread, little else running, OpenCV 4.6, medians of 5, {origin(name)}.", "",
            *next_to_opencv(name, side, ("labels", "features")),
            row("features with second moments, 8 neighbours", *means(table, "with moments")),
            row("labels and features in one pass, 8 neighbours", *means(table, "with labels")), *floors_of(table), "",
            f"At g = 16, labels reach {percent(copied)} of the streamed copy, and features {percent(read)} of reading."]


def amd():
    name, side = "amd.txt", 8192
    return [f"AMD EPYC, 8192², one thread, densities 10, 50 and 90 %, nothing else running, OpenCV 4.6, medians of 3, {origin(name)}.",
            "", *next_to_opencv(name, side, ("labels", "features")), *floors_of(versus(name)[side, 8, 1])]


def two_threads():
    lines = []
    for name, machine in (("amd-threads.txt", "AMD EPYC with two cores, nothing else running; of several runs the median"),
                          ("xeon-threads.txt", "Intel Xeon, two of 16 cores")):
        gains = threads(name)
        sides = sorted({side for side, *_ in gains})
        lines += ["", f"{machine}, densities 10, 50 and 90 %, {origin(name)}:", "",
                  *head_row("one thread's time by that of two", *[f"{side}², g = {g}" for side in sides for g in SIDES])]
        for job, title in (("label", "labels"), ("measure", "features"), ("label and measure", "both")):
            for connectivity in (8, 4):
                cells = [gains.get((side, connectivity, job, g)) for side in sides for g in SIDES]
                lines.append(row(f"{title}, {connectivity} neighbours", *[number(cell and statistics.median(cell), ".2f") for cell in cells]))
    return lines


def six_stages():
    name = "amd-stages.txt"
    jobs = [stages(name, job) for job in ("label", "measure")]
    return [f"AMD EPYC, 4096², 8 neighbours, one thread, means over g = 1, 4, 16 and densities 10, 50, 90 %, {origin(name)}.", "",
            *head_row("ns per pixel", "labels", "features"),
            *[row(stage.replace("_", " "), *[number(job[stage], ".3f") for job in jobs]) for stage in jobs[0]]]


def volumes():
    name = "xeon.txt"
    line = next(line for line in lines_of(name) if line.startswith('{"scipy"'))
    rows = [json.loads(entry) for entry in re.findall(r'\{"method"[^{}]*\}', line)]  # the end of the line is lost
    found = {(r["connectivity"], r["density"], r["method"]): r["mega_voxels_per_second"] for r in rows if r["threads"] == 1}
    lines = [f"Intel Xeon, 512³, g = 4, one thread, SciPy {re.search(r'[0-9.]+', line)[0]}, medians of 5, {origin(name)}.", "",
             *head_row("labels, Mvx/s", *[f"{c} neighbours: {what}" for c in (26, 6) for what in ("SciPy", "skerry", "times as fast")])]
    for density in (10, 30, 50):
        cells = []
        for connectivity in (26, 6):
            theirs, ours = (found[connectivity, density, method] for method in ("SciPy", "skerry"))
            cells += [f"{theirs:.0f}", f"**{ours:.0f}**", f"{ours / theirs:.0f} ×"]
        lines.append(row(f"{density} %", *cells))
    return lines


def published():
    name, side = "published.txt", 2048
    tables = versus(name)
    lines = [f"AMD EPYC, 2048², one thread, **beside other programs** (coefficient of variation 6 % in the median, 53 % at worst), "
             f"medians of 9 interleaved calls, {origin(name)}.", "",
             *head_row("Mpx/s, mean of time (of throughput)",
                       *[f"{connectivity} neighbours, g = {g}" for connectivity in (8, 4) for g in SIDES])]
    for job in ("labels", "features"):
        methods = [key.split(": ")[1] for key in tables[side, 8, 1] if key.startswith(job + ": ")]
        for method in sorted(methods, key=lambda method: (method == OURS, method == OPENCV)):
            title = method if method in (OURS, OPENCV) else f"`{method}`"
            lines.append(row(f"{job}: {title}", *[cell for connectivity in (8, 4)
                                                  for cell in means(tables[side, connectivity, 1], f"{job}: {method}")]))
    return lines


def films():
    name = "track-amd.txt"
    rows = table_after(name, "run threshold", 8)
    lines = [f"AMD EPYC with two cores, 512², about 260 bubbles in a frame, an engine with one thread and two of the tracker, **beside "
             f"other programs**, medians of five runs of 10 000 frames, {origin(name)}.", "",
             *head_row("threshold", "frames/s as fast as it goes", "1000 frames/s, push to result: p50, µs", "p99, µs")]
    for kind, title in (("fixed", "fixed"), ("otsu", "Otsu of each frame"), ("background", "running background")):
        some = [values for words, *values in rows if words.split()[1] == kind]
        lines.append(row(title, *[f"{statistics.median(values[place] for values in some):.0f}" for place in (1, 2, 4)]))
    return lines


def given_labels():
    """Tables, columns and labels by value next to cc3d and scikit-image, from Python, on two machines."""
    return [*given_labels_of("amd-regions.json", "AMD EPYC with two cores, nothing else running"), "",
            *given_labels_of("xeon-regions.json", "Intel Xeon host of an H200, 16 processors available")]


def given_labels_of(name, machine):
    run = json_of(name)
    versions = run["versions"]
    lines = [f"{machine}, {run['side']}² and {run['volume']}³, from the call to the result in Python, the "
             f"least of {run['turns']} turns, in each of which every program is called for {run['milliseconds_of_turn']} ms; cc3d {versions['connected-components-3d']}, scikit-image {versions['scikit-image']}, "
             f"{origin(name)}.", "",
             *head_row("ms", "image", "skerry, 1 thread", "2 threads", "other library", "reading alone, 1 thread", "reading alone, 2 threads",
                       "times as fast: 1 thread", "2 threads to 1")]
    for job in run["jobs"]:
        least = {program: min(times) for program, times in job["milliseconds"].items()}
        one, two, other, *reading = least.values()
        lines.append(row(f"{job['job']}: {list(least)[2]}", job["image"], f"**{one:.1f}**", f"{two:.1f}", f"{other:.0f}", *(f"{each:.1f}" for each in reading),
                         f"{other / one:.1f} ×", f"{one / two:.2f} ×"))
    return lines


TREE_JOBS = ("tree", "tree+area", "tree+area+opening")


def trees():
    name = "amd-trees.txt"
    found = {}
    for words, _, _, count, speed in table_after(name, "job and image", 4):
        found.setdefault(words, {})[int(count)] = speed
    images = [words.split()[1] for words in found if words.startswith("tree ")]
    lines = [f"AMD EPYC with two cores, nothing else running, 4096², 4 neighbours, medians of 3, {origin(name)}.", "",
             *head_row("Mpx/s", *[f"{job.split('+')[-1]}: {count}" for count in (1, 2) for job in TREE_JOBS])]
    for image in sorted(images, key=lambda image: (("u8", "u16", "f32").index(image[5:]), image)):
        lines.append(row(kind_of(image), *[number(found[f"{job} {image}"].get(count)) for count in (1, 2) for job in TREE_JOBS]))
    return lines


def kind_of(image):
    """natu_u8 → u8, natural-like"""
    look, pixels = image.split("_")
    return f"{pixels}, " + {"natu": "natural-like", "nois": "noise", "blur": "blurred noise"}[look]


def skimage():
    name = "amd.txt"
    lines = [f"The same machine, scikit-image 0.19, in turns, 1024², 4 neighbours, one thread, {origin(name)}:", "",
             *head_row("tree and areas, Mpx/s", "scikit-image", "skerry", "times as fast")]
    for line in lines_of(name):
        if "skerry / scikit-image" in line:
            speeds = dict(part.strip().rsplit(" ", 1) for part in line.split("Mpx/s: ")[1].split(";")[0].split(","))
            theirs, ours = (float(speeds[key + " (1)"]) for key in ("scikit-image", "skerry tree + area"))
            lines.append(row(line.split()[1], theirs, ours, f"{ours / theirs:.0f} ×"))
    return lines


BLOCKS = {"labels and features, Xeon": xeon, "labels and features, EPYC": amd, "two threads": two_threads, "stages": six_stages,
          "volumes": volumes, "given label images": given_labels, "published methods": published, "films on a CPU": films, "trees on a CPU": trees,
          "trees next to scikit-image": skimage}

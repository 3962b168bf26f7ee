# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/performance.md that are of a GPU."""
import itertools
import re
import statistics

from report_cuda import GOALS
from tables import head_row, row

from .cpu import SIDES, kind_of
from .results import both_means, json_of, lines_of, newest, of_time, origin, percent, table_after

RESULT = "h200.json"
PLANS = "h200-plans.txt"
FRAMES = "h200-frames.json"


def speeds(entry):
    return list(entry["by_density"].values())


def is_ones(entry):
    return list(entry["by_density"]) == ["100"]


def floors():
    result = json_of(RESULT)
    return [f"{result['head']['device']}, CUDA {result['head']['CUDA']}, medians of {result['head']['repetitions']}, "
            f"{origin(RESULT)}. Floors of the same run, Gpx/s: " +
            ", ".join(f"{floor['floor'].replace('1 B/px', 'a byte').replace('4 B/px', '4 bytes')} {floor['Gpx/s']:.0f}" for floor in result["floors"]) + "." +
            (f" NPP and CuPy on such a device, {result['head']['peers']}." if "peers" in result["head"] else "")]


def images():
    result = json_of(RESULT)
    lines = head_row("8192², Gpx/s, mean of time (of throughput)", "neighbours", *[f"g = {g}" for g in SIDES], "all ones",
                     "slowest density, of the mean of throughput")
    squares = [entry for entry in result["rows"] if entry["shape"] == "8192²"]
    for job, connectivity in dict.fromkeys((entry["job"], entry["connectivity"]) for entry in squares):
        some = [entry for entry in squares if (entry["job"], entry["connectivity"]) == (job, connectivity)]
        by_side = {"ones" if is_ones(entry) else entry["granularity"]: entry for entry in some}
        cells = [f"**{both_means(speeds(by_side[side]))}**" for side in SIDES]
        lines.append(row(job, connectivity, *cells, f"{by_side['ones']['mean Gpx/s']:.0f}",
                         percent(min(entry["slowest / mean"] for entry in some))))
    for method, entries in (("NPP", result["npp"]), ("CuPy", result["cupy"])):
        for connectivity in (8, 4):
            some = {entry["granularity"]: entry for entry in entries
                    if (entry["method"], entry["connectivity"], entry["shape"]) == (method, connectivity, "8192²")}
            lines.append(row(f"labels: {method}", connectivity, *[both_means(speeds(some[side]), ".1f") for side in SIDES], "–", "–"))
    return lines


def goals():
    reached = {(entry["job"], entry["connectivity"], "ones" if is_ones(entry) else entry["granularity"]): entry["mean Gpx/s"]
               for entry in json_of(RESULT)["rows"] if entry["shape"] == "8192²"}
    missed = [f"{job}, {connectivity} neighbours, g = {g} ({reached[job, connectivity, g]:.0f} of {goal})"
              for (job, connectivity, g), goal in GOALS.items() if reached[job, connectivity, g] < goal]
    return [f"`bench/report_cuda.py` has a goal for each of the {len(GOALS)} means of throughput of skerry in this table; "
            f"{len(GOALS) - len(missed)} are met{'; missed: ' + ', '.join(missed) if missed else ''}."]


def shares():
    """What skerry reaches of the floors, where bytes alone would set the time."""
    result = json_of(RESULT)
    floor = {entry["floor"]: entry["Gpx/s"] for entry in result["floors"]}
    copied, read = floor["read 1 B/px and write 4 B/px"], floor["read 1 B/px"]
    parts = []
    for job, limit, words in (("labels", copied, "that of reading and writing"), ("features", read, "that of reading")):
        some = [entry for entry in result["rows"] if entry["job"] == job and entry["shape"] == "8192²" and entry["connectivity"] == 8]
        reached = {"all ones" if is_ones(entry) else f"g = {entry['granularity']}": of_time(speeds(entry)) / limit for entry in some}
        parts.append(f"the speed of {job} is " + ", ".join(f"{percent(share)} ({where})" for where, share in reached.items()) + f" of {words}")
    return ["With 8 neighbours, " + "; ".join(parts) + ". What limits features is instructions and barriers of blocks, not memory "
            "([dead_ends.md](dead_ends.md) has the counts)."]


def volumes():
    result = json_of(RESULT)
    cubes = [entry for entry in result["rows"] if entry["shape"].endswith("³")]
    lines = head_row("512³, g = 4, Gvx/s, mean of time (of throughput)", "26 neighbours", "18 neighbours", "6 neighbours")
    for job in ("labels", "features"):
        some = {entry["connectivity"]: entry for entry in cubes if entry["job"] == job}
        lines.append(row(job, *[f"**{both_means(speeds(some[c]))}**" for c in (26, 18, 6)]))
    peers = {entry["connectivity"]: entry for entry in result["cupy"] if entry["shape"].endswith("³")}
    return lines + [row("labels: CuPy", *[f"{peers[c]['mean Gpx/s']:.1f}" if "by_density" not in peers[c] else
                                          both_means(speeds(peers[c]), ".1f") for c in (26, 18, 6)])]


def outputs():
    name = "h200-outputs.txt"
    lines = [f"8192², g = 4, densities 15, 55 and 95 %, medians of 7, {origin(name)}.", "",
             *head_row("Gpx/s, mean of time (of throughput)", "neighbours", "g = 4", "all ones", "scratch, bytes per pixel")]
    means, ones = {}, {}
    for line in lines_of(name):
        found = re.match(r"skerry +(\S+) +8192² +(\d)-conn (.*)", line)
        if not found:
            continue
        job, rest = found.groups()[:2], found[3]
        full, some = re.match(r"all ones +([\d.]+)", rest), re.search(r"% : +([\d. ]+) \| scratch ([\d.]+)", rest)
        if full:
            ones[job] = full[1]
        elif some:
            means[job] = both_means([float(value) for value in some[1].split()], ".0f"), some[2]
    return lines + [row(*job, mean, f"{float(ones[job]):.0f}", scratch) for job, (mean, scratch) in means.items()]


def regions():
    """Given label images, with CuPy's calls on those of one density."""
    name = "h200-regions.json"
    result = json_of(name)
    lines = [f"Labels of uint32 and grey values of uint8 in device memory, 8192², densities {', '.join(result['rows'][0]['by_density'])} %, "
             f"medians of {result['head']['repetitions']}, {origin(name)}. Floor of the same run: reading 4 bytes per pixel "
             f"{result['floors'][0]['Gpx/s']:.0f} Gpx/s.", "",
             *head_row("Gpx/s, mean of time (of throughput)", *[f"g = {g}" for g in SIDES])]
    rows = result["rows"] + result.get("CuPy", [])
    for method, job in dict.fromkeys((entry["method"], entry["job"]) for entry in rows):
        some = {entry["granularity"]: entry for entry in rows if (entry["method"], entry["job"]) == (method, job)}
        title = job if method == "skerry" or job.startswith("cuCIM") else f"{method}: {job}"
        lines.append(row(title, *[both_means(speeds(some[side]), ".1f") if side in some else "–" for side in SIDES]))
    return lines


def outlines():
    """Outlines of labels in device memory, next to the CPU engine."""
    name = "h200-outlines.txt"
    lines = [f"H200 and 16 processors of its host, labels of 4096², uint32, 4 neighbours, medians of 9 calls, {origin(name)}.", "",
             *head_row("ms", "polygons", "vertices", "CUDA", "CUDA, a new table", "CPU, 1 thread", "CPU, 16 threads", "times as fast as 16")]
    for words, *cells in table_after(name, "image ", 7):
        lines.append(row(words, f"{cells[0]:.0f}", f"{cells[1]:.0f}", f"**{cells[2]:.2f}**", *[f"{cell:.2f}" for cell in cells[3:6]], f"{cells[6]:.1f} ×"))
    return lines


def frames():
    result = json_of(FRAMES)
    looks = ((32, 30), (4, 50), (1, 50))
    found = {(f["job"], f["connectivity"], f["side"], f["granularity"], f["density"]): f for f in result["frames"]}

    def cell(how, side, connectivity, look):
        times = [(form, found.get((job, connectivity, side, *look))) for job, form in (("features" + how, "{:.1f}"), ("labels" + how, "({:.1f})"))]
        return " ".join(form.format(frame["us in a row"]) for form, frame in times if frame) or "–"

    lines = [f"{result['head']['device']}, CUDA {result['head']['CUDA']}, {origin(FRAMES)}.", "",
             *head_row("device µs: features (labels)", "neighbours", "objects: g = 32, 30 %", "g = 4, 50 %", "noise: g = 1, 50 %")]
    for how, words in (("", ""), (", few", ", room for few rows"), (", tiles", ", tiles")):
        for side in (256, 512, 1024):
            for connectivity in (8, 4):
                lines.append(row(f"{side}²{words}", connectivity, *[cell(how, side, connectivity, look) for look in looks]))
    empty = next(f for f in result["frames"] if f["job"] == "an empty kernel")
    early = ", ".join(f"{found['features, early', 8, side, 32, 30]['us in a graph of many']:.1f} µs at {side}²" for side in (256, 512, 1024))
    batches = "; ".join(f"{b['job']}, {b['connectivity']} neighbours: {b['frames/s'] / 1e6:.1f}" for b in result["batches"])
    return lines + ["", f"An empty kernel takes {empty['us in a row']:.1f} µs in such a replay. In a graph of 16 frames with "
                    f"`job::early_launch` it takes {empty['us in a graph of many']:.1f}, and features of objects with 8 neighbours, with room for few rows, "
                    f"take {early}.", "",
                    f"Batches of {result['batches'][0]['frames']} frames of 256², million frames/s: {batches}."]


def plans():
    """What enqueueing takes of the host, by plans and by bound plans."""
    device = next(line.removeprefix("device: ") for line in lines_of(PLANS) if line.startswith("device: "))
    lines = [f"{device}, {origin(PLANS)}. Each pair is a plan, and the same plan bound to its scratch.", "",
             *head_row("µs, medians", "kernels and fills", "host", "until done", "in a row", "to bind")]
    for line in lines_of(PLANS):
        if found := re.match(r"(\S.*?)  +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +(\d+)$", line):
            name, launches, *pairs, bind = found.groups()
            lines.append(row(name, launches, *[f"{one}, {other}" for one, other in zip(pairs[::2], pairs[1::2])], bind))
        elif found := re.match(r"(an empty kernel)  +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", line):
            lines.append(row(*found.groups(), "–"))
    return lines


def trees():
    name = "h200-trees.txt"
    lines = [f"One H200, CUDA 13.0, medians of 7, {origin(name)}. \"Opening\" is tree, areas and an area opening to an image; \"again\" "
             "is another opening of the same tree; memory is what tree, areas and opening take besides image and output.", "",
             *head_row("Gpx/s", "size", "neighbours", "tree", "opening", "again", "bytes per pixel")]
    for line in itertools.takewhile(lambda line: not line.startswith("Another run"), lines_of(name)):
        cells = line.split()
        if re.match(r"\w{4}_[uf]\d+ ", line):
            lines.append(row(kind_of(cells[0]), cells[1].replace("x", " × "), *cells[2:]))
    return lines


def nodes():
    name = "h200-tree-nodes.txt"
    lines = [f"One H200, CUDA 13.0, 6000 × 4000, 4 neighbours, medians of 7, {origin(name)}. \"Areas\" is the parent image with areas at "
             "first pixels; \"nodes\" are numbers, parents, levels and the node of each pixel; the next columns are nodes with what "
             "is named, and with areas; \"everything\" is areas, boxes, moments, sums of levels and three columns; \"eight columns\" "
             "are all columns without rows. Scratch is that of everything.", "",
             *head_row("ms of device time", "nodes per pixel", "tree", "areas", "nodes", "with area", "with levels", "with boxes",
                       "everything", "eight columns", "scratch, bytes per node")]
    size = ""
    for line in lines_of(name):
        size = line.split(",")[0] if " neighbours; " in line else size
        cells = line.split()
        if size == "6000 x 4000" and re.match(r"\w{4}_[uf]\d+ ", line):
            lines.append(row(kind_of(cells[0]), f"{float(cells[1]):.2f}", *[f"{float(cell):.1f}" for cell in cells[2:-1]], cells[-1]))
    return lines


def videos():
    """Max-trees of a video."""
    name = "h200-tree-video.txt"
    runs = {}
    for line in lines_of(name):
        found = re.match(r"(\w+) +(\d+) +(none|not pinned|\d+) +(\d+) +[\d.]+ +([\d.]+) +([\d.]+)$", line)
        if found:
            runs[found.groups()[:3]] = [float(value) for value in found.groups()[3:]]
    lines = [f"One H200, 1920 × 1080, u8, 4 neighbours, {origin(name)}.", "",
             *head_row("from host memory and back", *[f"frames/s: {slots} in flight" for slots in (1, 2, 3, 4, 8)], "3, not pinned",
                       "p99, ms, as fast as they go: 3 in flight",
                       *[f"{what}, ms, at 2000/s: {slots} in flight" for slots in (3, 8) for what in ("p99", "most")])]
    for look, words in (("natural", "natural-like"), ("blurred", "blurred noise"), ("noise", "noise")):
        rates = [f"{runs[look, slots, 'none'][0]:.0f}" for slots in "12348"] + [f"{runs[look, '3', 'not pinned'][0]:.0f}"]
        late = [f"{runs[look, slots, pace][place]:.2f}"
                for slots, pace, place in (("3", "none", 1), ("3", "2000", 1), ("3", "2000", 2), ("8", "2000", 1), ("8", "2000", 2))]
        lines.append(row(words, *rates, *late))
    return lines


FILM_ROWS = [("8000/s, in place", "paced at 8000/s, in place"), ("8000/s, pinned", "paced at 8000/s, pinned"),
             ("8000/s, copied", "paced at 8000/s, copied"),
             ("8000/s, Otsu's threshold", "Otsu's threshold, 8000/s"), ("8000/s, ids remembered", "lost ids remembered, 8000/s"),
             ("500/s, in place", "paced at 500/s, in place"), ("500/s, in place, patience 5 ms", "paced at 500/s, in place, patient"),
             *[(f"as fast as it goes, {how}",) * 2 for how in ("in place", "pinned", "pinned, no image", "copied")]]


def films():
    name = "h200-track.txt"
    lines = [f"One H200, 16 processors of a Xeon, {origin(name)}; medians of five runs, each with 250 (500/s), 1000 or 1250 (8000/s) or "
             "5000 to 20 000 (as fast as it goes) frames of 200 squares on a grid, u8, 8 neighbours.", "", *head_row("from push to result", *[f"{side}²: {what}" for side in (256, 512, 1024)
                                                                      for what in ("p50, µs", "p99, µs", "frames/s")])]
    text = newest(name).read_text(encoding="utf-8")
    for title, start in FILM_ROWS:
        cells = []
        for side in (256, 512, 1024):
            runs = [list(map(float, found.split())) for found in re.findall(rf"^{re.escape(start)} +{side} +200 +([\d. ]+)$", text, re.M)]
            cells += [f"{statistics.median(run[place] for run in runs):.0f}" for place in (1, 3, 0)] if runs else ["–"] * 3
        lines.append(row(title, *cells))
    return lines


def minute():
    name = "h200-track-minute.txt"
    cells = next(line for line in lines_of(name) if line.startswith("long, paced at 8000/s")).split()
    rate, middle, _, late, _, slowest, missed = cells[-7:]
    return [f"In 60 s of frames of 1024² at {rate} frames/s, p50 was {float(middle):.0f} µs, p99 {float(late):.0f} µs, the slowest frame took "
            f"{float(slowest) / 1e3:.2f} ms, and {missed} frames took more than 5 ms ({origin(name)})."]


def bubbles():
    name = "h200-track-bubbles.txt"
    lines = [f"Films in which something happens, pushed from pinned memory, with room for an object in every eighth pixel, {origin(name)}:", "",
             *head_row("film", "side", "objects in a frame", "events in a frame", "frames/s", "with remembered ids")]
    rows = table_after(name, "film, pinned", 5)
    for (words, side, objects, events, _, rate), (*_, kept) in zip(rows[::2], rows[1::2]):
        lines.append(row(words, f"{side:.0f}²", f"{objects:.0f}", f"{events:.1f}", f"{rate:.0f}", f"{kept:.0f}"))
    return lines


def publishing():
    name = "h200-track-bubbles.txt"
    lines = [f"p50 in µs from push to result of 30 single frames, and KiB of a result, patience 20 ms, room for 65 536 objects; one "
             f"run, {origin(name)}:", "", *head_row("side", "objects", "mapped", "KiB", "predicted", "KiB", "whole", "KiB")]
    for _, side, *cells in table_after(name, "publishing: p50", 8):
        lines.append(row(f"{side:.0f}²", *[f"{cell:.0f}" for cell in cells]))
    return lines


BLOCKS = {"floors of the GPU": floors, "images on the GPU": images, "goals on the GPU": goals, "volumes on the GPU": volumes,
          "outputs on the GPU": outputs, "regions on the GPU": regions, "outlines on the GPU": outlines,
          "frames on the GPU": frames, "plans on the GPU": plans, "trees on the GPU": trees, "nodes on the GPU": nodes,
          "videos of trees on the GPU": videos,
          "films on the GPU": films, "a minute on the GPU": minute, "bubbles on the GPU": bubbles, "publishing on the GPU": publishing,
          "shares of the GPU": shares}

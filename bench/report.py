#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gathers the numbers of one run of the benches, and prints them as Markdown tables.

report.py name                     <date>-<processor>, the name of a result file
report.py gather FOLDER RESULT     versus.json, stages.json, volumes.json and trees.json of FOLDER → one small file
report.py tables RESULT            Markdown on standard output
"""
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys

STAGES = ["1_encode", "2_local", "3_merge", "4_resolve", "5_measure", "6_emit", "rest"]
# What the library promises to reach on one thread, as multiples of the best peer, by (job, connectivity, granularity).
GOALS = {("labels", 8, 1): 1.8, ("labels", 8, 4): 2.2, ("labels", 8, 16): 2.5,
         ("labels", 4, 1): 2, ("labels", 4, 4): 3, ("labels", 4, 16): 4,
         ("features", 8, 1): 2.8, ("features", 8, 4): 7, ("features", 8, 16): 18,
         ("volumes", 26, 4): 10, ("volumes", 6, 4): 6}


def processor():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    return model.group(1).strip() if model else platform.machine()


def result_name():
    return f"{datetime.date.today()}-" + re.sub(r"[^a-z0-9]+", "-", processor().lower()).strip("-")


def revision():
    found = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def benchmarks(path):
    """(subject, statistic, counters) of each aggregate: benches run no subject less than three times."""
    with open(path) as file:
        content = json.load(file)
    keys = ("job", "connectivity", "size", "granularity", "density", "threads", "method")
    rows = []
    for run in content["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"report.py: {run['name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            continue
        fields = run["run_name"].split("/")[:7]
        subject = dict(zip(keys, [fields[0], *map(int, fields[1:6]), fields[6]]))
        rows.append((subject, run["aggregate_name"], run))
    return content["context"], rows


def grouped(rows, value):
    """One entry for all densities of otherwise equal subjects, in order: the benches ran shuffled."""
    groups = {}
    for subject, _, run in rows:
        density = subject.pop("density")
        groups.setdefault(tuple(subject.items()), {})[str(density)] = value(run)
    return [dict(key) | {"by_density": values} for key, values in sorted(groups.items())]


def stage_values(run):
    values = {stage: round(run[stage + " ns/px"], 4) for stage in STAGES} | {"call": round(1e3 / run["Mpx/s"], 4)}
    if "runs" in run:
        values |= {"runs": int(run["runs"]), "scratch_bytes": int(run["scratch_bytes"])}
    return values


def rows_of_peers(folder, name):
    """What a bench beside a Python library wrote; no rows when that was absent."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {"rows": []}
    with open(path) as file:
        return json.load(file)


def gather(folder, target):
    context, rows = benchmarks(os.path.join(folder, "versus.json"))
    speeds = [row for row in rows if row[1] == "median"]
    variation = [row[2]["Mpx/s"] for row in rows if row[1] == "cv"]
    _, stage_rows = benchmarks(os.path.join(folder, "stages.json"))
    volumes, trees = (rows_of_peers(folder, name) for name in ("volumes.json", "trees.json"))
    head = {
        "date": str(datetime.date.today()), "revision": revision(), "processor": processor(),
        "processors": os.cpu_count(), "system": platform.platform(),
        "caches": [f"L{c['level']} {c['type']} {c['size'] // 1024} KiB" for c in context.get("caches", [])],
        **{key: context.get(key, "unknown")
           for key in ("skerry", "instruction_set", "compiler", "OpenCV", "repetitions", "seed")},
        "SciPy": volumes.get("scipy", "absent"), "scikit-image": trees.get("skimage", "absent"),
        "coefficient_of_variation": {"median": round(statistics.median(variation), 4),
                                     "worst": round(max(variation), 4)} if variation else None,
    }
    sections = {"speeds": grouped(speeds, lambda run: round(run["Mpx/s"], 1)),
                "stages": grouped([row for row in stage_rows if row[1] == "median"], stage_values),
                "volumes": volumes["rows"], "trees": trees["rows"]}
    # One entry a line keeps the file readable and its differences short.
    with open(target, "w") as file:
        file.write(json.dumps({"head": head}, indent=1, ensure_ascii=False)[:-2])
        for name, entries in sections.items():
            lines = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
            file.write(f',\n "{name}": [\n  {lines}\n ]')
        file.write("\n}\n")
    print(f"numbers: {target}", file=sys.stderr)


class Speeds:
    def __init__(self, entries):
        self.entries = entries

    def pick(self, **wanted):
        return [e for e in self.entries if all(e[key] == value for key, value in wanted.items())]

    def values(self, key):
        return sorted({entry[key] for entry in self.entries if entry[key]})

    def one(self, **wanted):
        """Mpx/s by density of one method; empty when it was not run."""
        found = self.pick(**wanted)
        return {int(d): v for d, v in found[0]["by_density"].items()} if found else {}

    def best_peer(self, **wanted):
        """The fastest OpenCV algorithm of each image."""
        best = {}
        for entry in self.pick(**wanted):
            if entry["method"].startswith("OpenCV"):
                for density, speed in entry["by_density"].items():
                    best[int(density)] = max(best.get(int(density), 0), speed)
        return best


def mean(values):
    return statistics.mean(values.values()) if values else None


def ratio(over, under):
    return over / under if over and under else None


def show(value, form="{:.0f}"):
    return "–" if value is None else form.format(value)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] + ["--:"] * (len(cells) - 1))


def goal(job, connectivity, granularity, threads, reached):
    wanted = GOALS.get((job, connectivity, granularity)) if threads == 1 else None
    if wanted is None or reached is None:
        return ""
    return f"≥ {wanted}{'' if reached >= wanted else ', missed'}"


def print_head(run):
    spread = run["coefficient_of_variation"]
    print(f"Measured {run['date']}, revision {run['revision']}: {run['processor']}, {run['processors']} processors, "
          f"{', '.join(run['caches'])}; {run['system']}; compiler {run['compiler']}, instruction set "
          f"{run['instruction_set']}. OpenCV {run['OpenCV']}, SciPy {run['SciPy']}, "
          f"scikit-image {run['scikit-image']}. Medians of {run['repetitions']} interleaved calls, seed {run['seed']}" +
          (f"; coefficient of variation {100 * spread['median']:.1f} % (median), {100 * spread['worst']:.0f} % (worst)."
           if spread else "."))


def print_floors(speeds):
    print("\n### Floors, Mpx/s, mean over all images\n")
    head("size", "threads", "read 1 B/px", "u8 → u32, plain stores", "u8 → u32, streamed stores")
    for size in speeds.values("size"):
        for threads in speeds.values("threads"):
            cells = []
            for method in ("read", "copy plain", "copy streamed"):
                found = speeds.pick(job="floor", size=size, threads=threads, method=method)
                cells.append(show(statistics.mean([v for e in found for v in e["by_density"].values()])
                                  if found else None))
            row(f"{size}²", threads, *cells)


def print_job(speeds, job, title, columns):
    """columns: (title, method, ratio to the peer?) of further methods of skerry."""
    floor = "copy streamed" if job == "labels" else "read"
    for connectivity in reversed(speeds.values("connectivity")):
        print(f"\n### {title}, {connectivity}-connectivity, Mpx/s, mean over densities\n")
        head("size", "threads", "g", "OpenCV best", "skerry", "skerry / OpenCV", "goal", "of the floor", "2 threads / 1",
             *[name for name, _, _ in columns])
        for size in speeds.values("size"):
            for threads in speeds.values("threads"):
                for g in speeds.values("granularity"):
                    at = {"size": size, "threads": threads, "granularity": g}
                    here = {"job": job, "connectivity": connectivity, **at}
                    peer, ours = mean(speeds.best_peer(**here)), mean(speeds.one(method="skerry", **here))
                    single = mean(speeds.one(method="skerry", **{**here, "threads": 1})) if threads == 2 else None
                    share = ratio(ours, mean(speeds.one(job="floor", method=floor, **at)))
                    cells = [show(mean(speeds.one(method=method, **here))) +
                             (f" ({show(ratio(mean(speeds.one(method=method, **here)), peer), '{:.1f}×')})"
                              if compared else "") for _, method, compared in columns]
                    row(f"{size}²", threads, g, show(peer), show(ours), show(ratio(ours, peer), "{:.2f}"),
                        goal(job, connectivity, g, threads, ratio(ours, peer)),
                        show(share, "{:.0%}"),
                        show(ratio(ours, single), "{:.2f}"), *cells)


def print_published(speeds):
    """Methods of papers beside our own and the best peer: each mean over densities."""
    names = sorted({m for m in (e["method"] for e in speeds.entries) if m.startswith("published ")})
    if not names:
        return
    print("\n### Methods as published, Mpx/s, mean over densities\n")
    head("job", "connectivity", "size", "threads", "g", "OpenCV best", "skerry",
         *[name.removeprefix("published ") for name in names])
    for job in ("labels", "features"):
        for connectivity in reversed(speeds.values("connectivity")):
            for size in speeds.values("size"):
                for threads in speeds.values("threads"):
                    for g in speeds.values("granularity"):
                        here = {"job": job, "connectivity": connectivity, "size": size, "threads": threads,
                                "granularity": g}
                        row(job, connectivity, f"{size}²", threads, g, show(mean(speeds.best_peer(**here))),
                            *[show(mean(speeds.one(method=method, **here))) for method in ["skerry", *names]])


def print_densities(speeds):
    size = speeds.values("size")[0]
    for connectivity in reversed(speeds.values("connectivity")):
        densities = sorted({int(d) for e in speeds.pick(connectivity=connectivity) for d in e["by_density"]})
        print(f"\n### By density, {size}², {connectivity}-connectivity, one thread, Mpx/s\n")
        head("g", "what", *[f"{d} %" for d in densities])
        for g in speeds.values("granularity"):
            here = {"size": size, "threads": 1, "granularity": g, "connectivity": connectivity}
            for name, values in (("labels, OpenCV best", speeds.best_peer(job="labels", **here)),
                                 ("labels, skerry", speeds.one(job="labels", method="skerry", **here)),
                                 ("features, OpenCV best", speeds.best_peer(job="features", **here)),
                                 ("features, skerry", speeds.one(job="features", method="skerry", **here))):
                row(g, name, *[show(values.get(d)) for d in densities])


def print_stages(stages):
    for job in ("label", "measure"):
        for connectivity in reversed(stages.values("connectivity")):
            found = stages.pick(job=job, connectivity=connectivity)
            if not found:
                continue
            print(f"\n### Stages of {job}, {found[0]['size']}², {connectivity}-connectivity, "
                  "ns per pixel and share, mean over densities\n")
            head("stage", *[f"g = {e['granularity']}, {e['threads']} thread{'s' * (e['threads'] > 1)}" for e in found])
            calls = [statistics.mean(v["call"] for v in e["by_density"].values()) for e in found]
            for stage in STAGES:
                means = [statistics.mean(v[stage] for v in e["by_density"].values()) for e in found]
                row(stage, *[f"{m:.3f} ({100 * m / call:.0f} %)" for m, call in zip(means, calls)])
            row("call", *[f"{call:.3f}" for call in calls])


def print_scratch(stages):
    found = [e for e in stages.pick(job="label") if all("runs" in v for v in e["by_density"].values())]
    if not found:
        return
    print("\n### Scratch of label(), bytes per run by density\n")
    densities = sorted({int(d) for e in found for d in e["by_density"]})
    head("g", "connectivity", "threads", *[f"{d} %" for d in densities], "most, MiB")
    for e in found:
        by = e["by_density"]
        row(e["granularity"], e["connectivity"], e["threads"],
            *[f"{by[str(d)]['scratch_bytes'] / by[str(d)]['runs']:.1f}" for d in densities],
            f"{max(v['scratch_bytes'] for v in by.values()) / 2**20:.1f}")


def print_volumes(rows):
    if not rows:
        print("\nVolumes: SciPy was absent, nothing was compared.")
        return
    densities = sorted({r["density"] for r in rows})
    size, g = rows[0]["size"], rows[0]["granularity"]
    for connectivity in sorted({r["connectivity"] for r in rows}, reverse=True):
        print(f"\n### Volumes, {size}³, g = {g}, {connectivity}-connectivity, Mvx/s\n")
        head("what", *[f"{d} %" for d in densities], "mean", "/ SciPy", "goal")
        speed = {}
        for r in rows:
            if r["connectivity"] == connectivity:
                speed.setdefault((r["method"], r["threads"]), {})[r["density"]] = r["mega_voxels_per_second"]
        peer = mean(speed["SciPy", 1])
        for (method, threads), values in speed.items():
            reached = ratio(mean(values), peer)
            row(f"{method}, {threads} thread{'s' * (threads > 1)}", *[show(values.get(d)) for d in densities],
                show(mean(values)), show(reached, "{:.1f}"),
                goal("volumes", connectivity, g, threads, reached) if method == "skerry" else "")


def print_trees(rows):
    if not rows:
        print("\nMax-trees: scikit-image was absent, nothing was compared.")
        return
    print(f"\n### Max-trees of natural-like images, {rows[0]['size']}², Mpx/s\n")
    head("pixels", "connectivity", "threads", "copy", "tree", "tree + area", "scikit-image, 1 thread", "/ scikit-image")
    speed = {(r["type"], r["connectivity"], r["threads"], r["method"]): r["mega_pixels_per_second"] for r in rows}
    for kind, connectivity, threads in dict.fromkeys(key[:3] for key in speed):
        here, peer = (kind, connectivity, threads), speed[kind, connectivity, 1, "scikit-image"]
        row(*here, *[show(speed[(*here, method)], "{:.1f}") for method in ("copy", "skerry tree", "skerry tree + area")],
            show(peer, "{:.2f}"), show(ratio(speed[(*here, "skerry tree + area")], peer), "{:.1f}"))


def tables(path):
    with open(path) as file:
        result = json.load(file)
    speeds, stages = Speeds(result["speeds"]), Speeds(result["stages"])
    print_head(result["head"])
    print_floors(speeds)
    print_job(speeds, "labels", "Labels", [])
    print_job(speeds, "features", "Features without a label image",
              [("with moments", "skerry with moments", False), ("with labels", "skerry with labels", True),
               ("count only", "skerry count", False)])
    print_published(speeds)
    print_densities(speeds)
    print_stages(stages)
    print_scratch(stages)
    print_volumes(result["volumes"])
    print_trees(result["trees"])


def main():
    match sys.argv[1:]:
        case ["name"]:
            print(result_name())
        case ["gather", folder, target]:
            gather(folder, target)
        case ["tables", path]:
            tables(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gathers the numbers of one run of bench/run-cuda, and prints them as Markdown tables.

report_cuda.py gather FOLDER RESULT REVISION    cuda.json, regions.json and those of peers of FOLDER, where there, → one file
report_cuda.py tables RESULT                    Markdown on standard output
"""
import datetime
import json
import os
import sys

# What the library promises to reach, Gpx/s, by (job, connectivity, granularity); "ones" is an image without background.
GOALS = {("labels", 8, 1): 160, ("labels", 8, 4): 300, ("labels", 8, 16): 400, ("labels", 8, "ones"): 400,
         ("labels", 4, 1): 180, ("labels", 4, 4): 340, ("labels", 4, 16): 420, ("labels", 4, "ones"): 400,
         ("features", 8, 1): 160, ("features", 8, 4): 380, ("features", 8, 16): 520, ("features", 8, "ones"): 800,
         ("features", 4, 1): 170, ("features", 4, 4): 430, ("features", 4, 16): 550, ("features", 4, "ones"): 800}


def gather(folder, target, revision):
    result = {"head": {"date": str(datetime.date.today()), "revision": revision}, "absent": []}
    for program in ("cuda", "npp", "cupy", "regions", "cupy_regions"):
        path = os.path.join(folder, program + ".json")
        if not os.path.exists(path):
            result["absent"].append(program)
            continue
        with open(path) as file:
            content = json.load(file)
        result["head"] |= content.pop("head")
        if program == "cuda":
            result |= content
        else:  # skerry's rows beside a peer say how far two runs of the same differ
            result[program] = content["rows"]
            result.setdefault("floors", []).extend(content.get("floors", []))
    # One entry a line keeps the file readable and its differences short.
    with open(target, "w") as file:
        file.write("{")
        for number, (name, value) in enumerate(result.items()):
            entries = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in value) if isinstance(value, list) \
                else None
            text = json.dumps(value, ensure_ascii=False) if entries is None else f"[\n  {entries}\n ]"
            file.write(("," if number else "") + f'\n "{name}": {text}')
        file.write("\n}\n")
    print(f"numbers: {target}", file=sys.stderr)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head(*cells):
    row(*cells)
    row(*["---"] + ["--:"] * (len(cells) - 1))


def is_ones(entry):
    return list(entry["by_density"]) == ["100"]


def with_goal(entry, key):
    """The mean, in bold where it misses its goal."""
    wanted, reached = GOALS.get(key), entry["mean Gpx/s"]
    if wanted is None:
        return f"{reached:.0f}"
    text = f"{reached:.0f} ({wanted})"
    return text if reached >= wanted else f"**{text}**"


def print_images(rows):
    shapes = sorted({r["shape"] for r in rows if r["shape"].endswith("²")})
    for shape in shapes:
        here = [r for r in rows if r["shape"] == shape]
        print(f"\n### {shape}, u8 in, Gpx/s, means over densities (goal; bold is missed)\n")
        head("", "conn", "g = 1", "g = 4", "g = 16", "all ones", "slowest density / mean", "scratch B/px")
        for job, connectivity in dict.fromkeys((r["job"], r["connectivity"]) for r in here):
            mine = [r for r in here if (r["job"], r["connectivity"]) == (job, connectivity)]
            cells = {"ones" if is_ones(r) else r["granularity"]: r for r in mine}
            row(job, connectivity, *[with_goal(cells[g], (job, connectivity, g)) if g in cells else "–"
                                     for g in (1, 4, 16, "ones")],
                f"{min(r['slowest / mean'] for r in mine):.0%}", f"{mine[0]['scratch B/px']:.2f}")


def print_volumes(rows):
    here = [r for r in rows if r["shape"].endswith("³")]
    if not here:
        return
    print(f"\n### Volumes, {here[0]['shape']}, g = 4, Gvx/s\n")
    head("", "conn", "mean over densities", "slowest density / mean", "scratch B/vx")
    for r in here:
        row(r["job"], r["connectivity"], f"{r['mean Gpx/s']:.0f}", f"{r['slowest / mean']:.0%}",
            f"{r['scratch B/px']:.2f}")


def print_frames(result):
    if not result["frames"]:
        return
    print("\n### Single frames, µs\n")
    head("", "frame", "conn", "image", "in a row", "in a graph of many", "alone", "host, to enqueue")
    for r in result["frames"]:
        image = f"g = {r['granularity']}, {r['density']} %"
        row(r["job"], f"{r['side']}²", r["connectivity"], image, f"{r['us in a row']:.1f}",
            f"{r['us in a graph of many']:.1f}", f"{r['us alone']:.1f}", f"{r['host us to enqueue']:.1f}")
    print("\n### Batches\n")
    head("", "frames", "conn", "million frames/s")
    for r in result["batches"]:
        row(r["job"], f"{r['frames']} × {r['side']}²", r["connectivity"], f"{r['frames/s'] / 1e6:.2f}")


def print_peers(result):
    rows = [r for name in ("npp", "cupy") for r in result.get(name, [])]
    images = [r for r in rows if r["shape"].endswith("²")]
    if images:
        print("\n### Peers, labels, Gpx/s, means over densities\n")
        head("", "conn", "g = 1", "g = 4", "g = 16", "partition")
    for method, connectivity in dict.fromkeys((r["method"], r["connectivity"]) for r in images):
        mine = {r["granularity"]: r for r in images if (r["method"], r["connectivity"]) == (method, connectivity)}
        wrong = any("wrong" in r for r in mine.values())
        row(method, connectivity, *[f"{mine[g]['mean Gpx/s']:.1f}" if g in mine else "–" for g in (1, 4, 16)],
            "wrong" if wrong else "right")
    volumes = [r for r in rows if r["shape"].endswith("³")]
    if volumes:
        print(f"\n### Peers, labels of volumes, {volumes[0]['shape']}, g = 4, Gvx/s\n")
        head("", "conn", "mean over densities")
    for r in volumes:
        row(r["method"], r["connectivity"], f"{r['mean Gpx/s']:.1f}")
    for program in result["absent"]:
        print(f"\nNo numbers of {program}: it was not there.")


def print_regions(result):
    """Given label images: skerry's jobs, and those of a peer on the same images."""
    rows = result.get("regions", []) + result.get("cupy_regions", [])
    if not rows:
        return
    print(f"\n### Given label images, {rows[0]['shape']}, uint32, Gpx/s, means over densities\n")
    head("", "", "g = 1", "g = 4", "g = 16")
    for method, job in dict.fromkeys((r["method"], r["job"]) for r in rows):
        mine = {r["granularity"]: r for r in rows if (r["method"], r["job"]) == (method, job)}
        row(method, job, *[f"{mine[g]['mean Gpx/s']:.1f}" if g in mine else "–" for g in (1, 4, 16)])


def tables(path):
    with open(path) as file:
        result = json.load(file)
    about = result["head"]
    if "absent" not in result:  # the program's own file has no date and no peers
        sys.exit(f"{path}: is of one program alone, not what `report_cuda.py gather` makes of a run")
    print(f"Measured {about['date']}, revision {about['revision']}: {about['device']}, CUDA {about['CUDA']}, "
          f"NPP {about.get('NPP', 'absent')}, CuPy {about.get('CuPy', 'absent')}; medians of {about['repetitions']}.")
    print("Floors: " + ", ".join(f"{f['floor']} {f['Gpx/s']:.0f} Gpx/s" for f in result["floors"]) + ".")
    print_images(result["rows"])
    print_volumes(result["rows"])
    print_frames(result)
    print_regions(result)
    print_peers(result)


def main():
    match sys.argv[1:]:
        case ["gather", folder, target, revision]:
            gather(folder, target, revision)
        case ["tables", path]:
            tables(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

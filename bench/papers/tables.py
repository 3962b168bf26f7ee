# SPDX-License-Identifier: Apache-2.0
"""The tables of the papers again, in Markdown, with the papers' own numbers in columns or rows of theirs.

Each function gives the lines of one block of docs/reproduction.md.
"""
from devices import clock_bound, faster_clock, scaled_speed, scaled_time
from samples import CPU_LABELS, FEATURES, LABELS, MORE_LABELS, TREE_STEPS, mean, mean_speed, of, of_a_gpu, values

# Of the texts. 002: tables 1 and 2, A100, Gpx/s: g = 4, and ones.
A100 = {"naive": (1.00, 0.337), "ha": (13.6, 16.6), "ha-otf": (34.4, 78.8), "ha-cd": (25.2, 16.6), "flsl": (19.2, 301),
        "flsl-otf": (71.0, 320), "flsl-cd": (88.8, 300)}
# 001: table I, GTX 260, realistic images, µs: most, mean, least; and its second program for the CPU.
GTX260 = {(256, 256): (1320, 1010, 540), (512, 512): (3130, 2000, 1010), (512, 768): (3950, 2730, 1410),
          (1024, 1024): (5400, 4190, 2970)}
CPU2 = {(256, 256): 680, (512, 512): 2430, (512, 768): 3850, (1024, 1024): 9680}
# 003: GTX 460, ms for 4096², whose upload is 4 bytes per pixel at 2 GB/s.
GTX460 = {"upload": 33.6, "labels": 26.4}
HD_RATE = 382  # 004: images of 1920 × 1080 per second, RTX 2060, computed from 793 MB/s of one of 6000 × 4000
# 004: figure 6.3, RTX 2060, ms; the steps of TREE_STEPS, and in all.
RTX2060 = {"blin": (24, 4.2, None, 4.2, 2.6, 34.8), "blin-border": (25.6, 3.5, 0.8, 4.2, 2.6, 36.7)}


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def head_row(*cells):
    return [row(*cells), row("---", *["--:"] * (len(cells) - 1))]


def number(value, form=".1f"):
    return "–" if value is None else format(value, form)


def heading(text):
    return ["", f"**{text}**", ""]


def calls_of(head, samples):
    """How many calls each figure is the median of."""
    samples = of_a_gpu(samples)
    counts = sorted({s["calls"] for s in samples if "calls" in s})
    if not counts:  # the first run, which did not say
        return [f"Medians of {head['repetitions']}. A method of [Lemaitre2021] or [Jung2010] that takes 10 ms or more was called three times; "
                "of [BlockFill2011] `skerry` ran three times. No medians, but single calls are those of [Lemaitre2021] and [Jung2010] that take "
                "50 ms or more, methods of the CPU, and `block-fill`, whose times are sums of its phases."]
    figures = {count: sum(s.get("calls") == count for s in samples) for count in counts}
    return ["Each figure is a median of calls or replays: " + ", ".join(f"of {count} for {many}" for count, many in figures.items()) + " figures." +
            (" A stream ran once; its figure is the mean of its frames." if any("frames" in s for s in samples) else "")]


def run_facts(head, samples):
    return [f"{head['device']}, CUDA {head['CUDA']}, skerry {head['skerry']} at revision {head.get('revision', 'not recorded')}; images: {head['images']}." +
            (f" Seconds of each paper: {head['seconds']}." if "seconds" in head else ""), *calls_of(head, samples)]


def gain(samples):
    """Of the library's own method over the best of the others, on the mean of time."""
    speeds = {method: mean_speed(of(samples, method=method)) for method in values(samples, "method")}
    own = speeds.pop("skerry", None)
    return number(own / max(speeds.values()) if own and speeds else None, ".2f")


def both_means(samples):
    """Of time, and in brackets of throughput."""
    return f"{number(mean_speed(samples))} ({number(mean(s['Gpx/s'] for s in samples))})"


def texts_of(head, method, known):
    """What the text has for a method, each figure followed by itself scaled to this device, and by the clock where that is known to bound it."""
    return [cell for ones, speed in enumerate(A100.get(method, (None, None)))
            for cell in ("–" if speed is None else speed, number(scaled_speed(head, "A100", speed)),
                         number(faster_clock(head, "A100", speed) if (method, bool(ones)) in known else None))]


def votes(head, samples):
    lines, known = [], clock_bound(samples)
    for connectivity in (4, 8):
        here = of(samples, figure="002 density", connectivity=connectivity)
        if not here:
            continue
        granularities = sorted(values(here, "granularity"))
        lines += heading(f"Features, {here[0]['height']}², {connectivity} neighbours, Gpx/s, means over densities "
                         f"{', '.join(str(d) for d in values(here, 'density'))} %: of time (of throughput)")
        text = ["text, A100: g = 4", "scaled", "by clock", "text: all ones", "scaled", "by clock"] if connectivity == 4 else []
        lines += head_row("", *[f"g = {g}" for g in granularities], "all ones", *text)
        for method in FEATURES:
            full = of(samples, figure="002 full", connectivity=connectivity, method=method)
            cells = [both_means(of(here, granularity=g, method=method)) for g in granularities]
            if of(here, method=method):
                lines.append(row(method, *cells, number(mean_speed(full)), *(texts_of(head, method, known) if text else [])))
        lines.append(row("skerry, times the best of them", *[gain(of(here, granularity=g)) for g in granularities],
                         gain(of(samples, figure="002 full", connectivity=connectivity)), *["–"] * len(text)))
    return lines + labels_alone(samples)


def labels_alone(samples):
    """What of the time is left without features: a method that labels writes a label image instead."""
    lines = []
    for connectivity in (4, 8):
        here = of(samples, figure="002 labels", connectivity=connectivity)
        granularities = values(here, "granularity")
        if not here:
            continue
        both = of(samples, figure="002 both", connectivity=connectivity)
        jobs = {"labels": "002 labels", "features": "002 density"} | ({"both": "002 both"} if both else {})
        lines += heading(f"Labels alone, features alone{', and both in one call' if both else ''}, {here[0]['height']}², {connectivity} neighbours, "
                         "Gpx/s, means of time over the same densities")
        lines += head_row("", *[f"g = {g}: {job}" for g in granularities for job in jobs])
        for method in dict.fromkeys(values(here, "method") + values(both, "method")):
            cells = [number(mean_speed(of(samples, figure=figure, connectivity=connectivity, granularity=g, method=method)))
                     for g in granularities for figure in jobs.values()]
            lines.append(row(method, *cells))
    return lines


def votes_by_density(head, samples):
    lines = []
    for connectivity in (4, 8):
        here = of(samples, figure="002 density", connectivity=connectivity, granularity=4)
        densities = values(here, "density")
        if not here:
            continue
        lines += heading(f"By density, g = 4, {connectivity} neighbours, Gpx/s")
        lines += head_row("", *[f"{d} %" for d in densities])
        for method in FEATURES:
            if of(here, method=method):
                lines.append(row(method, *[number(mean_speed(of(here, density=d, method=method)))
                                           for d in densities]))
    return lines


def counts(head, samples):
    lines = []
    for granularity in values(of(samples, figure="002 votes"), "granularity"):
        here = of(samples, figure="002 votes", granularity=granularity)
        densities = [d for d in (25, 55, 75, 95) if of(here, density=d)]
        lines += heading(f"Updates / conflicts / updates under way at the same time, in thousands, {here[0]['height']}², g = {granularity}, 4 neighbours")
        lines += head_row("", *[f"{d} %" for d in densities])
        for method in FEATURES[:-1]:
            cells = [of(here, density=d, method=method)[0] for d in densities]
            lines.append(row(method, *[" / ".join(f"{s.get(key, 0) / 1e3:.1f}" for key in ("updates", "conflicts", "met")
                                        if key in s or key != "met") for s in cells]))
        lines.append(row("skerry", *["has no votes"] * len(densities)))
    return lines


def volumes(head, samples):
    """The text's outlook: FLSL+CD in volumes."""
    lines = []
    for job in ("features", "labels"):
        here = of(samples, figure="002 volumes", job=job)
        if not here:
            continue
        keys = [(c, g) for c in values(here, "connectivity") for g in values(here, "granularity")]
        lines += heading(f"Volumes, {job}, {here[0]['height']}³, Gpx/s, means of time over densities "
                         f"{', '.join(str(d) for d in values(here, 'density'))} %")
        lines += head_row("", *[f"{c} neighbours, g = {g}" for c, g in keys])
        lines += [row(method, *[number(mean_speed(of(here, connectivity=c, granularity=g, method=method))) for c, g in keys])
                  for method in values(here, "method")]
    return lines


TREE_NAMES = ("features to host", "features of labels to host")


def tree(head, samples):
    lines = []
    for job in TREE_NAMES:
        here = of(samples, figure="000 size", job=job)
        sides = values(here, "height")
        if not here:
            continue
        begin = "from a given label image" if job == TREE_NAMES[1] else "from the image"
        lines += heading(f"Features on the host, {begin}, g = 1, µs, means over densities "
                         f"{', '.join(str(d) for d in values(here, 'density'))} % (of which copies)")
        lines += head_row("", *[f"{side}²" for side in sides])
        for method in values(here, "method"):
            cells = []
            for side in sides:
                some = of(here, height=side, method=method)
                copies = "" if method == "skerry of labels" else f" ({mean(s['phases us']['copy'] for s in some):.0f})"
                cells.append(f"{mean(s['us'] for s in some):.0f}{copies}")
            lines.append(row(method, *cells))
    return lines


def six_phases(head, samples):
    lines = []
    here = of(samples, figure="001 size")
    for connectivity in values(here, "connectivity"):
        mine = of(here, connectivity=connectivity)
        lines += heading(f"Labels, N{connectivity}, µs, noise and blocks of 4 of densities 10 … 90 %: max / mean / min")
        on_device = [method for method in LABELS + MORE_LABELS if of(mine, method=method)]
        on_host = [method for method in CPU_LABELS if of(mine, method=method)]
        lines += head_row("", *on_device, "text: jung, GTX 260", "scaled", "jung: iterations", *[f"{m}, CPU, 1 thread" for m in on_host],
                          "text: CPU2, mean")
        for shape in dict.fromkeys((s["height"], s["width"]) for s in mine):
            some = of(mine, height=shape[0], width=shape[1])
            cells = [[s["us"] for s in of(some, method=method)] for method in on_device + on_host]
            texts = [f"{max(c):.0f} / {mean(c):.0f} / {min(c):.0f}" for c in cells]
            count = [s["iterations"] for s in of(some, method="jung")]
            there = [" / ".join(form(v) for v in GTX260[shape]) if shape in GTX260 else "–"
                     for form in (str, lambda v: number(scaled_time(head, "GTX 260", v), ".0f"))]
            lines.append(row(f"{shape[0]} × {shape[1]}", *texts[:len(on_device)], *there,
                             f"{max(count)} / {mean(count):.1f} / {min(count)}", *texts[len(on_device):], CPU2.get(shape, "–")))
    return lines + spirals(of(samples, figure="001 spiral"))


def spirals(here):
    lines = []
    for connectivity in values(here, "connectivity"):
        mine = of(here, connectivity=connectivity)
        methods = values(mine, "method")
        lines += heading(f"Labels of spirals, N{connectivity}, µs")
        lines += head_row("", *methods, "jung: iterations")
        for side in values(mine, "height"):
            times = [of(mine, height=side, method=method)[0]["us"] for method in methods]
            lines.append(row(f"{side}²", *[number(t, ".0f") for t in times], of(mine, height=side, method="jung")[0]["iterations"]))
    return lines


def block_fill(head, samples):
    here = of(samples, figure="003 size", density=50)
    if not here:
        return []
    lines = heading("Labels of large images, density 50 %, ms: upload / labels / download")
    lines += head_row("side, neighbours, g", "block-fill", "text: GTX 460", "its labels, scaled", "skerry", "labels, Gpx/s: block-fill", "skerry")
    for key in dict.fromkeys((s["height"], s["connectivity"], s["granularity"]) for s in here):
        side, connectivity, granularity = key
        both = [of(here, height=side, connectivity=connectivity, granularity=granularity, method=method)[0]
                for method in ("block-fill", "skerry")]
        times = [f"{s['phases us']['upload'] / 1e3:.2f} / {s['us'] / 1e3:.2f} / {s['phases us']['download'] / 1e3:.2f}"
                 for s in both]
        there = ["–", "–"]
        if (side, connectivity) == (4096, 4):
            there = [f"{GTX460['upload']} / {GTX460['labels']} / –", number(scaled_time(head, "GTX 460", GTX460["labels"]), ".2f")]
        lines.append(row(f"{side}², {connectivity}, {granularity}", times[0], *there, times[1],
                         *[number(s["Gpx/s"]) for s in both]))
    return lines


def tree_steps(head, samples):
    here = of(samples, figure="004 steps")
    if not here:
        return []
    lines = heading("Max-trees, u8, 4 neighbours, ms of each step and in all")
    lines += head_row("image", "method", *TREE_STEPS, "in all", "Gpx/s", "nodes per pixel", "border nodes of a tile")
    for method, times in RTX2060.items():
        border = 193.5 if method == "blin-border" else None
        lines.append(row("text: RTX 2060, its own, 6000 × 4000", method, *[number(t) for t in times],
                         f"{24 / times[-1]:.1f}", "–", number(border)))
        there = [scaled_time(head, "RTX 2060", t) for t in times]
        lines.append(row("the same, scaled", method, *[number(t, ".3f") for t in there],
                         number(24 / there[-1] if there[-1] else None), "–", "–"))
    for s in here:
        steps = [number(s["phases us"][step] / 1e3, ".3f") if step in s.get("phases us", {}) else "–"
                 for step in TREE_STEPS]
        lines.append(row(f"{s['look']}, {s['width']} × {s['height']}", s["method"], *steps, f"{s['us'] / 1e3:.3f}",
                         number(s["Gpx/s"]), f"{s['nodes'] / s['height'] / s['width']:.3f}", number(s.get("border nodes"))))
    return lines


def video(head, samples):
    """How many trees of a video's images a second has, one image after the other."""
    here = of(samples, figure="004 video")
    if not here:
        return []
    looks = values(here, "look")
    lines = heading(f"Max-trees of {here[0]['width']} × {here[0]['height']}, u8, 4 neighbours, per second")
    lines += head_row("", *looks, "text: RTX 2060, from its image of 6000 × 4000", "scaled")
    for method in values(here, "method"):
        there = HD_RATE if method == "blin" else None
        lines.append(row(method, *[f"{1e6 / of(here, method=method, look=look)[0]['us']:.0f}" for look in looks], there or "–",
                         number(scaled_speed(head, "RTX 2060", there), ".0f")))
    large = {s["look"]: s["Gpx/s"] for s in of(samples, figure="004 steps", method="blin", width=6000)}
    shares = [100 * s["Gpx/s"] / large[s["look"]] for s in of(here, method="blin") if s["look"] in large]
    return lines + (["", f"These images do not fill the device: `blin` has {min(shares):.0f} to {max(shares):.0f} % of its throughput at "
                     "6000 × 4000."] if shares else [])


BLOCKS = {"run": run_facts, "votes": votes, "votes by density": votes_by_density, "counts": counts, "volumes": volumes,
          "tree": tree, "six phases": six_phases, "block fill": block_fill, "tree steps": tree_steps, "video": video}

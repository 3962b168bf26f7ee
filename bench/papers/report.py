#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of the papers from what skerry_papers has measured, and prints their tables.

report.py plots RESULT FOLDER    PNG and SVG of every figure whose numbers are there; needs matplotlib
report.py tables RESULT          Markdown on standard output
"""
import json
import os
import sys

FEATURES = ["naive", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd", "skerry"]
COLOURS = {"naive": "#999999", "ha": "#e69f00", "ha-otf": "#f0c75e", "ha-cd": "#b87333", "flsl": "#56b4e9",
           "flsl-otf": "#009e73", "flsl-cd": "#0072b2", "skerry": "#d55e00", "tmk": "#0072b2", "jung": "#0072b2",
           "playne-direct": "#999999", "playne-block": "#009e73", "block-fill": "#0072b2", "blin": "#56b4e9",
           "blin-border": "#0072b2"}
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


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers) if numbers else None


# ---- plots ----------------------------------------------------------------------------------------------------------

class painter:
    def __init__(self, folder, head):
        import matplotlib
        matplotlib.use("Agg")
        matplotlib.rcParams.update({"svg.hashsalt": "skerry", "font.size": 8, "svg.fonttype": "none"})
        import matplotlib.pyplot
        self.plot, self.folder, self.device = matplotlib.pyplot, folder, head["device"]
        os.makedirs(folder, exist_ok=True)

    def panels(self, columns, rows=1):
        figure, axes = self.plot.subplots(rows, columns, figsize=(3.4 * columns, 2.7 * rows), squeeze=False)
        for axis in axes.flat:
            axis.grid(alpha=0.3)
        return figure, list(axes.flat)

    def save(self, figure, name, title):
        figure.suptitle(f"{title} ({self.device})")
        figure.tight_layout()
        for kind in ("png", "svg"):
            figure.savefig(os.path.join(self.folder, f"{name}.{kind}"), dpi=110,
                           metadata={"Date": None} if kind == "svg" else None)
        self.plot.close(figure)


def line(axis, samples, x, y, method, **style):
    here = sorted(samples, key=lambda s: s[x])
    if here:
        axis.plot([s[x] for s in here], [y(s) for s in here], label=method, color=COLOURS[method], marker=".",
                  linewidth=2 if method == "skerry" else 1, **style)


def plot_votes_by_density(paint, samples):
    for connectivity in (4, 8):
        here = of(samples, figure="002 density", connectivity=connectivity)
        if not here:
            continue
        granularities = values(here, "granularity")
        figure, axes = paint.panels(len(granularities))
        for axis, granularity in zip(axes, granularities):
            for method in FEATURES:
                line(axis, of(here, granularity=granularity, method=method), "density", lambda s: s["Gpx/s"], method)
            axis.set(title=f"g = {granularity}", xlabel="density, %", ylabel="Gpx/s", ylim=(0, None))
        axes[0].legend(fontsize=6)
        paint.save(figure, f"002-density-{connectivity}",
                   f"Features, {here[0]['height']}², {connectivity} neighbours, by density")


def plot_votes_by_size(paint, samples):
    sizes = of(samples, figure="002 size") + of(samples, figure="002 density", connectivity=4)
    granularities = [g for g in (1, 4, 16) if of(sizes, granularity=g)]
    if not of(samples, figure="002 size"):
        return
    figure, axes = paint.panels(len(granularities))
    for axis, granularity in zip(axes, granularities):
        for method in FEATURES:
            here = of(sizes, granularity=granularity, method=method)
            means = [{"side": side, "mean": mean(s["Gpx/s"] for s in of(here, height=side))}
                     for side in sorted(set(values(here, "height")))]
            line(axis, means, "side", lambda s: s["mean"], method)
        axis.set(title=f"g = {granularity}", xlabel="side, pixels", ylabel="Gpx/s", xscale="log", yscale="log")
    axes[0].legend(fontsize=6)
    paint.save(figure, "002-size", "Features, 4 neighbours, means over densities, by size")


def plot_counts(paint, samples):
    here = of(samples, figure="002 votes")
    granularities = values(here, "granularity")
    if not here:
        return
    figure, axes = paint.panels(len(granularities), 2)
    for row, key in enumerate(("updates", "conflicts")):
        for column, granularity in enumerate(granularities):
            axis = axes[row * len(granularities) + column]
            for method in FEATURES[:-1]:
                line(axis, of(here, granularity=granularity, method=method), "density", lambda s: s.get(key, 0), method)
            axis.set(title=f"{key}, g = {granularity}", xlabel="density, %", yscale="symlog")
    axes[0].legend(fontsize=6)
    paint.save(figure, "002-votes", f"Votes, {here[0]['height']}², 4 neighbours")


def plot_tree_by_density(paint, samples):
    here = of(samples, figure="000 density")
    sides, granularities = values(here, "height"), values(here, "granularity")
    if not here:
        return
    figure, axes = paint.panels(len(granularities), len(sides))
    for row, side in enumerate(sides):
        for column, granularity in enumerate(granularities):
            axis = axes[row * len(granularities) + column]
            for method in ("tmk", "ha", "skerry"):
                mine = of(here, height=side, granularity=granularity, method=method)
                line(axis, mine, "density", lambda s: s["us"], method)
                line(axis, mine, "density", lambda s: s["phases us"]["copy"], method, linestyle="--")
            axis.set(title=f"{side}², g = {granularity}", xlabel="density, %", ylabel="µs", yscale="log")
    axes[0].legend(["tmk", "its copies", "ha, all arrays", "their copy", "skerry", "its copies"], fontsize=6)
    paint.save(figure, "000-density", "Features on the host, 4 neighbours: total, and copies (dashed)")


def plot_tree_by_size(paint, samples):
    here = of(samples, figure="000 size")
    if not here:
        return
    sides = values(here, "height")
    figure, axes = paint.panels(2)
    for method in ("tmk", "ha", "skerry"):
        means = [{"side": side, "mean": mean(s["us"] for s in of(here, height=side, method=method))} for side in sides]
        line(axes[0], means, "side", lambda s: s["mean"], method)
    axes[0].set(xlabel="side, pixels", ylabel="µs", xscale="log", yscale="log", title="mean over densities, g = 1")
    axes[0].legend(fontsize=6)
    below = [0.0] * len(sides)
    for phase in TMK_PHASES:
        shares = []
        for side in sides:
            mine = of(here, height=side, method="tmk")
            whole = mean(s["us"] for s in mine)
            shares.append(mean(s["phases us"].get(phase, 0) for s in mine) / whole)
        axes[1].bar(range(len(sides)), shares, bottom=below, label=phase)
        below = [a + b for a, b in zip(below, shares)]
    axes[1].set(xticks=range(len(sides)), xticklabels=sides, xlabel="side, pixels", ylim=(0, 1),
                title="tmk: share of its time (rest: between)")
    axes[1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.set_figwidth(9)
    paint.save(figure, "000-size", "Features on the host, 4 neighbours, by size")


def plot_six_phases(paint, samples):
    here = of(samples, figure="001 density")
    if not here:
        return
    figure, axes = paint.panels(2)
    for axis, connectivity in zip(axes, (8, 4)):
        for method in values(here, "method"):
            line(axis, of(here, connectivity=connectivity, method=method), "density", lambda s: s["us"], method)
        axis.set(title=f"N{connectivity}", xlabel="density, %", ylabel="µs", yscale="log")
    axes[0].legend(fontsize=6)
    paint.save(figure, "001-density", "Labels, noise of 384²")


def plot_tree_steps(paint, samples):
    here = of(samples, figure="004 steps")
    if not here:
        return
    pictures = list(dict.fromkeys((s["height"], s["width"], s["look"]) for s in here))
    figure, axes = paint.panels(3, (len(pictures) + 2) // 3)
    for axis, (height, width, look) in zip(axes, pictures):
        mine = of(here, height=height, width=width, look=look)
        for shift, method in ((-0.2, "blin"), (0.2, "blin-border")):
            sample = of(mine, method=method)[0]
            steps = [sample["phases us"].get(step, 0) / 1e3 for step in TREE_STEPS] + [sample["us"] / 1e3]
            axis.bar([at + shift for at in range(len(steps))], steps, 0.4, label=method, color=COLOURS[method])
        axis.axhline(of(mine, method="skerry")[0]["us"] / 1e3, label="skerry, total", color=COLOURS["skerry"])
        axis.set(title=f"{look}, {width} × {height}", ylabel="ms", xticks=range(len(TREE_STEPS) + 1))
        axis.set_xticklabels([step.replace(" ", "\n") for step in TREE_STEPS] + ["total"], fontsize=5)
    axes[0].legend(fontsize=6)
    paint.save(figure, "004-steps", "Max-trees, u8, 4 neighbours, by step")


def plots(path, folder):
    head, samples = read(path)
    paint = painter(folder, head)
    for draw in (plot_votes_by_density, plot_votes_by_size, plot_counts, plot_tree_by_density, plot_tree_by_size,
                 plot_six_phases, plot_tree_steps):
        draw(paint, samples)


# ---- tables ---------------------------------------------------------------------------------------------------------

def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |")


def head_row(*cells):
    row(*cells)
    row("---", *["--:"] * (len(cells) - 1))


def number(value, form=".1f"):
    return "–" if value is None else format(value, form)


def print_votes(samples):
    for connectivity in (4, 8):
        here = of(samples, figure="002 density", connectivity=connectivity)
        if not here:
            continue
        granularities = values(here, "granularity")
        print(f"\n### Features, {here[0]['height']}², {connectivity} neighbours, Gpx/s, means over densities "
              f"{', '.join(str(d) for d in values(here, 'density'))} %\n")
        head_row("", *[f"g = {g}" for g in granularities], "all ones")
        for method in FEATURES:
            full = of(samples, figure="002 full", connectivity=connectivity, method=method)
            cells = [number(mean(s["Gpx/s"] for s in of(here, granularity=g, method=method))) for g in granularities]
            if of(here, method=method):
                row(method, *cells, number(mean(s["Gpx/s"] for s in full)))


def print_votes_by_density(samples):
    for connectivity in (4, 8):
        here = of(samples, figure="002 density", connectivity=connectivity, granularity=4)
        densities = values(here, "density")
        if here:
            print(f"\n### By density, g = 4, {connectivity} neighbours, Gpx/s\n")
            head_row("", *[f"{d} %" for d in densities])
        for method in FEATURES if here else []:
            if of(here, method=method):
                row(method, *[number(mean(s["Gpx/s"] for s in of(here, density=d, method=method))) for d in densities])


def print_counts(samples):
    for granularity in values(of(samples, figure="002 votes"), "granularity"):
        here = of(samples, figure="002 votes", granularity=granularity)
        densities = [d for d in (25, 55, 75, 95) if of(here, density=d)]
        print(f"\n### Updates / conflicts in thousands, {here[0]['height']}², g = {granularity}, 4 neighbours\n")
        head_row("", *[f"{d} %" for d in densities])
        for method in FEATURES[:-1]:
            cells = [of(here, density=d, method=method)[0] for d in densities]
            row(method, *[f"{s.get('updates', 0) / 1e3:.1f} / {s.get('conflicts', 0) / 1e3:.1f}" for s in cells])


def print_tree(samples):
    here = of(samples, figure="000 size")
    sides = values(here, "height")
    if not here:
        return
    print("\n### Features on the host, g = 1, µs, means over densities 10 … 90 % (of which copies)\n")
    head_row("", *[f"{side}²" for side in sides])
    for method in ("tmk", "ha", "skerry"):
        mine = [of(here, height=side, method=method) for side in sides]
        row(method, *[f"{mean(s['us'] for s in some):.0f} ({mean(s['phases us']['copy'] for s in some):.0f})"
                      for some in mine])


def print_six_phases(samples):
    here = of(samples, figure="001 size")
    for connectivity in values(here, "connectivity"):
        print(f"\n### Labels, N{connectivity}, µs, noise and blocks of 4 of densities 10 … 90 %: max / mean / min\n")
        mine = of(here, connectivity=connectivity)
        shapes = list(dict.fromkeys((s["height"], s["width"]) for s in mine))
        head_row("", *[f"{h} × {w}" for h, w in shapes])
        for method in values(mine, "method"):
            cells = [[s["us"] for s in of(mine, height=h, width=w, method=method)] for h, w in shapes]
            row(method, *[f"{max(c):.0f} / {mean(c):.0f} / {min(c):.0f}" for c in cells])
        counts = [[s["iterations"] for s in of(mine, height=h, width=w, method="jung")] for h, w in shapes]
        row("jung: iterations", *[f"{max(c)} / {mean(c):.1f} / {min(c)}" for c in counts])


def print_block_fill(samples):
    here = of(samples, figure="003 size")
    if not here:
        return
    print("\n### Labels of large images, density 50 %, ms\n")
    head_row("", "neighbours", "g", "side", "upload", "labels", "download", "labels, Gpx/s")
    for s in here:
        phases = s["phases us"]
        row(s["method"], s["connectivity"], s["granularity"], f"{s['height']}²", f"{phases['upload'] / 1e3:.2f}",
            f"{s['us'] / 1e3:.2f}", f"{phases['download'] / 1e3:.2f}", number(s["Gpx/s"]))


def print_tree_steps(samples):
    here = of(samples, figure="004 steps")
    if not here:
        return
    print("\n### Max-trees, u8, 4 neighbours, ms of each step and in all\n")
    head_row("image", "method", *TREE_STEPS, "in all", "Gpx/s", "nodes per pixel", "border nodes of a tile")
    for s in here:
        steps = [number(s["phases us"][step] / 1e3, ".3f") if step in s.get("phases us", {}) else "–"
                 for step in TREE_STEPS]
        row(f"{s['look']}, {s['width']} × {s['height']}", s["method"], *steps, f"{s['us'] / 1e3:.3f}",
            number(s["Gpx/s"]), f"{s['nodes'] / s['height'] / s['width']:.3f}", number(s.get("border nodes")))


def tables(path):
    head, samples = read(path)
    print(f"{head['device']}, CUDA {head['CUDA']}, skerry {head['skerry']}; medians of {head['repetitions']}; "
          f"images: {head['images']}.")
    for show in (print_votes, print_votes_by_density, print_counts, print_tree, print_six_phases, print_block_fill,
                 print_tree_steps):
        show(samples)


def main():
    match sys.argv[1:]:
        case ["plots", path, folder]:
            plots(path, folder)
        case ["tables", path]:
            tables(path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

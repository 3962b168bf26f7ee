# SPDX-License-Identifier: Apache-2.0
"""The figures of the papers again, as PNG and SVG. Needs matplotlib."""
import os

from samples import FEATURES, OWN_FIRST_PIXEL, TMK_PHASES, TREE_STEPS, by_size, mean, mean_speed, of, read, values

COLOURS = {"naive": "#999999", "ha": "#e69f00", "ha-otf": "#f0c75e", "ha-cd": "#b87333", "flsl": "#56b4e9",
           "flsl-otf": "#009e73", "flsl-cd": "#0072b2", "skerry": "#d55e00", OWN_FIRST_PIXEL: "#d55e00", "tmk": "#0072b2", "jung": "#0072b2",
           "playne-direct": "#999999", "playne-block": "#009e73", "block-fill": "#0072b2", "blin": "#56b4e9",
           "blin-border": "#0072b2", "rosenfeld": "#cc79a7", "suzuki": "#b87333", "he": "#e69f00"}


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

    def save(self, figure, name, title, legend=None):
        """legend: what the lines of one panel, and so of all, are called; it stands below the panels."""
        figure.suptitle(f"{title} ({self.device})")
        bottom = 0
        if legend is not None:
            handles, names = legend
            most = int(figure.get_figwidth() / (0.5 + 0.06 * max(len(name) for name in names)))
            rows = -(-len(names) // most)
            height = 0.17 * rows + 0.1
            figure.set_figheight(figure.get_figheight() + height)
            bottom = height / figure.get_figheight()
            figure.legend(handles, names, loc="lower center", ncol=-(-len(names) // rows), fontsize=7, frameon=False)
        figure.tight_layout(rect=(0, bottom, 1, 1))
        for kind in ("png", "svg"):
            figure.savefig(os.path.join(self.folder, f"{name}.{kind}"), dpi=110,
                           metadata={"Date": None} if kind == "svg" else None)
        self.plot.close(figure)


def legend_of(axis):
    return axis.get_legend_handles_labels()


def line(axis, samples, x, y, method, colour=None, **style):
    here = sorted(samples, key=lambda s: s[x])
    if here:
        colour = colour or method
        axis.plot([s[x] for s in here], [y(s) for s in here], label=method, color=COLOURS[colour], marker=".",
                  linewidth=2 if colour == "skerry" else 1, **style)


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
        paint.save(figure, f"002-density-{connectivity}",
                   f"Features, {here[0]['height']}², {connectivity} neighbours, by density", legend_of(axes[0]))


def plot_votes_by_size(paint, samples):
    sizes = by_size(samples)
    granularities = [g for g in (1, 4, 16) if of(sizes, granularity=g)]
    if not sizes:
        return
    figure, axes = paint.panels(len(granularities))
    for axis, granularity in zip(axes, granularities):
        for method in FEATURES:
            here = of(sizes, granularity=granularity, method=method)
            means = [{"side": side, "mean": mean_speed(of(here, height=side))}
                     for side in sorted(set(values(here, "height")))]
            line(axis, means, "side", lambda s: s["mean"], method)
        axis.set(title=f"g = {granularity}", xlabel="side, pixels", ylabel="Gpx/s", xscale="log", yscale="log")
    densities = ", ".join(str(d) for d in sorted(set(values(sizes, "density"))))
    paint.save(figure, "002-size", f"Features, 4 neighbours, means of time over densities {densities} %, by size", legend_of(axes[0]))


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
    paint.save(figure, "002-votes", f"Votes, {here[0]['height']}², 4 neighbours", legend_of(axes[0]))


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
    names = ["tmk", "its copies", "ha, all arrays", "their copy", "skerry", "its copies"]
    paint.save(figure, "000-density", "Features on the host, 4 neighbours: total, and copies (dashed)",
               (axes[0].get_lines(), names))


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
    paint.save(figure, "000-size", "Features on the host, 4 neighbours, by size", legend_of(axes[0]))


def plot_six_phases(paint, samples):
    here = of(samples, figure="001 density")
    if not here:
        return
    figure, axes = paint.panels(2)
    for axis, connectivity in zip(axes, (8, 4)):
        for method in values(here, "method"):
            line(axis, of(here, connectivity=connectivity, method=method), "density", lambda s: s["us"], method)
        axis.set(title=f"N{connectivity}", xlabel="density, %", ylabel="µs", yscale="log")
    paint.save(figure, "001-density", "Labels, noise of 384²", legend_of(axes[0]))


def plot_six_phases_by_size(paint, samples):
    here = of(samples, figure="001 size", granularity=1, density=50)
    if not here:
        return
    figure, axes = paint.panels(2)
    for axis, connectivity in zip(axes, (8, 4)):
        for method in values(here, "method"):
            mine = [{"pixels": s["height"] * s["width"], "ms": s["us"] / 1e3}
                    for s in of(here, connectivity=connectivity, method=method)]
            line(axis, mine, "pixels", lambda s: s["ms"], method)
        axis.set(title=f"N{connectivity}", xlabel="pixels", ylabel="ms", xscale="log", yscale="log")
    paint.save(figure, "001-size", "Labels, noise of density 50 %, by size", legend_of(axes[0]))


def plot_block_fill(paint, samples):
    here = of(samples, figure="003 size")
    if not here:
        return
    figure, axes = paint.panels(3)
    looks = [(g, c) for g in (1, 16) for c in (4, 8)]
    side = min(values(here, "height"))
    for axis, key, some in ((axes[0], "density", of(here, height=side)), (axes[1], "height", of(here, density=50))):
        for method in ("block-fill", "skerry"):
            for (granularity, connectivity), style in zip(looks, ("-", "--", "-.", ":")):
                mine = of(some, method=method, granularity=granularity, connectivity=connectivity)
                line(axis, mine, key, lambda s: s["us"] / 1e3, f"{method}, g = {granularity}, N{connectivity}",
                     colour=method, linestyle=style)
    axes[0].set(title=f"{side}²", xlabel="density, %", ylabel="ms", yscale="log")
    axes[1].set(title="density 50 %", xlabel="side, pixels", ylabel="ms", xscale="log", yscale="log")
    for method in ("block-fill", "skerry"):
        for phase, style in (("upload", "-"), ("download", "--")):
            mine = of(here, method=method, granularity=16, connectivity=4, density=50)
            line(axes[2], mine, "height", lambda s: s["phases us"][phase] / 1e3, f"{method}, {phase}", colour=method,
                 linestyle=style)
    axes[2].set(title="transfers", xlabel="side, pixels", ylabel="ms", xscale="log", yscale="log")
    lines, transfers = legend_of(axes[0]), legend_of(axes[2])
    paint.save(figure, "003-size", "Labels of large images", (lines[0] + transfers[0], lines[1] + transfers[1]))


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
    paint.save(figure, "004-steps", "Max-trees, u8, 4 neighbours, by step", legend_of(axes[0]))


def plots(path, folder):
    head, samples = read(path)
    paint = painter(folder, head)
    for draw in (plot_votes_by_density, plot_votes_by_size, plot_counts, plot_tree_by_density, plot_tree_by_size,
                 plot_six_phases_by_size, plot_six_phases, plot_block_fill, plot_tree_steps):
        draw(paint, samples)

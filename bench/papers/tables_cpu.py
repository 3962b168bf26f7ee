# SPDX-License-Identifier: Apache-2.0
"""The tables of what skerry_papers_cpu has measured: what the papers have of a CPU, on this one."""
from rivals import slower_on_a_cpu
from samples import mean, of, values
from tables import CPU2, HD_RATE, head_row, heading, number, row

CPU1 = {(256, 256): 2050, (512, 512): 8830, (512, 768): 14720, (1024, 1024): 39350}  # µs, means of Table I of [Jung2010]
MODEL = "680 to 780 ms"  # of [BlockFill2011], for 8192²


def run_facts(head, samples):
    spreads = sorted(s["spread"] for s in samples)
    return [f"{head['device']}, {head['processors']} processors, instruction set {head['instruction set']}, skerry {head['skerry']} at revision {head.get('revision', 'not recorded')}; medians of "
            f"{head['repetitions']}, in turns; images: {head['images']}. The largest time less the least, by the median: "
            f"{100 * spreads[len(spreads) // 2]:.0f} % in the median of all figures."]


def rivals(head, samples):
    here, lines = of(samples, figure="001 cpu size"), []
    methods = values(here, "method")
    for connectivity in values(here, "connectivity"):
        mine = of(here, connectivity=connectivity)
        lines += heading(f"Labels on one thread, N{connectivity}, µs, noise and blocks of 4 of densities 10 … 90 %: max / mean / min")
        lines += head_row("", *[f"`{m}`" if m != "skerry" else m for m in methods], "text: CPU1, mean", "text: CPU2, mean")
        for shape in dict.fromkeys((s["height"], s["width"]) for s in mine):
            times = [[s["us"] for s in of(mine, height=shape[0], width=shape[1], method=method)] for method in methods]
            lines.append(row(f"{shape[0]} × {shape[1]}", *[f"{max(t):.0f} / {mean(t):.0f} / {min(t):.0f}" for t in times],
                             CPU1.get(shape, "–"), CPU2.get(shape, "–")))
    return lines


def spirals(head, samples):
    here = of(samples, figure="001 cpu spiral", connectivity=8)
    if not here:
        return []
    sides = [side for side in values(here, "height") if side & (side - 1) == 0]
    lines = heading("Labels of spirals, one thread, N8, µs") + head_row("", *[f"{side}²" for side in sides])
    return lines + [row(f"`{m}`" if m != "skerry" else m, *[number(of(here, height=side, method=m)[0]["us"], ".0f") for side in sides])
                    for m in values(here, "method")]


def model(head, samples):
    here = of(samples, figure="003 cpu")
    if not here:
        return []
    lines = heading(f"The model of [BlockFill2011], {here[0]['height']}², and labels of blocks of 16, density 50 %, 4 neighbours, one thread, ms")
    titles = {"model": "0 written to each pixel, columns outside", "model, one loop": "the same in one loop", "skerry": "labels: skerry"}
    lines += head_row("", "here", "text: Core 2 Duo E8400")
    return lines + [row(titles[s["method"]], f"{s['us'] / 1e3:.1f}", MODEL if s["method"] == "model" else "–") for s in here]


def trees(head, samples):
    here = of(samples, figure="004 cpu")
    if not here:
        return []
    lines = heading("Max-trees, u8, 4 neighbours, ms (images per second); the library's own stands in for the text's program")
    lines += head_row("", *values(here, "method"))
    for look, height, width in dict.fromkeys((s["look"], s["height"], s["width"]) for s in here):
        some = of(here, look=look, height=height)
        lines.append(row(f"{look}, {width} × {height}", *[f"{s['us'] / 1e3:.1f} ({1e6 / s['us']:.1f})" for s in some]))
    return lines + ["", f"The text's GPU builds {HD_RATE} trees of 1920 × 1080 per second, ten times as many as its CPU with 12 threads."]


BLOCKS = {"run on a CPU": run_facts, "rivals on a CPU": rivals, "spirals on a CPU": spirals, "model on a CPU": model,
          "trees on a CPU": trees, "slower on a CPU": slower_on_a_cpu}

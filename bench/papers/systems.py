# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/systems.md: of each paper its main figures, scaled, and what was measured, one line for each."""
from claims import SUMMARIES
from devices import clock_bound, scaled_time
from measured import measured
from samples import FEATURES, mean, of, values
from tables import GTX260, GTX460, RTX2060, head_row, number, row, texts_of, video


def tree_merge(head, samples):
    here = measured(of(samples, figure="000 size"), "us")
    sides = [32, 256, 1024, 4096]
    lines = head_row("µs until the features are on the host", *[f"{side}²" for side in sides])
    methods = [("tmk", "`tmk`"), ("tmk of labels", "`tmk`, of a given label image"), ("ha", "`ha`"),
               ("ha of labels", "`ha`, of a given label image"), ("ha-compact", "`ha-compact`"), ("flsl-cd-compact", "`flsl-cd-compact`"),
               ("skerry", "skerry"), ("skerry of labels", "skerry, of a given label image")]
    return lines + [row(name, *[number(here(method=method, height=side), ".0f") for side in sides])
                    for method, name in methods if of(samples, figure="000 size", method=method)]


def six_phases(head, samples):
    here = of(samples, figure="001 size", connectivity=8)
    lines = head_row("labels, 8 neighbours, mean, µs", "text, GTX 260", "scaled", "`jung`", "`playne-block`", "skerry")
    for shape in dict.fromkeys((s["height"], s["width"]) for s in here):
        there = GTX260[shape][1] if shape in GTX260 else None
        some = of(here, height=shape[0], width=shape[1])
        own = [number(mean(s["us"] for s in of(some, method=m)), ".0f") for m in ("jung", "playne-block", "skerry")]
        lines.append(row(f"{shape[0]} × {shape[1]}", there or "–", number(scaled_time(head, "GTX 260", there), ".0f"), *own))
    return lines


def taming_votes(head, samples):
    four = measured(of(samples, figure="002 density", connectivity=4, granularity=4))
    ones = measured(of(samples, figure="002 full", connectivity=4))
    lines = head_row("features, 8192², Gpx/s", "g = 4: text, A100", "scaled", "by clock", "here", "all ones: text", "scaled", "by clock", "here")
    known = clock_bound(samples)
    for method in FEATURES:
        there = texts_of(head, method, known)
        lines.append(row(f"`{method}`" if method != "skerry" else method, *there[:3], number(four(method=method)), *there[3:],
                         number(ones(method=method))))
    return lines


def block_fill(head, samples):
    here = of(samples, figure="003 size", height=4096, connectivity=4, density=50)
    lines = head_row("labels, 4096², 4 neighbours, ms", "text, GTX 460", "scaled", "`block-fill`", "skerry")
    for granularity in values(here, "granularity"):
        own = [of(here, granularity=granularity, method=m)[0]["us"] / 1e3 for m in ("block-fill", "skerry")]
        there = GTX460["labels"], number(scaled_time(head, "GTX 460", GTX460["labels"]), ".2f")
        lines.append(row(f"density 50 %, g = {granularity}", *there, *[number(t, ".2f") for t in own]))
    return lines


def max_tree(head, samples):
    here = of(samples, figure="004 steps", width=6000)
    looks = values(here, "look")
    lines = head_row("max-tree, 6000 × 4000, ms", "text, RTX 2060, its own picture", "scaled", *looks)
    for method in ("blin", "blin-border", "skerry"):
        there = RTX2060[method][-1] if method in RTX2060 else None
        own = [number(of(here, method=method, look=look)[0]["us"] / 1e3, ".2f") for look in looks]
        lines.append(row(f"`{method}`" if there else method, there or "–", number(scaled_time(head, "RTX 2060", there), ".2f"), *own))
    return lines + video(head, samples)


BLOCKS = {"system 000": tree_merge, "system 001": six_phases, "system 002": taming_votes, "system 003": block_fill,
          "system 004": max_tree, **SUMMARIES}

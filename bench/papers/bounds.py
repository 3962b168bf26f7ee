# SPDX-License-Identifier: Apache-2.0
"""The figures of [Lemaitre2021], scaled by bandwidth and, where the clock is known to bound them, by that, next to what was measured."""
from devices import clock_bound, faster_clock, ours, scaled_speed
from measured import measured
from samples import FEATURES, of
from tables import A100, head_row, number, row
from verdict import LITTLE


def bounds(head, samples):
    lines = head_row("figure of a text, Gpx/s", "text, A100", "here", "text by bandwidth (reached)", "text by clock (reached)",
                     "bound by", f"within {100 * LITTLE:.0f} % of the text as scaled by that")
    if ours(head) is None:
        return lines
    known = clock_bound(samples)
    here = {False: measured(of(samples, figure="002 density", connectivity=4, granularity=4)),
            True: measured(of(samples, figure="002 full", connectivity=4))}
    within = {"bound": 0, "bandwidth": 0}
    figures = [(method, ones) for ones in (False, True) for method in FEATURES
               if method in A100 and of(here[ones].samples, method=method)]
    for method, ones in figures:
        text, own = A100[method][ones], here[ones](method=method)
        scaled = {"bandwidth": scaled_speed(head, "A100", text), "clock": faster_clock(head, "A100", text)}
        by = "clock" if (method, ones) in known else "bandwidth"
        reached = {name: own / value for name, value in scaled.items()}
        holds = {name: value >= 1 - LITTLE for name, value in reached.items()}
        within["bound"] += holds[by]
        within["bandwidth"] += holds["bandwidth"]
        cells = [f"{number(scaled[name])} ({100 * reached[name]:.0f} %)" if name in ("bandwidth", by) else "–" for name in scaled]
        why = f"clock: {known[method, ones]}" if by == "clock" else by
        lines.append(row(f"`{method}`, {'all ones' if ones else 'g = 4'}", text, number(own), *cells, why, "yes" if holds[by] else "no"))
    return lines if not figures else [*lines, "", f"{within['bound']} of {len(figures)} figures have at least {100 - 100 * LITTLE:.0f} % of the text as scaled by what "
            f"bounds them; of the text as scaled by bandwidth alone {within['bandwidth']} have that."]


BLOCKS = {"bounds": bounds}

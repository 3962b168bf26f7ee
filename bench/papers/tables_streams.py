# SPDX-License-Identifier: Apache-2.0
"""The streams of [Windisch2023], in Markdown."""
from samples import of, values
from tables import head_row, heading, row


def by_density(here):
    """Of streams that begin with labels alone, too: a row for each kind of images, times of both methods of the text and of the library."""
    methods = [method for method in values(here, "method") if method.endswith("of labels")]
    densities, most = sorted(set(values(here, "density"))), max(s["frames"] for s in here)
    lines = heading(f"A stream of {most} frames, or as many as brackets say, whose labels are given, by density: µs per frame of " +
                    " / ".join(methods))
    lines += head_row("images", *[f"{d} %" for d in densities])
    for side, granularity in sorted({(s["height"], s["granularity"]) for s in here}):
        cells = []
        for density in densities:
            some = [s for method in methods for s in of(here, height=side, granularity=granularity, density=density, method=method)]
            fewer = f" ({some[0]['frames']})" if some and some[0]["frames"] < most else ""
            cells.append((" / ".join(f"{s['us']:.0f}" for s in some) or "–") + fewer)
        lines.append(row(f"{side}², g = {granularity}", *cells))
    return lines


def even_frames(here):
    """How far the frames of a stream are from their mean, where the run says so."""
    here = [s for s in here if "longest frame us" in s]
    if not here:
        return []
    shares, worst = [100 * s["median frame us"] / s["us"] for s in here], max(here, key=lambda s: s["longest frame us"])
    return ["", f"Medians of frames are {min(shares):.0f} to {max(shares):.0f} % of these means. The longest frame of all streams took "
            f"{worst['longest frame us'] / 1e3:.1f} ms ({worst['method']}, {worst['height']}², g = {worst['granularity']})."]


def streams(head, samples):
    """The text's protocol: ten images in turn until there were 1000 frames, and how often a second copy was needed."""
    lines = []
    for figure, what in (("000 frames", "ten images of one kind"), ("000 changing frames", "ten images whose densities change, 5 to 95 %")):
        here = of(samples, figure=figure)
        if not here:
            continue
        methods, everything = values(here, "method"), here
        here = [s for s in here if of(here, **{key: s[key] for key in ("height", "granularity", "density")}, method=methods[0])]
        lines += heading(f"A stream of {here[0]['frames']} frames, {what}: µs per frame; in brackets how many frames needed a second copy")
        lines += head_row("images", *methods)
        for key in dict.fromkeys((s["height"], s["granularity"], s["density"]) for s in here):
            side, granularity, density = key
            some = of(here, height=side, granularity=granularity, density=density)
            cells = []
            for method in methods:
                sample = of(some, method=method)[0]
                predicts = method.startswith("tmk") or method.endswith("compact")
                cells.append(f"{sample['us']:.0f}" + (f" ({sample['second copies']})" if predicts else ""))
            lines.append(row(f"{side}², g = {granularity}" + (f", {density} %" if density else ""), *cells))
        if len(everything) > len(here):
            lines += by_density(everything)
    return lines + even_frames([s for s in samples if "frames" in s])


BLOCKS = {"streams": streams}

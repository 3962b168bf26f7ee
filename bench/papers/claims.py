# SPDX-License-Identifier: Apache-2.0
"""What the papers claim, next to what was measured: every claim holds, does not hold here, or is not comparable.

A mark is decided by the numbers of the same run; where a text gives a number, "holds" is within a quarter of it.
"""
from samples import by_size, mean, mean_speed, of, values
from tables import row

HEAD = ["| claim | here | shown by | |", "| --- | --- | --- | --- |"]
APART = "**not comparable**"


def mark(holds):
    return "**holds**" if holds else "**does not hold here**"


def near(value, text):
    return text / 1.25 <= value <= text * 1.25


class measured:
    """Means of time of the samples of one figure, as throughput where that is asked for."""

    def __init__(self, samples, figure, key="Gpx/s", **fixed):
        self.samples, self.key = of(samples, figure=figure, **fixed), key

    def __call__(self, key=None, densities=None, **wanted):
        some = of(self.samples, **wanted)
        if densities is not None:
            some = [s for s in some if s["density"] in densities]
        key = key or self.key
        return mean_speed(some) if key == "Gpx/s" else mean(s[key] for s in some)


def taming_votes(samples):
    four, eight = measured(samples, "002 density", connectivity=4), measured(samples, "002 density", connectivity=8)
    full = measured(samples, "002 full", connectivity=4)
    size = measured(by_size(samples), "002 size")
    size.samples = by_size(samples)
    all_g = sorted(values(four.samples, "granularity"))
    seven = ["naive", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd"]

    def ratio(a, b="ha", of_whom=four, **wanted):
        return of_whom(method=a, **wanted) / of_whom(method=b, **wanted)

    def around(method, low, high, where=four):
        return where(method=method, granularity=4, density=low), where(method=method, granularity=4, density=high)

    naive, ha, flsl = around("naive", 55, 65), around("ha", 55, 65), around("flsl", 55, 65)
    yield ("the naive method is slow after the percolation threshold, 60 % for 4 neighbours", mark(naive[1] < naive[0] / 2),
           "by density", f"g = 4, 55 → 65 %: {naive[0]:.1f} → {naive[1]:.1f} Gpx/s")
    yield ("so are HA and FLSL alone", mark(ha[1] < ha[0] / 1.5 and flsl[1] < flsl[0] / 1.5), "by density",
           f"g = 4, 55 → 65 %: HA {ha[0]:.1f} → {ha[1]:.1f}, FLSL {flsl[0]:.1f} → {flsl[1]:.1f}")
    flsl8 = around("flsl", 35, 45, eight)
    yield ("for 8 neighbours the threshold is at 40 %", mark(flsl8[1] < flsl8[0] / 2), "by density, 8 neighbours",
           f"FLSL, g = 4, 35 → 45 %: {flsl8[0]:.1f} → {flsl8[1]:.1f} Gpx/s")
    phases = of(samples, figure="002 density", connectivity=4, method="flsl", granularity=4, density=75)[0]
    share = phases["phases us"]["features computation"] / phases["us"]
    yield ("almost all of the time goes into features", mark(share > 0.75), "phases of FLSL in the JSON",
           f"FLSL, g = 4, 75 %: {100 * share:.0f} %")
    after = [65, 75, 85, 95]
    cut = {g: ratio("flsl", "flsl-cd", granularity=g, densities=after) for g in all_g}
    yield ("FLSL alone is effective only for images of low detail", mark(cut[all_g[0]] < 0.5 < cut[all_g[-1]]), "means",
           "of the speed of FLSL+CD after the threshold it has " +
           ", ".join(f"{100 * cut[g]:.0f} %" for g in all_g) + f" at g = {', '.join(map(str, all_g))}")
    tamed = [four(method=m, granularity=4, density=75) for m in ("flsl", "flsl-otf", "flsl-cd")]
    yield ("OTF and CD both mitigate the serialization", mark(min(tamed[1:]) > 1.5 * tamed[0]), "by density",
           f"g = 4, 75 %: FLSL {tamed[0]:.1f}, OTF {tamed[1]:.1f}, CD {tamed[2]:.1f} Gpx/s")
    before = [ratio("flsl-otf", "flsl", granularity=4, density=d) for d in (5, 15, 25, 35, 45, 55)]
    yield ("OTF has a small overhead", mark(min(before) > 0.85), "by density",
           f"g = 4 before the threshold: {100 * (1 - max(before)):.0f} to {100 * (1 - min(before)):.0f} % slower than FLSL")
    held = [max(ratio("ha-otf", "flsl-cd", granularity=g), ratio("ha-cd", "flsl-cd", granularity=g)) for g in all_g]
    yield ("with OTF or CD, too, HA lacks parallelism", mark(max(held) < 0.5), "means",
           f"the better of both reaches {100 * min(held):.0f} to {100 * max(held):.0f} % of FLSL+CD")
    leads = [g for g in all_g if max(seven, key=lambda m: four(method=m, granularity=g)) == "flsl-cd"]
    leads8 = [g for g in sorted(values(eight.samples, "granularity"))
              if max(seven[4:], key=lambda m: eight(method=m, granularity=g)) == "flsl-cd"]
    yield ("FLSL+CD is the best of the seven on average", mark(leads == all_g), "means",
           f"8192²: at g = {', '.join(map(str, leads))}; 8 neighbours: {', '.join(map(str, leads8))}")
    sides = sorted(set(values(size.samples, "height")))
    lost = []
    for side in sides:
        for g in (1, 4, 16):
            best = max(seven, key=lambda m: size(method=m, height=side, granularity=g))
            if best != "flsl-cd":
                lost.append(f"{side}², g = {g} ({best})")
    yield ("… for every granularity and size", mark(not lost), "by size", "not at " + ", ".join(lost) if lost else "yes")

    def ranking(side):
        return [m for m in sorted(seven, key=lambda m: -size(method=m, height=side, granularity=4)) if m != "ha-otf"]

    same = [side for side in sides if ranking(side) == ranking(sides[-1])]
    yield ("the ranking does not depend on the size, but for HA+OTF", mark(same == sides), "by size",
           f"g = 4: as at {sides[-1]}² at {', '.join(f'{s}²' for s in same)}; at {sides[0]}²: {', '.join(ranking(sides[0]))}")
    small = [size(method="flsl-cd", height=side, granularity=4) for side in (sides[0], sides[-1])]
    yield ("small images suffer, as they cannot feed a large GPU", mark(small[0] < small[1] / 4), "by size",
           f"FLSL+CD, g = 4: {small[0]:.1f} Gpx/s at {sides[0]}², {small[1]:.1f} at {sides[-1]}²")
    for name, method, text in (("HA+OTF", "ha-otf", 2.5), ("HA+CD", "ha-cd", 1.9), ("FLSL", "flsl", 1.4),
                               ("FLSL+OTF", "flsl-otf", 5.2), ("FLSL+CD", "flsl-cd", 6.5)):
        value = ratio(method, granularity=4)
        verdict = APART if method.startswith("ha-") else mark(near(value, text))
        why = ": HA's kernels, which the text does not print, are written from its description" if verdict == APART else ""
        yield (f"{name} is {text} × HA at g = 4", verdict, "means", f"{value:.1f} ×{why}")
    ones = {m: full(method=m) for m in seven}
    yield ("all ones: FLSL, FLSL+OTF, FLSL+CD are 18, 19, 18 × HA",
           mark(near(ones["flsl"] / ones["ha"], 18) and near(ones["flsl-cd"] / ones["ha"], 18)), "means",
           ", ".join(f"{ones[m] / ones['ha']:.0f}" for m in seven[4:]) + " ×")
    yield ("OTF is best on full images", mark(ones["flsl-otf"] == max(ones.values()) and ones["ha-otf"] > ones["ha"]),
           "means", f"FLSL+OTF {ones['flsl-otf']:.0f}, FLSL {ones['flsl']:.0f}; HA+OTF {ones['ha-otf']:.1f}, HA {ones['ha']:.1f}")
    gain = ones["flsl-cd"] / ones["naive"]
    yield ("FLSL+CD is some 900 × naive on full images", mark(near(gain, 900)), "means",
           f"{gain:.0f} ×; naive reaches {ones['naive']:.1f} Gpx/s here, 0.34 there")
    over = [ratio("flsl-cd", granularity=g) for g in all_g] + [ones["flsl-cd"] / ones["ha"]]
    yield ("FLSL+CD is 4 to 20 × HA on large GPUs", mark(near(min(over), 4) and near(max(over), 20)), "means",
           f"{min(over):.1f} to {max(over):.1f} ×")
    yield ("on embedded GPUs 2 to 5 ×, and HA+CD and HA+OTF slower than HA; naive on ones no faster on an A100 than on an AGX",
           APART, "", "one device was at hand")
    count = {(s["method"], s["density"]): s for s in of(samples, figure="002 votes", granularity=4)}
    up = lambda method, density: count[method, density].get("updates", 0) / 1e3
    met = lambda method, density: count[method, density].get("conflicts", 0) / 1e3
    line = up("naive", 95) / up("naive", 5)
    yield ("naive updates grow with density", mark(near(line, 19)), "votes", f"g = 4, 5 → 95 %: {line:.1f} ×")
    yield ("HA and FLSL have about as many, FLSL fewer near 100 %",
           mark(near(up("ha", 25) / up("flsl", 25), 1) and up("flsl", 95) < 0.7 * up("ha", 95)), "votes",
           f"g = 4: {up('ha', 25):.0f} and {up('flsl', 25):.0f} thousand at 25 %, {up('ha', 95):.0f} and "
           f"{up('flsl', 95):.0f} at 95 %")
    yield ("conflicts are few before the threshold", APART, "votes",
           f"the text does not define them: counted here as updates of a label but its first, they are {met('flsl', 25):.0f} of "
           f"{up('flsl', 25):.0f} thousand at g = 4, 25 %; votes at the same time, which is what slows, are not counted")
    yield ("OTF reduces conflicts most, for a small increase in updates", APART, "votes",
           f"as counted here it does not: g = 4, 75 %, {met('flsl-otf', 75):.0f} thousand next to {met('flsl', 75):.0f} of FLSL, "
           f"{up('flsl-otf', 75) / up('flsl', 75):.1f} times the updates")
    yield ("CD hardly changes anything before the threshold, and much after",
           mark(up("flsl-cd", 25) > 0.9 * up("flsl", 25) and up("flsl-cd", 75) < 0.2 * up("flsl", 75)), "votes",
           f"FLSL, g = 4: {up('flsl', 25):.0f} → {up('flsl-cd', 25):.0f} thousand updates at 25 %, {up('flsl', 75):.0f} → "
           f"{up('flsl-cd', 75):.0f} at 75 %")


def tree_merge(samples):
    here = of(samples, figure="000 density")
    pick = lambda method, side, g, d: of(here, method=method, height=side, granularity=g, density=d)[0]
    points = [(s["height"], s["granularity"], s["density"]) for s in of(here, method="tmk")]
    bare = lambda s: s["us"] - s["phases us"]["copy"]
    wins = [p for p in points if pick("tmk", *p)["us"] < pick("ha", *p)["us"]]
    yield ("with the transfer, TMK takes less time than HA4 in most cases", mark(2 * len(wins) > len(points)), "by density",
           f"in {len(wins)} of {len(points)}: " + ", ".join(
               f"{sum(p[0] == side and p[1] == g for p in wins)} of {sum(p[0] == side and p[1] == g for p in points)} at "
               f"{side}², g = {g}" for side, g in dict.fromkeys(p[:2] for p in points)))
    noise = sorted((s for s in of(here, method="tmk", height=2048, granularity=1)), key=lambda s: s["us"])
    yield ("its time follows the number of objects, so that about 25 % is worst", mark(noise[-1]["density"] in (20, 30)),
           "by density", f"2048², g = 1: most at {noise[-1]['density']} % ({noise[-1]['us'] / 1e3:.2f} ms, "
           f"{noise[-1]['components']} objects), least at {noise[0]['density']} % ({noise[0]['us'] / 1e3:.2f}, "
           f"{noise[0]['components']})")
    at = {m: [pick(m, 2048, 1, d) for d in (50, 60)] for m in ("tmk", "ha")}
    yield ("the percolation threshold does not slow it down, but HA4",
           mark(at["tmk"][1]["us"] <= at["tmk"][0]["us"] and bare(at["ha"][1]) > 1.5 * bare(at["ha"][0])), "by density",
           f"2048², g = 1, 50 → 60 %: {at['tmk'][0]['us'] / 1e3:.2f} → {at['tmk'][1]['us'] / 1e3:.2f} ms; HA without its copy "
           f"{bare(at['ha'][0]) / 1e3:.2f} → {bare(at['ha'][1]) / 1e3:.2f}")
    size = measured(samples, "000 size", "us")
    both = {side: (size(method="tmk", height=side), size(method="ha", height=side)) for side in values(size.samples, "height")}
    some = lambda sides: ", ".join(f"{side}² {both[side][0]:.0f} and {both[side][1]:.0f}" for side in sides) + " µs, TMK and HA"
    little, middle, large = [32, 64, 128], [256, 512, 1024], [2048, 4096]
    yield ("up to 128² launches outweigh what is saved", mark(all(both[s][0] > both[s][1] for s in little)), "by size", some(little))
    yield ("TMK is best from 256² to 1024²", mark(all(both[s][0] < both[s][1] for s in middle)), "by size", some(middle))
    yield ("at 2048² and above it is much like HA4", mark(all(near(both[s][0] / both[s][1], 1) for s in large)), "by size", some(large))
    shares = {}
    for side in large:
        mine = of(samples, figure="000 size", method="tmk", height=side)
        shares[side] = sum(s["phases us"].get("merge (global memory)", 0) for s in mine) / sum(s["us"] for s in mine)
    yield ("merging in global memory dominates large images", mark(min(shares.values()) > 0.4), "by size, shares",
           ", ".join(f"{100 * share:.0f} % of {side}²" for side, share in shares.items()))
    copies = {g: [mean(s["phases us"]["copy"] for s in of(here, height=2048, granularity=g, method=m)) for m in ("tmk", "ha")]
              for g in values(here, "granularity")}
    yield ("far less is transferred, the less the larger the granularity",
           mark(all(c[0] < c[1] / 2 for c in copies.values()) and copies[16][0] < copies[4][0] < copies[1][0]), "by density",
           "2048²: " + ", ".join(f"{c[0]:.0f} and {c[1]:.0f} µs at g = {g}" for g, c in copies.items()))
    bare_wins = [p for p in points if bare(pick("tmk", *p)) < bare(pick("ha", *p))]
    yield ("features alone take it longer than HA4 in most cases", mark(2 * len(bare_wins) < len(points)), "by density",
           f"without copies in {len(points) - len(bare_wins)} of {len(points)}")
    close = [p for p in bare_wins if p[2] in (50, 60, 70)]
    yield ("… with exceptions around the percolation threshold", mark(bool(close)), "by density",
           ", ".join(f"{p[0]}², g = {p[1]}, {p[2]} %" for p in bare_wins) or "none")


def six_phases(samples):
    size, small = of(samples, figure="001 size"), of(samples, figure="001 density", method="jung")
    most = {c: max(s["iterations"] for s in of(size, method="jung", height=2048, connectivity=c)) for c in (8, 4)}
    yield ("2048² takes 3 iterations", mark(max(most.values()) <= 3), "six phases",
           f"at most {most[8]} for N8, {most[4]} for N4; of all images at most "
           f"{max(s['iterations'] for s in of(size, method='jung') + small)}")
    noise = [of(size, method="jung", height=side, granularity=1, density=50, connectivity=8)[0]["us"] for side in (256, 2048)]
    yield ("time grows linearly with the image (noise of 50 %)", mark(near(noise[1] / noise[0], 64)), "by size",
           f"N8, 256² → 2048², 64 times the pixels: {noise[0]:.0f} → {noise[1]:.0f} µs, {noise[1] / noise[0]:.1f} times: small "
           "images leave the device idle, and each iteration waits for the host")
    yield ("at most 2.2 ms at 384²", mark(max(s["us"] for s in small) < 2200), "by density",
           f"{max(s['us'] for s in small) / 1e3:.2f} ms")
    gains = {}
    for shape in dict.fromkeys((s["height"], s["width"]) for s in size):
        some = of(size, height=shape[0], width=shape[1], connectivity=8)
        if of(some, method="rosenfeld"):
            gains[shape] = mean(s["us"] for s in of(some, method="rosenfeld")) / mean(s["us"] for s in of(some, method="jung"))
    listed = ", ".join(f"{g:.0f} at {h} × {w}" for (h, w), g in gains.items())
    yield ("the larger the image, the larger the gain over a CPU",
           mark(list(gains.values()) == sorted(gains.values())) if gains else APART, "six phases",
           f"its programs are not here; over `rosenfeld`, one thread, N8: {listed} times" if gains else "its programs are not here")
    yield ("slower than the better CPU program at 256²", mark(gains[256, 256] < 1) if gains else APART, "six phases",
           f"{gains[256, 256]:.0f} times as fast as `rosenfeld`" if gains else "its programs are not here")


def block_fill(samples):
    here = [s for s in of(samples, figure="003 size", method="block-fill", density=50)]
    ms = lambda s: s["us"] / 1e3
    moved = lambda s: (s["phases us"]["upload"] + s["phases us"]["download"]) / 1e3
    name = lambda s: f"{s['height']}², {s['connectivity']} neighbours, g = {s['granularity']}"
    held = [s for s in here if ms(s) < moved(s)]
    yield ("the transfers are the bottleneck, not the fill", mark(2 * len(held) > len(here)), "block fill",
           f"for {len(held)} of {len(here)} kinds of images: " + ", ".join(name(s) for s in held) +
           "; for noise never: a thread goes through its square twice for each region"
           if all(s["granularity"] > 1 for s in held) else f"for {len(held)} of {len(here)} kinds of images")
    own = {s["granularity"]: ms(s) for s in of(here, height=4096, connectivity=4)}
    yield ("4096² takes tens of milliseconds (26.4)", APART, "block fill",
           "its picture is not here: " + ", ".join(f"{t:.1f} ms at g = {g}" for g, t in own.items()))
    shares = [s["phases us"]["colour map"] / s["us"] for s in here]
    yield ("what is joined grows with the perimeter of squares only", mark(max(shares) < 0.15), "block fill",
           f"the colour map takes at most {100 * max(shares):.0f} % of the time")
    yield ("images of up to 16384² are taken", mark(bool(of(here, height=16384))), "block fill",
           ", ".join(f"{name(s)}: {ms(s):.0f} ms" for s in of(here, height=16384)))


def max_tree(samples):
    here = of(samples, figure="004 steps")
    pairs = [(a, of(here, method="blin-border", look=a["look"], height=a["height"])[0]) for a in of(here, method="blin")]
    span = lambda numbers: f"{100 * min(numbers):.0f} to {100 * max(numbers):.0f} %"
    step = lambda s, name: s["phases us"].get(name, 0)
    part = lambda name: [step(s, name) / s["us"] for pair in pairs for s in pair]
    yield ("tile construction takes most of the time (69 %)", mark(min(part("tile construction")) > 0.5), "tree steps",
           f"{span(part('tile construction'))}; flattening {span(part('flatten'))}, where the text has 7")
    border = {b["look"]: b["border nodes"] for _, b in pairs}
    yield ("the border max-tree of a tile has 193.5 nodes, 18 %", APART, "tree steps",
           "its picture is not here: " + ", ".join(f"{n:.0f} {look}" for look, n in border.items()) +
           "; 128 of them are the borders themselves")
    extract = [step(b, "tile construction") / step(a, "tile construction") - 1 for a, b in pairs]
    yield ("extraction takes 3 % of tile construction", mark(max(extract) < 0.07), "tree steps",
           f"{span(extract)}; the text's own figure has 7 %")
    merge = [1 - step(b, "horizontal merge") / step(a, "horizontal merge") for a, b in pairs]
    yield ("border max-trees make the horizontal merge a little faster (4.2 → 3.5 ms)", mark(min(merge) > 0), "tree steps",
           f"by {span(merge)}")
    more = [(step(b, "horizontal merge") + step(b, "global parent image update")) / step(a, "horizontal merge") - 1
            for a, b in pairs]
    yield ("… and with the update of the parent image nothing is gained", mark(max(more) > 0 and mean(more) > 0),
           "tree steps", f"{span(more)} more; less only for natural-like images")
    whole = [b["us"] / a["us"] - 1 for a, b in pairs]
    yield ("border max-trees do not speed up the whole", mark(min(whole) > -0.07), "tree steps", f"{span(whole)} slower")
    speeds = {a["look"]: a["Gpx/s"] for a, _ in pairs if a["width"] == 6000}
    yield ("0.8 Gpx/s (793 MB/s)", APART, "tree steps", ", ".join(f"{v:.1f} {look}" for look, v in speeds.items()) +
           ", on a device with 14 times the bandwidth")
    yield ("ten times the fastest program of a CPU", APART, "", "its program is not here")


def block_of(paper):
    def lines(head, samples):
        return [*HEAD, *[row(*claim) for claim in paper(samples)]]
    return lines


BLOCKS = {f"claims of {number}": block_of(paper) for number, paper in
          (("002", taming_votes), ("000", tree_merge), ("001", six_phases), ("003", block_fill), ("004", max_tree))}

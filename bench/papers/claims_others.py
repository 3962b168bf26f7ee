# SPDX-License-Identifier: Apache-2.0
"""What [Windisch2023], [Jung2010], [BlockFill2011] and [Blin2021] claim, next to what was measured."""
from devices import ratio
from measured import measured
from samples import mean, of, values
from tables import CPU2, HD_RATE
from verdict import LITTLE, MOST, MUCH, QUARTER, apart, judged, near

LABELLING = ("label blocks", "reduce borders", "resolve")


class merge_data:
    """The samples of [Windisch2023], by what a claim asks for."""

    def __init__(self, samples):
        self.called, sized, self.frames = of(samples, figure="000 density"), of(samples, figure="000 size"), of(samples, figure="000 frames")
        self.changing = of(samples, figure="000 changing frames")  # of density 0
        self.points = [self.point(s) for s in of(self.called, method="tmk")]
        # The text's figures have no labelling: both begin with a given label image, where the run has that.
        self.given = " of labels" if of(sized, method="tmk of labels") else ""
        self.here, self.streamed = self.as_streams(self.called, self.point)
        self.sized, self.streamed_sizes = self.as_streams(sized, lambda sample: sample["height"])
        self.both = {side: tuple(measured(self.by_size(side), "us")(method=name + self.given) for name in ("tmk", "ha"))
                     for side in values(self.sized, "height")}

    @staticmethod
    def point(sample):
        return sample["height"], sample["granularity"], sample["density"]

    def as_streams(self, called, key):
        """By streams, as the text measures, if the run has streams with phases of both methods for every key; else call by call."""
        methods, kinds = ("tmk" + self.given, "ha" + self.given), {self.point(s)[:2] for s in called}
        wanted = {(method, key(s)) for s in called for method in methods}
        parted = [s for s in self.frames if "phases us" in s and self.point(s)[:2] in kinds and (s["method"], key(s)) in wanted]
        return (parted, True) if called and wanted == {(s["method"], key(s)) for s in parted} else (called, False)

    def shown(self, name):
        return f"streams, {name}" if self.streamed else name

    def by_size(self, side):
        """By streams, as the text measures, where the run has them."""
        return of(self.frames, height=side, granularity=1) or of(self.sized, height=side)

    def in_streams(self):
        """Streams, of one kind of image and of images that change; those in which TMK takes less time than HA; and how long they are."""
        alike = self.here if self.streamed else self.frames  # the first: the images of the text's figure by density, no others
        streams = alike + self.changing
        keys = list(dict.fromkeys(self.point(s) for s in streams))
        time = lambda method, side, g, d: of(streams, method=method + self.given, height=side, granularity=g, density=d)[0]["us"]
        lengths = sorted(set(values(streams, "frames"))) or [0]
        frames = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else str(lengths[0])
        return keys, [key for key in keys if time("tmk", *key) < time("ha", *key)], frames

    def pick(self, method, side, g, d):
        return of(self.here, method=method + self.given, height=side, granularity=g, density=d)[0]

    def wins_of_calls(self):
        """Points where TMK takes less time than HA, call by call."""
        time = lambda method, side, g, d: of(self.called, method=method + self.given, height=side, granularity=g, density=d)[0]["us"]
        return [p for p in self.points if time("tmk", *p) < time("ha", *p)]

    def faster_with_labels(self):
        """Points where TMK takes less time than HA when both begin with the image."""
        time = lambda method, side, g, d: of(self.called, method=method, height=side, granularity=g, density=d)[0]["us"]
        return sum(time("tmk", *p) < time("ha", *p) for p in self.points)

    def bare(self, method, *point):
        """Without copies, of the same calls where the run has that. Copies of calls of their own can be longer than a whole call."""
        sample = self.pick(method, *point)
        return sample.get("us without copies", sample["us"] - sample["phases us"]["copy"])

    def parted(self):
        """Points where the copies of both methods took less time than their whole calls; and a sentence about the others."""
        kept = [p for p in self.points if min(self.bare("tmk", *p), self.bare("ha", *p)) > 0]
        odd = [f"{p[0]}², g = {p[1]}, {p[2]} %" for p in self.points if p not in kept]
        return kept, f"; left out: {', '.join(odd)}, where copies, timed in calls of their own, took longer than whole calls" if odd else ""

    def some(self, sides):
        called = [f"{side}²" for side in sides if not of(self.frames, height=side, granularity=1)]
        return ", ".join(f"{side}² {self.both[side][0]:.0f} and {self.both[side][1]:.0f}" for side in sides) + " µs, TMK and HA" + (
            f"; call by call, without a stream: {', '.join(called)}" if called else "")

    def phase(self, side, *names):
        return mean(sum(s["phases us"].get(name, 0) for name in names) for s in of(self.sized, method="tmk" + self.given, height=side))

    def whole(self, side):
        """TMK, where its phases are timed: in the same streams, or call by call."""
        return measured(self.sized, "us")(method="tmk" + self.given, height=side)

    def copied(self, side):
        """All arrays of HA."""
        return mean(s["phases us"]["copy"] for s in of(self.sized, method="ha" + self.given, height=side))

    def front(self):
        return (f"; with labelling in front of both TMK takes less in {self.faster_with_labels()} of {len(self.points)}" if self.given else "")


def merged_in_time(data):
    wins = data.wins_of_calls()
    streams, won, frames = data.in_streams()
    yield judged("with the transfer, TMK takes less time than HA4 in most cases", len(won) > MOST * len(streams), "streams, by density",
                 f"in {len(won)} of {len(streams)} streams of {frames} frames; call by call in {len(wins)} of {len(data.points)}: " + ", ".join(
                     f"{sum(p[0] == side and p[1] == g for p in wins)} of {sum(p[0] == side and p[1] == g for p in data.points)} at "
                     f"{side}², g = {g}" for side, g in dict.fromkeys(p[:2] for p in data.points)) + data.front(),
                 f"the transfer that TMK saves is short here: {data.copied(256):.0f} µs for all arrays of HA at 256², while merging alone takes TMK "
                 f"{data.phase(256, 'merge (shared memory)', 'merge (global memory)'):.0f}")
    noise = sorted(of(data.here, method="tmk" + data.given, height=2048, granularity=1), key=lambda s: s["us"])
    yield judged("its time follows the number of objects, so that about 25 % is worst", noise[-1]["density"] in (20, 30), data.shown("by density"),
                 f"2048², g = 1: most at {noise[-1]['density']} % ({noise[-1]['us'] / 1e3:.2f} ms, {noise[-1]['components']} objects), "
                 f"least at {noise[0]['density']} % ({noise[0]['us'] / 1e3:.2f}, {noise[0]['components']})")
    tmk, ha = [data.pick("tmk", 2048, 1, d)["us"] for d in (50, 60)], [data.bare("ha", 2048, 1, d) for d in (50, 60)]
    yield judged("the percolation threshold slows HA4 down much, but not TMK", tmk[1] <= tmk[0] and 0 < MUCH * ha[0] <= ha[1],
                 data.shown("by density"),
                 f"2048², g = 1, 50 → 60 %: {tmk[0] / 1e3:.2f} → {tmk[1] / 1e3:.2f} ms; HA without its copy {ha[0] / 1e3:.2f} → "
                 f"{ha[1] / 1e3:.2f}; HA is reconstructed")


def merged_by_size(data):
    little, middle, large = [32, 64, 128], [256, 512, 1024], [2048, 4096]
    both = data.both
    yield judged("up to 128² launches outweigh what is saved", all(both[s][0] > both[s][1] for s in little), "streams, by size", data.some(little))
    yield judged("TMK is best from 256² to 1024²", all(both[s][0] < both[s][1] for s in middle), "streams, by size", data.some(middle),
                 "the copies that TMK saves are short here: " + ", ".join(f"{data.copied(s):.0f} µs of HA at {s}²" for s in middle) +
                 "; merging takes " + ", ".join(f"{data.phase(s, 'merge (shared memory)', 'merge (global memory)'):.0f} µs at {s}²" for s in middle))
    shares = {side: data.phase(side, "merge (global memory)") / data.whole(side) for side in large}
    listed = ", ".join(f"{100 * share:.0f} % of {side}²" for side, share in shares.items())
    yield judged("at 2048² and above it is about as fast as HA4", all(near(both[s][0] / both[s][1], 1) for s in large), "streams, by size",
                 data.some(large), f"merging in global memory is {listed}, although it begins only at trees of 2048 nodes, as many as shared "
                 "memory holds; every step waits for the whole device")
    yield judged("merging in global memory dominates large images", min(shares.values()) > MOST,
                 "streams, by size, shares" if data.streamed_sizes else "by size, shares", listed)


def merged_alone(data):
    copies = {g: [mean(s["phases us"]["copy"] for s in of(data.here, height=2048, granularity=g, method=m + data.given)) for m in ("tmk", "ha")]
              for g in values(data.here, "granularity")}
    yield judged("much less is transferred, the less the larger the granularity",
                 all(MUCH * c[0] <= c[1] for c in copies.values()) and copies[16][0] < copies[4][0] < copies[1][0], data.shown("by density"),
                 "2048²: " + ", ".join(f"{c[0]:.0f} and {c[1]:.0f} µs at g = {g}" for g, c in copies.items()))
    points, left_out = data.parted()
    ratios = {p: data.bare("tmk", *p) / data.bare("ha", *p) for p in points}
    wins = [p for p in points if ratios[p] < 1]
    yield judged("features alone take it longer than HA4 in most cases", len(wins) < MOST * len(points), data.shown("by density"),
                 f"without copies in {len(points) - len(wins)} of {len(points)}{left_out}")
    close = [p for p in wins if p[2] in (50, 60, 70)]
    least = min(points, key=ratios.get)
    yield judged("around the percolation threshold there are exceptions: features alone take it less", bool(close), data.shown("by density"),
                 ", ".join(f"{p[0]}², g = {p[1]}, {p[2]} %" for p in close) or "none",
                 f"TMK comes nearest at {least[0]}², g = {least[1]}, {least[2]} %: {data.bare('tmk', *least) / 1e3:.2f} ms, {ratios[least]:.1f} "
                 "times HA's time; HA looks at a feature before it votes here, and leaves out what would not change it (papers.md)")


def tree_merge(head, samples):
    data = merge_data(samples)
    for part in (merged_in_time, merged_by_size, merged_alone):
        yield from part(data)


def phases_alone(samples):
    size, small = of(samples, figure="001 size"), of(samples, figure="001 density", method="jung")
    most = {c: max(s["iterations"] for s in of(size, method="jung", height=2048, connectivity=c)) for c in (8, 4)}
    yield apart("2048² takes 3 iterations", "six phases",
                f"the text does not say of which images; of those here at most {most[8]} for N8, {most[4]} for N4; of all sizes at most "
                f"{max(s['iterations'] for s in of(size, method='jung') + small)}")
    noise = [of(size, method="jung", height=side, granularity=1, density=50, connectivity=8)[0]["us"] for side in (256, 2048)]
    yield judged("time grows linearly with the image (noise of 50 %)", near(noise[1] / noise[0], 64), "by size",
                 f"N8, 256² → 2048², 64 times the pixels: {noise[0]:.0f} → {noise[1]:.0f} µs, {noise[1] / noise[0]:.1f} times",
                 "small images leave the device idle, and each iteration waits for the host")
    yield judged("at most 2.2 ms at 384²", max(s["us"] for s in small) < 2200, "by density", f"{max(s['us'] for s in small) / 1e3:.2f} ms")


def six_phases(head, samples):
    yield from phases_alone(samples)
    size, times = of(samples, figure="001 size", connectivity=8), {}
    rival = "he" if of(size, method="he") else "rosenfeld"
    for shape in dict.fromkeys((s["height"], s["width"]) for s in size):
        some = of(size, height=shape[0], width=shape[1])
        if of(some, method=rival):
            times[shape] = [mean(s["us"] for s in of(some, method=method)) for method in (rival, "jung")]
    claims = "the larger the image, the larger the gain over a CPU", "slower than the better CPU program at 256²"
    if not times:
        yield from (apart(claim, "six phases", "the text's programs are not here") for claim in claims)
        return
    gains = {shape: cpu / gpu for shape, (cpu, gpu) in times.items()}
    stands_in = "`he` is the better of the text's programs" if rival == "he" else "`rosenfeld`, one thread, stands in for the text's programs"
    yield judged(claims[0], list(gains.values()) == sorted(gains.values()), "six phases",
                 stands_in + "; N8: " + ", ".join(f"{g:.0f} at {h} × {w}" for (h, w), g in gains.items()) + " times")
    cpu, gpu = times[256, 256]
    by = ratio(head, "GTX 260")
    yield judged(claims[1], gains[256, 256] < 1, "six phases", f"{gains[256, 256]:.0f} times as fast; {stands_in}",
                 f"the CPU takes {cpu:.0f} µs where the text's took {CPU2[256, 256]}, the device {gpu:.0f} where the text's took 1010" +
                 (f": it has {by:.0f} times the memory bandwidth" if by else ""))


def block_fill(head, samples):
    here = of(samples, figure="003 size", method="block-fill", density=50)
    ms = lambda s: s["us"] / 1e3
    moved = lambda s: (s["phases us"]["upload"] + s["phases us"]["download"]) / 1e3
    name = lambda s: f"{s['height']}², {s['connectivity']} neighbours, g = {s['granularity']}"
    held = [s for s in here if ms(s) < moved(s)]
    slow = max(here, key=ms)
    yield judged("the transfers are the bottleneck, not the fill", len(held) > MOST * len(here), "block fill",
                 f"for {len(held)} of {len(here)} kinds of images: " + ", ".join(name(s) for s in held),
                 f"the fill and its colours take longest for {name(slow)}: {ms(slow):.1f} ms, {moved(slow):.1f} for its transfers")
    own = {s["granularity"]: ms(s) for s in of(here, height=4096, connectivity=4)}
    yield apart("4096² takes tens of milliseconds (26.4)", "block fill",
                "its picture is not here: " + ", ".join(f"{t:.1f} ms at g = {g}" for g, t in own.items()))
    shares = [s["phases us"]["colour map"] / s["us"] for s in here]
    yield judged("what is joined grows with the perimeter of squares only, a small part", max(shares) <= LITTLE, "block fill",
                 f"the colour map takes at most {100 * max(shares):.0f} % of the time",
                 f"a warp fills a square here and needs {min(s['phases us']['fill'] for s in here):.0f} to "
                 f"{max(s['phases us']['fill'] for s in here):.0f} µs, so that merging colours weighs more, where most squares are of one component")
    yield judged("images of up to 16384² are taken", bool(of(here, height=16384)), "block fill",
                 ", ".join(f"{name(s)}: {ms(s):.0f} ms" for s in of(here, height=16384)))


class tree_pairs:
    """The two variants of [Blin2021] on the same images."""

    def __init__(self, samples):
        here = of(samples, figure="004 steps")
        self.pairs = [(a, of(here, method="blin-border", look=a["look"], height=a["height"])[0]) for a in of(here, method="blin")]

    def parts(self, name):
        return [s["phases us"].get(name, 0) / s["us"] for pair in self.pairs for s in pair]

    def changes(self, *steps):
        """Of a sum of steps, from the first variant to the second, by image."""
        time = lambda s: sum(s["phases us"].get(step, 0) for step in steps) if steps else s["us"]
        return [time(b) / time(a) - 1 for a, b in self.pairs], sum(time(b) for _, b in self.pairs) / sum(time(a) for a, _ in self.pairs) - 1


def span(numbers):
    return f"{100 * min(numbers):.0f} to {100 * max(numbers):.0f} %"


def border_trees(data):
    extract, _ = data.changes("tile construction")
    yield judged("extraction takes a small part of tile construction (3 %)", max(extract) <= LITTLE, "tree steps",
                 f"{span(extract)}; the text's own figure has 7 %")
    merge, whole_merge = data.changes("horizontal merge")
    yield judged("border max-trees make the horizontal merge faster (4.2 → 3.5 ms)", whole_merge < 0, "tree steps",
                 f"by {span([-m for m in merge])}")
    more, whole_more = data.changes("horizontal merge", "global parent image update")
    yield judged("horizontal merge and update of the parent image together gain nothing from border max-trees", whole_more >= 0, "tree steps",
                 f"{span(more)} more; {100 * whole_more:.0f} % in all")
    all_steps, whole = data.changes()
    yield judged("border max-trees do not speed up the whole", whole >= 0, "tree steps",
                 f"{span(all_steps)} slower; {100 * whole:.1f} % in all")


def real_time(samples):
    """The goal of the text: trees of a video as it comes, which has 25 images per second."""
    claim, here = f"real time: {HD_RATE} images of 1920 × 1080 per second", of(samples, figure="004 video", method="blin")
    if not here:
        return apart(claim, "video", "this run has no image of 1920 × 1080")
    rates = {s["look"]: 1e6 / s["us"] for s in here}
    return judged(claim, min(rates.values()) >= 25, "video", "its picture is not here: " +
                  ", ".join(f"{rate:.0f} {look}" for look, rate in rates.items()) + " per second")


def than_a_cpu(samples):
    """The text's program of a CPU is not here: the library's own stands in, with all threads of the CPU of the same run."""
    claim, here = "ten times the fastest program of a CPU", of(samples, figure="004 cpu", method="skerry, all threads", width=6000)
    if not here:
        return apart(claim, "", "its program is not here")
    gains = {s["look"]: s["us"] / of(samples, figure="004 steps", method="blin", look=s["look"], width=6000)[0]["us"] for s in here}
    return judged(claim, min(gains.values()) >= 10 / QUARTER, "trees on a CPU", ", ".join(f"{g:.0f} × {look}" for look, g in gains.items()) +
                  "; the library's own on all threads of the CPU stands in for the text's program",
                  "the program that stands in is faster than the text's")


def max_tree(head, samples):
    data = tree_pairs(samples)
    tiles = data.parts("tile construction")
    yield judged("tile construction takes most of the time (69 %)", min(tiles) > MOST, "tree steps",
                 f"{span(tiles)}; flattening {span(data.parts('flatten'))}, where the text has 7",
                 "flattening follows links that nothing has shortened before, and reads them from memory")
    border = {b["look"]: b["border nodes"] for _, b in data.pairs}
    yield apart("the border max-tree of a tile has 193.5 nodes, 18 %", "tree steps",
                "its picture is not here: " + ", ".join(f"{n:.0f} {look}" for look, n in border.items()) +
                "; 128 of them are the borders themselves")
    yield from border_trees(data)
    speeds = {a["look"]: a["Gpx/s"] for a, _ in data.pairs if a["width"] == 6000}
    by = ratio(head, "RTX 2060")
    yield apart("0.8 Gpx/s (793 MB/s)", "tree steps", "its picture is not here: " +
                ", ".join(f"{v:.1f} {look}" for look, v in speeds.items()) + (f", on {by:.0f} times the bandwidth" if by else ""))
    yield real_time(samples)
    yield than_a_cpu(samples)

# SPDX-License-Identifier: Apache-2.0
"""What [Lemaitre2021] claims, next to what was measured."""
from devices import scaled_speed
from measured import measured
from samples import by_size, of, values
from tables import A100
from verdict import ALMOST_ALL, LITTLE, MUCH, NO_CAUSE, apart, judged, near

SEVEN = ["naive", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd"]
NAMES = {"naive": "naive", "ha": "HA", "ha-otf": "HA+OTF", "ha-cd": "HA+CD", "flsl": "FLSL", "flsl-otf": "FLSL+OTF",
         "flsl-cd": "FLSL+CD"}


class sweep:
    """The samples of the paper, by what a claim asks for."""

    def __init__(self, head, samples):
        self.head, self.samples = head, samples
        self.four = measured(of(samples, figure="002 density", connectivity=4))
        self.eight = measured(of(samples, figure="002 density", connectivity=8))
        self.full = measured(of(samples, figure="002 full", connectivity=4))
        self.size = measured(by_size(samples))
        self.granularities = sorted(values(self.four.samples, "granularity"))
        self.count = {(s["method"], s["density"]): s for s in of(samples, figure="002 votes", granularity=4)}

    def ratio(self, a, b="ha", **wanted):
        return self.four(method=a, **wanted) / self.four(method=b, **wanted)

    def around(self, method, low, high, where):
        return where(method=method, granularity=4, density=low), where(method=method, granularity=4, density=high)

    def phases(self, method, **wanted):
        sample = of(self.samples, connectivity=4, method=method, **wanted)[0]
        return sample.get("phases us", {}), sample["us"]

    def thousands(self, key, method, density):
        return self.count[method, density].get(key, 0) / 1e3

    def reached(self, *methods):
        """How much of the text's scaled figures at g = 4 the methods have here."""
        parts = []
        for method in methods:
            own = self.four(method=method, granularity=4)
            scaled = scaled_speed(self.head, "A100", A100[method][0])
            if scaled:
                parts.append(f"{NAMES[method]} {100 * own / scaled:.0f} %")
        if not parts:
            return "the bandwidth of this device is not in devices.py"
        return "of the text's figures scaled by bandwidth: " + ", ".join(parts)


def votes_share(samples):
    return sum(s["phases us"]["features computation"] for s in samples) / sum(s["us"] for s in samples)


def threshold(data):
    naive, ha, flsl = (data.around(m, 55, 65, data.four) for m in ("naive", "ha", "flsl"))
    yield judged("the naive method is slow after the percolation threshold, 60 % for 4 neighbours", naive[0] >= MUCH * naive[1],
                 "by density", f"g = 4, 55 → 65 %: {naive[0]:.1f} → {naive[1]:.1f} Gpx/s")
    yield judged("so are HA and FLSL alone", ha[0] >= MUCH * ha[1] and flsl[0] >= MUCH * flsl[1], "by density",
                 f"g = 4, 55 → 65 %: HA {ha[0]:.1f} → {ha[1]:.1f}, FLSL {flsl[0]:.1f} → {flsl[1]:.1f}")
    flsl8 = data.around("flsl", 35, 45, data.eight)
    yield judged("for 8 neighbours the threshold is at 40 %", flsl8[0] >= MUCH * flsl8[1], "by density, 8 neighbours",
                 f"FLSL, g = 4, 35 → 45 %: {flsl8[0]:.1f} → {flsl8[1]:.1f} Gpx/s")
    mine = of(data.four.samples, method="flsl", granularity=4)
    part = {s["density"]: votes_share([s]) for s in mine}
    share = votes_share(mine)
    yield judged("almost all of the time goes into features", share >= ALMOST_ALL, "phases of FLSL in the JSON",
                 f"FLSL, g = 4: {100 * share:.0f} % of the time of all densities; " +
                 ", ".join(f"{100 * part[d]:.0f} % at {d} %" for d in (5, 25, 55, 75)),
                 "only after the threshold do votes take longer than the passes over pixels")


def taming(data):
    few = {g: data.ratio("flsl", "flsl-cd", granularity=g) for g in data.granularities}
    phases, whole = data.phases("flsl", figure="002 density", granularity=data.granularities[-1], density=75)
    yield judged("FLSL alone is effective only for images of low detail", few[data.granularities[0]] < 1 / MUCH <= few[data.granularities[-1]],
                 "means", "of the speed of FLSL+CD it has " + ", ".join(f"{100 * few[g]:.0f} %" for g in data.granularities) +
                 f" at g = {', '.join(map(str, data.granularities))}",
                 f"votes for one component serialise in images of low detail, too: {100 * phases['features computation'] / whole:.0f} % of "
                 f"the time at g = {data.granularities[-1]}, 75 %")
    tamed = [data.four(method=m, granularity=4, density=75) for m in ("flsl", "flsl-otf", "flsl-cd")]
    yield judged("OTF and CD both mitigate the serialization much", min(tamed[1:]) >= MUCH * tamed[0], "by density",
                 f"g = 4, 75 %: FLSL {tamed[0]:.1f}, OTF {tamed[1]:.1f}, CD {tamed[2]:.1f} Gpx/s")
    before = [data.ratio("flsl-otf", "flsl", granularity=4, density=d) for d in (5, 15, 25, 35, 45, 55)]
    moving, _ = data.phases("flsl-otf", figure="002 density", granularity=4, density=55)
    apart_, _ = data.phases("flsl", figure="002 density", granularity=4, density=55)
    rest = sum(time for name, time in apart_.items() if name != "segment detection")
    yield judged("OTF has a small overhead", min(before) >= 1 - LITTLE, "by density",
                 f"g = 4 before the threshold: {100 * (1 - max(before)):.0f} to {100 * (1 - min(before)):.0f} % slower than FLSL",
                 f"features that move with each union take longer than votes after all of them: {moving['unification']:.0f} µs at 55 %, "
                 f"where FLSL joins, flattens and votes in {rest:.0f}")
    held = [max(data.ratio("ha-otf", "flsl-cd", granularity=g), data.ratio("ha-cd", "flsl-cd", granularity=g))
            for g in data.granularities]
    phases, whole = data.phases("flsl-cd", figure="002 density", granularity=1, density=75)
    yield judged("with OTF or CD, too, HA lacks parallelism", max(held) <= 1 / MUCH, "means",
                 f"the better of both reaches {100 * min(held):.0f} to {100 * max(held):.0f} % of FLSL+CD; HA is reconstructed",
                 f"in fine noise unification holds both: at g = 1, 75 % it takes {phases['unification']:.0f} of the {whole:.0f} µs of "
                 f"FLSL+CD, of whose speed HA+CD has {100 * data.ratio('ha-cd', 'flsl-cd', granularity=1, density=75):.0f} %")


def ranking(data, side):
    return [m for m in sorted(SEVEN, key=lambda m: -data.size(method=m, height=side, granularity=4)) if m != "ha-otf"]


def best_of_all(data):
    leads = [g for g in data.granularities if max(SEVEN, key=lambda m: data.four(method=m, granularity=g)) == "flsl-cd"]
    leads8 = [g for g in sorted(values(data.eight.samples, "granularity"))
              if max(SEVEN[4:], key=lambda m: data.eight(method=m, granularity=g)) == "flsl-cd"]
    yield judged("FLSL+CD is the best of the seven on average", leads == data.granularities, "means",
                 f"8192²: at g = {', '.join(map(str, leads))}; 8 neighbours: {', '.join(map(str, leads8))}")
    sides = sorted(set(values(data.size.samples, "height")))
    best = {(side, g): max(SEVEN, key=lambda m: data.size(method=m, height=side, granularity=g))
            for side in sides for g in (1, 4, 16)}
    lost = [f"{side}², g = {g} ({who})" for (side, g), who in best.items() if who != "flsl-cd"]
    side, g = next((key for key, who in best.items() if who != "flsl-cd"), (sides[0], 16))
    voting = [data.phases(m, figure="002 size" if side != sides[-1] else "002 density", height=side, granularity=g, density=75)[0]
              ["features computation"] for m in ("flsl", "flsl-cd")]
    yield judged("FLSL+CD is the best for every granularity and size", not lost, "by size", "not at " + ", ".join(lost) if lost else "yes",
                 f"so few votes do not serialise, and there is nothing to be gained: at {side}², g = {g}, 75 % they take {voting[0]:.1f} µs in "
                 f"FLSL and {voting[1]:.1f} in FLSL+CD")
    same = [side for side in sides if ranking(data, side) == ranking(data, sides[-1])]
    voting = {s: votes_share(of(data.size.samples, method="flsl", height=s, granularity=4)) for s in (sides[0], sides[-1])}
    yield judged("the ranking does not depend on the size, but for HA+OTF", same == sides, "by size",
                 f"g = 4: as at {sides[-1]}² at {', '.join(f'{s}²' for s in same)}; at {sides[0]}²: {', '.join(ranking(data, sides[0]))}",
                 "votes serialise less where there are fewer pixels: features take " +
                 " and ".join(f"{100 * share:.0f} % of the time of FLSL at {side}²" for side, share in voting.items()))
    speed = [data.size(method="flsl-cd", height=side, granularity=4) for side in (sides[0], sides[-1])]
    yield judged("small images suffer, as they cannot feed a large GPU", speed[1] >= MUCH * speed[0], "by size",
                 f"FLSL+CD, g = 4: {speed[0]:.1f} Gpx/s at {sides[0]}², {speed[1]:.1f} at {sides[-1]}²")


def why_not_times_ha(data, method):
    """Why a method has another ratio to HA than in the text; NO_CAUSE where nobody has looked."""
    if method == "ha-otf":
        time = {(m, d): data.phases(m, figure="002 density", granularity=4, density=d)[1] / 1e3 for m in ("ha", method) for d in (25, 75)}
        return ("moving features with each union costs more than the votes that it spares: HA and HA+OTF take " + " and ".join(
            f"{time['ha', d]:.2f} and {time[method, d]:.2f} ms at {d} %, {when} votes serialise" for d, when in ((25, "before"), (75, "where"))))
    if method == "flsl-otf":
        parts = {d: data.phases(method, figure="002 density", granularity=4, density=d) for d in (55, 65)}
        return ("unification, which moves features by atomic operations and reads no pixel, takes " + " and ".join(
            f"{phases['unification']:.0f} of {whole:.0f} µs at {d} %" for d, (phases, whole) in parts.items()) +
            f"; so FLSL+OTF has {data.four(method=method, granularity=4) / A100[method][0]:.1f} times the text's speed, and HA "
            f"{data.four(method='ha', granularity=4) / A100['ha'][0]:.1f} times")
    if method == "ha-cd":
        early = data.ratio("ha", "flsl", granularity=4, density=25)
        return (f"strips, not votes, hold the reconstructed HA: at 25 %, before votes serialise, it has {100 * early:.0f} % of the speed of "
                "FLSL")
    return NO_CAUSE


def times_ha(data):
    for method, text in (("ha-otf", 2.5), ("ha-cd", 1.9), ("flsl", 1.4), ("flsl-otf", 5.2), ("flsl-cd", 6.5)):
        value = data.ratio(method, granularity=4)
        yield judged(f"{NAMES[method]} is {text} × HA at g = 4", near(value, text), "means",
                     f"{value:.1f} ×; {data.reached('ha', method)}; HA is reconstructed", why_not_times_ha(data, method))
    ones = {m: data.full(method=m) for m in SEVEN}
    ratios = {m: ones[m] / ones["ha"] for m in SEVEN[4:]}
    yield judged("all ones: FLSL, FLSL+OTF, FLSL+CD are 18, 19, 18 × HA",
                 all(near(ratios[m], text) for m, text in (("flsl", 18), ("flsl-otf", 19), ("flsl-cd", 18))), "means",
                 ", ".join(f"{r:.0f}" for r in ratios.values()) + " ×; HA is reconstructed")
    yield judged("OTF is best on full images", ones["flsl-otf"] == max(ones.values()) and ones["ha-otf"] > ones["ha"], "means",
                 f"FLSL+OTF {ones['flsl-otf']:.0f}, FLSL {ones['flsl']:.0f}; HA+OTF {ones['ha-otf']:.1f}, HA {ones['ha']:.1f}")
    gain = ones["flsl-cd"] / ones["naive"]
    phases, whole = data.phases("flsl-cd", figure="002 full")
    yield judged("FLSL+CD is some 900 × naive on full images", near(gain, 900), "means",
                 f"{gain:.0f} ×; naive reaches {ones['naive']:.1f} Gpx/s here, {A100['naive'][1]} there",
                 f"FLSL+CD has {ones['flsl-cd'] / A100['flsl-cd'][1]:.1f} times the text's speed, since it waits for pixels, "
                 f"16 of which a thread takes by one read here (segment detection takes {phases['segment detection']:.0f} of {whole:.0f} µs); "
                 f"naive, which waits for votes for one component, has {ones['naive'] / A100['naive'][1]:.1f} times")
    over = [data.ratio("flsl-cd", granularity=g) for g in data.granularities] + [ones["flsl-cd"] / ones["ha"]]
    yield judged("FLSL+CD is 4 to 20 × HA on large GPUs", near(min(over), 4) and near(max(over), 20), "means",
                 f"{min(over):.1f} to {max(over):.1f} ×; HA is reconstructed")
    yield apart("on embedded GPUs 2 to 5 ×, and HA+CD and HA+OTF slower than HA; naive on ones no faster on an A100 than on an AGX", "",
                "none of these devices was at hand")


def votes(data):
    up = lambda method, density: data.thousands("updates", method, density)
    line = up("naive", 95) / up("naive", 5)
    yield judged("naive updates grow with density", near(line, 19), "votes", f"g = 4, 5 → 95 %: {line:.1f} ×")
    yield judged("HA and FLSL have about as many, FLSL fewer near 100 %",
                 near(up("ha", 25) / up("flsl", 25), 1) and up("flsl", 95) < up("ha", 95), "votes",
                 f"g = 4: {up('ha', 25):.0f} and {up('flsl', 25):.0f} thousand at 25 %, {up('ha', 95):.0f} and "
                 f"{up('flsl', 95):.0f} at 95 %; HA is reconstructed")
    under_way = lambda method, density: data.thousands("met", method, density)
    shares = {d: under_way("flsl", d) / up("flsl", d) for d in (25, 75)}
    yield judged("conflicts are few before the threshold", shares[25] <= LITTLE, "votes",
                 f"the text does not define conflicts: counted are updates that set off while another was under way to the same label, in a build "
                 f"that counts; FLSL, g = 4: {under_way('flsl', 25):.1f} of {up('flsl', 25):.0f} thousand at 25 %, {under_way('flsl', 75):.1f} of "
                 f"{up('flsl', 75):.0f} at 75 %", "all lines of an image vote at the same time, so that those of one object meet, and counting makes votes longer")
    rest = {m: under_way(m, 75) for m in ("flsl", "flsl-otf", "flsl-cd")}
    yield judged("OTF reduces conflicts most, for a small increase in updates",
                 rest["flsl-otf"] == min(rest.values()) and up("flsl-otf", 75) <= (1 + LITTLE) * up("flsl", 75), "votes",
                 "under way at the same time, g = 4, 75 %: " + ", ".join(f"{NAMES[m]} {n:.1f}" for m, n in rest.items()) +
                 f" thousand; OTF has {up('flsl-otf', 75) / up('flsl', 75):.1f} times the updates of FLSL",
                 "every union moves features, which is an update, and CD leaves few votes at all")
    yield judged("CD hardly changes anything before the threshold, and much after",
                 up("flsl-cd", 25) >= (1 - LITTLE) * up("flsl", 25) and up("flsl", 75) >= MUCH * up("flsl-cd", 75), "votes",
                 f"FLSL, g = 4: {up('flsl', 25):.0f} → {up('flsl-cd', 25):.0f} thousand updates at 25 %, {up('flsl', 75):.0f} → "
                 f"{up('flsl-cd', 75):.0f} at 75 %")


def taming_votes(head, samples):
    data = sweep(head, samples)
    for part in (threshold, taming, best_of_all, times_ha, votes):
        yield from part(data)

# SPDX-License-Identifier: Apache-2.0
"""The memory bandwidth of the devices of the papers, and their figures scaled by it; and by the clock where that bounds them."""
from samples import of
from verdict import MOST

# GB/s, of NVIDIA's specifications of each product.
BANDWIDTH = {"NVIDIA H200": 4800, "NVIDIA H100": 3350, "A100": 1555, "GTX 260": 111.9, "GTX 460": 115.2, "RTX 2060": 336}
NOTES = {"A100": "the text does not say which: that of 40 GB; that of 80 GB has 2039, which makes scaled figures a quarter smaller",
         "GTX 260": "896 MB", "GTX 460": "1 GB; the text measured 40", "RTX 2060": "6 GB"}
PAPERS = {"A100": "[Lemaitre2021]", "GTX 260": "[Jung2010]", "GTX 460": "[BlockFill2011]", "RTX 2060": "[Blin2021]"}


def ours(head):
    """Of the device of a result; None for one that is not known."""
    return next((gbps for name, gbps in BANDWIDTH.items() if head["device"].startswith(name)), None)


def ratio(head, device):
    return ours(head) / BANDWIDTH[device] if ours(head) else None


def scaled_speed(head, device, speed):
    """A throughput of a text, as a device of our bandwidth would have it; None where nothing is known."""
    by = ratio(head, device)
    return None if by is None or not isinstance(speed, (int, float)) else speed * by


def scaled_time(head, device, time):
    by = ratio(head, device)
    return None if by is None or time is None else time / by


def bandwidths(head, samples):
    lines = ["| device | text | GB/s | times as much here | |", "| --- | --- | --: | --: | --- |"]
    for device, text in PAPERS.items():
        by = ratio(head, device)
        lines.append(f"| {device} | {text} | {BANDWIDTH[device]} | {'–' if by is None else format(by, '.2f')} | {NOTES[device]} |")
    return [*lines, f"| {head['device']} | here | {ours(head) or '–'} | 1 | |"]


# MHz, of NVIDIA's specifications: the highest clock of the multiprocessors ("processor clock" of the two oldest).
CLOCK = {"NVIDIA H200": 1980, "NVIDIA H100": 1980, "A100": 1410, "GTX 260": 1242, "GTX 460": 1350, "RTX 2060": 1680}


def clock_ratio(head, device):
    own = next((mhz for name, mhz in CLOCK.items() if head["device"].startswith(name)), None)
    return own / CLOCK[device] if own else None


def faster_clock(head, device, speed):
    """A throughput of a text, as a device of our clock would have it; None where nothing is known."""
    by = clock_ratio(head, device)
    return None if by is None or not isinstance(speed, (int, float)) else speed * by


PERCOLATION = 60  # %, of 4 neighbours


class waiting:
    """What of the time of [Lemaitre2021]'s methods goes into atomic operations that wait for each other, at g = 4, 4 neighbours."""

    def __init__(self, samples):
        self.four = of(samples, figure="002 density", connectivity=4, granularity=4)

    def time(self, method, below=101):
        return sum(s["us"] for s in of(self.four, method=method) if s["density"] < below)

    def spared(self, method, by, below=101):
        return 1 - self.time(by, below) / self.time(method, below)

    def after(self, method):
        return 1 - self.time(method, PERCOLATION) / self.time(method)

    def phase(self, method, name):
        some = of(self.four, method=method)
        return sum(s["phases us"][name] for s in some) / sum(s["us"] for s in some)


def clock_bound(samples):
    """The figures of [Lemaitre2021] that atomic operations bound in this run, as (method, is of ones), and what shows it. Such operations
    follow the clock, not the bandwidth. A figure is one of them if they take most of its time."""
    found = waiting(samples)
    if not {"naive", "ha", "ha-otf", "ha-cd", "flsl", "flsl-otf", "flsl-cd"} <= {s["method"] for s in found.four}:
        return {}
    shares = {
        "naive": (found.after("naive"), "of its time is after the percolation threshold, where most votes are for one component"),
        "ha": (found.spared("ha", "ha-cd"), "of its time is spared by conflict detection, which changes votes only"),
        "flsl": (found.spared("flsl", "flsl-cd"), "of its time is spared by conflict detection, which changes votes only"),
        "ha-otf": (found.spared("ha-otf", "ha", PERCOLATION), "of its time before the percolation threshold is spared where features stay"),
        "flsl-otf": (found.phase("flsl-otf", "unification"), "of its time is unification, which moves features and reads no pixel")}
    known = {(method, False): f"{100 * share:.0f} % {what}" for method, (share, what) in shares.items() if share > MOST}
    ones = {s["method"]: s["us"] for s in of(samples, figure="002 full", connectivity=4)}
    for method in ("naive", "ha", "ha-cd"):
        if method in ones and ones["flsl-cd"] / ones[method] < MOST:
            known[method, True] = (f"{100 * ones['flsl-cd'] / ones[method]:.2g} % of the speed of FLSL+CD: all votes are for one component, one "
                                   "after the other")
    return known


BLOCKS = {"bandwidths": bandwidths}

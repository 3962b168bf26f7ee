# SPDX-License-Identifier: Apache-2.0
"""The memory bandwidth of the devices of the papers, and their figures scaled by it; and by the clock where that bounds them."""
from samples import mean_speed, of

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


CLOCK_BOUND = {("flsl-otf", 0), ("naive", 1), ("ha", 1), ("ha-cd", 1)}  # of tables.A100: the method, and 0 for g = 4, 1 for ones


def clock_ratio(head, device):
    own = next((mhz for name, mhz in CLOCK.items() if head["device"].startswith(name)), None)
    return own / CLOCK[device] if own else None


def bounds(head, samples):
    """What else than bandwidth a figure of a text is bound by, where this run shows it, and the figure scaled by that."""
    lines = ["| figure of a text | bound by | seen here by | text | times as much here | scaled by that | by bandwidth | here |",
             "| --- | --- | --- | --: | --: | --: | --: | --: |"]
    if ours(head) is None:
        return lines

    def add(what, by, seen, device, speed, here, unit):
        times, is_time = clock_ratio(head, device), unit == "ms"
        cells = [speed / times, speed / ratio(head, device)] if is_time else [speed * times, speed * ratio(head, device)]
        lines.append(f"| {what} | {by} | {seen} | {speed:g} {unit} | {times:.2f} | {cells[0]:.2f} | {cells[1]:.2f} | {here} |")

    ones = {s["method"]: s for s in of(samples, figure="002 full", connectivity=4)}
    for method, text in (("naive", 0.337), ("ha", 16.6), ("ha-cd", 16.6)):
        if method in ones and (method, 1) in CLOCK_BOUND:
            add(f"`{method}`, all ones, A100", "atomic operations on one component, one after the other: clock",
                f"{ones['flsl-cd']['us'] / ones[method]['us'] * 100:.2g} % of the speed of FLSL+CD, which has one component as well", "A100", text,
                f"{ones[method]['Gpx/s']:.1f}", "Gpx/s")
    moving = [s for s in of(samples, figure="002 density", connectivity=4, granularity=4, method="flsl-otf") if "phases us" in s]
    if moving:
        share = sum(s["phases us"]["unification"] for s in moving) / sum(s["us"] for s in moving)
        add("`flsl-otf`, g = 4, A100", "atomic operations that move features with each union: clock",
            f"unification, which reads no pixel, takes {100 * share:.0f} % of the time of all densities", "A100", 71.0,
            f"{mean_speed(moving):.1f}", "Gpx/s")
    return lines


BLOCKS = {"bandwidths": bandwidths, "bounds": bounds}

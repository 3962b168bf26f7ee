# SPDX-License-Identifier: Apache-2.0
"""The memory bandwidth of the devices of the papers, and their figures scaled by it."""

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


BLOCKS = {"bandwidths": bandwidths}

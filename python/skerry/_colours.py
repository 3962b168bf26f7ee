# SPDX-License-Identifier: Apache-2.0
"""Colours of labels, the same in every picture."""
import colorsys

import numpy

_COLOURS = 127  # numbers that labels of every type hold


def palette():
    """Bytes of red, green and blue: black for the background, then hues a golden angle apart, so that neighbours differ."""
    colours = [(0, 0, 0)]
    for i in range(_COLOURS):
        colour = colorsys.hsv_to_rgb(i * 0.6180339887 % 1, (0.55, 0.75, 0.95)[i % 3], (1.0, 0.85)[i // 3 % 2])
        colours.append(tuple(round(255 * part) for part in colour))
    return bytes(part for colour in colours for part in colour)


def colour_numbers(labels):
    """For each label a number of the palette; 0 for those of 0 and below."""
    one, colours = labels.dtype.type(1), labels.dtype.type(_COLOURS)
    return numpy.where(labels > 0, (labels - (labels > 0)) % colours + one, 0).astype(numpy.uint8)

# SPDX-License-Identifier: Apache-2.0
"""Small pictures of label images, for notebooks."""
import base64
import colorsys
import struct
import zlib

import numpy

_LONGEST_SIDE = 192
_COLOURS = 127  # numbers that labels of every type hold


def _palette():
    """Black for the background, and colours whose hues are a golden angle apart, so that neighbours differ."""
    colours = [(0, 0, 0)]
    for i in range(_COLOURS):
        colour = colorsys.hsv_to_rgb(i * 0.6180339887 % 1, (0.55, 0.75, 0.95)[i % 3], (1.0, 0.85)[i // 3 % 2])
        colours.append(tuple(round(255 * part) for part in colour))
    return bytes(part for colour in colours for part in colour)


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _reduced(labels):
    """Every n-th pixel of the image, or of a volume's middle slice, as numbers of colours."""
    plane = labels if labels.ndim == 2 else labels[labels.shape[0] // 2]
    step = -(-max(plane.shape) // _LONGEST_SIDE)
    few = plane[::step, ::step]
    one, colours = few.dtype.type(1), few.dtype.type(_COLOURS)
    return numpy.where(few > 0, (few - (few > 0)) % colours + one, 0).astype(numpy.uint8)


def png(labels):
    """The bytes of a PNG file with at most 192 x 192 pixels."""
    pixels = _reduced(labels)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"PLTE", _palette()) +
            _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b""))


def html(labels):
    """An <img> element, or nothing for an image without pixels."""
    if labels.size == 0:
        return ""
    data = base64.b64encode(png(labels)).decode()
    return f'<img alt="labels" style="image-rendering: pixelated" src="data:image/png;base64,{data}">'

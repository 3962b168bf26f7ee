# SPDX-License-Identifier: Apache-2.0
"""Small pictures of label images, for notebooks."""
import base64
import struct
import zlib

from ._colours import colour_numbers, palette

_LONGEST_SIDE = 192


def _chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _reduced(labels):
    """Every n-th pixel of the image, or of a volume's middle slice, as numbers of colours."""
    plane = labels if labels.ndim == 2 else labels[labels.shape[0] // 2]
    step = -(-max(plane.shape) // _LONGEST_SIDE)
    return colour_numbers(plane[::step, ::step])


def png(labels):
    """The bytes of a PNG file with at most 192 x 192 pixels."""
    pixels = _reduced(labels)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 3, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"PLTE", palette()) +
            _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b""))


def html(labels):
    """An <img> element, or nothing for an image without pixels."""
    if labels.size == 0:
        return ""
    data = base64.b64encode(png(labels)).decode()
    return f'<img alt="labels" style="image-rendering: pixelated" src="data:image/png;base64,{data}">'

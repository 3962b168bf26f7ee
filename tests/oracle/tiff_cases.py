# SPDX-License-Identifier: Apache-2.0
"""TIFF files as tifffile and Pillow write them, with the pixels that tifffile or Pillow find in them."""
import itertools
import struct

import numpy as np
import tifffile
from PIL import Image

import file_cases

TYPES = "u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8".split()


def as_pages(pixels, channels=False):
    """(pages,) height, width (, channels) as (pages, height, width, channels)."""
    pixels = pixels if channels else pixels[..., None]
    return pixels if pixels.ndim == 4 else pixels[None]


def written(path, pixels, channels=False, alpha=False, **options):
    """What tifffile reads of what it wrote, which is the same."""
    tifffile.imwrite(path, pixels, metadata=None, **options)
    read = tifffile.imread(path)
    if options.get("planarconfig") == "separate":
        read = np.moveaxis(read, 0, -1)
        pixels = np.moveaxis(pixels, 0, -1)
    assert (read == pixels).all(), path
    return file_cases.Case("tiff", path, as_pages(read, channels).astype(read.dtype.newbyteorder("=")), alpha)


def type_cases(folder, random):
    for kind, order, layout, packed in itertools.product(TYPES, "<>", ("strips", "tiles", "big"), (None, "zlib")):
        options = {"strips": {"rowsperstrip": 5}, "tiles": {"tile": (16, 32)}, "big": {"bigtiff": True}}[layout]
        pixels = file_cases.random_image(random, kind, (37, 45))
        path = folder / f"{kind}-{'le' if order == '<' else 'be'}-{layout}-{packed}.tif"
        yield written(path, pixels, byteorder=order, compression=packed, photometric="minisblack", **options)
    for kind, order in itertools.product(("u1", "u2", "u4"), "<>"):
        path = folder / f"predictor-{kind}-{'le' if order == '<' else 'be'}.tif"
        pixels = file_cases.random_image(random, kind, (20, 31))
        yield written(path, pixels, byteorder=order, compression="zlib", predictor=True)


def layout_cases(folder, random):
    for kind, tiled, planar, extra in itertools.product(("u1", "u2", "f4"), (False, True), ("contig", "separate"), (0, 1)):
        channels = 3 + extra
        shape = (21, 33, channels) if planar == "contig" else (channels, 21, 33)
        options = {"tile": (16, 16)} if tiled else {"rowsperstrip": 4}
        path = folder / f"colours-{kind}-{tiled}-{planar}-{channels}.tif"
        yield written(path, file_cases.random_image(random, kind, shape), True, extra > 0, photometric="rgb",
                      planarconfig=planar, extrasamples=["unassalpha"] * extra, **options)
    for kind in ("u1", "u2", "f4"):
        yield written(folder / f"pages-{kind}.tif", file_cases.random_image(random, kind, (4, 12, 17)),
                      photometric="minisblack")
        yield written(folder / f"pages-of-colours-{kind}.tif", file_cases.random_image(random, kind, (4, 12, 17, 3)), True,
                      photometric="rgb")
    volume = written(folder / "volume.tif", file_cases.random_image(random, "u2", (3, 20, 21)), tile=(1, 16, 16),
                     volumetric=True, photometric="minisblack")
    volume.by_page = False  # it is one page
    yield volume
    yield written(folder / "white.tif", file_cases.random_image(random, "u1", (8, 9)), photometric="miniswhite")
    for orientation in range(1, 9):
        yield written(folder / f"orientation-{orientation}.tif", file_cases.random_image(random, "u2", (8, 11)),
                      extratags=[(274, "H", 1, orientation, True)])


def pillow_cases(folder, random):
    modes = {"L": ("raw", "tiff_lzw", "packbits", "tiff_adobe_deflate"), "RGB": ("raw", "tiff_lzw", "jpeg"),
             "1": ("raw", "packbits", "group3", "group4", "tiff_lzw"), "P": ("raw", "tiff_lzw"), "RGBA": ("raw", "tiff_lzw")}
    for mode, packings in modes.items():
        for packing in packings:
            path = folder / f"{mode}-{packing}.tif"
            image = file_cases.picture(random, mode, (41, 27))
            image.save(path, compression=packing)
            pixels = np.array(Image.open(path).convert("RGB") if mode == "P" else Image.open(path))
            yield file_cases.Case("tiff", path, file_cases.pages_of(pixels), mode == "RGBA")


def ink_cases(folder, random):
    """Inks become colours, by libtiff; Pillow rounds otherwise."""
    path = folder / "inks.tif"
    file_cases.picture(random, "CMYK").save(path)
    yield file_cases.Case("tiff", path, file_cases.pages_of(np.array(Image.open(path).convert("RGB"))), tolerance=1)


def packed_rows(values, bits):
    """Rows of samples of so many bits, the first sample in the highest bits."""
    shifts = np.arange(bits - 1, -1, -1)
    return b"".join(np.packbits((row[:, None] >> shifts & 1).astype(np.uint8).ravel()).tobytes() for row in values)


def small_tiff(values, bits):
    """A grey TIFF of one strip, tag by tag."""
    height, width = values.shape
    strip = packed_rows(values, bits)
    tags = [(256, 4, width), (257, 4, height), (258, 3, bits), (259, 3, 1), (262, 3, 1), (273, 4, 122), (277, 3, 1),
            (278, 4, height), (279, 4, len(strip))]
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + struct.pack("<I", 0) + strip


def bit_cases(folder, random):
    for bits in range(1, 16):
        values = random.integers(0, 1 << bits, (7, 13))
        path = folder / f"{bits}-bits.tif"
        path.write_bytes(small_tiff(values, bits))
        kind = np.bool_ if bits == 1 else np.uint8 if bits <= 8 else np.uint16
        yield file_cases.Case("tiff", path, file_cases.pages_of(values.astype(kind)))


def tiff_cases(folder, random):
    for maker in (type_cases, layout_cases, pillow_cases, ink_cases, bit_cases):
        yield from maker(folder, random)

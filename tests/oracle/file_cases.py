# SPDX-License-Identifier: Apache-2.0
"""Files of every format that is claimed, with the pixels that an independent reader finds in them."""
import dataclasses
import itertools
import os
import pathlib

os.environ["OPENCV_IO_ENABLE_OPENEXR"] = "1"
import cv2
import numpy as np
import tifffile
from astropy.io import fits
from PIL import Image, ImageSequence

import tiff_cases


@dataclasses.dataclass
class Case:
    """One file. `pixels` is (pages, height, width, channels), or None for a file that is refused with `error`."""
    format: str
    path: pathlib.Path
    pixels: np.ndarray = None
    alpha: bool = False          # the last channel is alpha
    tolerance: float = 0
    whole: bool = True           # all pages can be read at once
    by_page: bool = True
    stays_volume: bool = False   # although there is one page
    error: str = ""
    written_as: tuple = ()       # formats that the same pixels are written to, and read by another program


def pages_of(image):
    """(height, width) or (height, width, channels) as one page."""
    return np.ascontiguousarray(image.reshape(1, *image.shape[:2], -1))


def random_image(random, kind, shape):
    kind = np.dtype(kind)
    if kind.kind == "b":
        return random.random(shape) < 0.5
    if kind.kind == "f":
        return (random.standard_normal(shape) * 100).astype(kind)
    limits = np.iinfo(kind)
    native = kind.newbyteorder("=")
    return random.integers(limits.min, limits.max, shape, dtype=native, endpoint=True).astype(kind)


def read_written(path):
    """What tifffile or OpenCV read of a file that skerry wrote."""
    return tifffile.imread(path) if path.suffix == ".tif" else cv2.imread(str(path), cv2.IMREAD_UNCHANGED)


# ---- NPY -------------------------------------------------------------------------------------------------------------

def npy_cases(folder, random):
    for kind, order, fortran, shape in itertools.product(
            ("b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"), "<>", (False, True), ((7, 11), (3, 5, 6))):
        pixels = random_image(random, np.dtype(order + kind), shape)
        path = folder / f"{kind}-{'le' if order == '<' else 'be'}-{fortran}-{len(shape)}.npy"
        np.save(path, np.asfortranarray(pixels) if fortran else pixels)
        native = pixels.astype(np.dtype(kind))
        written_as = (".tif", ".png") if kind in ("u1", "u2") and len(shape) == 2 else (".tif",)
        yield Case("npy", path, (native if len(shape) == 3 else native[None])[..., None], written_as=written_as)


# ---- PNG, JPEG, BMP, TGA, JPEG 2000: Pillow and OpenCV ------------------------------------------------------------------

def pillow_pixels(path):
    """What Pillow reads, with bits as 0 and 255 and palettes as colours."""
    image = Image.open(path)
    if image.mode == "1":
        image = image.convert("L")
    if image.mode in ("P", "PA"):
        image = image.convert("RGBA" if "transparency" in image.info or image.mode == "PA" else "RGB")
    pixels = np.array(image)
    if image.mode in ("I;16", "I"):
        pixels = pixels.astype(np.uint16)
    return pages_of(pixels), image.mode in ("LA", "RGBA")


def opencv_pixels(path):
    pixels = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if pixels.ndim == 3 and pixels.shape[2] >= 3:
        pixels = pixels[..., [2, 1, 0] + list(range(3, pixels.shape[2]))]
    return pages_of(pixels)


def pillow_case(form, path, image, **options):
    image.save(path, **options)
    pixels, alpha = pillow_pixels(path)
    return Case(form, path, pixels, alpha)


def picture(random, mode, size=(19, 13)):
    """A Pillow image of a mode, of random pixels."""
    width, height = size
    if mode == "1":
        return Image.fromarray(random.random((height, width)) < 0.5)
    channels = {"L": 1, "P": 1, "LA": 2, "RGB": 3, "RGBA": 4, "CMYK": 4}[mode]
    pixels = random.integers(0, 256, (height, width, channels), dtype=np.uint8)
    if mode != "P":
        return Image.fromarray(pixels[..., 0] if channels == 1 else pixels, mode)
    image = Image.fromarray(pixels[..., 0], "P")
    image.putpalette(random.integers(0, 256, 768, dtype=np.uint8).tobytes())
    return image


def png_cases(folder, random):
    for mode in ("1", "L", "P", "LA", "RGB", "RGBA"):
        yield pillow_case("png", folder / f"{mode}.png", picture(random, mode))
    for bits in (1, 2, 4):
        image = picture(random, "P").point(lambda value, top=1 << bits: value % top)
        yield pillow_case("png", folder / f"palette-{bits}.png", image, bits=bits)
    yield pillow_case("png", folder / "transparent.png", picture(random, "P"), transparency=3)
    yield pillow_case("png", folder / "gamma.png", picture(random, "L"), gamma=0.5)
    for channels in (1, 3, 4):
        path = folder / f"u16-{channels}.png"
        cv2.imwrite(str(path), random.integers(0, 65536, (9, 14, channels), dtype=np.uint16))
        yield Case("png", path, opencv_pixels(path), channels == 4)


def jpeg_cases(folder, random):
    for mode, progressive, sampling in itertools.product(("L", "RGB"), (False, True), (0, 2)):
        path = folder / f"{mode}-{progressive}-{sampling}.jpg"
        yield pillow_case("jpeg", path, picture(random, mode, (37, 29)), progressive=progressive, subsampling=sampling)
    exif = Image.Exif()
    exif[0x112] = 6
    yield pillow_case("jpeg", folder / "turned.jpg", picture(random, "L"), exif=exif)


def bmp_cases(folder, random):
    for mode in ("1", "L", "P", "RGB", "RGBA"):
        yield pillow_case("bmp", folder / f"{mode}.bmp", picture(random, mode))


def tga_cases(folder, random):
    for mode, packed, origin in itertools.product(("L", "P", "RGB", "RGBA"), (None, "tga_rle"), (1, -1)):
        path = folder / f"{mode}-{packed}-{origin}.tga"
        yield pillow_case("tga", path, picture(random, mode), compression=packed, orientation=origin)


def jpeg2000_cases(folder, random):
    for mode, lossy in itertools.product(("L", "RGB", "RGBA"), (False, True)):
        path = folder / f"{mode}-{lossy}.jp2"
        yield pillow_case("jpeg2000", path, picture(random, mode, (40, 33)), irreversible=lossy)
    path = folder / "u16.jp2"
    cv2.imwrite(str(path), random.integers(0, 65536, (70, 90), dtype=np.uint16))
    yield Case("jpeg2000", path, opencv_pixels(path))


def float_cases(folder, random):
    for channels, half in itertools.product((1, 3), (False, True)):
        path = folder / f"{channels}-{half}.exr"
        pixels = (random.standard_normal((12, 17, channels)) * 10).astype(np.float32)
        cv2.imwrite(str(path), pixels, [cv2.IMWRITE_EXR_TYPE,
                                        cv2.IMWRITE_EXR_TYPE_HALF if half else cv2.IMWRITE_EXR_TYPE_FLOAT])
        want = opencv_pixels(path)[..., :channels]
        yield Case("openexr", path, want.astype(np.float16) if half else want)
    path = folder / "a.hdr"
    cv2.imwrite(str(path), (random.random((12, 17, 3)) * 10).astype(np.float32))
    yield Case("hdr", path, opencv_pixels(path), tolerance=1e-6)


# ---- PNM: OpenCV where it reads it, the numbers that were written elsewhere ------------------------------------------------

def raw(values, maxval):
    return values.astype(">u2" if maxval > 255 else "u1").tobytes()


def text(values):
    return " ".join(str(value) for value in values.ravel()).encode()


def pnm_cases(folder, random):
    for maxval, channels, plain in itertools.product((1, 7, 15, 100, 255, 256, 1023, 4095, 65535), (1, 3), (False, True)):
        values = random.integers(0, maxval + 1, (6, 9, channels))
        path = folder / f"{maxval}-{channels}-{plain}.pnm"
        kind = {1: "2" if plain else "5", 3: "3" if plain else "6"}[channels]
        path.write_bytes(f"P{kind}\n# a comment\n9 6\n{maxval}\n".encode() + (text(values) if plain else raw(values, maxval)))
        want = pages_of(values.astype(np.uint16 if maxval > 255 else np.uint8))
        if maxval in (255, 65535) and not plain:  # OpenCV has the same
            assert (opencv_pixels(path)[..., :channels] == want).all()
        yield Case("pnm", path, want)
    for name, options in (("P4", [cv2.IMWRITE_PXM_BINARY, 1]), ("P1", [cv2.IMWRITE_PXM_BINARY, 0])):
        path = folder / f"{name}.pbm"
        cv2.imwrite(str(path), ((random.random((5, 21)) < 0.5) * 255).astype(np.uint8), options)
        yield Case("pnm", path, opencv_pixels(path))
    for kind in (np.uint8, np.uint16):  # of colours OpenCV 4.6 writes blue first
        path = folder / f"{np.dtype(kind).name}.pam"
        cv2.imwrite(str(path), random_image(random, kind, (6, 5)),
                    [cv2.IMWRITE_PAM_TUPLETYPE, cv2.IMWRITE_PAM_FORMAT_GRAYSCALE])
        yield Case("pnm", path, opencv_pixels(path)[..., :1])
    for name, depth, maxval in (("RGB", 3, 255), ("GRAYSCALE_ALPHA", 2, 255), ("RGB_ALPHA", 4, 4095), ("", 5, 9)):
        values = random.integers(0, maxval + 1, (4, 3, depth))
        path = folder / f"{name or 'five'}.pam"
        path.write_bytes(f"P7\nWIDTH 3\nHEIGHT 4\nDEPTH {depth}\nMAXVAL {maxval}\nTUPLTYPE {name or 'x'}\nENDHDR\n".encode()
                         + raw(values, maxval))
        yield Case("pnm", path, pages_of(values.astype(np.uint16 if maxval > 255 else np.uint8)), "ALPHA" in name)
    for channels, order in itertools.product((1, 3), "<>"):
        values = random_image(random, order + "f4", (5, 4, channels))
        path = folder / f"{channels}-{order == '<'}.pfm"
        path.write_bytes(f"P{'f' if channels == 1 else 'F'}\n4 5\n{'-' if order == '<' else ''}1.0\n".encode()
                         + values[::-1].tobytes())
        yield Case("pnm", path, pages_of(values.astype(np.float32)))
    stack = random.integers(0, 256, (3, 4, 5), dtype=np.uint8)
    path = folder / "three.pgm"
    path.write_bytes(b"".join(b"P5 5 4 255\n" + page.tobytes() for page in stack))
    yield Case("pnm", path, stack[..., None])


# ---- FITS: Astropy ------------------------------------------------------------------------------------------------------

def fits_cases(folder, random):
    for kind, shape in itertools.product((np.uint8, np.int8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
                                          np.float32, np.float64),
                                         ((8, 360), (7, 5), (3, 4, 5), (1, 6, 7))):
        path = folder / f"{np.dtype(kind).name}-{'x'.join(map(str, shape))}.fits"
        fits.PrimaryHDU(random_image(random, kind, shape)).writeto(path)
        want = np.array(fits.getdata(path)).astype(kind)
        want = want if want.ndim == 3 else want[None]
        yield Case("fits", path, want[..., None], by_page=False)
    stored = random.integers(-1000, 1000, (6, 7), dtype=np.int16)
    for name, scale, zero, blank in (("scaled", 0.25, 12.5, None), ("blank", 1, 0, -7), ("both", 0.5, 3, 5)):
        stored[2, 3] = 5 if blank is None else blank
        unit = fits.PrimaryHDU(stored)
        unit.header["BSCALE"], unit.header["BZERO"] = scale, zero
        if blank is not None:
            unit.header["BLANK"] = blank
        path = folder / f"{name}.fits"
        path.write_bytes(unit.header.tostring().encode() + stored.astype(">i2").tobytes().ljust(2880, b"\0"))
        yield Case("fits", path, pages_of(np.array(fits.getdata(path)).astype(np.float32)))
    for method in ("RICE_1", "GZIP_1", "PLIO_1"):
        pixels = random.integers(0, 3000, (50, 60), dtype=np.int16)
        path = folder / f"{method}.fits"
        fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(pixels, compression_type=method)]).writeto(path)
        yield Case("fits", path, pages_of(fits.getdata(path, 1).astype(np.int16)))
    pages = [random.integers(0, 256, (4, 5), dtype=np.uint8) for _ in range(3)]
    path = folder / "several.fits"
    fits.HDUList([fits.PrimaryHDU(pages[0])] + [fits.ImageHDU(page) for page in pages[1:]]).writeto(path)
    yield Case("fits", path, np.stack(pages)[..., None], whole=False)
    fits.PrimaryHDU(np.zeros((2, 2, 2, 2), np.uint8)).writeto(folder / "4d.fits")
    yield Case("fits", folder / "4d.fits", error="has 4 axes")


# ---- GIF and WebP: Pillow -----------------------------------------------------------------------------------------------

def frames_of(path, mode):
    return np.stack([np.array(frame.convert(mode)) for frame in ImageSequence.Iterator(Image.open(path))])


def gif_cases(folder, random):
    for interlace in (0, 1):
        path = folder / f"still-{interlace}.gif"
        picture(random, "P").save(path, interlace=interlace)
        yield Case("gif", path, frames_of(path, "RGBA"), True)
    # Before the first frame is nothing, which Pillow does not restore.
    for name, disposal in enumerate((0, 1, 2, [1, 3, 3, 3, 3])):
        frames = [picture(random, "RGB", (12, 10)).quantize(32).convert("RGB") for _ in range(5)]
        for before, after in zip(frames, frames[1:]):  # changes in a part of the frame only
            after.paste(before.crop((0, 0, 12, 4)), (0, 0))
        path = folder / f"film-{name}.gif"
        frames[0].save(path, save_all=True, append_images=frames[1:], disposal=disposal, duration=40)
        yield Case("gif", path, frames_of(path, "RGBA"), True)


def webp_cases(folder, random):
    for mode, lossless in itertools.product(("RGB", "RGBA"), (False, True)):
        path = folder / f"{mode}-{lossless}.webp"
        picture(random, mode, (33, 21)).save(path, lossless=lossless, exact=True)
        yield Case("webp", path, *pillow_pixels(path))
    for mode in ("RGB", "RGBA"):
        frames = [picture(random, mode, (17, 12)) for _ in range(4)]
        path = folder / f"film-{mode}.webp"
        frames[0].save(path, save_all=True, append_images=frames[1:], lossless=True, exact=True)
        yield Case("webp", path, frames_of(path, mode), mode == "RGBA")


# ---- Refused ------------------------------------------------------------------------------------------------------------

def refused_cases(folder, random):
    film = folder / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.CAP_FFMPEG, cv2.VideoWriter_fourcc(*"MJPG"), 25, (48, 32))
    writer.write(random.integers(0, 256, (32, 48, 3), dtype=np.uint8))
    writer.release()
    yield Case("refused", film, error="is of the format VIDEO, which is not read; make frames of it: ffmpeg")
    for name in ("sgi", "ico", "dds", "pdf"):
        path = folder / f"a.{name}"
        picture(random, "RGB", (32, 32)).save(path)
        yield Case("refused", path, error=f"is of the format {name.upper()}, which is not read; convert it")
    for name, content in (("a.heic", b"\0\0\0\x18ftypheic"), ("a.dcm", bytes(128) + b"DICM"), ("a.h5", b"\x89HDF\r\n\x1a\n"),
                          ("a.nii", bytes(344) + b"n+1\0"), ("a.psd", b"8BPS\0\1"), ("a.npy.gz", b"\x1f\x8b\x08")):
        (folder / name).write_bytes(content + bytes(600))
        yield Case("refused", folder / name, error="which is not read")
    (folder / "a.txt").write_text("no image")
    yield Case("refused", folder / "a.txt", error="is not an image that can be read")


def all_cases(folder):
    makers = [npy_cases, tiff_cases.tiff_cases, png_cases, pnm_cases, fits_cases, gif_cases, webp_cases, jpeg_cases,
              jpeg2000_cases, bmp_cases, tga_cases, float_cases, refused_cases]
    for maker in makers:
        into = folder / maker.__name__
        into.mkdir()
        yield from maker(into, np.random.default_rng(20261122))

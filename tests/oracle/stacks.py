# SPDX-License-Identifier: Apache-2.0
"""Compares how the command line tool reads and writes stacks with tifffile: axes, channels and pixel sizes.

Usage: stacks.py SKERRY. Exits with 77 when a Python package is missing.
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.ndimage
    import tifffile
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SIZES = {"T": 3, "Z": 4, "C": 2, "Y": 9, "X": 11}
SCALE = float(os.environ.get("SKERRY_TEST_SCALE", "1"))
SPACING = {"Z": 0.5, "Y": 0.125, "X": 0.1}


class Difference(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Difference(text)


class Tool:
    def __init__(self, program, folder):
        self.program, self.folder, self.calls = program, folder, 0

    def run(self, *arguments):
        self.calls += 1
        return subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)

    def succeed(self, *arguments):
        done = self.run(*arguments)
        expect(done.returncode == 0, f"{' '.join(map(str, arguments))}: {done.stderr}")
        return done

    def fail(self, *arguments):
        done = self.run(*arguments)
        expect(done.returncode == 2 and done.stderr.count("\n") == 1, f"{arguments}: {done.returncode} {done.stderr}")
        return done.stderr

    def pixels(self, path, *options):
        """The pixels that the tool reads: a filter that changes nothing writes them again."""
        out = self.folder / "pixels.npy"
        self.succeed("tree", path, "--min-area", 1, "-q", "-o", out, *options)
        return np.load(out)


def image_of(random, axes, kind):
    shape = [SIZES[axis] for axis in axes]
    if kind == np.float32:
        return random.normal(size=shape).astype(kind)
    return random.integers(np.iinfo(kind).min, np.iinfo(kind).max, shape, dtype=kind, endpoint=True)


def expect_equal(got, want, text):
    want = np.squeeze(want)
    expect(got.shape == want.shape and (got == want).all(), f"{text}: {got.shape} for {want.shape}, other values")


def compare_stack(tool, path, image, axes, text):
    """Every channel, time point and volume of a stack, and the error of what has to be chosen."""
    for channel in range(SIZES["C"]) if "C" in axes else [None]:
        part, left = image, axes
        chosen = []
        if channel is not None:
            part, left = image.take(channel, axes.index("C")), axes.replace("C", "")
            chosen = ["--channel", channel]
        if "T" not in left:
            expect_equal(tool.pixels(path, *chosen), part, f"{text} {chosen}")
            continue
        for time in (0, SIZES["T"] - 1):
            frame = part.take(time, left.index("T"))
            expect_equal(tool.pixels(path, "--frame", time, *chosen), frame, f"{text} {chosen} frame {time}")
        if "Z" not in left:
            expect_equal(tool.pixels(path, "--stack", *chosen), part, f"{text} {chosen} --stack")
        choice = "choose a time point with --frame" if "Z" in left else "take each by itself with --stack"
        expect(choice in tool.fail("label", path, *chosen), f"{text}: {choice}")
    if "C" in axes:
        options = ["--frame", 0] if "T" in axes else []
        expect("choose a channel with --channel N" in tool.fail("label", path, *options), f"{text}: no choice of channel")


def compare_imagej(tool, random):
    count = 0
    for number in range(4):
        for extra in itertools.combinations("TZC", number):
            axes = "".join(extra) + "YX"
            kind = [np.uint8, np.uint16, np.float32][count % 3]
            image = image_of(random, axes, kind)
            path = tool.folder / f"imagej-{axes}.tif"
            tifffile.imwrite(path, image, imagej=True, metadata={"axes": axes},
                             compression="zlib" if count % 2 else None, byteorder=">" if count % 4 < 2 else "<")
            compare_stack(tool, path, image, axes, path.name)
            count += 1
    return count


def compare_truncated(tool, random):
    """Above 4 GB ImageJ lists the first page alone; tifffile does it for small files, too."""
    count = 0
    for kind, order in ((np.uint8, "<"), (np.uint16, ">"), (np.uint16, "<"), (np.float32, ">")):
        image = image_of(random, "TZCYX", kind)
        path = tool.folder / f"truncated-{count}.tif"
        tifffile.imwrite(path, image, imagej=True, truncate=True, metadata={"axes": "TZCYX"}, byteorder=order)
        expect(len(tifffile.TiffFile(path).pages) == 1, "one page")
        compare_stack(tool, path, image, "TZCYX", path.name)
        count += 1
    return count


def compare_ome(tool, random):
    count = 0
    orders = [axes for number in range(4) for axes in itertools.permutations("TZC", number)]
    kinds = [np.uint8, np.uint16, np.int16, np.uint32, np.float32]
    for extra in orders:
        axes = "".join(extra) + "YX"
        kind = kinds[count % len(kinds)]
        image = image_of(random, axes, kind)
        path = tool.folder / f"ome-{axes}.ome.tif"
        tifffile.imwrite(path, image, ome=True, metadata={"axes": axes}, bigtiff=count % 3 == 0,
                         compression="zlib" if count % 2 else None, tile=(16, 16) if count % 5 == 0 else None)
        compare_stack(tool, path, image, axes, path.name)
        count += 1
    return count


def compare_colour(tool, random):
    """Samples of a page are colour, however many planes there are; a channel of them can be chosen."""
    for shape, axes in (((9, 11, 3), "YXS"), ((4, 9, 11, 3), "ZYXS")):
        image = random.integers(0, 255, shape, dtype=np.uint8, endpoint=True)
        for options in ({"imagej": True}, {"ome": True}):
            path = tool.folder / f"rgb-{axes}.{'ome.' if 'ome' in options else ''}tif"
            tifffile.imwrite(path, image, photometric="rgb", metadata={"axes": axes}, **options)
            grey = np.rint(image.astype(float) @ [0.2125, 0.7154, 0.0721])
            expect(np.abs(tool.pixels(path) - grey).max() <= 1, f"{path.name}: colour")
            expect_equal(tool.pixels(path, "--channel", 2), image[..., 2], f"{path.name} --channel 2")
    return 4


def compare_names(tool, random):
    image = image_of(random, "CYX", np.uint8)
    path = tool.folder / "named.ome.tif"
    tifffile.imwrite(path, image, ome=True, metadata={"axes": "CYX", "Channel": {"Name": ["DAPI", "GFP, green"]}})
    expect_equal(tool.pixels(path, "--channel", "GFP, green"), image[1], "a channel by its name")
    text = tool.fail("label", path)
    expect("has the axes C 2 (DAPI, GFP, green)" in text, text)
    expect("OME axes C 2 (DAPI, GFP, green)" in tool.succeed("info", path).stdout, "info of channels")
    return 2


def spaced_columns(labels, sides, unit):
    """Columns in units, from their definitions."""
    rank = labels.ndim
    columns = {}
    for label in range(1, labels.max() + 1):
        places = np.argwhere(labels == label) * sides
        row = {f"area_{unit}{rank}": len(places) * np.prod(sides)}
        centroid = places.mean(axis=0)
        row |= {f"centroid_{unit}-{axis}": centroid[axis] for axis in range(rank)}
        moments = (places - centroid).T @ (places - centroid)
        for a, b in itertools.combinations_with_replacement(range(rank), 2):
            powers = "-".join(str((axis == a) + (axis == b)) for axis in range(rank))
            row[f"moments_central_{unit}2-{powers}"] = moments[a, b]
        spread = np.clip(np.linalg.eigvalsh(moments / len(places)), 0, None)
        factor = 16 if rank == 2 else 20
        row[f"axis_major_length_{unit}"] = np.sqrt(factor * spread[-1])
        row[f"axis_minor_length_{unit}"] = np.sqrt(factor * spread[0])
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return columns


def compare_table(tool, path, options, labels, sides, unit, text):
    tool.succeed("measure", path, "-q", *options, "-o", tool.folder / "table.json")
    tool.succeed("measure", path, "-q", *options, "-o", tool.folder / "table.csv")
    rows = json.loads((tool.folder / "table.json").read_text())
    csv = np.genfromtxt(tool.folder / "table.csv", delimiter=",", names=True, deletechars="", ndmin=1)
    expect(len(rows) == labels.max(), f"{text}: {len(rows)} rows")
    for name, want in spaced_columns(labels, sides, unit).items():
        got = np.array([row[name] for row in rows])
        expect((csv[name] == got).all(), f"{text}: {name} of CSV and JSON")
        expect(np.allclose(got, want, rtol=1e-6, atol=1e-6), f"{text}: {name} {got[:3]} instead of {want[:3]}")


def compare_sizes(tool, random):
    count = 0
    for axes in ("YX", "ZYX"):
        image = (random.random([SIZES[axis] * 2 for axis in axes]) < 0.2).astype(np.uint8)
        labels, _ = scipy.ndimage.label(image, np.ones([3] * image.ndim))
        sides = [SPACING[axis] for axis in axes]
        physical = {f"PhysicalSize{axis}{end}": value for axis in axes
                    for end, value in (("", SPACING[axis]), ("Unit", "µm"))}
        ome, imagej, plain = (tool.folder / f"size-{axes}.{end}" for end in ("ome.tif", "tif", "npy"))
        tifffile.imwrite(ome, image, ome=True, metadata={"axes": axes, **physical})
        tifffile.imwrite(imagej, image, imagej=True, resolution=(1 / SPACING["X"], 1 / SPACING["Y"]),
                         metadata={"axes": axes, "spacing": SPACING["Z"], "unit": "micron"})
        np.save(plain, image)
        given = ["--pixel-size", ",".join(map(str, sides)) + "um"]
        for path, options in ((ome, []), (imagej, []), (plain, given), (ome, given)):
            compare_table(tool, path, options, labels, np.array(sides), "um", f"{path.name} {options}")
            count += 1
        other = ["--pixel-size", "2 nm"]
        compare_table(tool, imagej, other, labels, np.array([2.0] * len(axes)), "nm", f"{imagej.name} {other}")
        tool.succeed("measure", ome, "-q", "--pixel-size", "none", "-o", tool.folder / "table.csv")
        expect("_um" not in (tool.folder / "table.csv").read_text(), "--pixel-size none")
        text = tool.succeed("info", ome).stdout
        expect("pixel size " + " x ".join(map(str, sides)) + " um" in text, text)
        # Resolution tags alone are those of printers.
        tifffile.imwrite(tool.folder / "dpi.tif", image, resolution=(300, 300), metadata=None)
        tool.succeed("measure", tool.folder / "dpi.tif", "-q", "-o", tool.folder / "table.csv")
        expect("_" not in (tool.folder / "table.csv").read_text().split("bbox")[0], "resolution tags alone")
    return count


def compare_written(tool, random):
    """Labels keep axes and sizes: tifffile and the tool itself read them again."""
    count = 0
    for axes, options in (("YX", []), ("ZYX", []), ("TYX", ["--stack"])):
        image = (random.random([SIZES[axis] for axis in axes]) < 0.3).astype(np.uint8)
        path, out = tool.folder / f"in-{axes}.ome.tif", tool.folder / f"labels-{axes}.tif"
        tifffile.imwrite(path, image, ome=True, metadata={"axes": axes, **{
            f"PhysicalSize{axis}": SPACING[axis] for axis in axes if axis in SPACING}})
        for type_name in ("u8", "u16", "u32"):
            tool.succeed("label", path, "-q", "-o", out, "--labels-type", type_name, *options)
            with tifffile.TiffFile(out) as file:
                expect(file.is_imagej and file.series[0].axes == axes, f"{out.name}: axes {file.series[0].axes}")
                expect(file.imagej_metadata["unit"] == "um", f"{out.name}: unit")
                page = file.pages[0]
                for name, axis in (("XResolution", "X"), ("YResolution", "Y")):
                    over, under = page.tags[name].value
                    expect(abs(under / over / SPACING[axis] - 1) < 1e-6, f"{out.name}: {name}")
                if "Z" in axes:
                    expect(file.imagej_metadata["spacing"] == SPACING["Z"], f"{out.name}: spacing")
                labels = file.asarray()
            frames = labels if "T" in axes else [labels]
            for frame, mask in zip(frames, image if "T" in axes else [image]):
                want, _ = scipy.ndimage.label(mask, np.ones([3] * mask.ndim))
                expect(((frame > 0) == (want > 0)).all() and frame.max() == want.max(), f"{out.name}: labels")
            left = axes if "T" not in axes else "YX"
            if "T" not in axes:
                want, _ = scipy.ndimage.label(labels, np.ones([3] * labels.ndim))
                compare_table(tool, out, options, want, np.array([SPACING[axis] for axis in left]), "um", out.name)
            count += 1
    return count


def compare_films(tool, random):
    """`track` takes time points as frames: of images, of volumes, of one channel."""
    count = 0
    for axes, options in (("TYX", []), ("TCYX", ["--channel", 1]), ("TZYX", []), ("TZCYX", ["--channel", 0])):
        image = (random.random([SIZES[axis] for axis in axes]) < 0.1).astype(np.uint8)
        path = tool.folder / f"film-{axes}.tif"
        tifffile.imwrite(path, image, imagej=True, resolution=(10, 8),
                         metadata={"axes": axes, "spacing": 0.5, "unit": "um"})
        tool.succeed("track", path, "-q", *options, "--features", "area", "-o", tool.folder / "track.json")
        rows = json.loads((tool.folder / "track.json").read_text())
        film = image.take(options[1], axes.index("C")) if options else image
        for time, frame in enumerate(film):
            _, want = scipy.ndimage.label(frame, np.ones([3] * frame.ndim))
            got = sum(row["frame"] == time for row in rows)
            expect(got == want, f"{path.name} frame {time}: {got} objects instead of {want}")
        tool.succeed("track", path, "-q", *options, "-o", tool.folder / "track.csv")
        head = (tool.folder / "track.csv").read_text().splitlines()[0]
        expect(f"area_um{3 if 'Z' in axes else 2}" in head.split(","), f"{path.name}: {head}")
        count += 1
    return count


def compare_errors(tool, random):
    image = image_of(random, "CYX", np.uint8)
    ome = tool.folder / "broken.ome.tif"

    def described(text, pages=image, name=ome):
        with tifffile.TiffWriter(name) as file:
            for i, page in enumerate(pages):
                file.write(page, description=text if i == 0 else None, metadata=None, contiguous=False)
        return name

    tifffile.imwrite(ome, image, ome=True, metadata={"axes": "CYX"})
    xml = tifffile.TiffFile(ome).ome_metadata
    cut = tool.fail("label", described(xml[:300]))
    expect("is no well-formed XML" in cut and "--page N" in cut, cut)
    more = tool.fail("label", described(xml.replace('SizeC="2"', 'SizeC="3"')))
    expect("OME metadata" in more, more)
    other = tool.fail("label", described(xml.replace(
        '<TiffData', '<TiffData IFD="0"><UUID FileName="other.ome.tif">urn:uuid:x</UUID></TiffData><TiffData')))
    expect("planes in other.ome.tif" in other, other)
    expect("for 2 pages" in tool.fail("label", described("ImageJ=1.53t\nimages=7\nslices=7\n")), "ImageJ's counts")
    # A user who says what the pages are gets them, and one page needs no axes.
    tool.succeed("label", described(xml[:300]), "--stack", "-q")
    expect_equal(tool.pixels(described(xml[:300]), "--page", 1), image[1], "--page of broken metadata")
    note = tool.succeed("label", described(xml[:300], image[:1]))
    expect("skerry: note: " in note.stderr and "is no well-formed XML" in note.stderr, note.stderr)
    # Without metadata pages are a volume, and info says so.
    plain = described("", image, tool.folder / "plain.tif")
    expect_equal(tool.pixels(plain), image, "pages without metadata")
    expect("pages without axes, read as the slices of a volume" in tool.succeed("info", plain).stdout, "info of pages")
    expect("has no frame 1" in tool.fail("label", plain, "--frame", 1), "--frame without time")
    return 10


def main(program):
    random = np.random.default_rng(20260522)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(program, pathlib.Path(folder))
        for compare in (compare_imagej, compare_truncated, compare_ome, compare_colour, compare_names, compare_sizes, compare_written,
                        compare_films, compare_errors):
            compared += compare(tool, random)
        print(f"{compared} stacks, {tool.calls} calls: as tifffile {tifffile.__version__} has them")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Difference as difference:
        sys.exit(f"different: {difference}")

# SPDX-License-Identifier: Apache-2.0
"""Compares the command line tool with SciPy, scikit-image and OpenCV on random images.

Usage: compare.py SKERRY. Exits with 77 when a Python package is missing.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy as np
    import scipy.ndimage
    import skimage.measure
    import skimage.segmentation
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import images

AXES = {4: 1, 8: 2, 6: 1, 18: 2, 26: 3}
DUAL_AXES = {4: 2, 8: 1, 6: 3, 18: 1, 26: 1}
SELECTIONS = [["--fill-holes"], ["--min-area", "4"], ["--max-area", "5"], ["--clear-border"], ["--keep-largest", "3"]]
SCALE = float(os.environ.get("SKERRY_TEST_SCALE", "1"))


class Difference(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Difference(text)


def run(skerry, *arguments):
    subprocess.run([skerry, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def structure(rank, axes):
    return scipy.ndimage.generate_binary_structure(rank, axes)


def in_raster_order(labels, count):
    """Numbers labels again by their first pixels."""
    flat = labels.ravel()
    names, first = np.unique(flat, return_index=True)
    order = [name for name in names[np.argsort(first)] if name != 0]
    number = np.zeros(count + 1, np.int64)
    number[order] = np.arange(1, len(order) + 1)
    return number[labels]


def labelled(mask, connectivity):
    labels, count = scipy.ndimage.label(mask, structure(mask.ndim, AXES[connectivity]))
    return in_raster_order(labels, count), count


def read_table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[i]) if row[i] else np.nan for row in rows[1:]]) for i, name in enumerate(rows[0])}


def close(got, want, tolerance, text):
    expect(got.shape == want.shape, f"{text}: {got.shape} rows instead of {want.shape}")
    bad = ~np.isclose(got, want, rtol=tolerance, atol=tolerance)
    expect(not bad.any(), f"{text}: {got[bad][:3]} instead of {want[bad][:3]}")


def compare_with_opencv(mask, connectivity, labels, table):
    count, cv_labels, stats, centroids = cv2.connectedComponentsWithStats(
        mask.astype(np.uint8), connectivity=connectivity)
    expect((in_raster_order(cv_labels, count) == labels).all(), "labels are not OpenCV's")
    first = [np.flatnonzero(labels.ravel() == label)[0] for label in range(1, count)]
    order = cv_labels.ravel()[first].astype(int) if first else np.zeros(0, int)
    left, top, width, height, area = (stats[order, column] for column in range(5))
    columns = {"area": area, "bbox-0": top, "bbox-1": left, "bbox-2": top + height, "bbox-3": left + width}
    for name, want in columns.items():
        expect((table[name] == want).all(), f"{name} is not OpenCV's")
    close(table["centroid-0"], centroids[order, 1], 1e-9, "centroid-0 (OpenCV)")
    close(table["centroid-1"], centroids[order, 0], 1e-9, "centroid-1 (OpenCV)")


def compare_orientation(labels, table):
    """Angles are equal modulo π; a component whose variances are equal has none, or that of its diagonal."""
    want = skimage.measure.regionprops_table(labels, properties=["orientation"])["orientation"]
    for label, (got, angle, eccentricity) in enumerate(zip(table["orientation"], want, table["eccentricity"]), 1):
        rows, columns = (axis.astype(object) for axis in np.nonzero(labels == label))
        n = len(rows)
        pairs = (rows, rows), (columns, columns), (rows, columns)
        variances = [n * (a * b).sum() - a.sum() * b.sum() for a, b in pairs]
        if variances[0] == variances[1]:
            angle = np.pi / 4 if variances[2] > 0 else -np.pi / 4
        apart = abs(got - angle) % np.pi
        expect(min(apart, np.pi - apart) * eccentricity**2 < 1e-9, f"orientation {got} instead of {angle}")


def compare_with_skimage(labels, intensity, table):
    names = ["label", "area", "bbox", "centroid", "extent", "intensity_min", "intensity_max", "intensity_mean"]
    lengths = ["axis_major_length", "axis_minor_length"] + (["eccentricity"] if labels.ndim == 2 else [])
    with np.errstate(invalid="ignore"):
        want = skimage.measure.regionprops_table(labels, intensity, properties=names)
    for name, column in want.items():
        if name in ("label", "area") or name.startswith("bbox"):
            expect((table[name] == column).all(), f"{name} is not scikit-image's")
        else:
            close(table[name], np.asarray(column, float), 1e-6 if name == "intensity_mean" else 1e-12, name)
    for region in skimage.measure.regionprops(labels):
        i = region.label - 1
        for name in lengths:
            try:
                close(table[name][i:i + 1] ** 2, np.array([region[name] ** 2], float), 1e-9, name)
            except ValueError:  # older versions take the root of a rounded -0 in flat volumes
                expect(table[name][i] < 1e-6, f"{name} of a flat volume is {table[name][i]}")
    index = np.arange(1, labels.max(initial=0) + 1)
    moments = skimage.measure.regionprops_table(labels, properties=["moments_central"])
    for name in (name for name in table if name.startswith("moments_central")):
        close(table[name], np.asarray(moments[name], float), 1e-7, name)
    for axis, places in enumerate(np.indices(labels.shape)):
        sums = np.asarray(scipy.ndimage.sum_labels(places, labels, index), float)
        expect((table[f"coordinate_sum-{axis}"] == sums).all(), f"coordinate_sum-{axis}")
    exact = intensity.astype(np.float64)
    sums = np.asarray(scipy.ndimage.sum_labels(exact, labels, index), float)
    close(table["intensity_sum"], sums, 1e-9, "intensity_sum")
    deviation = [exact[labels == label].std() for label in index]
    # Squares of doubles are rounded to 53 bits: the root of 2^-53 is 1.1e-8.
    tolerance = 3e-8 if intensity.dtype == np.float64 else 1e-9
    close(table["intensity_std"], np.array(deviation, float), tolerance, "intensity_std")
    if labels.ndim == 2:
        compare_orientation(labels, table)


def compare_batch(skerry, random, rank, connectivity, rule, count):
    """Labels and measures many images by one command, then each by the other libraries."""
    kind, options, mask_of = rule
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in ("in", "raw", "labels", "tables"):
            (folder / name).mkdir()
        for i, shape in enumerate(images.shapes(random, rank, count)):
            np.save(folder / "in" / f"{i:03}.npy", images.image_of(random, kind, shape))
            raw = images.RULES[int(random.integers(1, len(images.RULES)))][0]
            np.save(folder / "raw" / f"{i:03}.npy", images.image_of(random, raw, shape))
        inputs = sorted((folder / "in").iterdir())
        run(skerry, "measure", *inputs, "-q", "--connectivity", connectivity, *options,
            "--intensity", folder / "raw/{name}.npy",
            "--write-labels", folder / "labels/{name}.npy", "-o", folder / "tables/{name}.csv")
        for path in inputs:
            mask, labels = mask_of(np.load(path)), np.load(folder / "labels" / path.name)
            table = read_table(folder / "tables" / f"{path.stem}.csv")
            try:
                want, n = labelled(mask, connectivity)
                expect((labels == want).all(), "labels are not SciPy's")
                expect(len(table["label"]) == n, f"{len(table['label'])} rows instead of {n}")
                compare_with_skimage(want, np.load(folder / "raw" / path.name), table)
                if rank == 2:
                    compare_with_opencv(mask, connectivity, want, table)
            except Difference as difference:
                where = f"{kind.__name__} image of {mask.shape}, connectivity {connectivity}"
                raise Difference(f"{where}: {difference}") from None
    return len(inputs)


def selected(mask, connectivity, option):
    """What one selection option should give."""
    if option[0] == "--fill-holes":
        filled = scipy.ndimage.binary_fill_holes(mask, structure(mask.ndim, DUAL_AXES[connectivity]))
        return labelled(filled, connectivity)[0]
    labels, count = labelled(mask, connectivity)
    area = np.bincount(labels.ravel(), minlength=count + 1)[1:]
    if option[0] == "--min-area":
        keep = area >= int(option[1])
    elif option[0] == "--max-area":
        keep = area <= int(option[1])
    elif option[0] == "--keep-largest":
        keep = np.isin(np.arange(count), np.argsort(-area, kind="stable")[:int(option[1])])
    else:
        cleared = skimage.segmentation.clear_border(labels)
        keep = np.isin(np.arange(1, count + 1), cleared)
    return in_raster_order(np.where(np.isin(labels, np.flatnonzero(keep) + 1), labels, 0), count)


def compare_selection(skerry, random, rank, connectivity, option, count):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "in").mkdir()
        (folder / "out").mkdir()
        for i, shape in enumerate(images.shapes(random, rank, count)):
            np.save(folder / "in" / f"{i:03}.npy", images.image_of(random, np.bool_, shape))
        inputs = sorted((folder / "in").iterdir())
        run(skerry, "label", *inputs, "-q", "--connectivity", connectivity, *option, "-o", folder / "out/{name}.npy")
        for path in inputs:
            mask = np.load(path)
            expect((np.load(folder / "out" / path.name) == selected(mask, connectivity, option)).all(),
                   f"{' '.join(option)}: {mask.shape}, connectivity {connectivity}")
    return len(inputs)


def main(skerry):
    random = np.random.default_rng(20240607)
    per_batch = max(2, int(12 * SCALE))
    compared = 0
    for rank, connectivities in ((2, (4, 8)), (3, (6, 18, 26))):
        for connectivity in connectivities:
            for rule in images.RULES:
                compared += compare_batch(skerry, random, rank, connectivity, rule, per_batch // (rank - 1))
            for option in SELECTIONS:
                compared += compare_selection(skerry, random, rank, connectivity, option, per_batch)
    print(f"{compared} images are as SciPy {scipy.__version__}, scikit-image {skimage.__version__} and "
          f"OpenCV {cv2.__version__} have them")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except Difference as difference:
        sys.exit(f"different: {difference}")

# SPDX-License-Identifier: Apache-2.0
"""measure_columns() against NumPy and SciPy over the pixels of each region."""
import numpy as np
import pytest
import scipy.ndimage

import skerry

SHAPES = [(13, 17), (5, 7, 8)]
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
SPACINGS = {2: (0.5, 3.0), 3: (2.0, 0.5, 3.0)}


def some_labels(shape, dtype="i4", seed=0):
    """Labels with gaps, in several parts; of signed types also below 0."""
    labels = np.random.default_rng(seed).integers(0, 5, shape) * 3
    return (labels - (3 if np.dtype(dtype).kind == "i" else 0)).astype(dtype)


def euler_number(mask):
    """Corners less edges plus faces less cubes of the union of the pixels, which are closed."""
    cells = np.zeros([2 * side + 1 for side in mask.shape], bool)
    for pixel in np.argwhere(mask):
        cells[tuple(slice(2 * c, 2 * c + 3) for c in pixel)] = True
    dimension = (np.indices(cells.shape) % 2).sum(axis=0)
    return int(((-1) ** dimension)[cells].sum())


def by_definition(mask, greys, spacing):
    """Columns of one region."""
    pixels = np.argwhere(mask)
    corner, end = pixels.min(axis=0), pixels.max(axis=0) + 1
    places = pixels * spacing
    content = np.prod(spacing)
    values = greys[mask].astype(float)
    grown = np.pad(mask, 1)
    filled = scipy.ndimage.binary_fill_holes(grown, np.ones((3,) * mask.ndim))
    found = {"num_pixels": len(pixels), "area": len(pixels) * content, "area_bbox": np.prod(end - corner) * content,
             "extent": len(pixels) / np.prod(end - corner), "euler_number": euler_number(mask),
             "area_filled": filled.sum() * content,
             "touches_border": int((pixels == 0).any() or (pixels == np.array(mask.shape) - 1).any()),
             "intensity_min": values.min(), "intensity_max": values.max(), "intensity_mean": values.mean(),
             "intensity_median": np.median(values), "intensity_std": values.std()}
    for axis, centre in enumerate(places.mean(axis=0)):
        found[f"centroid-{axis}"] = centre
        found[f"centroid_local-{axis}"] = centre - corner[axis] * spacing[axis]
        found[f"bbox-{axis}"], found[f"bbox-{axis + mask.ndim}"] = corner[axis], end[axis]
        found[f"centroid_weighted-{axis}"] = places[:, axis] @ values / values.sum()
    covariance = np.cov(places.T, ddof=0)
    tensor = np.eye(mask.ndim) * np.trace(covariance) - covariance
    for i, j in np.ndindex(tensor.shape):
        found[f"inertia_tensor-{i}-{j}"] = tensor[i, j]
    for k, value in enumerate(sorted(np.linalg.eigvalsh(tensor), reverse=True)):
        found[f"inertia_tensor_eigvals-{k}"] = value
    for powers in np.ndindex((4,) * mask.ndim):
        suffix = "".join(f"-{power}" for power in powers)
        found["moments" + suffix] = np.prod((places - corner * spacing) ** powers, axis=1).sum()
        if sum(powers) != 1:  # which are 0 but for rounding
            found["moments_central" + suffix] = np.prod((places - places.mean(axis=0)) ** powers, axis=1).sum()
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("spaced", [False, True])
def test_definitions(shape, spaced):
    labels = some_labels(shape)
    greys = np.random.default_rng(1).integers(1, 200, shape).astype("u1")
    spacing = np.array(SPACINGS[len(shape)] if spaced else (1.0,) * len(shape))
    table = skerry.measure_columns(labels, intensity=greys, spacing=tuple(spacing) if spaced else None)
    there = [label for label in np.unique(labels).tolist() if label > 0]
    assert table["label"].tolist() == there and len(table) == len(there) == 3
    for row, label in enumerate(there):
        for name, value in by_definition(labels == label, greys, spacing).items():
            column = table[name]
            assert column.dtype == (np.int64 if isinstance(value, (int, np.int64)) else np.float64), name
            assert np.isclose(column[row], value, rtol=1e-10, atol=1e-7), name


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_every_type_layout_and_number_of_threads(shape, dtype):
    labels = some_labels(shape, dtype)
    greys = np.random.default_rng(2).integers(0, 90, shape).astype("u2")
    expected = skerry.measure_columns(labels.astype("i8"), intensity=greys, threads=1)
    assert len(expected) == (1 if dtype == "?" else 4 if np.dtype(dtype).kind == "u" else 3)
    for layout in (np.ascontiguousarray, np.asfortranarray, lambda image: np.repeat(image, 2, axis=-1)[..., ::2],
                   lambda image: image[::-1].copy()[::-1]):
        for threads in (None, 1, 2, 3, 8):
            table = skerry.measure_columns(layout(labels), intensity=layout(greys), threads=threads)
            assert table.keys() == expected.keys()
            for name in table:
                assert table[name].dtype == expected[name].dtype
                assert table[name].tobytes() == expected[name].tobytes(), name


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i8", "u8"])
def test_weights_of_every_type(dtype):
    """Columns of weights that integers of 32 bits hold too are the same; larger ones only scale them."""
    labels = some_labels((13, 17))
    greys = np.random.default_rng(5).integers(1, 200, labels.shape)
    expected = skerry.measure_columns(labels, "weighted_sums", intensity=greys.astype("u1"))
    for scale in (1, 8) if dtype == "f2" else (1, 2**50):
        table = skerry.measure_columns(labels, "weighted_sums", intensity=(greys * scale).astype(dtype))
        assert table.keys() == expected.keys()
        for name in table.keys():
            factor = scale if name.startswith(("moments_weighted-", "moments_weighted_central")) else 1
            if not name.startswith(("moments_weighted_normalized", "moments_weighted_hu")):
                assert np.array_equal(table[name], expected[name] * factor), name


def test_requests():
    labels = some_labels((13, 17), "u1")
    every = skerry.measure_columns(labels, intensity=labels)
    assert {"solidity", "moments_hu-6", "feret_diameter_max", "intensity_median", "moments_weighted-3-3"} <= set(every)
    assert list(every)[0] == "label" and not any("intensity" in name for name in skerry.measure_columns(labels))
    few = skerry.measure_columns(labels, ("extent", "centroid", "area"))
    assert few.keys() == ["label", "extent", "centroid-0", "centroid-1", "area"]
    assert skerry.measure_columns(labels, "moments_hu-3").keys() == ["label", "moments_hu-3"]
    assert skerry.measure_columns(labels, "label").keys() == ["label"]
    groups = skerry.column_groups()
    assert {"basic", "hull", "filled"} <= set(groups)
    in_groups = [name for group in groups for name in skerry.measure_columns(labels, [group], intensity=labels).keys()[1:]]
    assert len(in_groups) == len(set(in_groups)) and set(in_groups) == set(every) - {"label"}
    assert skerry.measure_labels(labels, labels, columns="all").keys() == every.keys()
    assert skerry.measure_columns(labels, "shape").keys() == skerry.measure_columns(labels, ["patterns", "hull", "filled"]).keys()


def test_background():
    labels = np.array([[-2, 0, 3, 3]])
    for background, there in [("zero and below", [3]), (0, [-2, 3]), (3, [-2, 0]), (-2, [0, 3]), (None, [-2, 0, 3])]:
        assert skerry.measure_columns(labels, "area", background=background)["label"].tolist() == there
    largest = skerry.measure_columns(np.array([[2**64 - 1, 5]], np.uint64), "extent")["label"]
    assert largest.tolist() == [5, 2**64 - 1] and largest.dtype == np.uint64


@pytest.mark.parametrize("shape", [(3, 4), (0, 4), (4, 0), (0, 0), (2, 0, 3)])
def test_no_regions(shape):
    table = skerry.measure_columns(np.zeros(shape, "u2"), intensity=np.zeros(shape))
    assert len(table) == 0 and "extent" in table and all(len(table[name]) == 0 for name in table)


@pytest.mark.parametrize("arguments, kind, text", [
    ({"labels": np.ones((3, 3))}, ValueError, "labels: dtype is float64; give integers of 8 to 64 bits or bool$"),
    ({"labels": np.ones((1, 1, 1, 3), int)}, ValueError, "labels: 4 dimensions"),
    ({"columns": "no_such"}, ValueError, "columns: there is no column or group 'no_such'"),
    ({"columns": ["area", 3]}, TypeError, "columns: 3 is not the name"),
    ({"columns": None}, TypeError, "columns: None is not the name"),
    ({"columns": "intensity_mean"}, ValueError, "columns: 'intensity_mean'"),
    ({"columns": "perimeter", "spacing": (1, 2)}, ValueError,
     "columns: 'perimeter' needs pixels of equal sides; leave it out, or measure without spacing"),
    ({"columns": "surface_area"}, ValueError, "columns: 'surface_area' needs a volume; labels has rank 2"),
    ({"columns": "image"}, ValueError, "columns: 'image' is an object, not a column; skerry.skimage.measure.regionprops has it"),
    ({"columns": ["area", "coords"]}, ValueError, "columns: 'coords' is an object, not a column; "),
    ({"columns": "convex_image"}, ValueError, "columns: 'convex_image' is an object, not a column; "),
    ({"columns": "weighted_centroid"}, ValueError, "columns: 'weighted_centroid' is now called 'centroid_weighted'"),
    ({"columns": "weighted_moments-0-2"}, ValueError, "columns: 'weighted_moments-0-2' is now called 'moments_weighted-0-2'"),
    ({"columns": "MajorAxisLength"}, ValueError, "columns: 'MajorAxisLength' is now called 'axis_major_length'"),
    ({"columns": "shap"}, ValueError, "columns: there is no column or group 'shap'; did you mean 'shape'?"),
    ({"columns": "moments_weighted"}, ValueError, "columns: 'moments_weighted' needs an intensity image"),
    ({"labels": np.ones((3, 3, 3), int), "columns": "perimeter"}, ValueError, "columns: 'perimeter' needs a plane; labels has rank 3"),
    ({"intensity": np.ones((2, 3))}, ValueError, "intensity: size 2 x 3"),
    ({"intensity": np.ones((3, 3), complex)}, TypeError, "intensity: "),
    ({"background": "none"}, ValueError, "background: 'none' is not 'zero and below', a label or None"),
    ({"background": 1.5}, TypeError, "background: 1.5 is not an integer"),
    ({"spacing": 0}, ValueError, "spacing: "),
    ({"spacing": (1, 2, 3)}, ValueError, "spacing: has 3 numbers; give one, or one for each of the 2 axes"),
    ({"spacing": [1]}, ValueError, "spacing: has 1 number; give one, or one for each of the 2 axes"),
    ({"spacing": "0.5"}, TypeError, "spacing: '0.5' is not a number"),
    ({"spacing": (1, "2")}, TypeError, "spacing: '2' is not a number"),
    ({"threads": -1}, ValueError, "threads: "),
])
def test_arguments_that_are_refused(arguments, kind, text):
    labels = arguments.pop("labels", np.ones((3, 3), np.uint8))
    with pytest.raises(kind, match="^" + text):
        skerry.measure_columns(labels, **arguments)

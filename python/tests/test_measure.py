# SPDX-License-Identifier: Apache-2.0
"""measure() against NumPy over the pixels of each component."""
import numpy as np
import pytest
import scipy.ndimage

import skerry


def components(mask):
    """Coordinates of each component's pixels, in the order of labels."""
    labels, n = scipy.ndimage.label(mask, np.ones((3,) * mask.ndim))
    return [np.argwhere(labels == i) for i in range(1, n + 1)]


@pytest.mark.parametrize("shape", [(40, 50), (8, 12, 20)])
def test_geometry(shape):
    rank = len(shape)
    mask = np.random.default_rng(1).random(shape) < 0.1
    table = skerry.measure(mask)
    pixels = components(mask)
    assert len(table) == len(pixels) > 10
    assert table["label"].tolist() == list(range(1, len(pixels) + 1))
    assert table["area"].tolist() == [len(each) for each in pixels]
    for axis in range(rank):
        assert table[f"bbox-{axis}"].tolist() == [each[:, axis].min() for each in pixels]
        assert table[f"bbox-{axis + rank}"].tolist() == [each[:, axis].max() + 1 for each in pixels]
        assert table[f"coordinate_sum-{axis}"].tolist() == [each[:, axis].sum() for each in pixels]
        assert np.allclose(table[f"centroid-{axis}"], [each[:, axis].mean() for each in pixels], rtol=1e-15)


def test_integers_are_integers():
    table = skerry.measure(np.eye(3), moments=True)
    for name in table:
        is_whole = name in ("label", "area") or name.startswith(("bbox-", "coordinate_sum-"))
        assert (table[name].dtype.kind in "iu") == is_whole, name


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "f2", "f4", "f8"])
def test_intensities(dtype):
    rng = np.random.default_rng(2)
    mask = rng.random((40, 50)) < 0.2
    greys = (rng.random(mask.shape) * 100).astype(dtype)
    table = skerry.measure(mask, greys.T.copy().T)
    values = [greys[tuple(each.T)].astype(float) for each in components(mask)]
    assert table["intensity_min"].tolist() == [each.min() for each in values]
    assert table["intensity_max"].tolist() == [each.max() for each in values]
    assert np.allclose(table["intensity_sum"], [each.sum() for each in values], rtol=1e-14)
    assert np.allclose(table["intensity_std"], [each.std() for each in values], rtol=1e-12, atol=1e-12)


def test_second_moments():
    mask = np.random.default_rng(4).random((60, 60)) < 0.15
    table = skerry.measure(mask, moments=True)
    pixels = [each - each.mean(axis=0) for each in components(mask)]
    for p, q in [(0, 2), (1, 1), (2, 0)]:
        sums = [(each[:, 0] ** p * each[:, 1] ** q).sum() for each in pixels]
        assert np.allclose(table[f"moments_central-{p}-{q}"], sums, rtol=1e-12, atol=1e-9)


def test_columns_in_units():
    table = skerry.measure(np.ones((2, 3)), spacing=(0.5, 2), unit="um")
    assert table["area_um2"].tolist() == [6.0] and table["centroid_um-0"].tolist() == [0.25]
    assert skerry.measure(np.ones((2, 3)), spacing=2)["area_spaced"].tolist() == [24.0]
    for spacing, unit, text in [((1, 2, 3), "", "spacing: .* 2 axes"), ((0, 1), "", "spacing"), (None, "um", "unit: needs")]:
        with pytest.raises(ValueError, match=text):
            skerry.measure(np.ones((2, 3)), spacing=spacing, unit=unit)


def test_choices_are_those_of_label():
    image = np.random.default_rng(5).integers(0, 9, (50, 50))
    choice = {"above": 4, "connectivity": 4, "min_area": 3, "clear_border": True}
    labels = skerry.label(image, **choice)
    assert skerry.measure(image, **choice)["area"].tolist() == np.bincount(labels.image.ravel())[1:].tolist()
    with pytest.raises(TypeError, match="dtype"):
        skerry.measure(image, dtype="u1")


def test_intensity_has_the_shape_of_the_image():
    with pytest.raises(ValueError, match="^intensity: size 2 x 3 is not that of the image, 3 x 2"):
        skerry.measure(np.ones((3, 2)), np.ones((2, 3)))
    with pytest.raises(TypeError, match="^intensity: dtype >f4 is big-endian; convert it by intensity.astype"):
        skerry.measure(np.ones((2, 2)), np.ones((2, 2), ">f4"))


def test_tables_convert():
    table = skerry.measure([[1, 0, 1], [1, 0, 0]])
    assert list(dict(table)) == table.keys() == list(table)
    rows = table.to_numpy()
    assert rows.dtype.names == tuple(table) and rows["area"].tolist() == [2, 1] == table["area"].tolist()
    assert "area" in table and "volume" not in table
    with pytest.raises(KeyError, match="volume"):
        table["volume"]
    assert repr(table).startswith("<Table: 2 rows; label, area, bbox-0")


def test_pandas():
    import pandas
    frame = skerry.measure([[1, 0, 1], [1, 0, 0]]).to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame["area"].tolist() == [2, 1]


def test_no_component_is_no_row():
    table = skerry.measure(np.zeros((4, 4)), np.zeros((4, 4)), moments=True)
    assert len(table) == 0 and all(len(table[name]) == 0 for name in table)
    assert len(table.to_numpy()) == 0

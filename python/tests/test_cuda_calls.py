# SPDX-License-Identifier: Apache-2.0
"""Tables, trees, new labels, tracks and drop-ins of arrays on a GPU are those of the same image in host memory; what is refused."""
import numpy as np
import pytest

import skerry
from skerry import _native, ndimage

if _native.cuda_devices == 0:
    pytest.skip("there is no GPU, or no extension with CUDA", allow_module_level=True)

cupy = pytest.importorskip("cupy")
torch = pytest.importorskip("torch")


def noise(shape, dtype="u1", density=0.4, seed=0):
    random = np.random.default_rng(seed)
    return (random.random(shape) < density).astype(dtype) * np.array(1 if dtype == "?" else 3, dtype)


def test_tables_and_trees():
    image = np.random.default_rng(2).integers(0, 99, (140, 150), np.uint8)
    array = cupy.asarray(image)
    expected, table = (skerry.measure(each, each, above=40, moments=True) for each in (image, array))
    assert all(np.array_equal(table[name], expected[name], equal_nan=True) for name in expected)
    labels = skerry.label(image, above=40)
    for given in (cupy.asarray(labels.image), torch.from_numpy(labels.image.astype("i4")).cuda()):
        regions = skerry.measure_labels(given, array, moments=True)
        assert all(np.array_equal(regions[name], expected[name], equal_nan=True) for name in regions)
    assert np.array_equal(skerry.measure_labels(given, index=[3, 1])["area"], expected["area"][[2, 0]])
    line = image[0]
    table, expected = skerry.measure(cupy.asarray(line), above=40), skerry.measure(line, above=40)
    assert list(table) == list(expected) and all(np.array_equal(table[name], expected[name]) for name in expected)
    assert skerry.count(cupy.asarray(line), above=40) == len(expected)
    tree, of_host = skerry.max_tree(array), skerry.max_tree(image)
    assert np.array_equal(tree.parent, of_host.parent) and np.array_equal(tree.node_of_pixel, of_host.node_of_pixel)


def test_new_labels_of_regions():
    labels = np.random.default_rng(6).integers(0, 9, (70, 90)).astype("i4") * 5
    for order in ("first_pixel", "ascending"):
        expected, originals = skerry.relabel(labels, order=order)
        for given in (cupy.asarray(labels), cupy.asfortranarray(cupy.asarray(labels)), cupy.asarray(labels)[::-1][::-1]):
            found, old = skerry.relabel(given, order=order)
            assert isinstance(found, cupy.ndarray) and found.dtype == labels.dtype and np.array_equal(old, originals)
            np.testing.assert_array_equal(found.get(), expected)
        tensor = torch.from_numpy(labels).cuda()
        found, _ = skerry.relabel(tensor, order=order, dtype=torch.int64)
        assert found.dtype == torch.int64
        np.testing.assert_array_equal(found.cpu().numpy(), expected)
    out = cupy.zeros((70, 90), "u2")
    assert skerry.relabel(cupy.asarray(labels), out=out)[0] is out
    np.testing.assert_array_equal(out.get(), skerry.relabel(labels)[0])
    mapping = {5: 1, 10: 1, 40: 7}
    for unnamed in ("keep", "zero"):
        expected = skerry.remap(labels, mapping, unnamed=unnamed)
        np.testing.assert_array_equal(skerry.remap(cupy.asarray(labels), mapping, unnamed=unnamed).get(), expected)
        np.testing.assert_array_equal(skerry.remap(tensor, mapping, unnamed=unnamed).cpu().numpy(), expected)
    with pytest.raises(ValueError, match="mapping"):
        skerry.remap(cupy.asarray(labels), mapping)
    assert skerry.relabel(cupy.zeros((0, 4), "i4"))[0].shape == (0, 4)


def same_columns(found, expected):
    return list(found) == list(expected) and all(np.array_equal(found[name], expected[name], equal_nan=True) for name in expected)


@pytest.mark.parametrize("shape", [(50,), (70, 90), (9, 20, 30)])
def test_columns_of_regions(shape):
    labels = np.random.default_rng(7).integers(0, 9, shape).astype("i4") * 3
    values = np.random.default_rng(8).integers(0, 200, shape).astype("u1")
    columns = ["area", "bbox", "basic", "ellipse", "intensity_mean", "intensity_max", "intensity_std", "intensity_median", "power_sums", "weighted_sums"]
    columns += ["patterns", "hull", "filled"] if len(shape) > 1 else []
    expected = skerry.measure_columns(labels, columns, intensity=values, spacing=None)
    for given, grey in ((cupy.asarray(labels), cupy.asarray(values)), (torch.from_numpy(labels).cuda(), torch.from_numpy(values).cuda())):
        assert same_columns(skerry.measure_columns(given, columns, intensity=grey), expected)
        assert same_columns(skerry.measure_labels(given, grey, columns=columns), expected)
    of_floats = skerry.measure_columns(labels, "intensity_mean", intensity=values.astype("f4"), background=6)
    found = skerry.measure_columns(cupy.asarray(labels), "intensity_mean", intensity=cupy.asarray(values.astype("f4")), background=6)
    assert same_columns(found, of_floats)
    spaced = skerry.measure_columns(labels, ["area", "centroid"], spacing=[0.5] * len(shape))
    assert same_columns(skerry.measure_columns(cupy.asarray(labels), ["area", "centroid"], spacing=[0.5] * len(shape)), spaced)


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8"])
def test_channels_of_regions(dtype):
    random = np.random.default_rng(11)
    labels, values = random.integers(0, 30, (60, 80)).astype("u2"), random.integers(0, 99, (60, 80, 3)).astype(dtype)
    for given, colours in ((cupy.asarray(labels), cupy.asarray(values)),
                           (torch.from_numpy(labels.astype("i4")).cuda(), torch.from_numpy(values).cuda()), (cupy.asarray(labels), values)):
        assert same_columns(skerry.measure_columns(given, intensity=colours), skerry.measure_columns(labels, intensity=values))
        found, expected = (skerry.measure_labels(*each, index=[3, 1, 77]) for each in ((given, colours), (labels, values)))
        assert all(np.array_equal(found[name], expected[name], equal_nan=True) for name in expected)
    with pytest.raises(TypeError, match="^intensity: is in memory of a GPU"):
        skerry.measure_columns(labels, "intensity_mean", intensity=cupy.asarray(values))


def test_columns_of_any_layout():
    labels = np.random.default_rng(9).integers(0, 5, (60, 131)).astype("u1")
    names = ["perimeter", "euler_number", "circularity"]
    turned = cupy.asarray(labels)
    for given in (cupy.asfortranarray(turned), turned[::-1, ::2], turned.T, turned[3:, 1:]):
        assert same_columns(skerry.measure_columns(given, names), skerry.measure_columns(given.get(), names))


def test_regions_are_kept_by_their_columns():
    labels = np.random.default_rng(10).integers(0, 40, (60, 70)).astype("i2")
    for bounds in ({"perimeter": (200, None)}, {"area": (None, 100), "euler_number": (-50, 3)}, {}):
        expected, kept = skerry.keep_regions(labels, bounds)
        found, same = skerry.keep_regions(cupy.asarray(labels), bounds)
        assert isinstance(found, cupy.ndarray) and found.dtype == labels.dtype and np.array_equal(same, kept)
        np.testing.assert_array_equal(found.get(), expected)
        out = torch.zeros((60, 70), dtype=torch.int64, device="cuda")
        place, same = skerry.keep_regions(torch.from_numpy(labels).cuda(), bounds, out=out)
        assert place is out and np.array_equal(same, kept)
        np.testing.assert_array_equal(out.cpu().numpy(), expected)


def test_outlines():
    labels = np.random.default_rng(11).integers(-1, 4, (70, 90)).repeat(2, 0).repeat(3, 1).astype("i4")
    turned = cupy.asarray(labels)
    for given in (turned, turned[::-1, ::2], turned.T, skerry.label(turned, equal=True)):
        host = given.image.get() if isinstance(given, skerry.Labels) else given.get()
        for options in ({}, {"connectivity": 8, "keep_collinear": True}, {"background": None}, {"simplify": 1.5},
                        {"through_centres": True, "nesting": True}):
            expected, found = skerry.outline(host, **options), skerry.outline(given, **options)
            for name in ("labels", "region_offsets", "polygon_offsets", "ring_offsets", "vertices", "parents", "firsts"):
                one, other = getattr(expected, name), getattr(found, name)
                assert one.dtype == other.dtype and np.array_equal(one, other), (name, options)


def test_streams_of_frames():
    film = [noise((60, 80), seed=seed, density=0.2) for seed in range(6)]
    options = {"labels": True, "intensity": True, "moments": True}
    expected = list(skerry.track(film, **options))
    for frames in ([cupy.asarray(frame) for frame in film], [torch.from_numpy(frame).cuda() for frame in film]):
        found = list(skerry.track(iter(frames), **options))
        assert [frame.events for frame in found] == [frame.events for frame in expected]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.labels, other.labels)
            assert all(np.array_equal(one.objects[name], other.objects[name], equal_nan=True) for name in other.objects)
    with skerry.Tracker((60, 80), gpu=0) as tracker:
        for frame in (film[0], cupy.asarray(film[1])):
            tracker.push(frame)
        assert [frame.count for frame in tracker] == [frame.count for frame in expected[:2]]
    with skerry.Tracker((60, 80)) as tracker, pytest.raises(TypeError, match="^frame: is in memory of a GPU"):
        tracker.push(cupy.asarray(film[0]))


def test_refusals():
    array = cupy.asarray(noise((90, 120)))
    with pytest.raises(TypeError, match="labels: is in memory of a GPU, where this function does not work; .*asnumpy"):
        skerry.contacts(array)
    with pytest.raises(ValueError, match="image: 1 dimension has no labels on a GPU; give image.None."):
        skerry.label(array[0])
    with pytest.raises(ValueError, match="threshold: 'otsu' needs an image in host memory"):
        skerry.label(array, threshold="otsu")
    with pytest.raises(ValueError, match="connectivity: 6 is not 4 or 8"):
        skerry.label(array, connectivity=6)
    with pytest.raises(ValueError, match="out: its shape"):
        skerry.label(array, out=cupy.zeros((5, 5), "u4"))
    for call in (lambda out: skerry.label(array, out=out), lambda out: skerry.relabel(array, out=out),
                 lambda out: skerry.keep_regions(array, {}, out=out)):
        with pytest.raises((TypeError, ValueError), match="^out: is in host memory"):
            call(np.zeros((90, 120), "u4"))
    host = noise((90, 120))
    for call in (lambda out: skerry.label(host, out=out), lambda out: skerry.relabel(host, out=out),
                 lambda out: skerry.keep_regions(host, {}, out=out)):
        with pytest.raises((TypeError, ValueError), match="^out: is in memory of a GPU"):
            call(cupy.zeros((90, 120), "u4"))
    with pytest.raises(ValueError, match="^intensity: .*GPU 0"):
        skerry.measure(host, array)
    with pytest.raises(TypeError, match="image: dtype complex64 is not"):
        skerry.label(cupy.zeros((4, 5), "c8"))
    with pytest.raises(TypeError, match="image: dtype torch.bfloat16 is not"):
        skerry.label(torch.zeros((4, 5), dtype=torch.bfloat16, device="cuda"))
    with pytest.raises(TypeError, match="out: dtype float32"):
        skerry.label(array, out=cupy.zeros((90, 120), "f4"))
    with pytest.raises(ValueError, match="image: 4 dimensions"):
        skerry.label(cupy.zeros((1, 1, 4, 5), "u1"))
    with pytest.raises(ValueError, match="gpu: .*no device 99 among"):
        skerry.Tracker((4, 5), gpu=99)
    with pytest.raises(ValueError, match="threads: are of a tracker on the CPU"):
        skerry.Tracker((4, 5), gpu=0, threads=2)
    with pytest.raises(ValueError, match="dtype: [0-9]+ components do not fit labels up to 255"):
        skerry.label(array, connectivity=4, dtype="uint8").count
    with pytest.raises(TypeError, match="labels: are in memory of a GPU"):
        np.asarray(skerry.label(array))


@pytest.mark.parametrize("shape", [(77,), (90, 121), (9, 30, 40)])
def test_drop_ins_of_cupy(shape):
    cupyx = pytest.importorskip("cupyx.scipy.ndimage")
    array = cupy.asarray(noise(shape, "f4"))
    for structure in (None, np.ones((3,) * len(shape), int)):
        expected, n = cupyx.label(array, structure)
        labels, count = ndimage.label(array, structure)
        assert count == n and labels.dtype == expected.dtype
        assert cupy.array_equal(labels, expected)
    index = cupy.arange(1, n + 1)
    values = cupy.asarray(np.random.default_rng(3).random(shape, "f4"))
    for name in ("sum_labels", "mean", "standard_deviation"):
        found, wanted = (getattr(each, name)(values, labels, index) for each in (ndimage, cupyx))
        np.testing.assert_allclose(found.get(), wanted.get(), rtol=1e-4, atol=1e-5)


def test_drop_ins_of_cucim():
    from skerry.skimage import measure

    image = np.random.default_rng(4).integers(0, 3, (60, 70))
    for background in (None, 1):
        expected, n = measure.label(image, background, True)
        labels, count = measure.label(cupy.asarray(image), background, True)
        assert isinstance(labels, cupy.ndarray) and count == n and np.array_equal(labels.get(), expected)
    grey = np.random.default_rng(5).random((60, 70))
    names = ("label", "bbox", "area", "centroid", "orientation", "axis_major_length", "perimeter", "euler_number", "area_filled", "solidity",
             "moments", "moments_central", "moments_normalized", "moments_hu", "inertia_tensor", "inertia_tensor_eigvals", "intensity_mean",
             "centroid_weighted", "moments_weighted", "moments_weighted_central", "moments_weighted_hu")
    expected = measure.regionprops_table(expected, grey, names)
    table = measure.regionprops_table(labels, cupy.asarray(grey), names)
    assert list(table) == list(expected)
    for name, column in table.items():
        np.testing.assert_array_equal(column.get(), expected[name], err_msg=name)

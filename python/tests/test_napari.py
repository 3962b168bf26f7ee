# SPDX-License-Identifier: Apache-2.0
"""The plugin of napari, in a viewer without a screen. Skipped where napari and Qt are not installed."""
import importlib
import os
import pathlib

import numpy as np
import pytest

import skerry

if "DISPLAY" not in os.environ:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
napari = pytest.importorskip("napari", reason="napari is not installed: pip install skerry[napari] 'napari[pyqt6]'")
npe2 = pytest.importorskip("npe2")
pytest.importorskip("qtpy")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of napari and Qt

MANIFEST = pathlib.Path(skerry.__file__).parent / "napari/napari.yaml"
RNG = np.random.default_rng(0)
BLOBS = np.zeros((40, 50), np.uint8)
BLOBS[5:15, 5:15], BLOBS[20:30, 30:34], BLOBS[3, 40] = 200, 150, 250


@pytest.fixture
def viewer():
    """Layers without a window, which needs no OpenGL."""
    return napari.components.ViewerModel()


@pytest.fixture
def window():
    if os.environ.get("QT_QPA_PLATFORM") == "offscreen":
        pytest.skip("Qt has no OpenGL without a screen: run under xvfb-run")
    found = napari.Viewer(show=False)
    yield found
    found.close()


def command(name):
    manifest = npe2.PluginManifest.from_file(MANIFEST)
    module, attribute = next(each for each in manifest.contributions.commands if each.id == name).python_name.split(":")
    return getattr(importlib.import_module(module), attribute)


def test_the_manifest():
    manifest = npe2.PluginManifest.from_file(MANIFEST)
    manifest.validate_imports()
    assert manifest.name == "skerry"
    assert [widget.command for widget in manifest.contributions.widgets] == [each.id for each in manifest.contributions.commands]


def test_napari_finds_the_widgets(window):
    manager = npe2.PluginManager.instance()
    if "skerry" not in manager:  # not installed by pip
        manager.register(npe2.PluginManifest.from_file(MANIFEST))
    image = window.add_image(BLOBS)
    _, widget = window.window.add_plugin_dock_widget("skerry", "Threshold and label")
    widget()
    assert window.layers[-1].name == "BLOBS labels" and np.array_equal(window.layers[-1].data, skerry.label(BLOBS, threshold="otsu"))
    assert widget.image.value is image


def test_threshold_and_label(viewer):
    widget = command("skerry.label")()
    image = viewer.add_image(BLOBS, scale=(0.5, 2), translate=(1, 3))
    data, options, kind = widget(image=image, rule="above", value=160, all_neighbours=False)
    assert kind == "labels" and data.max() == 2 and list(options["scale"]) == [0.5, 2] and list(options["translate"]) == [1, 3]
    assert widget(image=image, rule="not 0", least_pixels=2)[0].max() == 2
    colours = viewer.add_image(RNG.random((4, 5, 3)), rgb=True)
    with pytest.raises(ValueError, match="has colours"):
        widget(image=colours)
    with pytest.raises(ValueError, match="4 dimensions are not 2 or 3"):
        widget(image=viewer.add_image(np.zeros((2, 2, 3, 3))))


def check_features(layer):
    table = skerry.measure_labels(layer.data, BLOBS, spacing=(0.5, 0.5))
    assert layer.features["index"].tolist() == table["label"].tolist()
    for name in set(table.keys()) - {"label"}:
        assert np.array_equal(layer.features[name], table[name], equal_nan=True)


def test_measure(viewer):
    from skerry.napari._measure import features_of, table_of
    image, labels = viewer.add_image(BLOBS), viewer.add_labels(skerry.label(BLOBS).image.astype(int), scale=(0.5, 0.5))
    labels.features = features_of(labels, image)
    check_features(labels)
    table_of(labels, labels.features).native.setCurrentCell(2, 0)
    assert labels.selected_label == 3
    whole = viewer.add_labels(labels.data)
    assert features_of(whole, moments=True)["area"].tolist() == [1, 100, 40]
    assert not any(name.endswith("_scaled") for name in features_of(whole))


def test_measure_in_a_window(window):
    image, labels = window.add_image(BLOBS), window.add_labels(skerry.label(BLOBS).image.astype(int), scale=(0.5, 0.5))
    command("skerry.measure")()(viewer=window, labels=labels, intensity=image)
    check_features(labels)
    assert f"{labels.name}: 3 regions" in " ".join(window.window.dock_widgets)


def test_filter(viewer):
    widget = command("skerry.filter")(viewer)
    widget.update()  # without an image
    assert len(viewer.layers) == 0
    image = viewer.add_image(BLOBS)
    widget.image.choices = [image]
    widget.amount.value = 0.3
    tree = skerry.max_tree(BLOBS)
    areas = tree.measure()["area"]
    found = viewer.layers["BLOBS filtered"]
    assert 1 < widget.limit(areas) < 40 and np.array_equal(found.data, tree.area_opening(int(np.ceil(widget.limit(areas)))))
    widget.amount.value = 1
    assert (found.data == 0).all() and len(viewer.layers) == 2
    widget.amount.value = 0
    assert np.array_equal(found.data, BLOBS)
    widget.attribute.value = "dynamics"
    widget.amount.value = 0.95
    limit = widget.limit(tree.measure()["dynamics"])
    assert np.array_equal(found.data, tree.filter(tree.measure()["dynamics"] >= limit, rule="min")) and found.data.max() > 0
    widget.dark.value = True
    assert np.array_equal(found.data, skerry.max_tree(BLOBS, kind="min").filter(
        skerry.max_tree(BLOBS, kind="min").measure()["dynamics"] >= limit, rule="min"))


def test_track(viewer):
    film = np.zeros((4, 30, 40), np.uint8)
    for time in range(4):
        film[time, 5:11, 5 + 2 * time:11 + 2 * time] = 200
    film[2:, 8, :] = 0  # the object splits
    image = viewer.add_image(film, scale=(1, 2, 2))
    layers = command("skerry.track")()(image=image, rule="above", value=100)
    (labels, _, first), (rows, options, second) = layers
    assert (first, second) == ("labels", "tracks") and labels.shape == film.shape
    assert options["graph"] == {2: [1]} and list(options["scale"]) == [1, 2, 2]
    assert rows[rows[:, 0] == 1][:, 1].tolist() == [0, 1, 2, 3] and rows[rows[:, 0] == 2][:, 1].tolist() == [2, 3]
    assert rows[0].tolist() == [1, 0, 7.5, 7.5]
    added = viewer.add_tracks(rows, graph=options["graph"])
    assert np.array_equal(added.data, rows)
    assert len(command("skerry.track")()(image=viewer.add_image(np.zeros((3, 4, 4), np.uint8)), rule="above")) == 1
    with pytest.raises(ValueError, match="2 dimensions are not 3 or 4"):
        command("skerry.track")()(image=viewer.add_image(BLOBS))

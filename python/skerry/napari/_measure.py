# SPDX-License-Identifier: Apache-2.0
"""The widget that measures a layer of labels, and shows a table whose rows select labels."""
from typing import Optional

import napari
from magicgui import magic_factory
from magicgui.widgets import Table as TableWidget

from .._regions import measure_labels as measure
from ._layers import pixels_of


def features_of(labels, intensity=None, moments=False):
    """A DataFrame with a row for each label of a layer, whose column ``index`` is the label; in units where pixels have a size."""
    pixels = pixels_of(labels)
    spacing = tuple(map(float, labels.scale[-pixels.ndim:]))
    scaled = {} if set(spacing) == {1.0} else {"spacing": spacing}
    table = measure(pixels, None if intensity is None else pixels_of(intensity), moments=moments, **scaled)
    features = table.to_pandas()
    features.insert(0, "index", features.pop("label"))
    return features


def table_of(labels, features):
    """A table of the features; the present row is the selected label."""
    table = TableWidget(value=features.to_dict("list"))
    numbers = features["index"].tolist()

    def select(row, *_):
        if 0 <= row < len(numbers):
            labels.selected_label = int(numbers[row])

    table.native.currentCellChanged.connect(select)
    return table


@magic_factory(call_button="Measure")
def measure_labels(viewer: napari.Viewer, labels: napari.layers.Labels,
                   intensity: Optional[napari.layers.Image] = None, moments: bool = False):
    """Measures the labels, keeps the columns as the features of their layer, and shows them as a table."""
    features = features_of(labels, intensity, moments)
    labels.features = features
    viewer.window.add_dock_widget(table_of(labels, features), name=f"{labels.name}: {len(features)} regions", area="bottom")

# SPDX-License-Identifier: Apache-2.0
"""The widget that filters a layer by an attribute of the nodes of its max-tree, while a slider moves."""
import napari
import numpy
from magicgui.widgets import CheckBox, ComboBox, Container, FloatSlider, create_widget

from .._tree import max_tree
from ._layers import pixels_of, placed_as

_ATTRIBUTES = ["area", "height", "dynamics", "volume"]


class FilterByTree(Container):
    """Keeps the nodes whose attribute reaches the slider's value, in a layer that follows the slider.

    The tree is built once for each layer and side. The slider is logarithmic: 0 keeps all, 1 the root alone.
    """

    def __init__(self, viewer: napari.Viewer):
        self._viewer = viewer
        self._built = None
        self.image = create_widget(annotation=napari.layers.Image, label="image")
        self.attribute = ComboBox(choices=_ATTRIBUTES, label="attribute")
        self.dark = CheckBox(text="dark objects")
        self.amount = FloatSlider(min=0, max=1, step=0.001, label="at least")
        super().__init__(widgets=[self.image, self.dark, self.attribute, self.amount])
        for widget in (self.dark, self.attribute, self.amount):
            widget.changed.connect(self.update)

    def _tree(self, layer):
        """The tree of a layer, and the columns of its nodes."""
        key = layer, self.dark.value, layer.data
        if self._built is None or any(mine is not given for mine, given in zip(self._built[0], key)):
            tree = max_tree(pixels_of(layer), kind="min" if self.dark.value else "max")
            self._built = key, tree, tree.measure(levels=True)
        return self._built[1:]

    def limit(self, values):
        """The attribute's value that the slider stands for."""
        return float(numpy.expm1(self.amount.value * numpy.log1p(float(values[0]))))

    def update(self, *_):
        """Filters the layer, into a layer of its own."""
        layer = self.image.value
        if layer is None:
            return
        tree, nodes = self._tree(layer)
        values = nodes[self.attribute.value]
        filtered = tree.filter(values >= self.limit(values), rule="min")
        name = f"{layer.name} filtered"
        if name in self._viewer.layers:
            self._viewer.layers[name].data = filtered
        else:
            self._viewer.add_image(filtered, name=name, colormap=layer.colormap, contrast_limits=layer.contrast_limits,
                                   **placed_as(layer))

# SPDX-License-Identifier: Apache-2.0
"""The widget that makes a layer of labels of a layer of pixels."""
import napari
from magicgui import magic_factory

from .._components import label
from ._layers import placed_as, pixels_of


@magic_factory(call_button="Label", rule={"choices": ["otsu", "above", "not 0"]}, value={"min": -1e12, "max": 1e12},
               least_pixels={"max": 2**31 - 1})
def threshold_and_label(image: napari.layers.Image, rule="otsu", value: float = 0.0, all_neighbours: bool = True,
                        fill_holes: bool = False, clear_border: bool = False,
                        least_pixels: int = 0) -> napari.types.LayerDataTuple:
    """Labels the pixels above a threshold: Otsu's, or a value. Neighbours are all, or those with a common side."""
    pixels = pixels_of(image)
    chosen = {"otsu": {"threshold": "otsu"}, "above": {"above": value}, "not 0": {}}[rule]
    connectivity = None if all_neighbours else {2: 4, 3: 6}[pixels.ndim]
    labels = label(pixels, connectivity=connectivity, fill_holes=fill_holes, clear_border=clear_border, min_area=least_pixels,
                   **chosen)
    return labels.image, {"name": f"{image.name} labels", **placed_as(image)}, "labels"

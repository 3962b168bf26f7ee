# SPDX-License-Identifier: Apache-2.0
"""What the widgets have in common: pixels of layers, and where layers are."""
import numpy


def pixels_of(layer, ranks=(2, 3)):
    """The pixels of a layer of 2 or 3 dimensions."""
    if getattr(layer, "rgb", False):
        raise ValueError(f"{layer.name}: has colours; split its channels first")
    if getattr(layer, "multiscale", False):
        raise ValueError(f"{layer.name}: has several scales; use a layer of one of them")
    pixels = numpy.asarray(layer.data)
    if pixels.ndim not in ranks:
        known = " or ".join(map(str, ranks))
        raise ValueError(f"{layer.name}: {pixels.ndim} dimensions are not {known}")
    return pixels


def placed_as(layer):
    """Options that put a new layer where the given one is."""
    return {"scale": layer.scale, "translate": layer.translate, "rotate": layer.rotate, "shear": layer.shear}

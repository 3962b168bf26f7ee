# SPDX-License-Identifier: Apache-2.0
"""Pictures of label images, by matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy

from ._colours import colour_numbers, palette
from ._outline import outline
from ._regions import measure_columns

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def _plane(array, name, depth):
    """The array, or one slice of a volume."""
    if array.ndim == 2:
        return array
    if array.ndim != 3:
        raise ValueError(f"{name}: {array.ndim} dimensions are not 2 or 3")
    at = array.shape[0] // 2 if depth is None else depth
    if not -array.shape[0] <= at < array.shape[0]:
        raise ValueError(f"depth: {at} is not a slice of {array.shape[0]}")
    return array[at]


def _coloured(numbers, alpha):
    """Red, green, blue and opacity, from 0 to 1, of numbers of the palette."""
    colours = numpy.frombuffer(palette(), numpy.uint8).reshape(-1, 3) / 255
    return numpy.dstack([colours[numbers], numpy.where(numbers > 0, alpha, 0)])


def _draw_outlines(axes, plane, width):
    from matplotlib.collections import LineCollection

    found = outline(plane)
    colours = numpy.frombuffer(palette(), numpy.uint8).reshape(-1, 3) / 255
    lines, shades = [], []
    for label, polygons in zip(found.labels, found):
        for ring in (ring for polygon in polygons for ring in polygon):
            lines.append(numpy.vstack([ring, ring[:1]]) - 0.5)  # matplotlib has the middle of pixel (0, 0) at (0, 0)
            shades.append(colours[colour_numbers(label)])
    axes.add_collection(LineCollection(lines, colors=shades, linewidths=width))


def _write_numbers(axes, plane):
    table = measure_columns(plane, ["centroid"])
    for label, y, x in zip(table["label"], table["centroid-0"], table["centroid-1"]):
        axes.text(x, y, str(label), color="white", fontsize=7, ha="center", va="center", clip_on=True)


def show(labels: ArrayLike, image: ArrayLike | None = None, *, axes: Any = None, alpha: float = 0.5, outlines: bool = False,
         numbers: bool = False, depth: int | None = None) -> Any:
    """Draws labels in colours over an image, by matplotlib.

    A label has the same colour in every picture.

    Parameters
    ----------
    labels : Labels, or array of integers
        Of (rows, columns) or (slices, rows, columns). Labels of 0 and below are not drawn.
    image : array
        Of the same shape, drawn below in grey, from its smallest value to its largest; or a plane with a last axis of colours.
        Without it the background is black.
    axes : matplotlib.axes.Axes
        Where to draw; the current axes by default.
    alpha : number
        Opacity of the labels, 0 to 1.
    outlines : bool
        Draws outlines instead of areas.
    numbers : bool
        Writes each label at its centroid.
    depth : int
        The slice of a volume, the middle one by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises ImportError where matplotlib is not installed.
    """
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("show: needs matplotlib: pip install matplotlib") from missing
    labels = numpy.asarray(labels)
    if labels.dtype.kind not in "biu":
        raise TypeError(f"labels: dtype {labels.dtype} is not an integer type")
    below = None if image is None else numpy.asarray(image)
    if below is not None and below.shape != labels.shape and (labels.ndim != 2 or below.shape[:-1] != labels.shape):
        raise ValueError(f"image: shape {below.shape} is not that of the labels, {labels.shape}")
    plane = _plane(labels.view(numpy.uint8) if labels.dtype == bool else labels, "labels", depth)
    axes = pyplot.gca() if axes is None else axes
    if below is None:
        axes.imshow(numpy.zeros(plane.shape), cmap="gray", vmin=0, vmax=1)
    elif below.ndim > labels.ndim:
        axes.imshow(below)
    else:
        axes.imshow(_plane(below, "image", depth), cmap="gray", vmin=below.min(), vmax=below.max())
    if outlines:
        _draw_outlines(axes, plane, 1.2)
    else:
        axes.imshow(_coloured(colour_numbers(plane), 1 if below is None else alpha), interpolation="nearest")
    if numbers:
        _write_numbers(axes, plane)
    axes.set_axis_off()
    return axes

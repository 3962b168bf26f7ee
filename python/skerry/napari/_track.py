# SPDX-License-Identifier: Apache-2.0
"""The widget that tracks the objects of a film, into a layer of tracks and one of labels."""
from typing import List

import napari
import numpy
from magicgui import magic_factory

from .._track import Tracker
from ._layers import pixels_of, placed_as

_CAPACITY = 2**16  # objects of a frame


def tracks_of(frames, **options):
    """Rows of id, time and coordinates, the ids that each id split off from, and images of ids."""
    rows, parents, labels = [numpy.zeros((0, frames.ndim + 1))], {}, numpy.zeros(frames.shape, numpy.uint32)
    with Tracker(frames.shape[1:], frames.dtype, labels=True, capacity=_CAPACITY, **options) as tracker:
        for frame in frames:
            tracker.push(frame)
        for time, result in enumerate(tracker):
            if result.error or result.overflow:
                raise ValueError(f"frame {time}: {result.error or f'more than {_CAPACITY} objects'}")
            objects = result.objects
            centroids = [objects[f"centroid-{axis}"] for axis in range(frames.ndim - 1)]
            rows.append(numpy.stack([objects["id"], numpy.full(result.count, time), *centroids], axis=1))
            parents.update({event.id: [event.other] for event in result.events if event.kind == "split"})
            if result.labels is not None:
                labels[time] = result.labels
    table = numpy.concatenate(rows)
    return table[numpy.lexsort((table[:, 1], table[:, 0]))], parents, labels


@magic_factory(call_button="Track", rule={"choices": ["otsu", "above"]}, value={"min": -1e12, "max": 1e12},
               least_pixels={"max": 2**31 - 1})
def track(image: napari.layers.Image, rule="otsu", value: float = 0.0, all_neighbours: bool = True, least_pixels: int = 0,
          frames_remembered: int = 0) -> List[napari.types.LayerDataTuple]:
    """Tracks the components above a threshold through the first axis, by overlap."""
    frames = pixels_of(image, (3, 4))
    chosen = {"otsu": {"threshold": "otsu"}, "above": {"above": value}}[rule]
    connectivity = None if all_neighbours else {3: 4, 4: 6}[frames.ndim]
    rows, parents, labels = tracks_of(frames, connectivity=connectivity, min_area=least_pixels, memory=frames_remembered, **chosen)
    place = placed_as(image)
    layers = [(labels, {"name": f"{image.name} ids", **place}, "labels")]
    if len(rows):
        layers.append((rows, {"name": f"{image.name} tracks", "graph": parents, **place}, "tracks"))
    return layers

# SPDX-License-Identifier: Apache-2.0
"""The labels of a label image, one by one."""
import numpy

from . import _native
from ._table import Table


class Masks:
    """The image of each label by itself."""

    def __init__(self, labels, binary, in_place):
        self._labels, self._binary, self._in_place = labels, binary, in_place
        columns = labels.reshape(labels.shape if labels.ndim > 1 else (-1, 1))
        table = Table(_native.measure_labels(columns, None, None, True, False, None, "", None))
        rank = columns.ndim
        sides = [zip(table[f"bbox-{axis}"].tolist(), table[f"bbox-{axis + rank}"].tolist()) for axis in range(labels.ndim)]
        self._boxes = [(label, tuple(slice(*side) for side in box)) for label, box in zip(table["label"].tolist(), zip(*sides))]

    def __len__(self):
        return len(self._boxes)

    def _empty(self):
        return numpy.zeros_like(self._labels, bool if self._binary else None, subok=False)

    def __iter__(self):
        image, last = self._empty(), ()
        for label, box in self._boxes:
            if self._in_place:
                image.flags.writeable = True
                image[last] = 0
            else:
                image = self._empty()
            mask = self._labels[box] == label
            image[box] = mask if self._binary else mask * image.dtype.type(label)
            image.flags.writeable = not self._in_place
            yield label, image
            last = box

# SPDX-License-Identifier: Apache-2.0
"""The numbers of all regions of a label image, by property, as they are asked for."""
import numbers

import numpy

from .. import _native
from ._names import GROUP_OF, GROUPS, OF_INTENSITIES, OF_PLANES, WHOLE_NUMBERS


def spacing_of_axes(spacing, rank):
    """One number for each axis; errors are those of scikit-image."""
    if spacing is None:
        return numpy.ones(rank)
    spacing = numpy.array(spacing)
    if spacing.shape == ():
        spacing = numpy.broadcast_to(spacing, (rank,))
    if spacing.shape != (rank,):
        raise ValueError(f"spacing isn't a scalar nor a sequence of shape {(rank,)}, got {spacing}.")
    if not all(isinstance(side, numbers.Real) for side in spacing):
        raise TypeError(f"Element of spacing isn't float or integer type, got {spacing}.")
    if not numpy.isfinite(spacing).all():
        raise ValueError(f"Invalid spacing parameter. All elements must be finite, got {spacing}.")
    return spacing


def _narrowed(intensity):
    """Integers of 64 bits as ones of 32, which are measured sooner, if they fit."""
    if intensity.dtype.kind in "iu" and intensity.dtype.itemsize == 8 and intensity.size:
        for kind in (numpy.int32, numpy.uint32):
            limits = numpy.iinfo(kind)
            if limits.min <= intensity.min() and intensity.max() <= limits.max:
                return intensity.astype(kind)
    return intensity


class Columns:
    """Quantities of regions, each measured with its group when it is first asked for.

    Items of quantities are in ascending order of labels. An intensity image of one dimension
    more has a channel for each item of its last axis; quantities of intensities then have a last axis of channels.
    """

    def __init__(self, labels, intensity=None, spacing=None):
        self.image, self.intensity = labels, intensity
        self.spacing = spacing_of_axes(spacing, labels.ndim)
        self._found = {}
        self._channels = None

    @property
    def has_channels(self):
        return self.intensity is not None and self.intensity.ndim > self.image.ndim

    def channels(self):
        """The images of intensities, each of which can be a column's."""
        if self._channels is None:
            whole = self.intensity
            self._channels = [whole[..., at] for at in range(whole.shape[-1])] if self.has_channels else [whole]
            self._channels = [_narrowed(channel) for channel in self._channels]
        return self._channels

    def _measured(self, names, intensity=None):
        spacing = None if (self.spacing == 1).all() else tuple(map(float, self.spacing))
        return _native.measure_columns(self.image, list(names), intensity, None, True, spacing, None)

    def quantity(self, name):
        """An array with an item for each region; None for what skerry does not measure of this image."""
        if name not in self._found:
            if name in ("label", "bbox"):
                self._find_boxes()
            else:
                self._find(name)
        return self._found[name]

    def _find_boxes(self):
        table = _native.measure_columns(self.image, ["bbox"], None, None, True, None, None)
        self._found.update({name: _gathered(name, table) for name in ("label", "bbox")})

    def boxes(self):
        """The slices of the box of each region."""
        ends, rank = self.quantity("bbox").tolist(), self.image.ndim
        return [tuple(map(slice, each[:rank], each[rank:])) for each in ends]

    def _find(self, name):
        group = GROUP_OF[name]
        names = GROUPS[group]
        channels = self.channels() if name in OF_INTENSITIES else [None]
        try:
            # As weights, infinities and NaN in the box of a region count there, though they are outside of it.
            if group == "weighted_sums" and not all(numpy.isfinite(channel).all() for channel in channels):
                raise ValueError("intensity_image: it has infinities or NaN")
            tables = [self._measured([group], channel) for channel in channels]
        except (TypeError, ValueError):  # an intensity image of another kind
            tables = [{}]
        for each in names:
            parts = [_gathered(each, table) for table in tables]
            if any(part is None for part in parts):
                self._found[each] = None
            else:
                self._found[each] = numpy.stack(parts, axis=-1) if self.has_channels and each in OF_INTENSITIES else parts[0]

    def why_not(self, name):
        """The error of scikit-image for a property that images like this do not have, or None."""
        if name in OF_PLANES and self.image.ndim > 2:
            return f"Property {name} is not implemented for 3D images"
        if name.endswith("moments_hu") or name == "moments_weighted_hu":
            return None if (self.spacing == 1).all() else "`moments_hu` supports spacing = (1, 1) only"
        if name in ("perimeter", "perimeter_crofton") and len(set(self.spacing)) > 1:
            return "`perimeter` supports isotropic spacings only"
        return None


def _gathered(name, table):
    """A column, or the columns of a vector or matrix as one array; None if there is none."""
    if name == "label":
        return table[name]
    kind = int if name in WHOLE_NUMBERS else float
    if name in table:
        return table[name].astype(kind, copy=False)
    parts = {tuple(map(int, key[len(name) + 1:].split("-"))): column for key, column in table.items()
             if key.startswith(name + "-")}
    if not parts:
        return None
    shape = tuple(most + 1 for most in max(parts))
    return numpy.stack([parts[at] for at in sorted(parts)], axis=-1).astype(kind, copy=False).reshape(-1, *shape)

# SPDX-License-Identifier: Apache-2.0
"""Tables of the properties of regions."""
import numpy

from .. import _device_drop_ins as on_device
from ._columns import Columns
from ._names import DEPRECATED, GROUP_OF, OBJECTS, OF_INTENSITIES
from ._properties import columns_of, functions_by_name, regions_of, required_arguments


def _type_of(function, with_intensity, rank):
    """The type that a function of the caller returns, from two small masks; object if its shape depends on the mask."""
    masks = [numpy.pad(numpy.ones((1,) * rank, bool), (0, 1)), numpy.pad(numpy.ones((2,) * rank, bool), (1, 0))]
    takes_intensity = required_arguments(function) == 2
    if takes_intensity and not with_intensity:
        return object  # regions say what is missing
    found = [numpy.array(function(mask, mask * 0.5) if takes_intensity else function(mask)) for mask in masks]
    return found[0].dtype.type if found[0].shape == found[1].shape else object


class _Table:
    def __init__(self, columns, functions, separator):
        self._columns, self._functions, self._separator = columns, functions, separator
        self._regions = None
        self.table = {}

    def _of_regions(self, name, kind):
        """Values that each region makes by itself."""
        if self._regions is None:
            self._regions = regions_of(self._columns, True, self._functions)
        found = [region[name] for region in self._regions]
        if kind is not object:
            return numpy.array(found, kind)
        values = numpy.empty(len(found), object)
        for row, value in enumerate(found):
            values[row] = value
        return values

    def _values(self, name):
        columns = self._columns
        if name == "label":
            return columns.quantity(name)  # int64, or uint64 where one reaches 2^63
        if name == "bbox":
            return columns.quantity(name).astype(int, copy=False)
        if name in GROUP_OF and not columns.why_not(name) and (name not in OF_INTENSITIES or columns.intensity is not None):
            values = columns.quantity(name)
            return self._of_regions(name, float) if values is None else values
        if name in self._functions and name not in OBJECTS:
            function = self._functions[name]
            return self._of_regions(name, _type_of(function, columns.intensity is not None, columns.image.ndim))
        return self._of_regions(name, object)  # or its error

    def add(self, name):
        values = self._values(DEPRECATED.get(name, name))
        if values.ndim == 1:
            self.table[name] = values
            return
        for at in numpy.ndindex(values.shape[1:]):
            self.table[self._separator.join((name, *map(str, at)))] = values[(slice(None), *at)]


def _sample(columns):
    """An image of one region, whose table has the columns of an image that has none."""
    rank = columns.image.ndim
    image = numpy.zeros((3,) * rank, int)
    image[(1,) * rank] = 1
    given = columns.intensity
    intensity = None if given is None else numpy.zeros(image.shape + given.shape[rank:], given.dtype)
    return Columns(image, intensity, columns.spacing)


def regionprops_table(label_image, intensity_image=None, properties=("label", "bbox"), *, cache=True, separator="-",
                      extra_properties=None, spacing=None):
    """Measures the regions of a label image, as skimage.measure.regionprops_table does.

    >>> table = regionprops_table(numpy.array([[1, 1, 0], [0, 0, 4]]), properties=("label", "area", "centroid"))
    >>> table["label"], table["centroid-1"]
    (array([1, 4]), array([0.5, 2. ]))

    Parameters
    ----------
    label_image, intensity_image, extra_properties, spacing
        As in ``regionprops``.
    properties : sequence of str
        Names of the properties of ``regionprops``.
    cache : bool
        Makes no difference.
    separator : str
        Between the parts of names of columns.

    Returns
    -------
    dict of arrays
        An item for each region, in ascending order of labels; of an array of CuPy arrays of CuPy. Vectors and matrices have
        a column for each element.
    """
    if on_device.is_cupy(label_image):
        return on_device.regionprops_table(label_image, intensity_image, properties, separator, extra_properties=extra_properties,
                                           spacing=spacing)
    columns, _ = columns_of(label_image, intensity_image, spacing)
    functions = functions_by_name(extra_properties)
    none = len(columns.quantity("label")) == 0
    made = _Table(_sample(columns) if none else columns, functions, separator)
    for name in (*properties, *functions):
        made.add(name)
    return {name: values[:0] for name, values in made.table.items()} if none else made.table

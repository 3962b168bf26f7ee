# SPDX-License-Identifier: Apache-2.0
"""Maps from labels to labels, with the interface of scikit-image's ArrayMap."""
import numpy


class ArrayMap:
    """A map from labels to labels that behaves as an array, whose items are 0 for labels without a value.

    >>> found = ArrayMap(numpy.array([2, 900]), numpy.array([1, 2]))
    >>> int(found[900]), len(found)
    (2, 901)
    >>> found[numpy.array([900, 5, 2])]
    array([2, 0, 1])

    Parameters
    ----------
    in_values : array of labels, ascending
    out_values : array
    """

    def __init__(self, in_values, out_values):
        self.in_values, self.out_values = in_values, out_values

    def __len__(self):
        return int(self.in_values.max()) + 1

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("copy: the array of a map is made when it is asked for")
        whole = numpy.zeros(len(self), self.out_values.dtype)
        whole[self.in_values] = self.out_values
        return whole if dtype is None else whole.astype(dtype, copy=False)

    @property
    def dtype(self):
        """Type of the values."""
        return self.out_values.dtype

    def _places(self, labels):
        """Of each label its item, and whether it has one."""
        places = numpy.minimum(numpy.searchsorted(self.in_values, labels), len(self.in_values) - 1)
        return places, self.in_values[places] == labels

    def _labels(self, index):
        """Labels that an index stands for: numbers, a mask or a slice."""
        if isinstance(index, slice):
            return numpy.arange(len(self))[index]
        array = numpy.asarray(index)
        return numpy.flatnonzero(array) if array.dtype == bool else array

    def __call__(self, labels):
        return self[labels]

    def __getitem__(self, index):
        places, there = self._places(self._labels(index))
        return numpy.where(there, self.out_values[places], self.out_values.dtype.type(0))[()]

    def __setitem__(self, index, values):
        whole = numpy.asarray(self)
        whole[index] = values
        self.in_values = numpy.flatnonzero(whole)
        self.out_values = whole[self.in_values]

    def __repr__(self):
        return f"ArrayMap({self.in_values!r}, {self.out_values!r})"

# SPDX-License-Identifier: Apache-2.0
"""The objects of skimage.measure.regionprops: regions whose properties are measured when they are asked for."""
import inspect
import warnings

import numpy

from .._fallback import original
from ..ndimage import binary_fill_holes
from ._columns import Columns
from ._names import DEPRECATED, GROUP_OF, ITERATED, NAMES, OF_INTENSITIES


def _cached(name, compute):
    """A property that computes its value once, while the cache is on."""

    def value(region):
        if not region._cache_active:
            return compute(region)
        if name not in region._cache:
            region._cache[name] = compute(region)
        return region._cache[name]

    return property(value, doc=f"As scikit-image's ``{name}``.")


class RegionProperties:
    """A region of a label image, with the properties of scikit-image's RegionProperties.

    The first region that is asked for a number measures it, and its kind, for all regions of the image; with ``cache=False``
    each one measures its own box each time.
    """

    def __init__(self, columns, row, label, box, settings):
        self._columns, self._row, self._label, self._box = columns, row, label, box
        self._cache_active, self._extra_properties, self._offset = settings
        self._cache = {}

    @property
    def _label_image(self):
        return self._columns.image

    @property
    def _intensity_image(self):
        return self._columns.intensity

    def _of_scikit_image(self, name):
        """A property that skerry does not measure of this image, by scikit-image."""
        theirs = original("skimage.measure._regionprops", "RegionProperties", f"{name}: not measured of this image", stacklevel=5)
        given = self._columns
        newer = {} if (given.spacing == 1).all() else {"spacing": given.spacing}  # since 0.20
        return getattr(theirs(self._box, self._label, given.image, given.intensity, True, **newer), name)

    def _number(self, name):
        columns, row, start = self._columns, self._row, 0
        refused = columns.why_not(name)
        if refused:
            raise NotImplementedError(refused)
        if name in OF_INTENSITIES and columns.intensity is None:
            raise AttributeError(name)
        if not self._cache_active:
            columns = self._of_the_box()
            row = columns.quantity("label").tolist().index(self._label)
            start = [side.start for side in self._box] * columns.spacing
        values = columns.quantity(name)
        if values is not None:
            value = values[row]
            if name in ("centroid", "centroid_weighted"):
                shift = start + (self._offset if name == "centroid" else 0)
                value = tuple((value.T + shift).T)
            return list(value) if name == "inertia_tensor_eigvals" else int(value) if name == "euler_number" else value
        return self._of_scikit_image(name)

    def _of_the_box(self):
        given = self._columns
        intensity = None if given.intensity is None else given.intensity[self._box]
        return Columns(given.image[self._box], intensity, given.spacing)

    # ---- objects

    label = property(lambda self: self._label, doc="The region's label.")
    slice = property(lambda self: self._box, doc="The slices of its box.")
    bbox = property(lambda self: tuple(side.start for side in self._box) + tuple(side.stop for side in self._box),
                    doc="First coordinates of its box along each axis, then the ends.")
    image = _cached("image", lambda self: self._label_image[self._box] == self._label)
    image_filled = _cached("image_filled", lambda self: _filled(self.image))
    image_convex = _cached("image_convex", lambda self: _convex(self.image))
    coords = property(lambda self: self._indices() + self._offset, doc="Coordinates of its pixels.")
    coords_scaled = property(lambda self: self._indices() * self._columns.spacing + self._offset,
                             doc="Coordinates of its pixels, in the unit of the spacing.")

    def _indices(self):
        return numpy.argwhere(self.image) + [side.start for side in self._box]

    @property
    def image_intensity(self):
        """The intensities in its box, 0 outside of the region."""
        if self._intensity_image is None:
            raise AttributeError("image_intensity")
        mask = self.image[..., None] if self._columns.has_channels else self.image
        return self._intensity_image[self._box] * mask

    # ---- names

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        present = DEPRECATED.get(name, name)
        if present in OF_INTENSITIES and self._intensity_image is None:
            raise AttributeError(f"Attribute '{name}' unavailable when `intensity_image` has not been specified.")
        if name in self._extra_properties:
            return self._extra(name)
        if name in DEPRECATED and name.islower():
            warnings.warn(f"`RegionProperties.{name}` is deprecated starting in version 0.26 and will be removed in version 2.0. "
                          f"Use `RegionProperties.{present}` instead. ", FutureWarning, stacklevel=2)
            return getattr(self, present)
        raise AttributeError(f"'RegionProperties' object has no attribute '{name}'")

    def _extra(self, name):
        function = self._extra_properties[name]
        arguments = required_arguments(function)
        if arguments == 1:
            return function(self.image)
        if arguments != 2:
            raise AttributeError(f"Custom regionprop function's number of arguments must be 1 or 2, but {name} takes "
                                 f"{arguments} arguments.")
        if self._intensity_image is None:
            raise AttributeError(f"intensity image required to calculate {name}")
        if not self._columns.has_channels:
            return function(self.image, self.image_intensity)
        return numpy.stack([function(self.image, channel) for channel in numpy.moveaxis(self.image_intensity, -1, 0)], axis=-1)

    def __getitem__(self, name):
        if name in DEPRECATED:
            warnings.warn(f"`RegionProperties[{name!r}]` is deprecated starting in version 0.26 and will be removed in version "
                          f"2.0. Use `RegionProperties[{DEPRECATED[name]!r}]` instead. ", FutureWarning, stacklevel=2)
        return getattr(self, DEPRECATED.get(name, name))

    def __iter__(self):
        return iter([name for name in ITERATED if self._intensity_image is not None or name not in OF_INTENSITIES])

    def __eq__(self, other):
        if not isinstance(other, RegionProperties) or list(self) != list(other):
            return False
        return all(_same(getattr(self, name, None), getattr(other, name, None)) for name in self if not _is_refused(self, name))

    __hash__ = None

    def __repr__(self):
        return f"<RegionProperties: label={self.label!r}, bbox={self.bbox}>"


for _name in GROUP_OF:
    setattr(RegionProperties, _name, _cached(_name, lambda region, name=_name: region._number(name)))


def _is_refused(region, name):
    return name in GROUP_OF and region._columns.why_not(name) is not None


def _same(mine, other):
    try:
        numpy.testing.assert_equal(mine, other)
    except AssertionError:
        return False
    return True


def _filled(mask):
    return binary_fill_holes(mask, numpy.ones((3,) * mask.ndim))


def _convex(mask):
    return original("skimage.morphology", "convex_hull_image", "image_convex: the hull of a mask")(mask)


def required_arguments(function):
    """How many arguments a function of the caller takes that have no default."""
    found = inspect.getfullargspec(function)
    return len(found.args) - len(found.defaults or ())


def _checked(labels, intensity, offset):
    if labels.ndim not in (2, 3):
        raise TypeError("Only 2-D and 3-D images supported.")
    if labels.dtype == bool:
        raise TypeError("Non-integer image types are ambiguous: use skimage.measure.label to label the connected components of "
                        "label_image, or label_image.astype(np.uint8) to interpret the True values as a single label.")
    if labels.dtype.kind not in "iu":
        raise TypeError("Non-integer label_image types are ambiguous")
    if offset.shape != (labels.ndim,):
        raise ValueError(f"Offset should be an array-like of integers of shape (label_image.ndim,); {offset} was provided.")
    if intensity is not None and (intensity.shape[:labels.ndim] != labels.shape or intensity.ndim > labels.ndim + 1):
        raise ValueError("Label and intensity image shapes must match, except for channel (last) axis.")


def functions_by_name(extra_properties):
    """The caller's functions; warns of names that are taken."""
    found = {function.__name__: function for function in extra_properties or ()}
    for name in found:
        if name in NAMES or name in DEPRECATED:
            warnings.warn(f"Extra property '{name}' is shadowed by existing property and will be inaccessible. Consider renaming "
                          "it.", stacklevel=3)
    return found


def columns_of(label_image, intensity_image, spacing, offset=None):
    """The columns of an image that was given, and the offset of its coordinates."""
    labels = numpy.asarray(label_image)
    labels = labels.astype(labels.dtype.newbyteorder("="), copy=False)
    intensity = None if intensity_image is None else numpy.asarray(intensity_image)
    origin = numpy.zeros(labels.ndim, int) if offset is None else numpy.asarray(offset)
    _checked(labels, intensity, origin)
    return Columns(labels, intensity, spacing), origin


def regions_of(columns, cache=True, extra_properties=(), origin=0):
    """An object for each region."""
    settings = cache, extra_properties, origin
    rows = enumerate(zip(columns.quantity("label").tolist(), columns.boxes()))
    return [RegionProperties(columns, row, label, box, settings) for row, (label, box) in rows]


def regionprops(label_image, intensity_image=None, cache=True, *, extra_properties=None, spacing=None, offset=None):
    """Measures the regions of a label image, as skimage.measure.regionprops does.

    >>> regions = regionprops(numpy.array([[1, 1, 0], [0, 0, 4]]))
    >>> regions[0]
    <RegionProperties: label=1, bbox=(0, 0, 1, 2)>
    >>> [float(region.area) for region in regions]
    [2.0, 1.0]

    Parameters
    ----------
    label_image : array of 2 or 3 dimensions
        Of integers; those of 0 and below are background.
    intensity_image : array
        Of the same shape; a last axis more has channels.
    cache : bool
        Regions keep what they have measured. Without, each access measures the region's box again.
    extra_properties : functions
        Of the mask of a region, or of the mask and its intensities; they are properties by their names.
    spacing : number, or one for each axis
        The size of a pixel.
    offset : int for each axis
        Is added to coordinates.

    Returns
    -------
    list of RegionProperties
        In ascending order of labels. What skerry does not measure (image_convex) is scikit-image's.
    """
    columns, origin = columns_of(label_image, intensity_image, spacing, offset)
    return regions_of(columns, bool(cache), functions_by_name(extra_properties), origin)

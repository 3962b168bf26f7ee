# SPDX-License-Identifier: Apache-2.0
"""Names of the properties of regions in scikit-image 0.26: their meaning, their groups in skerry, and older names."""

# Of each group of columns that skerry measures (docs/columns.md): properties.
GROUPS = {
    "basic": ("num_pixels", "area", "area_bbox", "extent", "equivalent_diameter_area", "centroid", "centroid_local"),
    "ellipse": ("axis_major_length", "axis_minor_length", "eccentricity", "inertia_tensor", "inertia_tensor_eigvals",
                "orientation"),
    "intensity": ("intensity_max", "intensity_mean", "intensity_median", "intensity_min", "intensity_std"),
    "power_sums": ("moments", "moments_central", "moments_normalized", "moments_hu"),
    "weighted_sums": ("centroid_weighted", "centroid_weighted_local", "moments_weighted", "moments_weighted_central",
                      "moments_weighted_normalized", "moments_weighted_hu"),
    "patterns": ("euler_number", "perimeter", "perimeter_crofton"),
    "hull": ("area_convex", "solidity", "feret_diameter_max"),
    "filled": ("area_filled",),
}
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}

OBJECTS = ("coords", "coords_scaled", "image", "image_convex", "image_filled", "image_intensity", "slice")
WHOLE_NUMBERS = {"label", "num_pixels", "bbox", "euler_number"}
NAMES = {"label", "bbox", *GROUP_OF, *OBJECTS}

OF_INTENSITIES = {"image_intensity", *GROUPS["intensity"], *GROUPS["weighted_sums"]}
OF_PLANES = {"eccentricity", "moments_hu", "moments_weighted_hu", "orientation", "perimeter", "perimeter_crofton"}

_OLD_NAMES = {
    "bbox_area": "area_bbox", "convex_area": "area_convex", "convex_image": "image_convex",
    "equivalent_diameter": "equivalent_diameter_area", "filled_area": "area_filled", "filled_image": "image_filled",
    "intensity_image": "image_intensity", "local_centroid": "centroid_local", "major_axis_length": "axis_major_length",
    "max_intensity": "intensity_max", "mean_intensity": "intensity_mean", "min_intensity": "intensity_min",
    "minor_axis_length": "axis_minor_length", "weighted_moments_central": "moments_weighted_central",
    "weighted_centroid": "centroid_weighted", "weighted_moments_hu": "moments_weighted_hu",
    "weighted_local_centroid": "centroid_weighted_local", "weighted_moments": "moments_weighted",
    "weighted_moments_normalized": "moments_weighted_normalized"}

_FIRST_NAMES = {
    "BoundingBox": "bbox", "BoundingBoxArea": "area_bbox", "CentralMoments": "moments_central", "Coordinates": "coords",
    "CroftonPerimeter": "perimeter_crofton", "EquivDiameter": "equivalent_diameter_area", "FeretDiameter": "feret_diameter_max",
    "HuMoments": "moments_hu", "NormalizedMoments": "moments_normalized", "WeightedCentralMoments": "moments_weighted_central",
    "WeightedHuMoments": "moments_weighted_hu", "WeightedNormalizedMoments": "moments_weighted_normalized"}


def _in_capitals(name):
    return "".join(word.capitalize() for word in name.split("_"))


# The first names of most properties are their old or present ones, MajorAxisLength, in capitals.
_IN_CAPITALS = ("convex_area", "convex_image", "filled_area", "filled_image", "intensity_image", "local_centroid",
                "major_axis_length", "max_intensity", "mean_intensity", "min_intensity", "minor_axis_length",
                "weighted_centroid", "weighted_local_centroid", "weighted_moments")
_STILL_SO = ("area", "centroid", "eccentricity", "euler_number", "extent", "feret_diameter_max", "image", "inertia_tensor",
             "inertia_tensor_eigvals", "label", "moments", "orientation", "perimeter", "slice", "solidity")

# Present names of properties by names that are deprecated since 0.26.
DEPRECATED = {**_OLD_NAMES, "std_intensity": "intensity_std", **_FIRST_NAMES,
              **{_in_capitals(name): _OLD_NAMES[name] for name in _IN_CAPITALS},
              **{_in_capitals(name): name for name in _STILL_SO}}

# Iterating over a region gives the names that have a deprecated one.
ITERATED = sorted(set(DEPRECATED.values()))

# SPDX-License-Identifier: Apache-2.0
"""Photographs of samples/, as images of objects and background."""
import pathlib

import skimage.filters
import skimage.io

SAMPLES = pathlib.Path(__file__).parents[2] / "samples"


def grey_of(name):
    """The first channel."""
    grey = skimage.io.imread(SAMPLES / name)
    return grey[..., 0] if grey.ndim == 3 else grey


def objects_of(name):
    """The pixels above Otsu's threshold."""
    grey = grey_of(name)
    return grey > skimage.filters.threshold_otsu(grey)

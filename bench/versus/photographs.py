# SPDX-License-Identifier: Apache-2.0
"""Photographs of samples/, as images of objects and background."""
import pathlib

import skimage.filters
import skimage.io

SAMPLES = pathlib.Path(__file__).parents[2] / "samples"


def objects_of(name):
    """The pixels above Otsu's threshold, of the first channel where there are several."""
    grey = skimage.io.imread(SAMPLES / name)
    grey = grey[..., 0] if grey.ndim == 3 else grey
    return grey > skimage.filters.threshold_otsu(grey)

# SPDX-License-Identifier: Apache-2.0
"""Drop-ins for scikit-image: ``from skerry.skimage import measure, morphology, segmentation``."""
from . import measure, morphology, segmentation

__all__ = ["measure", "morphology", "segmentation"]

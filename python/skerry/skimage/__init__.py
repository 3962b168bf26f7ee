# SPDX-License-Identifier: Apache-2.0
"""Drop-ins for scikit-image: ``from skerry.skimage import measure, morphology``."""
from . import measure, morphology

__all__ = ["measure", "morphology"]

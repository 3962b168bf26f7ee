# SPDX-License-Identifier: Apache-2.0
"""The extension of skerry with CUDA 13. ``import skerry`` takes it where a GPU answers; there is nothing else in it."""
from ._native import version as __version__

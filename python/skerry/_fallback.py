# SPDX-License-Identifier: Apache-2.0
"""Calls of drop-ins that skerry leaves to the original.

The environment variable SKERRY_FALLBACK says what then happens: "allow" (the default) calls the original, "warn" does so
and warns, "error" raises NotImplementedError.
"""
import importlib
import os
import warnings

PACKAGES = {"scipy": "scipy", "skimage": "scikit-image", "cc3d": "connected-components-3d", "cv2": "opencv-python-headless",
            "cupyx": "cupy-cuda13x", "cucim": "cucim-cu13"}

originals = {}  # functions by (module, name), while patched() has replaced them


class FallbackWarning(UserWarning):
    """A call was left to the library that skerry stands in for."""


def original(module, name, reason, stacklevel=3):
    """The function that a call is left to; ``reason`` names the argument, ``stacklevel`` the caller for warnings."""
    policy = os.environ.get("SKERRY_FALLBACK", "allow")
    text = f"{reason}, which is left to {module}.{name}"
    if policy == "error":
        raise NotImplementedError(f"{text}; SKERRY_FALLBACK=error forbids that")
    if policy == "warn":
        warnings.warn(text, FallbackWarning, stacklevel=stacklevel)
    elif policy != "allow":
        raise ValueError(f"SKERRY_FALLBACK: {policy!r} is not 'allow', 'warn' or 'error'")
    if (module, name) in originals:
        return originals[module, name]
    try:
        found = importlib.import_module(module)
    except ImportError as missing:
        raise ImportError(f"{text}: pip install {PACKAGES[module.split('.')[0]]}") from missing
    return getattr(found, name)


def the_rest_of(module):
    """A module's __getattr__ that gives the names which skerry does not have."""

    def attribute(name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return original(module, name, f"{name}: not a name of skerry")
        except ImportError as missing:
            raise AttributeError(str(missing)) from missing

    return attribute

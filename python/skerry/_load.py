# SPDX-License-Identifier: Apache-2.0
"""Which extension module is used: that of skerry-cuda13, where it is installed and a GPU answers, or skerry's own."""
import importlib
import os
import sys

_CUDA_PACKAGE = "skerry_cuda13"


def _imported(name):
    """An extension; one that Python or NumPy keeps out of a subinterpreter says what to do instead."""
    try:
        return importlib.import_module(name)
    except ImportError as failure:
        if "interpreter" in str(failure):
            raise ImportError("skerry works in the main interpreter alone, as NumPy does; use threads, which run at the same time, or "
                              "processes") from failure
        raise


def _own():
    return _imported("skerry._native")


def _with_cuda():
    """The extension with CUDA, and why there is none: one of them is None."""
    try:
        found = _imported(f"{_CUDA_PACKAGE}._native")
    except ImportError as failure:
        return None, f"{_CUDA_PACKAGE} is not installed" if failure.name == _CUDA_PACKAGE else f"{_CUDA_PACKAGE}: {failure}"
    version = importlib.import_module(_CUDA_PACKAGE).__version__
    if version != found.version:
        return None, f"{_CUDA_PACKAGE} {version} has an extension of {found.version}"
    if found.cuda_devices == 0:
        return None, "no GPU answers"
    return found, None


def _load():
    """The extension, which becomes skerry._native, and why it was chosen."""
    wanted = os.environ.get("SKERRY_ENGINE", "")
    if wanted not in ("", "cpu", "cuda"):
        raise ImportError(f"SKERRY_ENGINE: {wanted!r} is not 'cpu' or 'cuda'")
    if wanted == "cpu":
        return _own(), "SKERRY_ENGINE=cpu"
    found, missing = _with_cuda()
    if found is None:
        own = _own()
        if own.cuda_devices > 0:  # built with CUDA itself
            return own, "built with CUDA"
        if wanted == "cuda":
            raise ImportError(f"SKERRY_ENGINE=cuda: {missing}")
        return own, missing
    sys.modules["skerry._native"] = found
    return found, "a GPU answers"


native, reason = _load()

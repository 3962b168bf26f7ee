# SPDX-License-Identifier: Apache-2.0
"""What this installation is, and what it holds."""
from __future__ import annotations

from typing import Any, Literal
import platform

import numpy

from . import _native
from ._load import reason


def show_config(mode: Literal["stdout", "dicts"] = "stdout") -> dict[str, Any] | None:
    """Prints versions, which extension is used and why, GPUs that answer, and the engine of host memory.

    With mode="dicts" returns them as a dict.

    >>> show_config("dicts")["engine"]
    'cpu'
    """
    if mode not in ("stdout", "dicts"):
        raise ValueError(f"mode: {mode!r} is not 'stdout' or 'dicts'")
    told = {"skerry": _native.version, "python": platform.python_version(), "numpy": numpy.__version__,
            "extension": f"{_native.__name__} ({reason})", "GPUs": _native.cuda_devices,
            **_native.engine_description(None)}
    if mode == "dicts":
        return told
    for name, value in told.items():
        print(f"{name + ':':32}{value}")
    return None


def release_scratch() -> None:
    """Gives the calling thread's scratch memory back to the system.

    Scratch grows with the largest call and is kept for the next one.
    """
    _native.release_scratch()

# SPDX-License-Identifier: Apache-2.0
"""The extension module."""
import importlib


def _imported(name):
    """The extension; where Python or NumPy keeps it out of a subinterpreter, the error says what to do instead."""
    try:
        return importlib.import_module(name)
    except ImportError as failure:
        if "interpreter" in str(failure):
            raise ImportError("skerry works in the main interpreter alone, as NumPy does; use threads, which run at the same time, or "
                              "processes") from failure
        raise


native = _imported("skerry._native")

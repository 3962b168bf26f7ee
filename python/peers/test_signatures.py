# SPDX-License-Identifier: Apache-2.0
"""The drop-ins take what the newest originals take: the same parameters, in the same order, with the same defaults."""
import importlib
import inspect

import pytest

from skerry import _patch


def pairs():
    """Name, original and drop-in of each function; patched() has replaced nothing yet."""
    for module, drop_in in _patch._DROP_INS.items():
        original, ours = importlib.import_module(module), importlib.import_module(drop_in)
        for name in ours.__all__:
            if inspect.isfunction(getattr(ours, name)):
                yield pytest.param(getattr(original, name), getattr(ours, name), id=f"{module}.{name}")


def parameters(function):
    """Names, kinds and defaults; one that says "not given" is an object of each library's own."""
    found = inspect.signature(function).parameters.values()
    plain = (bool, int, float, str, tuple, type(None))
    return [(each.name, each.kind, each.default if isinstance(each.default, plain) else "its own") for each in found]


@pytest.mark.parametrize("original, drop_in", pairs())
def test_parameters(original, drop_in):
    assert original is not drop_in
    try:
        expected = parameters(original)
    except ValueError:
        pytest.skip("it does not tell its parameters")
    assert parameters(drop_in) == expected

# SPDX-License-Identifier: Apache-2.0
"""Annotations of the public functions, and the stub of the extension module."""
import ast
import inspect
import pathlib
import typing

import pytest

import skerry
from skerry import _native, _types

FOLDER = pathlib.Path(skerry.__file__).parent
FUNCTIONS = [getattr(skerry, name) for name in skerry.__all__ if inspect.isfunction(getattr(skerry, name))]
CLASSES = [skerry.DeviceArray, skerry.Engine, skerry.Labels, skerry.MaxTree, skerry.Outlines, skerry.Table, skerry.TrackedFrame, skerry.Tracker]
METHODS = [method for each in CLASSES for name, method in vars(each).items()
           if inspect.isfunction(method) and (not name.startswith("_") or name == "__init__")]


def test_type_checkers_read_the_package():
    assert (FOLDER / "py.typed").exists()


@pytest.mark.parametrize("function", FUNCTIONS + METHODS, ids=lambda function: function.__qualname__)
def test_public_functions_are_annotated(function):
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.name == "self" or parameter.annotation is not inspect.Parameter.empty, parameter
    names = {**vars(inspect.getmodule(function)), **vars(_types), "ArrayLike": typing.Any, "MaxTree": skerry.MaxTree}
    typing.get_type_hints(inspect.unwrap(function), names)  # each name of an annotation means something


def test_keywords_of_label_are_those_of_the_choice():
    own = {"image", "dtype", "out", "threads"}
    assert set(inspect.signature(skerry.label).parameters) - own == set(typing.get_type_hints(_types.Choice))


def described(module):
    """Of each function of the extension the names of its parameters; of classes their methods and properties."""
    found = {}
    for name, value in vars(module).items():
        if hasattr(value, "__nb_signature__"):
            found[name] = [parameters(text[0]) for text in value.__nb_signature__]
        elif isinstance(value, type):
            for member, item in vars(value).items():
                if hasattr(item, "__nb_signature__"):
                    found[f"{name}.{member}"] = [parameters(text[0]) for text in item.__nb_signature__]
                elif isinstance(item, property):
                    found[f"{name}.{member}"] = [["self"]]
    return found


def parameters(signature):
    """The names before the colons of a signature, whose types are words of nanobind."""
    depth, names, word = 0, [], ""
    for letter in signature[signature.index("(") + 1:signature.rindex(") ->")] + ",":
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            names.append(word.partition(":")[0].strip())
            word = ""
        else:
            word += letter
    return [name for name in names if name and name != "/"]


def of_stub(tree, prefix=""):
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found.update(of_stub(node, f"{node.name}."))
        elif isinstance(node, ast.FunctionDef):
            found.setdefault(prefix + node.name, []).append([each.arg for each in (*node.args.posonlyargs, *node.args.args)])
    return found


@pytest.mark.skipif(hasattr(_native, "enqueue_label"), reason="the stub is that of the extension without CUDA")
def test_the_stub_is_that_of_the_module():
    stub = of_stub(ast.parse((FOLDER / "_native.pyi").read_text()))
    module = described(_native)
    assert set(stub) == set(module), "run script/python-stub"
    assert all(sorted(map(len, stub[name])) == sorted(map(len, module[name])) for name in module), "run script/python-stub"
    assert all(stub[name] == module[name] for name in module if "." not in name), "run script/python-stub"

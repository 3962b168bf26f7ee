# SPDX-License-Identifier: Apache-2.0
"""Arrays that say that they are on a GPU, where there is none: what is read of them, and how they are refused."""
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

import skerry
from skerry import _native

without_cuda = pytest.mark.skipif(hasattr(_native, "enqueue_label"), reason="the extension has CUDA")


class Interface:
    """What an array with __cuda_array_interface__ says."""

    def __init__(self, shape=(4, 5), typestr="|u1", **entries):
        self.shape = shape
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (4096, False), "version": 3,
                                         "strides": None, **entries}

    # the protocol is looked up in the type, as NumPy looks up its own
    __cuda_array_interface__ = None


class OnGpu:
    """An array of the host that says by DLPack that it is on a GPU."""

    def __init__(self, array, place=2, failure=None):
        self.array, self.shape, self.dtype, self.place, self.failure = array, array.shape, array.dtype, place, failure
        self.streams = []

    def __dlpack_device__(self):
        return self.place, 0

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        if self.failure is not None:
            raise self.failure
        return self.array.__dlpack__()


CALLS = [skerry.label, skerry.count, skerry.measure, skerry.max_tree, skerry.measure_labels, skerry.outline, skerry.contacts,
         skerry.measure_columns, skerry.relabel, lambda labels: skerry.remap(labels, {1: 2}),
         lambda labels: skerry.keep_regions(labels, {})]


@without_cuda
@pytest.mark.parametrize("call", CALLS)
def test_a_build_without_cuda_names_the_argument_and_the_remedy(call):
    for array in (Interface(), OnGpu(np.ones((3, 4), np.uint8)), OnGpu(np.ones((3, 4), np.uint8), place=13)):
        with pytest.raises(TypeError, match="^(image|labels): is in memory of a GPU, .*skerry-cuda13.*cpu"):
            call(array)


@pytest.mark.parametrize("entries, error, message", [
    ({"shape": (1, 1, 1, 5)}, ValueError, "image: 4 dimensions are not 1, 2"),
    ({"typestr": "<c8"}, TypeError, "image: dtype <c8 is not bool"),
    ({"typestr": ">i4"}, TypeError, "image: dtype >i4 is big-endian"),
    ({"typestr": "|O8"}, TypeError, "image: dtype .O8 is not bool"),
    ({"mask": object()}, TypeError, "image: masked arrays"),
])
def test_what_the_interface_says_is_checked(entries, error, message):
    with pytest.raises(error, match=message):
        skerry.measure(Interface(**entries))


@pytest.mark.parametrize("array, error, message", [
    (np.ones((1, 1, 1, 5), np.uint8), ValueError, "image: 4 dimensions are not 1, 2"),
    (np.ones((2, 2), complex), TypeError, "image: dtype complex128 is not bool"),
])
def test_what_dlpack_says_is_checked(array, error, message):
    with pytest.raises(error, match=message):
        skerry.measure(OnGpu(array))


def test_a_library_that_does_not_export_says_why():
    with pytest.raises(TypeError, match="image: its library does not export it by DLPack: detach it first"):
        skerry.measure(OnGpu(np.ones((2, 2)), failure=BufferError("detach it first")))


def test_producers_are_told_the_stream():
    array = OnGpu(np.ones((2, 2), np.uint8))
    with pytest.raises((TypeError, ValueError, RuntimeError)):
        skerry.measure(array)
    assert array.streams == [1]


def test_arrays_of_the_host_are_read_where_they_are():
    image = np.array([[1, 0, 1]], np.uint8)
    assert skerry.label(OnGpu(image, place=1).array).count == 2
    labels = skerry.label(image)
    assert np.shares_memory(np.from_dlpack(labels), labels.image)


def test_the_configuration_says_which_extension_is_used_and_why():
    told = skerry.show_config("dicts")
    assert told["GPUs"] == _native.cuda_devices
    assert told["extension"].startswith(_native.__name__)


def run(code, folder=None, **environment):
    paths = [str(folder)] if folder else []
    paths.append(os.path.dirname(os.path.dirname(skerry.__file__)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


@without_cuda
def test_the_extension_is_chosen_at_import():
    done = run("import skerry; print(skerry.show_config('dicts')['extension'])", SKERRY_ENGINE="cpu")
    assert done.stdout == "skerry._native (SKERRY_ENGINE=cpu)\n", done.stderr
    assert "SKERRY_ENGINE: 'gpu' is not 'cpu' or 'cuda'" in run("import skerry", SKERRY_ENGINE="gpu").stderr
    missing = "no GPU answers" if importlib.util.find_spec("skerry_cuda13") else "skerry_cuda13 is not installed"
    assert f"SKERRY_ENGINE=cuda: {missing}" in run("import skerry", SKERRY_ENGINE="cuda").stderr


@without_cuda
@pytest.mark.parametrize("version, devices, said", [
    ("'0.0.0'", 1, "skerry_cuda13 0.0.0 has an extension of"),
    ("skerry._native.version", 0, "no GPU answers"),
])
def test_an_extension_that_does_not_fit_is_left(tmp_path, version, devices, said):
    package = tmp_path / "skerry_cuda13"
    package.mkdir()
    (package / "__init__.py").write_text(f"import skerry._native\n__version__ = {version}\n")
    (package / "_native.py").write_text(f"import skerry._native\nversion = skerry._native.version\ncuda_devices = {devices}\n")
    done = run("import skerry; print(skerry.show_config('dicts')['extension'])", tmp_path, SKERRY_ENGINE="")
    assert done.stdout.startswith("skerry._native (" + said), (done.stdout, done.stderr)


@without_cuda
def test_an_extension_that_fits_is_taken(tmp_path):
    package = tmp_path / "skerry_cuda13"
    package.mkdir()
    (package / "__init__.py").write_text("from ._native import version as __version__\n")
    (package / "_native.py").write_text("import sys, skerry._native as own\nglobals().update(vars(own))\n"
                                        "__name__, cuda_devices = 'skerry_cuda13._native', 1\n")
    done = run("import skerry; print(skerry.show_config('dicts')['extension'], skerry.label([[1, 0, 1]]).count)", tmp_path,
               SKERRY_ENGINE="")
    assert done.stdout == "skerry_cuda13._native (a GPU answers) 2\n", done.stderr

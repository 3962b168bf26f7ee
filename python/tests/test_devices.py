# SPDX-License-Identifier: Apache-2.0
"""Engines of several GPUs: components of images in host memory are those of the CPU. One GPU may be named several times."""
import concurrent.futures
import multiprocessing
import pickle

import numpy as np
import pytest

import skerry
import skerry.blocks
from skerry import _native

needs_gpu = pytest.mark.skipif(_native.cuda_devices == 0, reason="there is no GPU, or no extension with CUDA")
DEVICES = (0, 1) if _native.cuda_devices > 1 else (0, 0, 0)
SHAPES = [(3000, 2111), (70, 300, 301)]  # more pixels than one GPU has alone


def noise(shape, density=0.4):
    return np.random.default_rng(0).integers(1, 256, shape, np.uint8) * (np.random.default_rng(1).random(shape) < density)


def same(table, expected):
    return list(table) == list(expected) and all(np.array_equal(table[name], expected[name], equal_nan=True) for name in expected)


@needs_gpu
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("keywords", [{}, {"above": 90}, {"min_area": 5}, {"largest": 3}, {"clear_border": True}, {"equal": True},
                                      {"fill_holes": True}, {"periodic": True}, {"threshold": "otsu"}])
def test_components_are_those_of_the_cpu(shape, keywords):
    image = noise(shape)
    labels, table = skerry.label(image, **keywords), skerry.measure(image, image, moments=True, **keywords)
    with skerry.Engine(devices=DEVICES) as engine:
        assert engine.devices == DEVICES
        found = skerry.label(image, **keywords)
        assert found.image.dtype == labels.image.dtype and np.array_equal(found.image, labels.image) and found.count == labels.count
        assert skerry.count(image, **keywords) == labels.count
        assert same(skerry.measure(image, image, moments=True, **keywords), table)


@needs_gpu
def test_arrays_of_any_layout():
    image = noise((2200, 2300))
    expected = skerry.label(image).image
    with skerry.Engine(devices=0):
        for array in (image, np.asfortranarray(image), np.repeat(image, 2, -1)[:, ::2], image.astype("f4"), image != 0):
            assert np.array_equal(skerry.label(array).image, expected)
        out = np.zeros(image.shape, "i8")
        assert skerry.label(image, out=out).image is out and np.array_equal(out, expected)
        assert np.array_equal(skerry.ndimage.label(image, np.ones((3, 3)))[0], expected)
        assert skerry.count(image[0]) == skerry.count(image[0], threads=1)  # a line; a call's own threads are the CPU's
        assert np.array_equal(skerry.max_tree(image).area_opening(9), skerry.max_tree(image, threads=1).area_opening(9))


@needs_gpu
def test_an_engine_of_gpus_is_that_of_a_block():
    def gpus():
        return skerry.show_config("dicts")["GPUs of components"]

    with skerry.Engine(devices=np.int64(0)) as engine:
        assert gpus() == (0,) == pickle.loads(pickle.dumps(engine)).devices
        assert repr(engine).endswith(", GPU 0>")
        with skerry.Engine(2):
            assert gpus() is None
        assert gpus() == (0,)
    assert gpus() is None


@needs_gpu
@pytest.mark.parametrize("executor", [
    None, lambda: concurrent.futures.ThreadPoolExecutor(2),
    lambda: concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn"))])
@pytest.mark.parametrize("fill_holes", [False, True])
def test_blocks_are_labelled_on_gpus_by_all_workers(executor, fill_holes):
    image = noise((60, 200, 210), 0.3)
    labels, table = skerry.label(image, fill_holes=fill_holes), skerry.measure(image, fill_holes=fill_holes)
    with skerry.Engine(devices=DEVICES):
        found, rows = skerry.blocks.label(image, blocks=(30, 100, 105), fill_holes=fill_holes, executor=executor)
    assert np.array_equal(found, labels.image) and same(rows, table)


@pytest.mark.parametrize("workers", [concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor])
def test_workers_have_the_gpus_of_the_call(monkeypatch, workers):
    monkeypatch.setattr("skerry._workers.usual_devices", lambda: (1023,))
    image = noise((8, 20, 30))
    with workers(1) as pool:
        with pytest.raises(RuntimeError, match="1023|CUDA"):  # there is no such GPU
            skerry.blocks.label(image, blocks=(4, 20, 30), executor=pool)
        monkeypatch.undo()
        assert np.array_equal(skerry.blocks.label(image, blocks=(4, 20, 30), executor=pool)[0], skerry.label(image).image)

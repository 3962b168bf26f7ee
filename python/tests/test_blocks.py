# SPDX-License-Identifier: Apache-2.0
"""Arrays in blocks on executors: the same labels and tables as one call, and what becomes of workers and calls that die."""
import concurrent.futures
import functools
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skerry
import skerry.blocks

NEIGHBOURS = {2: (4, 8), 3: (6, 18, 26)}


def noise(shape=(60, 70), values=2):
    return np.random.default_rng(0).integers(0, values, shape).astype("u1")


def assert_same(result, image, intensity=None, moments=False, **choice):
    """The labels and the table of one call, in the same type."""
    labels, table = result
    expected = skerry.measure(image, intensity, moments=moments, **choice)
    assert np.array_equal(np.asarray(labels[...]), skerry.label(image, **choice).image)
    assert table.keys() == expected.keys() and all(np.array_equal(table[name], expected[name]) for name in expected)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_blocks_give_the_labels_and_the_table_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    image = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 3, shape).astype("u1")
    joining = [{}, {"equal": True}, {"delta": 1}, {"periodic": [True] + [False] * (len(shape) - 1)}, {"equal": True, "periodic": True},
               {"fill_holes": True}, {"fill_holes": True, "at_least": 2}]
    choice = {"connectivity": data.draw(st.sampled_from(NEIGHBOURS[len(shape)])), **data.draw(st.sampled_from(joining)),
              **data.draw(st.sampled_from([{}, {"min_area": 3}, {"clear_border": True}, {"largest": 2}]))}
    sides = data.draw(st.lists(st.integers(1, 9), min_size=len(shape), max_size=len(shape)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            found = skerry.blocks.label(image, intensity=image, moments=True, blocks=sides, executor=executor, **choice)
            assert_same(found, image, image, True, **choice)
            assert found[0].dtype == skerry.label(image, **choice).image.dtype
    table = skerry.blocks.measure(image, blocks=sides, **choice)
    assert np.array_equal(table["area"], found[1]["area"])


def kept_by(bounds, image, **choice):
    """The labels and the table of one call, without the components that a column puts out of bounds."""
    whole, table = skerry.label(image, **choice).image, skerry.measure(image, image, moments=True, **choice)
    kept = np.ones(len(table), bool)
    for name, (least, most) in bounds.items():
        kept &= (table[name] >= (-np.inf if least is None else least)) & (table[name] <= (np.inf if most is None else most))
    numbers = np.concatenate([[0], np.where(kept, np.cumsum(kept), 0)])
    return numbers[whole], {**{name: table[name][kept] for name in table}, "label": np.arange(1, kept.sum() + 1)}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_bounds_of_any_column_are_decided_on_the_whole_array(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=3)))
    image = np.random.default_rng(data.draw(st.integers(0, 99))).integers(0, 3, shape).astype("u1")
    choice = {**data.draw(st.sampled_from([{}, {"equal": True}])), **data.draw(st.sampled_from([{}, {"min_area": 2}, {"largest": 3}]))}
    some = {"area": (2, 9), "extent": (0.4, None), "bbox-0": (1, None), "intensity_mean": (None, 1.5)}
    names = data.draw(st.lists(st.sampled_from(["area", "extent", "bbox-0", "intensity_mean"]), max_size=3, unique=True))
    bounds = {name: some[name] for name in names}
    sides = data.draw(st.lists(st.integers(1, 9), min_size=len(shape), max_size=len(shape)))
    labels, table = skerry.blocks.label(image, intensity=image, moments=True, blocks=sides, bounds=bounds, **choice)
    expected, rows = kept_by(bounds, image, **choice)
    assert np.array_equal(labels, expected)
    assert list(table) == list(rows) and all(np.array_equal(table[name], rows[name]) for name in rows)
    areas = skerry.blocks.measure(image, image, blocks=sides, bounds=bounds, **choice)["area"]
    assert np.array_equal(areas, rows["area"])


def test_bounds_are_refused_before_a_block_is_read():
    image = Recorded(noise())
    for bounds, message in (({"roundness": (0, 1)}, "bounds: 'roundness' is not among the columns"), ({"area": 3}, "bounds: 3 of 'area'"),
                            ({"intensity_mean": (0, 1)}, "bounds: 'intensity_mean'")):
        with pytest.raises(ValueError, match=message):
            skerry.blocks.label(image, bounds=bounds)
    for bounds in (7, 0, False, np.ones(3)):
        with pytest.raises(TypeError, match="bounds: .* is not a dict"):
            skerry.blocks.measure(image, bounds=bounds)
    assert image.read == []


def same_outlines(found, expected):
    names = "labels", "region_offsets", "polygon_offsets", "ring_offsets", "vertices"
    return all(np.array_equal(getattr(found, name), getattr(expected, name)) for name in names)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_blocks_of_labels_give_the_outlines_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 14), min_size=2, max_size=2)))
    dice = np.random.default_rng(data.draw(st.integers(0, 99)))
    labels = dice.integers(-1, 3, shape).astype(data.draw(st.sampled_from(["i1", "i4", "u2", "u8", "?"])))
    choice = {"connectivity": data.draw(st.sampled_from([4, 8])), "keep_collinear": data.draw(st.booleans()),
              "background": data.draw(st.sampled_from(["zero and below", None, 1]))}
    sides = data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=2))
    expected = skerry.outline(labels, **choice)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            assert same_outlines(skerry.blocks.outline(labels, blocks=sides, executor=executor, **choice), expected)


def test_outlines_go_on_and_travel(tmp_path):
    labels = noise(values=4).astype("i4")
    with pytest.raises(Interrupted):
        skerry.blocks.outline(Slow(labels, 20), blocks=(10, 10), resume=tmp_path)
    source = Slow(labels, 999)
    found = skerry.blocks.outline(source, blocks=(10, 10), resume=tmp_path)
    assert same_outlines(found, skerry.outline(labels)) and len(source.read) == 42 - 20
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert same_outlines(skerry.blocks.outline(labels, blocks=(30, 30), executor=pool), found)
    with pytest.raises(ValueError, match="labels: rank 3"):
        skerry.blocks.outline(np.zeros((2, 2, 2), "u1"))
    with pytest.raises(TypeError, match="pieces: 3 is not an OutlinePiece"):
        skerry.blocks.outline_of([3])


CHANNELS = st.sampled_from([(), (), (1,), (2,), (3,), (0,)])


def same_rows(table, expected):
    return table.keys() == expected.keys() and all(np.array_equal(table[name], expected[name], equal_nan=True) for name in expected)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_blocks_of_labels_give_the_table_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    dice = np.random.default_rng(data.draw(st.integers(0, 99)))
    labels = dice.integers(-2, 5, shape).astype(data.draw(st.sampled_from(["i1", "i4", "u2", "u8", "?"])))
    grey = dice.random(shape + data.draw(CHANNELS)).astype(data.draw(st.sampled_from(["f4", "f8"])))
    grey = (grey * 200).astype(data.draw(st.sampled_from([grey.dtype, "u1"])))
    sides = data.draw(st.lists(st.integers(1, 9), min_size=len(shape), max_size=len(shape)))
    choice = {"background": data.draw(st.sampled_from(["zero and below", None, 1])), "moments": True, "spacing": 0.5, "unit": "um"}
    expected = skerry.measure_labels(labels, grey, **choice)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            table = skerry.blocks.measure_labels(labels, grey, blocks=sides, executor=executor, **choice)
            assert same_rows(table, expected)


GROUPS = ["area", "ellipse", "intensity", "moments", "moments_weighted", "intensity_median", "patterns", "hull", "filled", "all"]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_blocks_of_labels_give_the_columns_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    dice = np.random.default_rng(data.draw(st.integers(0, 99)))
    labels = dice.integers(-2, 5, shape).astype(data.draw(st.sampled_from(["i1", "i4", "u2", "u8", "?"])))
    channels = data.draw(CHANNELS)
    grey = dice.integers(0, 200, shape + channels).astype(data.draw(st.sampled_from(["u1", "i4", "f4", "f8"])))
    sides = data.draw(st.lists(st.integers(1, 9), min_size=len(shape), max_size=len(shape)))
    columns = data.draw(st.lists(st.sampled_from(GROUPS), min_size=1, max_size=3))
    choice = {"background": data.draw(st.sampled_from(["zero and below", None, 1])), "spacing": data.draw(st.sampled_from([None, 0.5]))}
    if channels == (0,):
        columns = ["area", "all"]
    elif channels:
        columns.append(f"centroid_weighted-1-{channels[0] - 1}")
    expected = skerry.measure_columns(labels, columns, intensity=grey, **choice)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            table = skerry.blocks.measure_columns(labels, columns, intensity=grey, blocks=sides, executor=executor, **choice)
            assert same_rows(table, expected)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_blocks_are_filtered_as_one_call_filters_them(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    dice = np.random.default_rng(data.draw(st.integers(0, 99)))
    image = dice.integers(0, data.draw(st.sampled_from([3, 120])), shape).astype(data.draw(st.sampled_from(["u1", "i1"])))
    sides = data.draw(st.lists(st.integers(1, 9), min_size=len(shape), max_size=len(shape)))
    connectivity, area = data.draw(st.sampled_from([None, *NEIGHBOURS[len(shape)]])), data.draw(st.integers(0, 30))
    opened, closed = (skerry.max_tree(image, connectivity=connectivity, kind=kind) for kind in ("max", "min"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for executor in (None, pool):
            choice = {"connectivity": connectivity, "blocks": sides, "executor": executor}
            found = skerry.blocks.area_opening(image, area, **choice)
            assert found.dtype == image.dtype and np.array_equal(found, opened.area_opening(area))
            out = np.full_like(image, 1)
            assert skerry.blocks.area_closing(image, area, out=out, **choice) is out
            assert np.array_equal(out, closed.area_closing(area))


def test_filters_go_on_where_they_were_interrupted_and_on_processes(tmp_path):
    image = noise().astype("u1") * 3 + np.arange(70, dtype="u1") % 5
    expected = skerry.max_tree(image).area_opening(9)
    with pytest.raises(Interrupted):
        skerry.blocks.area_opening(Slow(image, 20), 9, blocks=(10, 10), resume=tmp_path)
    source = Slow(image, 999)
    assert np.array_equal(skerry.blocks.area_opening(source, 9, blocks=(10, 10), resume=tmp_path), expected)
    assert len(source.read) == 2 * 42 - 20
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert np.array_equal(skerry.blocks.area_opening(image, 9, blocks=(30, 30), executor=pool), expected)


@pytest.mark.parametrize("arguments, kind, text", [
    ({"array": np.zeros((4, 4), "u2")}, TypeError, "array: dtype uint16 is not uint8 or int8"),
    ({"area": 2.5}, TypeError, "area: 2.5 is not an integer"),
    ({"area": -1}, ValueError, "area: -1 is below 0"),
    ({"connectivity": 6}, ValueError, "connectivity: 6 is not 4 or 8"),
    ({"out": np.zeros((60, 70), "i4")}, TypeError, "out: dtype int32 is not that of array, uint8"),
])
def test_arguments_of_filters_that_are_refused(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.blocks.area_opening(**{"array": noise().astype("u1"), "area": 3, **arguments})


@pytest.mark.parametrize("shape, blocks", [((41, 53), (17, 20)), ((11, 23, 17), (5, 9, 16))])
@pytest.mark.parametrize("kind", ["u1", "f4"])
def test_channels_are_those_of_one_call(shape, blocks, kind, tmp_path):
    dice = np.random.default_rng(5)
    labels = np.kron(dice.integers(0, 7, [-(-side // 4) for side in shape]), np.ones((4,) * len(shape), int))[tuple(map(slice, shape))]
    several = dice.integers(0, 250, shape + (3,)).astype(kind)
    table = skerry.blocks.measure_labels(labels, several, blocks=blocks, moments=True)
    expected = skerry.measure_labels(labels, several, moments=True)
    assert "intensity_mean-2" in table and same_rows(table, expected)
    with make_pool() as pool:
        assert same_rows(skerry.blocks.measure_labels(labels, several, blocks=blocks, moments=True, executor=pool), expected)
        expected = skerry.measure_columns(labels, "all", intensity=several)
        assert same_rows(skerry.blocks.measure_columns(labels, "all", intensity=several, blocks=blocks, executor=pool), expected)
    for column in ("intensity_median-2", "centroid_weighted-0-1"):
        table = skerry.blocks.measure_columns(labels, column, intensity=several, blocks=blocks, resume=tmp_path / column)
        assert table.keys() == ["label", column] and np.array_equal(table[column], expected[column])
    with pytest.raises(ValueError, match="^resume: .* is of a call with another array or other arguments"):
        skerry.blocks.measure_columns(labels, column, intensity=several[..., :2], blocks=blocks, resume=tmp_path / column)


def test_what_channels_need_of_blocks():
    assert skerry.blocks.needs_of_columns(2, "moments_weighted-1-0-1", intensity="f4", channels=2) == (0, True, True)
    assert skerry.blocks.needs_of_columns(2, "intensity_median", intensity="u1", channels=2) == (0, False, False)
    with pytest.raises(ValueError, match="^columns: there is no column"):
        skerry.blocks.needs_of_columns(2, "intensity_median-2", intensity="u1", channels=2)
    with pytest.raises(ValueError, match=r"^intensity: its shape \(2, 1, 3\) is not that of the block, \(2, 2\), with an axis of channels"):
        skerry.blocks.measure_block_columns(np.ones((2, 2), int), (0, 0), (2, 2), (2, 2), "intensity", intensity=np.ones((2, 1, 3)))


def test_columns_go_on_where_they_were_interrupted_and_on_processes(tmp_path):
    labels, columns = noise(), ["moments", "perimeter"]
    with pytest.raises(Interrupted):
        skerry.blocks.measure_columns(Slow(labels, 60), columns, blocks=(10, 10), resume=tmp_path)
    source = Slow(labels, 999)
    table = skerry.blocks.measure_columns(source, columns, blocks=(10, 10), resume=tmp_path)
    assert len(source.read) == 2 * 42 - 60 and same_rows(table, skerry.measure_columns(labels, columns))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert same_rows(skerry.blocks.measure_columns(labels, columns, blocks=(30, 30), executor=pool), table)


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i4", "u8", "f4", "?"])
def test_otsu_is_that_of_the_whole_array(kind):
    image = (np.random.default_rng(3).normal(60, 20, (40, 50)) + 50 * (np.indices((40, 50)).sum(0) % 17 > 9)).astype(kind)
    for choice in ({}, {"fill_holes": True}):
        found = skerry.blocks.label(image, threshold="otsu", blocks=(9, 20), **choice)
        assert_same(found, image, None, False, threshold="otsu", **choice)
    same = np.full((5, 5), 1, kind)
    assert_same(skerry.blocks.label(same, threshold="otsu", blocks=(2, 2)), same, None, False, threshold="otsu")


def test_labels_go_on_where_they_were_interrupted(tmp_path):
    labels = noise()
    with pytest.raises(Interrupted):
        skerry.blocks.measure_labels(Slow(labels, 20), blocks=(10, 10), resume=tmp_path)
    source = Slow(labels, 999)
    table = skerry.blocks.measure_labels(source, blocks=(10, 10), resume=tmp_path)
    assert len(source.read) == 42 - 20 and np.array_equal(table["area"], skerry.measure_labels(labels)["area"])
    with pytest.raises(ValueError, match="^resume: .* is of a call with another array or other arguments"):
        skerry.blocks.measure_labels(labels, background=None, blocks=(10, 10), resume=tmp_path)


def test_holes_are_filled_by_processes_and_after_an_interruption(tmp_path):
    image = 1 - noise()
    image[5:55, 5:65] |= np.random.default_rng(1).integers(0, 2, (50, 60)).astype("u1")
    assert (skerry.label(image, connectivity=8, fill_holes=True).image != skerry.label(image, connectivity=8).image).any()
    with make_pool() as pool:
        assert_same(skerry.blocks.label(image, blocks=(16, 20), executor=pool, fill_holes=True), image, fill_holes=True)
    for reads in (20, 42 + 20, 84 + 10):
        call = {"blocks": (10, 10), "resume": tmp_path / str(reads), "fill_holes": True}
        with pytest.raises(Interrupted):
            skerry.blocks.label(Slow(image, reads), **call)
        assert_same(skerry.blocks.label(image, **call), image, fill_holes=True)


def make_pool(workers=2):
    return concurrent.futures.ProcessPoolExecutor(workers)


def test_processes_get_their_blocks_from_the_caller():
    image = noise()
    with make_pool() as pool:
        assert_same(skerry.blocks.label(image, blocks=(16, 20), executor=pool, intensity=image), image, image)
        out = np.full(image.shape, 9, "i4")
        labels, _ = skerry.blocks.label(image, blocks=(16, 20), executor=pool, out=out, min_area=5)
        assert labels is out and np.array_equal(out, skerry.label(image, min_area=5).image)
    assert_same(skerry.blocks.label(image, blocks=(16, 20), executor=make_pool), image)  # made here, shut down here


class Recorded:
    """An array that is no array of NumPy, and knows what was read of it."""

    def __init__(self, array, chunks=None):
        self._array, self.shape, self.dtype, self.chunks = array, array.shape, array.dtype, chunks
        self.read = []

    def __getitem__(self, region):
        self.read.append(self._array[region].shape)
        return self._array[region]

    def __setitem__(self, region, values):
        self._array[region] = values

    def __reduce__(self):
        raise TypeError("is only here")


def test_arrays_of_other_kinds_are_read_block_by_block_where_they_are():
    image = noise((50, 60))
    for executor in (None, make_pool):
        source, out = Recorded(image), Recorded(np.zeros(image.shape, "u2"))
        labels, table = skerry.blocks.label(source, out=out, blocks=(20, 25), executor=executor)
        assert labels is out
        assert_same((out, table), image)
        assert len(source.read) == 2 * 9 and max(source.read) == (20, 25)


def test_blocks_are_chunks_or_several():
    source = Recorded(noise((50, 60)), chunks=(10, 10))
    skerry.blocks.measure(source)
    assert source.read == [(50, 60)]  # small chunks are not worth a task
    large = Recorded(np.broadcast_to(np.zeros(1, "u1"), (5000, 5000)), chunks=(4000, 3000))
    skerry.blocks.measure(large)
    assert large.read == [(4000, 3000), (4000, 2000), (1000, 3000), (1000, 2000)]


def test_what_holds_no_labels_is_not_read_again():
    image = np.zeros((40, 40), "u1")
    image[:10, :10] = 1
    source = Recorded(image)
    labels, _ = skerry.blocks.label(source, blocks=(10, 10))
    assert len(source.read) == 16 + 1 and labels.sum() == 100
    out = np.full(image.shape, 9)
    skerry.blocks.label(image, blocks=(10, 10), out=out)
    assert np.array_equal(out, image)


# ---- workers that die, calls that are lost


TASKS = {name: getattr(skerry.blocks._block_calls, name) for name in ("label_task", "emit_task", "join")}


def die_once(flag, name, *arguments):
    """A task whose first worker kills itself."""
    try:
        os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return TASKS[name](*arguments)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("task", TASKS)
def test_a_worker_that_dies_is_replaced(monkeypatch, tmp_path, task):
    monkeypatch.setattr(skerry.blocks._block_calls, task, functools.partial(die_once, str(tmp_path / "dead"), task))
    image = noise()
    assert_same(skerry.blocks.label(image, blocks=(20, 30), executor=make_pool), image)
    assert (tmp_path / "dead").exists()


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_workers_that_die_again_and_again_are_an_error(monkeypatch):
    monkeypatch.setattr(skerry.blocks._block_calls, "label_task", die)
    image = noise()
    with pytest.raises(RuntimeError, match="^executor: workers died more often than retries allows"):
        skerry.blocks.label(image, blocks=(20, 30), executor=functools.partial(make_pool, 1), retries=1)
    with make_pool(1) as pool, pytest.raises(RuntimeError, match="^executor: a worker died, and this executor takes no more tasks"):
        skerry.blocks.label(image, blocks=(20, 30), executor=pool)


class Full(Recorded):
    """An array on a disk that is full."""

    def __setitem__(self, region, values):
        self.read.append(region)
        raise OSError(28, "No space left on device")


def test_a_full_disk_ends_the_call():
    image = noise()
    for executor in (None, concurrent.futures.ThreadPoolExecutor(2), make_pool):
        out = Full(np.zeros(image.shape, "u2"))
        with pytest.raises(OSError, match="No space left"):
            skerry.blocks.label(image, out=out, blocks=(10, 10), executor=executor)
        tried = len(out.read)
        assert 1 <= tried <= 2 * os.cpu_count() + 7  # what was under way; then no more
    assert threading.active_count() < 20


class Interrupted(Exception):
    pass


class Slow(Recorded):
    """Fails when it is read or written for the n-th time."""

    def __init__(self, array, fails_at):
        super().__init__(array)
        self.left = fails_at

    def _count(self):
        self.left -= 1
        if self.left < 0:
            raise Interrupted

    def __getitem__(self, region):
        self._count()
        return super().__getitem__(region)

    def __setitem__(self, region, values):
        self._count()
        super().__setitem__(region, values)


def test_a_call_goes_on_where_it_was_interrupted(tmp_path):
    image = noise()
    blocks = 6 * 7
    out = np.zeros(image.shape, "u2")
    for folder, reads, writes in [("first", 20, 99), ("second", blocks + 5, 99), ("third", 999, 15)]:
        call = {"blocks": (10, 10), "resume": tmp_path / folder, "min_area": 2}
        out[:] = 0
        with pytest.raises(Interrupted):
            skerry.blocks.label(Slow(image, reads), out=Slow(out, writes), **call)
        source = Slow(image, 999)
        _, table = skerry.blocks.label(source, out=Slow(out, 999), **call)
        assert_same((out, table), image, min_area=2)
        assert len(source.read) == 2 * blocks - (reads if reads < 999 else blocks + writes)
    damaged = tmp_path / "third/pieces/1-2"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    source = Slow(image, 999)
    _, table = skerry.blocks.label(source, out=Slow(out, 999), **call)
    assert_same((out, table), image, min_area=2)
    assert len(source.read) == 1
    with pytest.raises(ValueError, match="^resume: .*third is of a call with another array or other arguments"):
        skerry.blocks.label(image, **{**call, "min_area": 3})


def test_two_calls_do_not_share_a_folder(tmp_path):
    image = noise()
    inner = {}

    class Nested(Recorded):
        def __getitem__(self, region):
            with pytest.raises(ValueError, match="^resume: another call works in"):
                skerry.blocks.measure(image, resume=tmp_path)
            inner["ran"] = True
            return super().__getitem__(region)

    skerry.blocks.measure(Nested(image), resume=tmp_path)
    assert inner["ran"]


KILLED = """
import os, signal, sys, numpy, skerry.blocks
class Source:
    def __init__(self, array): self.array, self.shape, self.dtype, self.left = array, array.shape, array.dtype, int(sys.argv[3])
    def __getitem__(self, region):
        self.left -= 1
        if self.left < 0: os.kill(os.getpid(), signal.SIGKILL)
        return self.array[region]
out = numpy.load(sys.argv[2], mmap_mode="r+")
skerry.blocks.label(Source(numpy.load(sys.argv[1])), out=out, blocks=(10, 10), resume=sys.argv[4])
out.flush()
"""


def test_a_process_that_is_killed_goes_on(tmp_path):
    image = noise()
    np.save(tmp_path / "in.npy", image)
    np.save(tmp_path / "out.npy", np.zeros(image.shape, "u2"))
    for reads, code in [(30, -signal.SIGKILL), (25, -signal.SIGKILL), (99, 0)]:
        arguments = [str(each) for each in (tmp_path / "in.npy", tmp_path / "out.npy", reads, tmp_path / "folder")]
        assert subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False).returncode == code
    assert np.array_equal(np.load(tmp_path / "out.npy"), skerry.label(image).image)


# ---- errors


@pytest.mark.parametrize("arguments, kind, text", [
    ({"array": np.ma.masked_array(noise())}, TypeError, r"array: masked arrays are not supported; use array.filled\(0\)"),
    ({"array": np.zeros(3)}, ValueError, "array: 1 dimensions are not 2"),
    ({"array": noise().astype("M8[s]")}, TypeError, "image: dtype datetime64"),
    ({"connectivity": 6}, ValueError, "connectivity: 6 is not 4 or 8"),
    ({"threshold": "mean"}, ValueError, "threshold: 'mean' is not 'otsu'"),
    ({"threshold": "otsu", "above": 3}, ValueError, "threshold"),
    ({"fill_holes": True, "equal": True}, ValueError, "fill_holes: not with equal or delta"),
    ({"fill_holes": True, "periodic": True}, ValueError, "fill_holes: not with periodic axes"),
    ({"equal": True, "delta": 1}, ValueError, "delta: "),
    ({"periodic": (True,)}, ValueError, "periodic: "),
    ({"min_area": 5, "max_area": 4}, ValueError, "min_area: 5 is above max_area 4"),
    ({"spacing": (1, 2, 3)}, ValueError, "spacing: has 3 numbers; give one, or one for each of the 2 axes"),
    ({"intensity": noise((5, 5))}, ValueError, r"intensity: its shape \(5, 5\) is not that of array, \(60, 70\)"),
    ({"intensity": noise((60, 70, 2))}, ValueError, r"intensity: its shape \(60, 70, 2\) is not that of array, \(60, 70\)"),
    ({"blocks": (4,)}, ValueError, r"blocks: \(4,\) has not one length above 0 for each of the 2 axes"),
    ({"blocks": (4, 0)}, ValueError, r"blocks: \(4, 0\) has not one length"),
    ({"blocks": (4, 1.5)}, ValueError, r"blocks: \(4, 1.5\) has not one length"),
    ({"out": np.zeros((6, 7), int)}, ValueError, r"out: its shape \(6, 7\) is not that of array"),
    ({"out": np.zeros((60, 70))}, TypeError, "out: dtype float64 is not an integer type"),
    ({"out": np.broadcast_to(np.uint8(0), (60, 70))}, ValueError, "out: is read-only"),
    ({"out": [[0]]}, TypeError, "out: <class 'list'> is not an array that can be written, nor a path"),
    ({"out": np.zeros((60, 70), int), "dtype": int}, ValueError, "dtype: out has its own"),
    ({"out": np.zeros((60, 70), int), "ome": True}, ValueError, "ome: metadata are written beside an array that a path names"),
    ({"dtype": float}, TypeError, "dtype: float64 is not an integer type"),
    ({"executor": 3}, TypeError, "executor: 3 is not None, an executor"),
    ({"executor": dict}, TypeError, "executor: the function made {}, which is not an executor"),
])
def test_arguments_that_are_refused_before_any_work(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.blocks.label(**{"array": Full(noise()), **arguments})


@pytest.mark.parametrize("arguments, kind, text", [
    ({"labels": noise().astype(float)}, ValueError, "labels: dtype "),
    ({"labels": np.zeros(3, int)}, ValueError, "labels: 1 dimensions are not 2"),
    ({"background": "none"}, ValueError, "background: 'none' is not"),
    ({"intensity": noise((5, 5))}, ValueError, r"intensity: its shape \(5, 5\) is not that of labels, \(60, 70\)"),
    ({"intensity": noise((60, 5, 2))}, ValueError, r"intensity: its shape .* is not that of labels, .*, with an axis of channels after it"),
    ({"intensity": noise((60, 70, 2, 2))}, ValueError, r"intensity: its shape .* is not that of labels, \(60, 70\)$"),
    ({"spacing": (1, 2, 3)}, ValueError, "spacing: has 3 numbers; give one, or one for each of the 2 axes"),
    ({"blocks": (4, 0)}, ValueError, r"blocks: \(4, 0\) has not one length"),
])
def test_arguments_of_labels_that_are_refused(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.blocks.measure_labels(**{"labels": noise(), **arguments})


@pytest.mark.parametrize("arguments, kind, text", [
    ({"labels": noise().astype(float)}, ValueError, "labels: dtype "),
    ({"columns": "height"}, ValueError, "columns: there is no column or group 'height'"),
    ({"columns": "weighted_centroid"}, ValueError, "columns: 'weighted_centroid' is now called 'centroid_weighted'"),
    ({"columns": [3]}, TypeError, "columns: 3 is not the name"),
    ({"columns": "intensity_mean"}, ValueError, "columns: 'intensity_mean' "),
    ({"intensity": noise((5, 5))}, ValueError, r"intensity: its shape \(5, 5\) is not that of labels, \(60, 70\)"),
    ({"intensity": noise((60, 5, 2))}, ValueError, r"intensity: its shape .* is not that of labels, .*, with an axis of channels after it"),
    ({"intensity": noise((60, 70, 2, 2))}, ValueError, r"intensity: its shape .* is not that of labels, \(60, 70\)$"),
    ({"spacing": 0}, ValueError, "spacing: "),
])
def test_arguments_of_columns_that_are_refused(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.blocks.measure_columns(**{"labels": noise(), **arguments})


def test_the_array_itself_cannot_be_overwritten():
    image = noise()
    for out in (image, image[:]):
        with pytest.raises(ValueError, match="^out: is the array itself"):
            skerry.blocks.label(image, out=out)


def test_labels_that_do_not_fit_are_refused_before_one_is_written():
    image = np.zeros((50, 50), "u1")
    image[::2, ::2] = 1
    out = np.full(image.shape, 9, "u1")
    with pytest.raises(ValueError, match="^out: 625 components do not fit uint8, which ends at 255"):
        skerry.blocks.label(image, blocks=(10, 10), out=out)
    assert (out == 9).all()
    with pytest.raises(ValueError, match="^dtype: 625 components do not fit int8, which ends at 127"):
        skerry.blocks.label(image, dtype="i1")
    assert skerry.blocks.label(image)[0].dtype == "u2" and skerry.blocks.label(image, dtype="i8")[0].dtype == "i8"

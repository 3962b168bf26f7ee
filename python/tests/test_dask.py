# SPDX-License-Identifier: Apache-2.0
"""Arrays of Dask against one call for the whole array, and what their graphs cost."""
import contextlib
import doctest
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import warnings

import dask
import dask.array
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import skerry
import skerry.blocks
import skerry.dask

NEIGHBOURS = {2: (4, 8), 3: (6, 18, 26)}


def noise(shape, values=2, seed=0):
    return np.random.default_rng(seed).integers(0, values, shape).astype("u1")


def chunks_of(draw, length):
    """Uneven chunks of an axis, some empty."""
    ends = sorted(draw(st.lists(st.integers(0, length), max_size=4)))
    return tuple(np.diff([0, *ends, length]).tolist())


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_chunks_give_the_labels_and_the_table_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    image = noise(shape, 3, data.draw(st.integers(0, 99)))
    choice = {"connectivity": data.draw(st.sampled_from(NEIGHBOURS[len(shape)])), **data.draw(st.sampled_from([{}, {"equal": True}, {"delta": 1}])),
              "periodic": data.draw(st.booleans()), **data.draw(st.sampled_from([{}, {"min_area": 3}, {"clear_border": True}, {"largest": 2}]))}
    array = dask.array.from_array(image, chunks=tuple(chunks_of(data.draw, length) for length in shape))
    grey = dask.array.from_array(image, chunks=5)
    labels, table = skerry.dask.label(array, intensity=grey, moments=True, reread=data.draw(st.booleans()), **choice)
    assert labels.shape == shape and labels.dtype == "u4"
    found, rows = dask.compute(labels, table, scheduler="sync")
    whole, expected = skerry.label(image, **choice), skerry.measure(image, image, moments=True, **choice)
    assert found.dtype == "u4" and np.array_equal(found, whole.image)
    assert rows.keys() == expected.keys() and all(np.array_equal(rows[name], expected[name]) for name in expected)
    area = skerry.dask.measure(array, **choice).compute(scheduler="sync")["area"]
    assert np.array_equal(area, expected["area"])


def test_bounds_of_columns_are_decided_on_the_whole_array():
    image = noise((40, 50))
    array = dask.array.from_array(image, chunks=(7, 9))
    labels, table = dask.compute(*skerry.dask.label(array, bounds={"area": (3, None), "extent": (None, 0.7)}), scheduler="sync")
    expected, rows = skerry.blocks.label(image, bounds={"area": (3, None), "extent": (None, 0.7)})
    assert 0 < len(rows) < skerry.count(image) and np.array_equal(labels, expected) and np.array_equal(table["area"], rows["area"])
    with pytest.raises(ValueError, match="bounds: 'roundness' is not among the columns"):
        skerry.dask.measure(array, bounds={"roundness": (0, 1)})


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_any_chunks_give_filled_holes_and_otsu_as_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 12), min_size=2, max_size=3)))
    image = noise(shape, 5, data.draw(st.integers(0, 99))).astype(data.draw(st.sampled_from(["u1", "i4", "f4"])))
    array = dask.array.from_array(image, chunks=tuple(chunks_of(data.draw, length) for length in shape))
    choice = {"fill_holes": data.draw(st.booleans()), **data.draw(st.sampled_from([{}, {"at_least": 2}, {"threshold": "otsu"}]))}
    labels, table = skerry.dask.label(array, reread=data.draw(st.booleans()), **choice)
    found, rows = dask.compute(labels, table, scheduler="sync")
    assert np.array_equal(found, skerry.label(image, **choice).image)
    expected = skerry.measure(image, **choice)["area"]
    assert np.array_equal(rows["area"], expected)
    assert np.array_equal(skerry.dask.measure(array, **choice).compute(scheduler="sync")["area"], expected)


CHANNELS = st.sampled_from([0, 0, 1, 7])


def with_channels(grey, count):
    """The image, or where there is a count an axis of different channels after it."""
    return np.stack([grey * (1 + channel) for channel in range(count)], axis=-1) if count else grey


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_any_chunks_of_labels_give_the_table_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    labels = noise(shape, 5, data.draw(st.integers(0, 99))).astype("i2") - 1
    array = dask.array.from_array(labels, chunks=tuple(chunks_of(data.draw, length) for length in shape))
    choice = {"background": data.draw(st.sampled_from(["zero and below", None])), "moments": True}
    grey = with_channels(labels, data.draw(CHANNELS))
    table = skerry.dask.measure_labels(array, dask.array.from_array(grey, chunks=5), **choice).compute(scheduler="sync")
    expected = skerry.measure_labels(labels, grey, **choice)
    assert table.keys() == expected.keys() and all(np.array_equal(table[name], expected[name], equal_nan=True) for name in expected)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_any_chunks_of_labels_give_the_columns_of_one_call(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 12), min_size=2, max_size=3)))
    labels = noise(shape, 5, data.draw(st.integers(0, 99))).astype("i2") - 1
    grey = with_channels(labels, data.draw(CHANNELS)).astype(data.draw(st.sampled_from(["u2", "f4"])))
    array = dask.array.from_array(labels, chunks=tuple(chunks_of(data.draw, length) for length in shape))
    columns = data.draw(st.lists(st.sampled_from(["area", "moments_weighted", "patterns", "hull", "intensity_median", "all"]), min_size=1))
    choice = {"background": data.draw(st.sampled_from(["zero and below", None])), "spacing": data.draw(st.sampled_from([None, 2]))}
    table = skerry.dask.measure_columns(array, columns, intensity=dask.array.from_array(grey, chunks=5), **choice).compute(scheduler="sync")
    expected = skerry.measure_columns(labels, columns, intensity=grey, **choice)
    assert table.keys() == expected.keys() and all(np.array_equal(table[name], expected[name], equal_nan=True) for name in expected)


def test_tasks_of_columns_grow_with_the_blocks():
    labels = dask.array.zeros((64,) * 3, chunks=8, dtype="u1")
    for columns, most in (("filled", 1.2), ("patterns", 2.2), (["patterns", "moments"], 3.5)):
        graph = skerry.dask.measure_columns(labels, columns).__dask_graph__()
        assert (len(dict(graph)) - labels.npartitions) / labels.npartitions <= most


@pytest.mark.parametrize("side", [4, 8, 16])
def test_tasks_and_time_of_a_graph_grow_with_the_blocks(side):
    array = dask.array.zeros((side * 8,) * 3, chunks=8, dtype="u1")
    begin = time.perf_counter()
    labels, table = skerry.dask.label(array)
    built = time.perf_counter() - begin
    of_others = len(array.__dask_graph__())  # read twice, and a few for the second time
    both = {**dict(labels.__dask_graph__()), **dict(table.__dask_graph__())}
    assert (len(both) - 2 * of_others) / array.npartitions <= 2.7
    assert built / array.npartitions < 0.001
    plane = dask.array.zeros((side**2 * 8, side * 8), chunks=8, dtype="u1")
    both = skerry.dask.label(plane)[0].__dask_graph__()
    assert (len(dict(both)) - 2 * plane.npartitions) / plane.npartitions <= 2.7
    row = dask.array.zeros((8, side**3 * 8), chunks=8, dtype="u1")
    both = skerry.dask.label(row)[0].__dask_graph__()
    assert (len(dict(both)) - 2 * row.npartitions) / row.npartitions <= 2.7


def test_blocks_are_computed_again_for_the_labels():
    computed = []

    def read(block):
        computed.append(block.shape)
        return block

    array = dask.array.from_array(noise((12, 12)), chunks=6).map_blocks(read, dtype="u1", meta=np.empty((0, 0), "u1"))
    for reread, times in [(True, 8), (False, 4)]:
        computed.clear()
        dask.compute(*skerry.dask.label(array, reread=reread), scheduler="sync")
        assert computed == [(6, 6)] * times


def test_types_of_labels():
    image = np.zeros((20, 40), "u1")
    image[::2, ::2] = 1
    array = dask.array.from_array(image, chunks=(7, 9))
    labels, table = skerry.dask.label(array, dtype="u1")
    assert skerry.dask.label(array, dtype="u1")[0].compute().max() == 200
    with pytest.raises(ValueError, match="^dtype: 200 components do not fit int8, which ends at 127"):
        skerry.dask.label(array, dtype="i1")[0].compute()
    assert skerry.dask.label(array, dtype="i8")[0].compute().dtype == "i8"
    assert len(table.compute()) == 200


def test_names_depend_on_what_is_asked():
    array = dask.array.from_array(noise((12, 12)), chunks=6)
    first, same, other = (skerry.dask.label(array, **each) for each in ({}, {}, {"connectivity": 4}))
    assert first[1].key == same[1].key != other[1].key
    four, eight = dask.compute(other[1], first[1], scheduler="sync")
    assert len(four) > len(eight)


def test_arrays_that_change_are_noticed():
    count = [0]

    def changes(block):
        count[0] += 1
        return noise(block.shape, seed=count[0])

    array = dask.array.zeros((12, 12), chunks=6, dtype="u1").map_blocks(changes, dtype="u1", meta=np.empty((0, 0), "u1"))
    with pytest.raises(ValueError, match="^given: the labels are not those of this block"):
        skerry.dask.label(array)[0].compute(scheduler="sync")


@pytest.mark.parametrize("arguments, kind, text", [
    ({"array": np.zeros((3, 3))}, TypeError, r"array: <class 'numpy.ndarray'> is not a dask.array.Array"),
    ({"array": dask.array.zeros(3)}, ValueError, "array: 1 dimensions are not 2"),
    ({"array": dask.array.zeros((9, 9))[dask.array.zeros(9) > 0]}, ValueError, "array: has chunks of unknown length"),
    ({"intensity": np.zeros((3, 3))}, TypeError, "intensity: <class 'numpy.ndarray'> is not a dask.array.Array"),
    ({"intensity": dask.array.zeros((3, 3))}, ValueError, r"intensity: its shape \(3, 3\) is not that of array"),
    ({"dtype": float}, TypeError, "dtype: float64 is not an integer type"),
    ({"threshold": "mean"}, ValueError, "threshold: 'mean' is not 'otsu'"),
    ({"connectivity": 6}, ValueError, "connectivity: 6 is not 4 or 8"),
    ({"min_area": -1}, ValueError, "min_area: -1 is not in"),
])
def test_arguments_that_are_refused_when_the_graph_is_built(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.dask.label(**{"array": dask.array.zeros((9, 9), chunks=3), **arguments})


def test_a_cluster_labels_arrays_and_blocks():
    distributed = pytest.importorskip("distributed")
    image = noise((40, 50))
    with distributed.Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        found, table = client.gather(client.compute(skerry.dask.label(dask.array.from_array(image, chunks=16), intensity=None)))
        assert np.array_equal(found, skerry.label(image).image) and np.array_equal(table["area"], skerry.measure(image)["area"])
        labels, _ = skerry.blocks.label(image, blocks=(16, 16), executor=client)
        assert np.array_equal(labels, skerry.label(image).image)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    # A worker that asks one that died for a piece gives up after this time.
    with dask.config.set({"distributed.comm.timeouts.connect": "8s"}):
        with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
            yield client


def stored(path, image, blocks):
    array = zarr.create_array(store=str(path), shape=image.shape, chunks=blocks, dtype=image.dtype)
    array[...] = image
    return array


@pytest.mark.parametrize("how", ["workers read", "the caller reads", "the caller keeps pieces"])
def test_no_task_of_a_cluster_carries_the_pieces_that_it_joins(cluster, tmp_path, how):
    image, blocks = noise((64, 64, 96)), (32, 32, 32)  # pieces of 48 KiB and less, of which 8 and 4 are joined
    array = image if how == "the caller reads" else stored(tmp_path / "image", image, blocks)
    work = {"blocks": blocks, "executor": cluster, "resume": tmp_path / "progress" if how == "the caller keeps pieces" else None}
    with warnings.catch_warnings(record=True) as given, dask.config.set({"distributed.admin.large-graph-warning-threshold": "96 KiB"}):
        warnings.simplefilter("always")
        for _ in range(2):  # the second time, pieces may be known
            labels, table = skerry.blocks.label(array, **work)
            assert np.array_equal(labels, skerry.label(image).image) and np.array_equal(table["area"], skerry.measure(image)["area"])
    assert [str(each.message) for each in given] == []


def test_other_passes_of_a_cluster_are_those_of_one_call(cluster, tmp_path):
    image, blocks = noise((60, 70), 5), (16, 16)
    array, work = stored(tmp_path / "image", image, blocks), {"blocks": blocks, "executor": cluster}
    table, columns = skerry.measure_labels(image), skerry.measure_columns(image, ["perimeter", "moments"])
    found = skerry.blocks.measure_labels(array, **work)
    assert all(np.array_equal(found[name], table[name]) for name in table)
    found = skerry.blocks.measure_columns(array, ["perimeter", "moments"], **work)
    assert all(np.array_equal(found[name], columns[name]) for name in columns)
    found = skerry.blocks.outline(array, **work)
    assert np.array_equal(found.vertices, skerry.outline(image).vertices)
    assert np.array_equal(skerry.blocks.area_opening(array, 9, **work), skerry.max_tree(image).area_opening(9))
    filled, expected = skerry.blocks.label(array, fill_holes=True, **work)[0], skerry.label(image, fill_holes=True).image
    assert np.array_equal(filled, expected)
    assert len(skerry.blocks.measure(array, blocks=image.shape, executor=cluster)) == skerry.label(image).count  # one block


@pytest.mark.parametrize("task", ["label_task", "join", "emit_task"])
def test_a_cluster_makes_again_what_a_worker_that_died_had_kept(cluster, monkeypatch, tmp_path, task):
    image = noise((64, 64, 64), 3)
    array = stored(tmp_path / "image", image, (16, 16, 16))
    calls, flag = skerry.blocks._block_calls, str(tmp_path / "dead")
    function = getattr(calls, task)

    def die_once(*arguments):  # travels by value: workers need not find this file
        try:
            os.close(os.open(flag, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return function(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(calls, task, die_once)
    labels, table = skerry.blocks.label(array, blocks=(16, 16, 16), executor=cluster)
    assert os.path.exists(flag)
    assert np.array_equal(labels, skerry.label(image).image) and np.array_equal(table["area"], skerry.measure(image)["area"])


@contextlib.contextmanager
def cluster_of_processes(folder):
    """The process of a scheduler, and a client, with two workers."""
    distributed = pytest.importorskip("distributed")
    known = folder / "scheduler.json"
    here = ["--scheduler-file", str(known), "--host", "127.0.0.1", "--no-dashboard"]
    worker = [*here, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    with contextlib.ExitStack() as held:
        processes = []
        for name, arguments in ("scheduler", [*here, "--port", "0"]), ("worker", worker), ("worker", worker):
            processes.append(subprocess.Popen([sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments], stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL))
            held.callback(processes[-1].wait)
            held.callback(processes[-1].kill)
        while not known.exists():
            time.sleep(0.05)
        client = held.enter_context(distributed.Client(scheduler_file=str(known), timeout="30s"))
        client.wait_for_workers(2, timeout=120)
        yield processes[0], client
        known.unlink()


def files_in(folder):
    return sum(len(names) for *_, names in os.walk(folder))


@pytest.mark.filterwarnings("ignore")  # of a client that was left alone
def test_a_scheduler_that_dies_is_an_error_and_another_one_goes_on(tmp_path):
    image, blocks = noise((128, 128, 128), 3), (16, 16, 16)
    array = stored(tmp_path / "image", image, blocks)
    work = {"blocks": blocks, "out": tmp_path / "labels", "resume": tmp_path / "progress"}
    with cluster_of_processes(tmp_path) as (scheduler, client):
        def kill():
            while files_in(tmp_path / "labels") < 20:
                time.sleep(0.01)
            scheduler.kill()

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        with pytest.raises(RuntimeError, match="^executor: the client lost its scheduler"):
            skerry.blocks.label(array, executor=client, **work)
        killer.join()
    assert 20 <= files_in(tmp_path / "labels") < 512
    with cluster_of_processes(tmp_path) as (_, client):
        labels, table = skerry.blocks.label(array, executor=client, **work)
    assert np.array_equal(labels[...], skerry.label(image).image) and np.array_equal(table["area"], skerry.measure(image)["area"])


def test_arrays_of_dask_are_not_those_of_blocks():
    with pytest.raises(TypeError, match="^array: this is an array of Dask; use skerry.dask.label"):
        skerry.blocks.label(dask.array.zeros((9, 9), chunks=3))


def test_docstrings():
    for module, examples in ((skerry.dask, 4), (skerry._dask_regions, 3)):
        results = doctest.testmod(module)
        assert results.attempted > examples and results.failed == 0


def test_page():
    results = doctest.testfile(str(pathlib.Path(__file__).parents[2] / "docs/any_size.md"), module_relative=False, encoding="utf-8")
    assert results.attempted > 8 and results.failed == 0

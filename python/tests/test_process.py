# SPDX-License-Identifier: Apache-2.0
"""Engines of threads and processes."""
import multiprocessing
import pathlib
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import skerry
from skerry.skimage.measure import regionprops

IMAGE = np.random.default_rng(0).random((500, 600)) < 0.4


def label_sum(threads):
    return int(skerry.label(IMAGE, threads=threads).image.sum(dtype=np.int64))


def test_a_forked_child_works():
    expected = [label_sum(threads) for threads in (None, 1, 4)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(label_sum, [None, 1, 4] * 4).get(timeout=60) == expected * 4
    assert label_sum(4) == expected[0]  # and so does its parent


def test_results_travel_between_processes():
    labels, table, outlines = skerry.label(IMAGE), skerry.measure(IMAGE), skerry.outline(skerry.label(IMAGE).image)
    for mine in (labels, table, outlines):
        other = pickle.loads(pickle.dumps(mine))
        assert type(other) is type(mine) and repr(other) == repr(mine)
    assert np.array_equal(pickle.loads(pickle.dumps(labels)).image, labels.image)
    assert np.array_equal(pickle.loads(pickle.dumps(table))["area"], table["area"])
    regions = pickle.loads(pickle.dumps(regionprops(labels.image)))
    assert [region.area for region in regions] == table["area"].tolist()
    with pytest.raises(TypeError, match="^Tracker: cannot be pickled; make one in each process"):
        pickle.dumps(skerry.Tracker((4, 4)))


@pytest.mark.parametrize("kind, dtype, shape", [("max", "u1", (50, 60)), ("min", "f4", (9, 20, 30)), ("max", "i8", (0, 3))])
def test_trees_travel_between_processes(kind, dtype, shape):
    tree = skerry.max_tree(np.random.default_rng(2).integers(0, 50, shape).astype(dtype), kind=kind)
    other = pickle.loads(pickle.dumps(tree))
    assert repr(other) == repr(tree) and other.connectivity == tree.connectivity
    for part in ("parent", "first_pixel", "level", "node_of_pixel"):
        assert np.array_equal(getattr(other, part), getattr(tree, part))
    assert np.array_equal(other.measure(geometry=True)["area"], tree.measure()["area"])
    if len(tree) > 1:
        make, (size, kind_of_pixel, options, parts) = tree.__reduce__()
        with pytest.raises(ValueError, match="^parent"):
            make(size, kind_of_pixel, options, [parts[0] + 1, *parts[1:]])


def test_subinterpreters_are_refused():
    refuse = "\ntry:\n    import skerry\nexcept ImportError as refused:\n    print(refused, flush=True)\n"
    code = f"""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
run = interpreters.exec if hasattr(interpreters, "exec") else interpreters.run_string
run(interpreters.create(), {refuse!r})
"""
    for before in ("", "import skerry"):
        done = subprocess.run([sys.executable, "-c", before + code], capture_output=True, text=True, check=False)
        assert done.stdout.startswith("skerry works in the main interpreter alone"), done.stderr


def threads_of_calls():
    return skerry.show_config("dicts")["threads"]


def test_an_engine_is_that_of_a_block():
    usual, expected = threads_of_calls(), skerry.label(IMAGE)
    with skerry.Engine(threads=3) as engine:
        assert (engine.threads, threads_of_calls()) == (3, 3)
        assert np.array_equal(skerry.ndimage.label(IMAGE, np.ones((3, 3)))[0], expected.image)
        with pickle.loads(pickle.dumps(skerry.Engine(1))):
            assert threads_of_calls() == 1
            assert skerry.label(IMAGE, threads=2).count == expected.count
        with pytest.raises(ZeroDivisionError), skerry.Engine():
            assert threads_of_calls() == skerry.Engine().threads == usual
            raise ZeroDivisionError
        assert threads_of_calls() == 3
        others = []
        thread = threading.Thread(target=lambda: others.append(threads_of_calls()))
        thread.start()
        thread.join()
        assert others == [usual]
    assert threads_of_calls() == usual
    assert repr(engine).startswith("<Engine: 3 threads, ")


@pytest.mark.parametrize("threads, error", [(0, ValueError), (1025, ValueError), ("two", TypeError), (1.5, TypeError)])
def test_engines_of_no_threads_are_refused(threads, error):
    with pytest.raises(error, match="^threads: "):
        skerry.Engine(threads)


@pytest.mark.parametrize("devices, error", [([], ValueError), (-1, ValueError), (1023, ValueError), ((1023, 1023), ValueError), ("0", TypeError),
                                            (0.5, TypeError), ([0, None], TypeError)])
def test_engines_of_no_gpu_are_refused(devices, error):
    usual = threads_of_calls()
    with skerry.Engine(threads=3):
        with pytest.raises(error, match="^devices: "):
            skerry.Engine(devices=devices)
        assert threads_of_calls() == 3
    assert threads_of_calls() == usual


def turns_during(call, pause):
    """How often this thread goes on, after pauses, while another thread makes the call."""
    turns, begun, done = 0, threading.Event(), threading.Event()

    def work():
        begun.wait()
        call()
        done.set()

    worker = threading.Thread(target=work)
    worker.start()  # may take longer than a call: CPython yields the processor in a loop where it has no global lock
    begun.set()
    while not done.is_set():
        turns += 1
        time.sleep(pause)
    worker.join()
    return turns


def test_an_engine_of_several_threads_gives_each_its_own_back():
    shared, first_is_in, second_is_in, first_is_out, seen = skerry.Engine(2), *(threading.Event() for _ in range(3)), {}

    def enter(threads, waits_for, is_in, may_leave, is_out):
        assert waits_for is None or waits_for.wait(timeout=60)
        with skerry.Engine(threads):
            with shared:
                is_in.set()
                assert may_leave.wait(timeout=60)
            seen[threads] = skerry.show_config("dicts")["threads"]
            is_out.set()

    # The first to enter leaves first.
    workers = [threading.Thread(target=enter, args=(3, None, first_is_in, second_is_in, first_is_out)),
               threading.Thread(target=enter, args=(4, first_is_in, second_is_in, first_is_out, threading.Event()))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == {3: 3, 4: 4}
    with pytest.raises(RuntimeError, match="this thread has not entered it"):
        shared.__exit__(None, None, None)


@pytest.mark.parametrize("call", ["skerry.label(image)", "skerry.ndimage.label(image)", "skerry.count(image)", "skerry.max_tree(image)",
                                  "skerry.measure_labels(image).arrays()"])
def test_python_ends_while_another_thread_is_in_a_call(call):
    code = ("import numpy, skerry, threading, time\n"
            "image = numpy.random.default_rng(0).integers(0, 3, (1000, 1000), 'u1')\n"
            f"def work():\n    while True: {call}\n"
            "threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.2)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "terminate" in done.stderr) == (0, False), done.stderr


def test_other_threads_run_meanwhile():
    image = np.random.default_rng(1).random((6000, 6000)) < 0.5

    def call():
        skerry.label(image, threads=1)

    begin = time.perf_counter()
    call()
    alone = time.perf_counter() - begin
    # One or two if the GIL was held. Beside other programs this thread may wait for a processor as long as a call takes.
    assert any(turns_during(call, alone / 100) > 10 for _ in range(10))


def test_scratch_is_kept_and_given_back():
    skerry.release_scratch()
    skerry.label(IMAGE)
    held = skerry.show_config("dicts")["scratch bytes of this thread"]
    assert held > 0
    skerry.release_scratch()
    assert skerry.show_config("dicts")["scratch bytes of this thread"] == 0


def test_configuration(capsys):
    skerry.show_config()
    printed = capsys.readouterr().out
    assert skerry.__version__ in printed and "instruction set" in printed
    with pytest.raises(ValueError, match="^mode"):
        skerry.show_config("html")


def test_import_needs_numpy_only():
    code = "import skerry, sys; print([m for m in ('scipy', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_library_is_in_the_extension():
    from skerry import _native
    linked = subprocess.run(["ldd", _native.__file__], capture_output=True, text=True, check=True).stdout
    assert "libtbb" in linked and "libskerry" not in linked
    assert pathlib.Path(_native.__file__).name.startswith("_native.")

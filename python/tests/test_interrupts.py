# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in the middle of a call. Images are small, and all calls count as long; SKERRY_INTERRUPT_SIDE=6000 makes the images
large, and prints how long each call took to stop.
"""
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import skerry
from skerry import _native

LARGE = "SKERRY_INTERRUPT_SIDE" in os.environ
SIDE = int(os.environ.get("SKERRY_INTERRUPT_SIDE", 200))


@pytest.fixture(scope="module", autouse=True)
def all_calls_are_long():
    before = _native.set_short_nanoseconds(40_000_000 if LARGE else 0)
    yield
    _native.set_short_nanoseconds(before)


@pytest.fixture(scope="module", autouse=True)
def ctrl_c_is_not_ignored():
    """As it is for programs that a shell starts in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def images():
    rng = np.random.default_rng(3)
    noise = rng.integers(0, 256, (SIDE, SIDE), np.uint8)
    reals = rng.random((SIDE, SIDE))
    return {"noise": noise, "reals": reals, "labels": skerry.label(noise, above=150).image,
            "pixels": np.arange(1, SIDE * SIDE + 1, dtype=np.int64).reshape(SIDE, SIDE)[::-1],
            "tree": skerry.max_tree(reals, threads=2), "blank": np.ones((SIDE, SIDE), np.uint8)}


CALLS = {
    "label": lambda of: skerry.label(of["reals"], threshold=0.5),
    "label holes": lambda of: skerry.label(of["reals"], threshold=0.5, fill_holes=True, min_area=3, threads=1),
    "label equal": lambda of: skerry.label(of["noise"], equal=True, threads=1),
    "label otsu": lambda of: skerry.label(of["reals"], threshold="otsu"),
    "count equal": lambda of: skerry.count(of["pixels"], equal=True),
    "count delta": lambda of: skerry.count(of["reals"], delta=0.1),
    "measure": lambda of: skerry.measure(of["noise"], intensity=of["reals"], above=150, moments=True),
    "arrays of measure": lambda of: skerry.measure(of["noise"], above=150, moments=True).arrays(),
    "measure_labels": lambda of: skerry.measure_labels(of["labels"], intensity=of["reals"], moments=True),
    "measure_labels of pixels": lambda of: skerry.measure_labels(of["pixels"], moments=True),
    "measure_columns": lambda of: skerry.measure_columns(of["labels"], intensity=of["noise"]),
    "measure_columns of pixels": lambda of: skerry.measure_columns(of["pixels"]),
    "measure_columns of one region": lambda of: skerry.measure_columns(of["blank"], intensity=of["noise"]),
    "contacts": lambda of: skerry.contacts(of["pixels"], surfaces=True),
    "outline": lambda of: skerry.outline(of["pixels"]),
    "outline, simplified": lambda of: skerry.outline(of["labels"], simplify=2),
    "relabel": lambda of: skerry.relabel(of["pixels"], order="ascending"),
    "max_tree of bytes": lambda of: skerry.max_tree(of["noise"]),
    "max_tree of floats": lambda of: skerry.max_tree(of["reals"]),
    "attributes": lambda of: of["tree"].measure(geometry=True, moments=True, levels=True),
    "area_opening": lambda of: of["tree"].area_opening(50),
    "h_maxima": lambda of: of["tree"].h_maxima(0.25),
    "median": lambda of: skerry.ndimage.median(of["reals"], of["labels"], np.arange(1, of["labels"].max())),
}


def seconds_to_stop(call, after):
    """From Ctrl-C, after so many seconds, to KeyboardInterrupt; None if the call came to its end before."""
    asked = []

    def interrupt():
        asked.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    ended = None
    try:
        timer.start()
        call()
        ended = time.perf_counter()
        timer.join()
        time.sleep(0.01)
    except KeyboardInterrupt:
        return time.perf_counter() - asked[0] if ended is None else None
    raise AssertionError("Ctrl-C was lost")


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_stops(name, images):
    def call():
        return CALLS[name](images)

    begin = time.perf_counter()
    call()
    whole = time.perf_counter() - begin
    times = 8 if LARGE else 2
    taken = [seconds_to_stop(call, whole * (i + 0.5) / times) for i in range(times)]
    longest = max((each for each in taken if each is not None), default=0)
    if LARGE:
        print(f"{name:32}{whole:8.3f} s in all, {longest:.3f} s to stop")
    assert longest < (0.2 if LARGE else 1)  # other programs run as well


def test_results_are_right_afterwards(images):
    want = skerry.label(images["reals"], threshold=0.5)
    out = np.empty_like(want.image)
    for share in (0.2, 0.5, 0.8):
        seconds_to_stop(lambda: skerry.label(images["reals"], threshold=0.5, out=out), 0.02 * share)
    got = skerry.label(images["reals"], threshold=0.5, out=out)
    assert got.count == want.count
    np.testing.assert_array_equal(out, want.image)


class Handler:
    """For SIGINT, in a block."""

    def __init__(self, handle):
        self.handle = handle

    def __enter__(self):
        self.before = signal.signal(signal.SIGINT, lambda *_: self.handle())

    def __exit__(self, *_):
        signal.signal(signal.SIGINT, self.before)


def interrupted_soon():
    timer = threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_a_handler_that_returns_lets_the_call_go_on(images):
    film = np.tile(images["reals"], (5, 5))  # the call lasts for some looks at signals
    want = skerry.max_tree(film).parent
    during = []
    with Handler(lambda: during.append(time.perf_counter())):
        timer = interrupted_soon()
        tree = skerry.max_tree(film)
        end = time.perf_counter()
        timer.join()
    assert len(during) == 1 and during[0] < end
    np.testing.assert_array_equal(tree.parent, want)


def test_a_handler_may_call_too(images):
    film = np.tile(images["reals"], (5, 5))  # the call lasts for some looks at signals
    want, counted = skerry.max_tree(film).parent, skerry.count(images["reals"], delta=0.1)
    during = []

    def handle():
        skerry.release_scratch()
        during.append((skerry.count(images["reals"], delta=0.1), len(skerry.max_tree([[1, 2, 1]]))))

    with Handler(handle):
        timer = interrupted_soon()
        tree = skerry.max_tree(film)
        timer.join()
    assert during == [(counted, 2)]
    np.testing.assert_array_equal(tree.parent, want)


def test_errors_come_out_of_long_calls(images):
    with pytest.raises(ValueError, match="^dtype: "):
        skerry.label(images["pixels"], equal=True, dtype="uint8")
    with pytest.raises(ValueError, match="^image: pixel .* is NaN"):
        skerry.max_tree(np.where(images["reals"] < 0.5, np.nan, 1))


def _count(pixels):
    return skerry.count(pixels, delta=0.1)


def test_a_forked_child_has_long_calls(images):
    want = _count(images["reals"])
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(_count, [images["reals"]]).get(timeout=60) == [want]


def test_other_threads_are_not_interrupted(images):
    found = []
    thread = threading.Thread(target=lambda: found.append(len(skerry.max_tree(images["reals"]))))
    thread.start()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
    except KeyboardInterrupt:
        pass
    thread.join()
    assert found == [len(images["tree"])]

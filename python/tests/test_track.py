# SPDX-License-Identifier: Apache-2.0
"""Trackers against label() and measure() of each frame, and by overlaps counted with NumPy."""
import ctypes
import functools
import multiprocessing
import operator
import signal
import threading

import numpy as np
import pytest

import skerry
from skerry import TrackEvent


def film(frames=12, shape=(60, 80), seed=0, dtype="u1"):
    """Squares that move by at most 2 pixels from frame to frame."""
    rng = np.random.default_rng(seed)
    places, steps = rng.integers(5, np.array(shape) - 12, (9, 2)), rng.integers(-2, 3, (9, 2))
    images = np.zeros((frames, *shape), dtype)
    for number, image in enumerate(images):
        for index, (y, x) in enumerate(places + number * steps):
            image[max(y, 0):max(y + 6, 0), max(x, 0):max(x + 6, 0)] = 100 + index
    return images


def test_objects_are_those_of_measure():
    images = film()
    for number, found in enumerate(skerry.track(images, above=50, moments=True, intensity=True, labels=True)):
        expected = skerry.measure(images[number], images[number], moments=True, above=50)
        assert (found.number, found.count, found.error) == (number, len(expected), "")
        for name in expected:
            assert np.array_equal(found.objects[name], expected[name], equal_nan=True), name
        labels = skerry.label(images[number], above=50).image
        assert np.array_equal(found.labels, np.append(0, found.objects["id"])[labels])
    assert number == len(images) - 1


def test_ids_are_inherited_by_overlap():
    images = film(20)
    before = None
    for found in skerry.track(images, labels=True):
        ids = found.objects["id"]
        assert len(set(ids)) == len(ids) == found.count
        if before is not None:
            born = {event.id for event in found.events if event.kind in ("birth", "split")}
            for one in set(ids) - born:
                assert ((before == one) & (found.labels == one)).any()
            for one in born:
                assert one not in before and found.objects["born"][list(ids).index(one)] == found.number
        before = found.labels


def test_events():
    images = np.zeros((4, 3, 12), bool)
    images[0, 1, [1, 2, 3, 6, 7]] = True
    images[1, 1, 1:8] = True            # both join
    images[2, 1, [1, 2, 3, 6, 7]] = True  # and part
    found = list(skerry.track(images))
    assert [frame.events for frame in found] == [
        [TrackEvent("birth", 1, 0), TrackEvent("birth", 2, 0)], [TrackEvent("merge", 2, 1)],
        [TrackEvent("split", 3, 1)], [TrackEvent("death", 1, 0), TrackEvent("death", 3, 0)]]
    assert found[2].objects["parent"].tolist() == [0, 1]
    remembered = list(skerry.track(images, memory=5))
    assert remembered[2].events == [TrackEvent("reappearance", 2, 1)]


@pytest.mark.parametrize("dtype", [bool, "u1", "i2", "u4", "i8", "f4", "f8"])
def test_frames_of_every_type_and_layout(dtype):
    images = (film() > 0).astype(dtype)
    expected = [frame.objects["id"].tolist() for frame in skerry.track(film() > 0)]
    for layout in (images, np.asfortranarray(images), images[:, ::-1][:, ::-1], images.repeat(2, axis=2)[:, :, ::2]):
        assert [frame.objects["id"].tolist() for frame in skerry.track(layout, threads=2)] == expected


def test_volumes():
    volumes = np.zeros((3, 4, 8, 9), np.uint8)
    volumes[:, 1:3, 2:5, 2:5] = 9
    assert [frame.objects["id"].tolist() for frame in skerry.track(volumes, connectivity=6)] == [[1]] * 3


def test_thresholds():
    images = film()
    images[images > 0] += 60
    plain = [frame.count for frame in skerry.track(images, at_least=150)]
    assert [frame.count for frame in skerry.track(images, threshold="otsu")] == plain
    assert [frame.count for frame in skerry.track(255 - images, threshold="otsu", side="dark")] == plain
    still = np.full((6, 30, 30), 50, np.uint8)
    still[3:, 10:14, 10:14] = 90
    assert [frame.count for frame in skerry.track(still, background=20)] == [0, 0, 0, 1, 1, 1]
    assert [frame.count for frame in skerry.track(still, background=20, side="dark")] == [0] * 6
    kept = [frame.count for frame in skerry.track(images, threshold=50, min_area=30, largest=4)]
    assert kept == [len(skerry.measure(image, above=50, min_area=30, largest=4)) for image in images]


# ---- the stream


def test_push_never_waits_for_results_to_be_taken():
    images = film(100)
    with skerry.Tracker(images[0].shape, slots=2) as tracker:
        numbers = [tracker.push(image, stamp=7 * index) for index, image in enumerate(images)]
        found = list(tracker)
    assert numbers == [frame.number for frame in found] == list(range(100))
    assert [frame.stamp for frame in found] == list(range(0, 700, 7)) and found[-1].dropped == 0


def test_one_thread_pushes_and_another_takes():
    images = film(200, (40, 40))
    found = []
    with skerry.Tracker((40, 40), slots=3) as tracker:
        def push():
            for image in images:
                tracker.push(image)

        pusher = threading.Thread(target=push)
        pusher.start()
        while len(found) < len(images):
            found += tracker
        pusher.join()
    assert [frame.number for frame in found] == list(range(200))
    assert [list(frame.objects["id"]) for frame in found] == [list(each.objects["id"]) for each in skerry.track(images)]


def test_dropping():
    images = film(300, (30, 30))
    with skerry.Tracker((30, 30), slots=2, when_full="drop_oldest") as tracker:
        for image in images:
            tracker.push(image)
        found = list(tracker)
        assert tracker.pushed == 300 and tracker.dropped + len(found) == 300
    numbers = [frame.number for frame in found]
    assert numbers == sorted(numbers) and numbers[-1] == 299


def test_capacity():
    image = np.tile([True, False], (1, 50)).repeat(2, axis=0)
    found = next(skerry.track([image], capacity=10))
    assert found.overflow and found.count == 50 and len(found.objects) == 10


def test_frames_that_raise_end_the_stream():
    def broken():
        yield from film(3)
        raise OSError("camera")

    found = []
    with pytest.raises(OSError, match="camera"):
        for frame in skerry.track(broken()):
            found.append(frame.number)
    assert found == sorted(found)
    results = skerry.track(film(50))
    next(results)
    results.close()  # half way


def test_a_frame_that_is_refused_leaves_the_stream_as_it_was():
    images = film(3)
    with skerry.Tracker(images[0].shape) as tracker:
        tracker.push(images[0])
        for wrong, kind, text in [(images[0][1:], ValueError, "frame: size 59 x 80 is not that of the stream, 60 x 80"),
                                  (images[0].astype("f4"), ValueError, "frame: "), ("no", TypeError, "frame: dtype")]:
            with pytest.raises(kind, match="^" + text):
                tracker.push(wrong)
        tracker.push(images[1])
        tracker.stop()
        with pytest.raises(ValueError, match="^frame: the stream has been stopped"):
            tracker.push(images[2])
        assert [frame.number for frame in tracker] == [0, 1]
    for use in (tracker.poll, tracker.stop, lambda: tracker.push(images[0])):
        with pytest.raises(ValueError, match="^tracker: is closed"):
            use()


def test_interrupts():
    """A signal whose handler raises ends push() or the wait for a result; the tracker goes on."""
    def handler(*_):
        raise InterruptedError("signal")

    old = signal.signal(signal.SIGUSR1, handler)
    try:
        images = film(2)
        with skerry.Tracker(images[0].shape, slots=2) as tracker:
            seen = 0
            for _ in range(50):
                try:
                    signal.raise_signal(signal.SIGUSR1)
                    tracker.push(images[0])
                except InterruptedError:
                    seen += 1
                tracker.push(images[1])
            assert seen == 50 and len(list(tracker)) == 50
    finally:
        signal.signal(signal.SIGUSR1, old)


@pytest.mark.parametrize("may_wait", [True, False])
def test_an_interrupt_keeps_the_result(may_wait):
    """A signal that comes while a result is taken: its handler raises in next(), and the result comes with the next call."""
    def handler(*_):
        raise InterruptedError("signal")

    interrupt = functools.partial(ctypes.pythonapi.PyErr_SetInterruptEx, int(signal.SIGUSR1))
    old = signal.signal(signal.SIGUSR1, handler)
    try:
        images = film(3)
        with skerry.Tracker(images[0].shape) as tracker:
            for image in images:
                tracker.push(image)
            tracker.stop()  # all results are ready
            for _ in range(2):
                with pytest.raises(InterruptedError):  # map() runs no handler between its calls
                    list(map(operator.call, (interrupt, functools.partial(tracker._stream.next, may_wait))))
            assert [frame.number for frame in tracker] == [0, 1, 2]
    finally:
        signal.signal(signal.SIGUSR1, old)


FORKED = None


def use_after_fork(_):
    try:
        FORKED.push(film(1)[0])
    except RuntimeError as failure:
        return str(failure), [frame.count for frame in skerry.track(film(2))]
    return "no error", []


def test_forks():
    global FORKED
    with skerry.Tracker((60, 80)) as FORKED:
        FORKED.push(film(1)[0])
        with multiprocessing.get_context("fork").Pool(1) as pool:
            [(text, counts)] = pool.map_async(use_after_fork, [0]).get(timeout=60)
        assert text.startswith("Tracker: this process was forked")
        assert counts == [frame.count for frame in skerry.track(film(2))]
        assert len(list(FORKED)) == 1


def test_descriptions():
    tracker = skerry.Tracker((60, 80), "f4")
    assert repr(tracker) == "<Tracker: 60 x 80 float32, 0 frames pushed>" and tracker.wait() is None
    tracker.close()
    assert repr(tracker) == "<Tracker: 60 x 80 float32, closed>"
    assert repr(next(skerry.track(film(1)))).startswith("<TrackedFrame 0: 7 objects, 7 events")
    assert list(skerry.track([])) == []


@pytest.mark.parametrize("arguments, kind, text", [
    ({"shape": 5}, ValueError, r"shape: 5 is not \(rows, columns\)"),
    ({"shape": (1, 2, 3, 4)}, ValueError, "shape: "),
    ({"shape": (-1, 4)}, ValueError, "shape: -1 is not in"),
    ({"shape": (2**16, 2**16)}, ValueError, "shape: .* is not fewer than 2.31 pixels"),
    ({"dtype": complex}, TypeError, "dtype: dtype complex128 is not bool"),
    ({"dtype": "words"}, TypeError, "dtype: 'words' is not a type"),
    ({"connectivity": 6}, ValueError, "connectivity: 6 is not 4 or 8"),
    ({"slots": 1}, ValueError, "slots: 1 is not in 2…1024"),
    ({"capacity": 0}, ValueError, "capacity: 0"),
    ({"score": "area"}, ValueError, "score: 'area' is not one of 'overlap', 'iou'"),
    ({"least_share": 2}, ValueError, "least_share: "),
    ({"least_overlap": 0}, ValueError, "least_overlap: 0"),
    ({"first_id": 0}, ValueError, "first_id: 0"),
    ({"when_full": "stop"}, ValueError, "when_full: 'stop' is not one of 'wait', 'drop_oldest'"),
    ({"background": 3, "dtype": "f4"}, ValueError, "background: a running background is not for frames of float32"),
    ({"background": 3, "above": 2}, ValueError, "background: give it or above, not both"),
    ({"equal": True}, ValueError, "equal: frames of a stream join all foreground"),
    ({"periodic": True}, ValueError, "periodic: frames of a stream"),
    ({"side": "up"}, ValueError, "side: 'up' is not one of"),
    ({"threshold": "otsu", "side": "both"}, ValueError, "threshold: Otsu's has two sides"),
    ({"adaptation": 17, "background": 3}, ValueError, "adaptation: 17"),
    ({"adaptation": 3}, ValueError, "adaptation: needs background="),
    ({"side": "dark", "threshold": 100}, ValueError, "side: needs background="),
    ({"treshold": 3}, TypeError, r"Tracker\(\): unknown keyword 'treshold'; did you mean 'threshold'"),
])
def test_arguments_that_are_refused(arguments, kind, text):
    with pytest.raises(kind, match="^" + text):
        skerry.Tracker(arguments.pop("shape", (20, 30)), **arguments)


def test_results_go_to_a_function_in_the_thread_that_pushes():
    images, taken, threads = film(), [], set()
    expected = [found.objects["id"].tolist() for found in skerry.track(images, above=50)]

    def take(found):
        taken.append(found.objects["id"].tolist())
        threads.add(threading.get_ident())

    with skerry.Tracker(images.shape[1:], above=50, slots=2, on_result=take) as tracker:
        for image in images:
            tracker.push(image)
        for call in (tracker.poll, tracker.wait, lambda: next(iter(tracker))):
            with pytest.raises(ValueError, match="^on_result: takes all results"):
                call()
    assert taken == expected and threads == {threading.get_ident()}

    taken.clear()
    tracker = skerry.Tracker(images.shape[1:], above=50, on_result=take)
    for image in images:
        tracker.push(image)
    tracker.stop()
    assert taken == expected
    with pytest.raises(TypeError, match="^on_result: 3 cannot be called"):
        skerry.Tracker((4, 4), on_result=3)


def test_errors_of_that_function_come_out_of_calls():
    images, taken = film(), []

    def take(found):
        taken.append(found.number)
        if found.number == 3:
            raise RuntimeError("enough")

    with skerry.Tracker(images.shape[1:], above=50, slots=2, on_result=take) as tracker:
        with pytest.raises(RuntimeError, match="enough"):
            for image in images:
                tracker.push(image)
            tracker.stop()
        tracker.stop()
        assert taken == list(range(tracker.pushed))
    with pytest.raises(ZeroDivisionError):
        with skerry.Tracker(images.shape[1:], above=50, on_result=taken.append) as tracker:
            tracker.push(images[0])
            raise ZeroDivisionError  # the frames in flight are dropped

# SPDX-License-Identifier: Apache-2.0
"""Objects of a stream of frames, with ids that persist."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, Unpack
import itertools
import typing

import numpy

from . import _native
from ._arguments import flag, is_on_device, shown
from ._components import _choice_of
from ._device import type_of
from ._regions import _array
from ._table import Table

if TYPE_CHECKING:
    from ._types import FrameChoice, Image, Number, Type


class TrackEvent(typing.NamedTuple):
    """What happened to an id: a "birth", "split", "reappearance", "merge" or "death".

    ``other`` is the parent of a split or a reappearance, and the id that stays of a merge; 0 for none.
    """

    kind: str
    id: int
    other: int


class TrackedFrame:
    """The objects of one frame, as a Tracker gives them.

    Attributes: ``number`` of the frame, from 0, dropped frames counted as well; ``stamp``, as pushed; ``count`` of its
    objects; ``objects``, a Table of id, parent, born (the number of a frame) and the columns of ``measure``; ``events``,
    a list of TrackEvent; ``labels``, an image of ids, or None unless asked for; ``overflow``, True if the Tracker's
    capacity left objects or events out; ``dropped``, frames and results dropped so far; ``seconds`` from push to result;
    ``error``, why the frame has no objects, or "".
    """

    number: int
    stamp: int
    count: int
    dropped: int
    overflow: bool
    seconds: float
    error: str

    def __init__(self, frame: Any, shape: Sequence[int]) -> None:
        for name in ("number", "stamp", "error", "count", "dropped", "overflow", "seconds"):
            setattr(self, name, getattr(frame, name))
        self.objects = Table(frame.objects())
        self.events = [TrackEvent(*event) for event in frame.events()]
        labels = frame.labels()
        self.labels = labels.reshape(shape) if labels.size else None

    def __repr__(self) -> str:
        problem = f", error: {self.error}" if self.error else ""
        return f"<TrackedFrame {self.number}: {self.count} objects, {len(self.events)} events{problem}>"


class Tracker:
    """Tracks connected components through a stream of frames: each component inherits the id it overlaps most.

    >>> film = numpy.zeros((3, 4, 9), numpy.uint8)
    >>> film[0, 1:3, 1:3] = film[1, 1:3, 2:4] = film[2, 1:3, 3:5] = 200  # one object that moves
    >>> film[2, 0, 8] = 200                                              # and one that appears
    >>> with Tracker((4, 9), "uint8", threshold=100) as tracker:
    ...     for frame in film:
    ...         number = tracker.push(frame)
    ...     for result in tracker:
    ...         print(result.number, result.objects["id"], result.events)
    0 [1] [TrackEvent(kind='birth', id=1, other=0)]
    1 [1] []
    2 [2 1] [TrackEvent(kind='birth', id=2, other=0)]

    Frames are labelled and measured by threads of the tracker. Results come in the order of frames, and do not depend on
    the number of threads. One thread may push while another one takes results. Results that nobody takes are kept, and
    push() never waits for them to be taken.

    Parameters
    ----------
    shape : (rows, columns) or (slices, rows, columns)
        Of every frame; fewer than 2^31 pixels.
    dtype
        Of every frame, a type that ``label`` takes.
    connectivity, threshold, above, at_least, within, fill_holes, min_area, max_area, clear_border, largest
        As in ``label``, for each frame.
    background : number
        Foreground are pixels that differ by more than this from a running mean of earlier frames; for bool and integers
        of 8 and 16 bits. The first frame has no foreground.
    side : "bright", "dark" or "both"
        With background, whether pixels are brighter, darker, or either; with threshold="otsu", bright or dark.
    adaptation : int
        0 to 16: what stands still is background after about 2^adaptation frames.
    score : "overlap" or "iou"
        A component inherits the id with the largest overlap in pixels, or the largest overlap over union.
    least_overlap : int
        Pixels that a component and an id must share, at least 1.
    least_share : float
        Share that they must have in common, 0 to 1: of the smaller area, or with "iou" of the union.
    keep_alive, memory : int
        Frames that a lost id, or a merged one, is remembered, and given again where it was.
    first_id : int
        Ids count up from it and are never used again.
    moments, intensity, labels : bool
        Adds columns of second moments; intensity columns, of the frame itself; images of ids.
    capacity : int
        Objects that a result holds at most; all are tracked.
    slots : int
        Frames in flight at the same time, 2 to 1024.
    when_full : "wait" or "drop_oldest"
        What push() does when all slots are taken.
    threads : int
        As in ``label``.
    gpu : int
        The number of a GPU that does the work, with skerry-cuda13: frames may be arrays in its memory, or NumPy arrays. Results
        are the same.
    on_result : callable
        Takes each result, in order: in ``push`` those that are ready, and in ``stop`` or at the end of the ``with`` block the rest. It runs in
        the thread that makes these calls; an exception of it comes out of them, after the frame was pushed.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name.
    MemoryError
    """

    def __init__(self, shape: Sequence[int], dtype: Type = "uint8", *, background: Number | None = None,
                 side: Literal["bright", "dark", "both"] = "bright", adaptation: int = 5,
                 score: Literal["overlap", "iou"] = "overlap", least_overlap: int = 1, least_share: Number = 0.0,
                 keep_alive: int = 0, memory: int = 0, first_id: int = 1, moments: bool = False, intensity: bool = False,
                 labels: bool = False, capacity: int = 4096, slots: int = 8, when_full: Literal["wait", "drop_oldest"] = "wait",
                 threads: int | None = None, gpu: int | None = None,
                 on_result: Callable[[TrackedFrame], object] | None = None, **choice: Unpack[FrameChoice]) -> None:
        if on_result is not None and not callable(on_result):
            raise TypeError(f"on_result: {shown(on_result)} cannot be called")
        rules = [name for name in ("threshold", "above", "at_least", "within") if choice.get(name) is not None]
        if background is not None and rules:
            raise ValueError(f"background: give it or {rules[0]}, not both")
        options = {"background": background, "side": side, "adaptation": adaptation, "score": score,
                   "least_overlap": least_overlap, "least_share": least_share, "keep_alive": keep_alive,
                   "memory": memory, "first_id": first_id, "moments": flag("moments", moments), "intensity": flag("intensity", intensity),
                   "labels": flag("labels", labels), "capacity": capacity, "slots": slots, "when_full": when_full, "gpu": gpu}
        if background is None and isinstance(side, str) and side in ("dark", "both") and choice.get("threshold") != "otsu":
            raise ValueError("side: needs background=... or threshold='otsu'; above, at_least and within imply it")
        if background is None and not (isinstance(adaptation, (int, numpy.integer)) and adaptation == 5):
            raise ValueError("adaptation: needs background=...")
        shape = tuple(shape) if isinstance(shape, (tuple, list)) else shape
        try:
            like = numpy.empty((0, 0), dtype)
        except TypeError as unknown:
            raise TypeError(f"dtype: {dtype!r} is not a type of NumPy") from unknown
        self._stream = _native.stream(shape, like, _choice_of("Tracker", choice), options, threads)
        self.shape = shape
        self.dtype = like.dtype
        self._on_result = on_result

    def __reduce__(self):
        raise TypeError("Tracker: cannot be pickled; make one in each process")

    def _open(self):
        if self._stream is None:
            raise ValueError("tracker: is closed")
        return self._stream

    def push(self, frame: Image, stamp: int = 0) -> int:
        """Copies a frame into the stream, and returns its number.

        ``stamp``, an integer of 0 to 2^64 - 1, comes back with the result. Waits while all slots are taken; Ctrl-C ends
        the wait, and then the frame was not pushed. A frame on a GPU is waited for.
        """
        number = self._open().push(frame, stamp)
        self._hand_over(False)
        return number

    def _next(self, may_wait):
        result = self._open().next(may_wait)
        return None if result is None else TrackedFrame(result, self.shape)

    def _hand_over(self, may_wait):
        """Results that are ready, or all, go to on_result."""
        while self._on_result is not None and (result := self._next(may_wait)) is not None:
            self._on_result(result)

    def _taken(self, may_wait):
        if self._on_result is not None:
            raise ValueError("on_result: takes all results; leave it out to take them by poll(), wait() or iteration")
        return self._next(may_wait)

    def poll(self) -> TrackedFrame | None:
        """The next result if it is ready, else None."""
        return self._taken(False)

    def wait(self) -> TrackedFrame | None:
        """The next result, or None when no frame is in flight."""
        return self._taken(True)

    def __iter__(self) -> Iterator[TrackedFrame]:
        """Results until no frame is in flight."""
        return iter(self.wait, None)

    def stop(self) -> None:
        """Waits for the frames in flight; no frame can be pushed then. Results may still be taken."""
        self._open().stop()
        self._hand_over(True)

    def close(self) -> None:
        """Drops the frames in flight and gives the memory back. The end of a ``with`` block does it, after on_result had all."""
        self._stream = None

    @property
    def pushed(self) -> int:
        """Number of frames that were pushed."""
        return self._open().pushed

    @property
    def dropped(self) -> int:
        """Number of frames and results that were dropped."""
        return self._open().dropped

    def __enter__(self) -> Tracker:
        return self

    def __exit__(self, *raised: object) -> None:
        try:
            if raised[0] is None and self._stream is not None:
                self._hand_over(True)
        finally:
            self.close()

    def __repr__(self) -> str:
        sides = " x ".join(map(str, self.shape))
        state = "closed" if self._stream is None else f"{self.pushed} frames pushed"
        return f"<Tracker: {sides} {self.dtype}, {state}>"


def track(frames: Iterable[Image], **options: Any) -> Iterator[TrackedFrame]:
    """Tracks components through frames, and yields a TrackedFrame for each, in order.

    >>> film = numpy.zeros((2, 3, 5), bool)
    >>> film[0, 1, 1:3] = film[1, 1, 2:4] = True
    >>> [frame.objects["id"].tolist() for frame in track(film)]
    [[1], [1]]

    Frames are read a few ahead of the results. Those on a GPU are tracked there.

    Parameters
    ----------
    frames : iterable of arrays of one shape and type
    options
        As those of ``Tracker``.
    """
    ahead = iter(frames)
    first = next(ahead, None)
    if first is None:
        return
    first = _array("frames", first)
    if is_on_device(first) and options.get("gpu") is None and hasattr(_native, "device_of"):
        options["gpu"] = _native.device_of(first)
    with Tracker(tuple(first.shape), type_of(first.dtype), **options) as tracker:
        for frame in itertools.chain([first], ahead):
            tracker.push(frame)
            yield from iter(tracker.poll, None)
        yield from tracker

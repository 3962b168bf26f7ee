# SPDX-License-Identifier: Apache-2.0
"""Films in arrays that need not fit in memory, tracked along their first axis."""
import os

import numpy

from . import _block_arrays
from ._table import Table
from ._track import track as _track_frames

_NAMES = {3: ("t", "y", "x"), 4: ("t", "z", "y", "x")}
_FRAMES_WITHOUT_CHUNKS = 16


def _check_film(array):
    if not all(hasattr(array, each) for each in ("shape", "dtype", "__getitem__")):
        array = numpy.asarray(array)
    if len(array.shape) not in _NAMES:
        raise ValueError(f"array: {len(array.shape)} dimensions are not 3 (times, rows, columns) or 4 (times, slices, rows, columns)")
    return array


def _frames(array, step):
    for begin in range(0, array.shape[0], step):
        yield from numpy.asarray(array[begin:begin + step])


class _Ids:
    """The array of ids, written as many frames at a time as its chunks have."""

    def __init__(self, out, film, step):
        self.out, self.step, self.begin, self.waiting = out, step, 0, []
        if isinstance(out, (str, os.PathLike)):
            if _block_arrays.existing(os.fspath(out)) is not None:
                raise ValueError(f"out: {os.fspath(out)} exists; remove it, or open it and give the array, which is overwritten")
            chunks = (step, *(getattr(film, "chunks", None) or film.shape)[1:])
            self.out = _block_arrays.zarr_module().create_array(store=os.fspath(out), shape=film.shape, chunks=chunks, dtype="uint32",
                                                                fill_value=0, dimension_names=_NAMES[len(film.shape)])
        elif out is None:
            self.out = numpy.zeros(film.shape, numpy.uint32)
        else:
            _block_arrays.check_out(out, film)

    def add(self, ids):
        _block_arrays.check_fit(self.out.dtype, int(ids.max(initial=0)), "out")
        self.waiting.append(ids)
        if len(self.waiting) == self.step:
            self.write()

    def write(self):
        if self.waiting:
            self.out[self.begin:self.begin + len(self.waiting)] = numpy.stack(self.waiting)
        self.begin, self.waiting = self.begin + len(self.waiting), []


def _table(parts):
    """One table of those of all frames, with a column more."""
    names = list(dict.fromkeys(name for _, columns in parts for name in columns))
    arrays = {"frame": numpy.concatenate([numpy.full(len(next(iter(columns.values()))), number) for number, columns in parts] or [numpy.zeros(0, int)])}
    for name in names:
        arrays[name] = numpy.concatenate([columns[name] for _, columns in parts])
    return Table._of(arrays, len(arrays["frame"]))


def track(array, *, out=None, capacity=4096, **options):
    """Tracks connected components along the first axis of an array that need not fit in memory.

    >>> film = numpy.zeros((3, 4, 9), numpy.uint8)
    >>> film[0, 1:3, 1:3] = film[1, 1:3, 2:4] = film[2, 1:3, 3:5] = 200  # one object that moves
    >>> film[2, 0, 8] = 200                                              # and one that appears
    >>> ids, objects, events = track(film, threshold=100)
    >>> int(ids[2, 0, 8]), ids[:, 1, 3].tolist()
    (2, [0, 1, 1])
    >>> objects["frame"].tolist(), objects["id"].tolist(), events["kind"].tolist()
    ([0, 1, 2, 2], [1, 1, 2, 1], ['birth', 'birth'])

    Frames are read as many at a time as a chunk has. The order of frames decides ids, so blocks of a film are not tracked side by
    side: the threads of the tracker work on several frames at a time.

    Parameters
    ----------
    array : array of (times, rows, columns) or (times, slices, rows, columns)
        As in ``label``.
    out : path or array
        Where images of ids go, as in ``label``. By default they come in a new array in memory, of uint32.
    capacity : int
        Objects of a frame at most.
    options
        As those of ``skerry.Tracker``, but for ``labels``.

    Returns
    -------
    (array, Table, Table)
        Ids of all pixels, 0 for background; a row for each object of each frame, with ``frame`` before the columns of
        ``skerry.track``; and a row for each event, with ``frame``, ``kind``, ``id`` and ``other``.

    Raises
    ------
    ValueError, TypeError
        For an argument, by name; also for a frame that cannot be tracked, or that has more objects than ``capacity``.
    """
    array = _check_film(array)
    step = (_block_arrays.unit_of(array) or (_FRAMES_WITHOUT_CHUNKS,))[0]
    if "labels" in options:
        raise TypeError("labels: images of ids go to out")
    ids = _Ids(out, array, step)
    objects, events = [], []
    for frame in _track_frames(_frames(array, step), labels=True, capacity=capacity, **options):
        if frame.error:
            raise ValueError(f"array: frame {frame.number}: {frame.error}")
        if frame.overflow:
            raise ValueError(f"capacity: frame {frame.number} has more than {capacity} objects or events")
        ids.add(numpy.zeros(array.shape[1:], numpy.uint32) if frame.labels is None else frame.labels)
        objects.append((frame.number, dict(frame.objects)))
        events.append((frame.number, {name: numpy.array([getattr(event, name) for event in frame.events], kind)
                                      for name, kind in (("kind", "U"), ("id", numpy.uint64), ("other", numpy.uint64))}))
    ids.write()
    return ids.out, _table(objects), _table(events)

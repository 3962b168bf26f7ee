# SPDX-License-Identifier: Apache-2.0
"""On how many threads and which GPUs calls run that do not say it themselves."""
from __future__ import annotations

from collections.abc import Sequence
import threading

from . import _native


class Engine:
    """Threads, and GPUs, for the calls of a block of code, also for drop-ins, whose signatures have no ``threads``.

    >>> import numpy, skerry
    >>> with Engine(threads=2) as engine:
    ...     labels, count = skerry.ndimage.label(numpy.eye(3))
    >>> count, engine.threads
    (3, 2)

    It applies to the thread that enters the block, until the block ends; blocks may be nested, and the innermost one counts. A
    call's own ``threads`` goes before it. Without a block, calls have one thread per processor, and one for small images. Results do
    not depend on it.

    Parameters
    ----------
    threads : int
        1 to 1024; one per processor by default.
    devices : int or sequence of int
        GPUs of this host, by their numbers in CUDA, for the components of images in host memory: ``label``, ``count``, ``measure`` and
        drop-ins that label, and the blocks of ``skerry.blocks.label`` and ``measure`` on all workers. Several label one image
        together, of up to 2^40 pixels, in slabs that are copied while others are computed; pinned memory is copied fastest. A GPU may
        be named several times. Needs skerry-cuda13. Calls with ``equal``, ``delta``, ``periodic`` or ``fill_holes``, and on small images,
        take one of the GPUs; all other functions run on the CPU.

    Attributes: ``threads``, the number, ``instruction_set``, the name of the vector instructions in use, and ``devices``, a tuple, or
    None for the CPU.

    Raises
    ------
    ValueError, TypeError
        If threads is not in 1…1024, or there is no such GPU.
    """

    __slots__ = ("threads", "instruction_set", "devices", "_before")
    threads: int
    instruction_set: str
    devices: tuple[int, ...] | None

    def __init__(self, threads: int | None = None, devices: int | Sequence[int] | None = None) -> None:
        before = _native.set_usual_engine(None, None)  # a block around this one does not choose
        try:
            told = _native.engine_description(threads)
            self.devices = _native.start_devices(told["threads"], devices)
        finally:
            _native.set_usual_engine(*before)
        self.threads = told["threads"]
        self.instruction_set = told["instruction set"]
        self._before = threading.local()

    def __enter__(self) -> Engine:
        before = _native.set_usual_engine(self.threads, self.devices)
        self._before.__dict__.setdefault("entered", []).append(before)
        return self

    def __exit__(self, *raised: object) -> None:
        entered = self._before.__dict__.get("entered")
        if not entered:
            raise RuntimeError("engine: this thread has not entered it")
        _native.set_usual_engine(*entered.pop())

    def __reduce__(self) -> tuple[type[Engine], tuple[int, tuple[int, ...] | None]]:
        return Engine, (self.threads, self.devices)

    def __repr__(self) -> str:
        gpus = "" if self.devices is None else f", GPU{'s' * (len(self.devices) > 1)} {', '.join(map(str, self.devices))}"
        return f"<Engine: {self.threads} thread{'s' * (self.threads > 1)}, {self.instruction_set}{gpus}>"


def usual_devices() -> tuple[int, ...] | None:
    """GPUs of the Engine that the calling thread has entered."""
    return _native.engine_description(None)["GPUs of components"]


def on_devices(devices, function, /, *arguments):
    """A task of a worker on the GPUs of the call that it is a part of, with one thread for what the CPU does."""
    before = _native.set_usual_engine(1, devices)
    try:
        return function(*arguments)
    finally:
        _native.set_usual_engine(*before)

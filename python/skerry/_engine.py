# SPDX-License-Identifier: Apache-2.0
"""On how many threads calls run that do not say it themselves."""
from __future__ import annotations

from . import _native


class Engine:
    """Threads for the calls of a block of code, also for drop-ins, whose signatures have no ``threads``.

    >>> import numpy, skerry
    >>> with Engine(threads=2) as engine:
    ...     labels, count = skerry.ndimage.label(numpy.eye(3))
    >>> count, engine.threads
    (3, 2)

    It applies to the thread that enters the block, until the block ends; blocks may be nested. A call's own ``threads`` goes
    before it. Without a block, calls have one thread per processor, and one for small images. Results do not depend on it.

    Parameters
    ----------
    threads : int
        1 to 1024; one per processor by default.

    Attributes: ``threads``, the number, and ``instruction_set``, the name of the vector instructions in use.

    Raises
    ------
    ValueError, TypeError
        If threads is not in 1…1024.
    """

    __slots__ = ("threads", "instruction_set", "_before")
    threads: int
    instruction_set: str

    def __init__(self, threads: int | None = None) -> None:
        before = _native.set_usual_threads(None)  # a block around this one does not choose
        try:
            told = _native.engine_description(threads)
        finally:
            _native.set_usual_threads(before)
        self.threads = told["threads"]
        self.instruction_set = told["instruction set"]
        self._before = []

    def __enter__(self) -> Engine:
        self._before.append(_native.set_usual_threads(self.threads))
        return self

    def __exit__(self, *raised: object) -> None:
        _native.set_usual_threads(self._before.pop())

    def __reduce__(self) -> tuple[type[Engine], tuple[int]]:
        return Engine, (self.threads,)

    def __repr__(self) -> str:
        return f"<Engine: {self.threads} thread{'s' * (self.threads > 1)}, {self.instruction_set}>"

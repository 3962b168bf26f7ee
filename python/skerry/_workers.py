# SPDX-License-Identifier: Apache-2.0
"""Tasks on any executor of concurrent.futures, again on a new one when a worker died."""
import collections
import concurrent.futures
import contextlib
import functools
import sys
import typing

from ._engine import on_devices, usual_devices

_TASKS_FOR_UNKNOWN_WORKERS = 64
_SECONDS_UNTIL_WORKERS_ARE_LOOKED_AT = 1


class Task(typing.NamedTuple):
    """A call ``function(*arguments())`` for a worker. ``arguments`` runs in the caller, when the task is submitted; so does
    ``then(result)``, which may return more tasks. ``split`` parts a result in two: ``then(first, second)`` gets the second, and of the
    first what stands for it as an argument of other tasks: itself, or on a cluster, whose workers keep it, a future."""

    function: typing.Callable
    arguments: typing.Callable
    then: typing.Callable
    split: typing.Callable | None = None


class _Halves(typing.NamedTuple):
    """A result in two parts: what its worker keeps of it for other tasks, and what the caller gets."""

    kept: typing.Any
    told: typing.Any


def _told(halves):
    return halves.told


def _on_cluster(function, split, *arguments):
    """A task of a cluster: of the results of others it gets what their workers kept."""
    result = function(*(each.kept if isinstance(each, _Halves) else each for each in arguments))
    return result if split is None else _Halves(*split(result))


class _Here(concurrent.futures.Executor):
    """The calling thread."""

    _max_workers = 1

    def submit(self, function, /, *arguments):
        future = concurrent.futures.Future()
        try:
            future.set_result(function(*arguments))
        except Exception as problem:
            future.set_exception(problem)
        return future


class Crew:
    """An executor, and how to get another one when it breaks.

    ``executor`` is None for the calling thread, an executor, a distributed.Client, or a function that makes an executor: what
    the function made is shut down at the end, and made again, at most ``retries`` times, when a worker died.
    """

    def __init__(self, executor, retries):
        self._make = None
        self._retries = retries
        self.lost_workers = False
        self._cluster = self._connection = None
        if executor is None:
            executor = _Here()
        elif hasattr(executor, "get_executor"):  # distributed.Client
            workers = sum(executor.ncores().values())
            self._cluster = executor
            self._connection = executor.scheduler_comm
            executor = executor.get_executor(pure=False)
            executor._max_workers = workers
        elif not hasattr(executor, "submit"):
            if not callable(executor):
                raise TypeError(f"executor: {executor!r} is not None, an executor, a distributed.Client, or a function that makes one")
            self._make = executor
            executor = executor()
            if not hasattr(executor, "submit"):
                raise TypeError(f"executor: the function made {executor!r}, which is not an executor")
        self._executor = executor
        self.in_process = isinstance(executor, (_Here, concurrent.futures.ThreadPoolExecutor))
        self.is_caller = isinstance(executor, _Here)
        self.devices = None if self.is_caller else usual_devices()  # which workers do not inherit
        self.keeps_results = self._cluster is not None
        workers = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
        self._at_once = 1 if self.is_caller else 2 * workers + 2 if isinstance(workers, int) else _TASKS_FOR_UNKNOWN_WORKERS

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        if self._make:
            self._shut_down()

    def put(self, value):
        """What stands for a value as an argument of tasks: on a cluster, where it is sent once and alone, a future."""
        return self._cluster.submit(_Halves, value, None, pure=False) if self.keeps_results else value

    def run(self, tasks):
        """Runs the tasks and those that follow from them, some at a time. After an error no task runs any more."""
        waiting, first, running = iter(tasks), collections.deque(), {}
        try:
            while True:
                broken = self._start(first, waiting, running)
                if not running and broken is None:
                    return
                self._wait(running, for_all=broken is not None)
                if self._lost_scheduler():
                    raise RuntimeError("executor: the client lost its scheduler; give resume= a folder, and the same call goes on with "
                                       "another client")
                for future in [each for each in running if each.done()]:
                    task, kept = running.pop(future)
                    try:
                        result = future.result()
                    except (concurrent.futures.BrokenExecutor, concurrent.futures.CancelledError) as problem:
                        broken = problem
                        first.append(task)
                    else:
                        results = (result,) if task.split is None else (kept, result) if self.keeps_results else task.split(result)
                        first.extend(task.then(*results) or ())
                if broken is not None and not running:
                    self._renew(broken)
        finally:
            for future in running:
                future.cancel()
            self._wait(running, for_all=True)

    def _start(self, first, waiting, running):
        """Submits tasks while there is room; returns the error of an executor that takes no more."""
        while len(running) < self._at_once:
            task = first.popleft() if first else next(waiting, None)
            if task is None:
                return None
            try:
                future, kept = self._submit(task)
                running[future] = task, kept
            except concurrent.futures.BrokenExecutor as broken:
                first.appendleft(task)
                return broken
        return None

    def _submit(self, task):
        """Returns the future of what the caller gets, and that of what a cluster keeps."""
        function = task.function if self.devices is None else functools.partial(on_devices, self.devices, task.function)
        if not self.keeps_results:
            return self._executor.submit(function, *task.arguments()), None
        call = _on_cluster, function, task.split, *task.arguments()
        if task.split is None:
            return self._executor.submit(*call), None
        # A worker that dies loses what it keeps: the cluster repeats the tasks that led there, whose arguments its scheduler has.
        kept = self._cluster.submit(*call, pure=False)
        return self._executor.submit(_told, kept, priority=1), kept  # before blocks that wait for a worker

    def _wait(self, running, for_all):
        when = "ALL_COMPLETED" if for_all else "FIRST_COMPLETED"
        while running:
            done, others = concurrent.futures.wait(running, _SECONDS_UNTIL_WORKERS_ARE_LOOKED_AT, when)
            if not others or (done and not for_all) or self._lost_scheduler():
                return
            _Workers(self._executor).end_if_one_died()

    def _lost_scheduler(self):
        """Whether the scheduler of a cluster is another one or none: then some futures are cancelled, and others never end."""
        return self._cluster is not None and self._cluster.scheduler_comm is not self._connection

    def _renew(self, broken):
        self.lost_workers = True
        _Workers(self._executor).end()
        if self._make is None:
            raise RuntimeError("executor: a worker died, and this executor takes no more tasks; give a function that makes one, "
                               "lambda: ProcessPoolExecutor(4), and blocks are tried again on a new one") from broken
        if self._retries == 0:
            raise RuntimeError("executor: workers died more often than retries allows; has each of them memory for its blocks?") from broken
        self._retries -= 1
        self._shut_down()
        self._executor = self._make()

    def _shut_down(self):
        workers = _Workers(self._executor)
        self._executor.shutdown(wait=workers.thread is None, cancel_futures=True)
        while workers.thread is not None and workers.thread.is_alive():
            workers.end_if_one_died()
            workers.thread.join(_SECONDS_UNTIL_WORKERS_ARE_LOOKED_AT)


class _Workers:
    """The processes of a ProcessPoolExecutor, its queues and its thread; nothing of other executors.

    They are kept here because the executor forgets them when it is shut down, and must then still be ended: a worker that is killed
    in the middle of a result, or of taking a task, leaves the executor's thread or the other workers waiting for ever.
    """

    def __init__(self, executor):
        self.thread = getattr(executor, "_executor_manager_thread", None)
        self._processes = list((getattr(executor, "_processes", None) or {}).values())
        self._calls = getattr(executor, "_call_queue", None)
        self._results = getattr(getattr(executor, "_result_queue", None), "_writer", None)

    def end_if_one_died(self):
        if any(process.exitcode for process in self._processes):
            self.end()

    def end(self):
        """Ends all of them, so that the executor's thread finds them gone, reports that the executor is broken, and ends too."""
        for process in self._processes:
            process.kill()
        _close(self._results)
        if self._calls is not None and sys.version_info < (3, 11, 5):  # later ones do this themselves
            _close(self._calls._reader)
            # The queue's own thread may have closed it at the same time, failed, and gone back to wait for what to send: the end.
            self._calls._finalize_close(self._calls._buffer, self._calls._notempty)


def _close(pipe):
    if pipe is not None:
        with contextlib.suppress(OSError, TypeError):  # the executor's own threads may be closing it
            pipe.close()

# SPDX-License-Identifier: Apache-2.0
"""A scheduler of Dask and 1, 2, 4 … worker processes of one host label a volume of Zarr: seconds, and what each worker took.

    python bench/blocks/workers.py FOLDER --side 512 --chunk 128 --workers 1,2,4

Each number of workers has a scheduler and workers of its own, started as on a cluster. They run skerry.dask.label, whose labels go
to Zarr, and skerry.blocks.label with the client as its executor; then as many processes of a pool run skerry.blocks.label. Workers have
imported what they need before they are timed. All label images are compared, also with those of other numbers of workers. FOLDER is removed at
the end. Prints one line of JSON for each number of workers: [wall seconds, processor seconds] of each way, and how many times as fast
it is as with the first number of workers.
"""
import concurrent.futures
import contextlib
import datetime
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import time

import dask
import dask.array
import distributed
import numpy
import zarr

import skerry.blocks
import skerry.dask
import volumes


@contextlib.contextmanager
def cluster(folder, workers):
    """A client of a scheduler with so many worker processes of one thread."""
    known = folder / "scheduler.json"
    here = ["--scheduler-file", str(known), "--host", "127.0.0.1", "--no-dashboard"]
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", *here, "--port", "0"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", *here, "--nthreads", "1", "--no-nanny", "--memory-limit", "0",
              "--local-directory", str(folder / "workers")]
    paths = [str(pathlib.Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]  # for volumes
    with contextlib.ExitStack() as held:
        for each in [command, *[worker] * workers]:
            process = subprocess.Popen(each, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
            held.callback(process.wait)
            held.callback(process.terminate)
        while not known.exists():
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(known), timeout=300) as client:
            client.wait_for_workers(workers, timeout=300)
            yield client
    known.unlink(missing_ok=True)


def used():
    """Processor seconds, and the largest resident set in GiB, of this process."""
    return time.process_time(), volumes.largest_resident_set()


def timed(before_and_after, work):
    """The result, and [wall seconds, processor seconds] of all workers."""
    before, begin = before_and_after(), time.perf_counter()
    result = work()
    wall = time.perf_counter() - begin
    return result, [round(wall, 2), round(before_and_after() - before, 2)]


def warm():
    """Imports what the tasks of a worker need, which takes seconds: neither way is to pay it for the other."""
    import dask.array, skerry.blocks, skerry.dask, zarr  # noqa: E401
    skerry.count(numpy.ones((8, 8, 8), "u1"))
    store = zarr.storage.MemoryStore()
    skerry.blocks.label(numpy.ones((8, 8, 8), "u1"), out=zarr.create_array(store=store, shape=(8, 8, 8), dtype="u4"))
    return dask.array.from_zarr(zarr.open_array(store)).sum().compute(scheduler="synchronous")


def with_dask(array, out, bound):
    labels, table = skerry.dask.label(array, above=bound, dtype="u4")
    return dask.compute(labels.to_zarr(out, compute=False), table)[1]


def with_blocks(array, out, asked, bound, executor):
    return skerry.blocks.label(array, above=bound, dtype="u4", out=out, blocks=(asked.chunk,) * 3, executor=executor)[1]


def on_cluster(asked, place, outs, workers, bound):
    """Tables and times of skerry.dask and of skerry.blocks, and the resident sets of workers."""
    chunk = asked.chunk
    with cluster(asked.folder, workers) as client:
        def seconds():
            return sum(each[0] for each in client.run(used).values())

        client.run(warm)
        lazy, array = dask.array.from_zarr(place, chunks=(chunk,) * 3), zarr.open_array(place, mode="r")
        tables_and_times = [timed(seconds, lambda: with_dask(lazy, outs[0], bound)),
                            timed(seconds, lambda: with_blocks(array, outs[1], asked, bound, client))]
        return *tables_and_times, sorted(round(each[1], 2) for each in client.run(used).values())


def in_processes(asked, place, out, workers, bound):
    with concurrent.futures.ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), warm) as pool:
        def seconds():
            return sum(os_times(each.pid) for each in pool._processes.values())

        for _ in range(2):  # each worker starts with a call that no other one is free for, and is warm when it ends
            list(pool.map(time.sleep, [1 + workers / 8] * workers))
        return timed(seconds, lambda: with_blocks(zarr.open_array(place, mode="r"), out, asked, bound, pool))


def os_times(process):
    """Processor seconds of a process that runs."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def are_same(places, region):
    """Whether a part of all label images is the same."""
    first, *others = (zarr.open_array(each, mode="r")[region] for each in places)
    return all((first == other).all() for other in others)


def make_chunk(place, name, origin, chunk):
    zarr.open_array(place)[volumes.region(origin, chunk)] = volumes.VOLUMES[name][0](origin, (chunk,) * 3)


def run(asked, place, workers, helpers):
    bound = volumes.VOLUMES[asked.image][1]
    outs = [str(asked.folder / name) for name in ("of_dask.zarr", "of_blocks.zarr", "of_processes.zarr")]
    (table, by_dask), (other, by_blocks), resident = on_cluster(asked, place, outs, workers, bound)
    last, by_processes = in_processes(asked, place, outs[2], workers, bound)
    first = str(asked.folder / "first.zarr")
    if not os.path.exists(first):
        shutil.copytree(outs[0], first)
    regions = [volumes.region(each, asked.chunk) for each in volumes.chunks(asked.side, asked.chunk)]
    right = len(table) == len(other) == len(last) and all(helpers.map(are_same, [[first, *outs]] * len(regions), regions, chunksize=8))
    for each in outs:
        shutil.rmtree(each)
    return {"date": datetime.date.today().isoformat(), "load": round(os.getloadavg()[0], 1), "processors": len(os.sched_getaffinity(0)),
            "image": asked.image, "side": asked.side, "chunk": asked.chunk, "workers": workers, "components": len(table),
            "skerry.dask": by_dask, "skerry.blocks": by_blocks, "skerry.blocks, processes": by_processes, "gib_resident": resident,
            "same": bool(right)}


def main():
    parser = volumes.options(__doc__, side=512, chunk=128, image="g4")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--workers", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2, 4])
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    place, shape = str(asked.folder / "volume.zarr"), (asked.chunk,) * 3
    zarr.create_array(store=place, shape=(asked.side,) * 3, chunks=shape, dtype="u1")
    with concurrent.futures.ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as helpers:
        origins = volumes.chunks(asked.side, asked.chunk)
        same = [[each] * len(origins) for each in (place, asked.image, asked.chunk)]
        list(helpers.map(make_chunk, *same[:2], origins, same[2], chunksize=8))
        first = None
        for workers in asked.workers:
            told = run(asked, place, workers, helpers)
            ways = [each for each in told if each.startswith("skerry.")]
            first = first or told
            told["times as fast"] = {each: round(first[each][0] / told[each][0], 2) for each in ways}
            print(json.dumps(told), flush=True)
    shutil.rmtree(asked.folder)


if __name__ == "__main__":
    main()

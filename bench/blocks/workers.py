# SPDX-License-Identifier: Apache-2.0
"""A scheduler of Dask and 1, 2, 4 … worker processes of one host label a volume of Zarr: seconds, and what each worker took.

    python bench/blocks/workers.py FOLDER --side 512 --chunk 128 --workers 1,2,4

Each number of workers has a scheduler and workers of its own, started as on a cluster. They run skerry.dask.label, whose labels go
to Zarr, and skerry.blocks.label with the client as its executor; both label images are compared. FOLDER is emptied at the end. Prints one
line of JSON for each number of workers.
"""
import contextlib
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import dask
import dask.array
import distributed
import zarr

import skerry.blocks
import skerry.dask
import volumes


@contextlib.contextmanager
def cluster(folder, workers):
    """A client of a scheduler with so many worker processes of one thread."""
    known = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--scheduler-file", str(known), "--port", "0", "--no-dashboard"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(known), "--nthreads", "1", "--no-nanny",
              "--no-dashboard", "--local-directory", str(folder / "workers")]
    with contextlib.ExitStack() as held:
        for each in [command, *[worker] * workers]:
            process = subprocess.Popen(each, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


def timed(client, work):
    """Wall seconds, and processor seconds of all workers."""
    before, begin = client.run(used), time.perf_counter()
    result = work()
    wall, after = time.perf_counter() - begin, client.run(used)
    return result, [round(wall, 1), round(sum(after[each][0] - before[each][0] for each in after), 1)]


def with_dask(place, out, bound, chunk):
    array = dask.array.from_zarr(place, chunks=(chunk,) * 3)
    labels, table = skerry.dask.label(array, above=bound, dtype="u4")
    return dask.compute(labels.to_zarr(out, compute=False), table)[1]


def run(asked, place, workers):
    bound = volumes.VOLUMES[asked.image][1]
    outs = [str(asked.folder / name) for name in ("of_dask.zarr", "of_blocks.zarr")]
    with cluster(asked.folder, workers) as client:
        table, by_dask = timed(client, lambda: with_dask(place, outs[0], bound, asked.chunk))
        (_, other), by_blocks = timed(client, lambda: skerry.blocks.label(
            zarr.open_array(place, mode="r"), above=bound, dtype="u4", out=outs[1], blocks=(asked.chunk,) * 3, executor=client))
        resident = sorted(round(each, 2) for _, each in client.run(used).values())
    labels = [zarr.open_array(each, mode="r") for each in outs]
    right = len(table) == len(other) and all((labels[0][where] == labels[1][where]).all() for where in
                                             (volumes.region(each, asked.chunk) for each in volumes.chunks(asked.side, asked.chunk)))
    print(json.dumps({
        "date": datetime.date.today().isoformat(), "load": round(os.getloadavg()[0], 1), "image": asked.image, "side": asked.side,
        "chunk": asked.chunk, "workers": workers, "components": len(table), "skerry.dask": by_dask, "skerry.blocks": by_blocks,
        "gib_resident": resident, "same": bool(right)}), flush=True)
    for each in outs:
        shutil.rmtree(each)


def main():
    parser = volumes.options(__doc__, side=512, chunk=128, image="g4")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--workers", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2, 4])
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    place, shape = str(asked.folder / "volume.zarr"), (asked.chunk,) * 3
    volume = zarr.create_array(store=place, shape=(asked.side,) * 3, chunks=shape, dtype="u1")
    for origin in volumes.chunks(asked.side, asked.chunk):
        volume[volumes.region(origin, asked.chunk)] = volumes.VOLUMES[asked.image][0](origin, shape)
    for workers in asked.workers:
        run(asked, place, workers)
    shutil.rmtree(asked.folder)


if __name__ == "__main__":
    main()

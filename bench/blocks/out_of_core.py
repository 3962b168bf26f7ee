# SPDX-License-Identifier: Apache-2.0
"""A volume of Zarr that is larger than memory, labelled in blocks, next to reading, labelling and writing it alone.

    python bench/blocks/out_of_core.py FOLDER --side 2048 --image natural --workers 2

FOLDER holds the volume and its labels, about 1.5 bytes a pixel; both are removed at the end unless --keep is given. "Alone" is the
sum of three passes over all chunks by the same workers: read each, label each (with what skerry.label does for one
image), write each one's labels. Prints one line of JSON.
"""
import concurrent.futures
import datetime
import json
import os
import pathlib
import shutil
import time

import numpy
import zarr

import skerry
import skerry.blocks
import volumes


def timed(work):
    begin = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - begin[0], time.process_time() - begin[1]


def over_chunks(pool, side, chunk, work):
    return timed(lambda: [each for each in pool.map(work, volumes.chunks(side, chunk))])


def alone(pool, volume, asked, bound, folder):
    """Seconds, and processor seconds, of the three passes."""
    side, chunk = asked.side, asked.chunk
    _, *read = over_chunks(pool, side, chunk, lambda origin: int(volume[volumes.region(origin, chunk)][0, 0, 0]))

    # Of every 8th chunk: pixels and labels of all do not fit in memory, and a pass that reads them would not be alone.
    some = volumes.chunks(side, chunk)[::8]
    label_seconds, label_work, write_seconds, write_work = 0.0, 0.0, 0.0, 0.0
    out = zarr.create_array(store=str(folder / "alone.zarr"), shape=volume.shape, chunks=volume.chunks, dtype="u4", fill_value=0)
    for at in range(0, len(some), asked.workers):
        blocks = [(origin, volume[volumes.region(origin, chunk)]) for origin in some[at:at + asked.workers]]
        labels, wall, work = timed(lambda: list(pool.map(lambda of: skerry.label(of[1], above=bound, threads=1, dtype="u4").image, blocks)))
        label_seconds, label_work = label_seconds + wall, label_work + work

        def write(of):
            out[volumes.region(of[0][0], chunk)] = of[1]

        _, wall, work = timed(lambda: list(pool.map(write, zip(blocks, labels))))
        write_seconds, write_work = write_seconds + wall, write_work + work
    shutil.rmtree(folder / "alone.zarr")
    share = len(volumes.chunks(side, chunk)) / len(some)
    return {"read": read, "label": [share * label_seconds, share * label_work], "write": [share * write_seconds, share * write_work]}


def main():
    parser = volumes.options(__doc__, side=1024, chunk=256, image="natural")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    make, bound = volumes.VOLUMES[asked.image]
    asked.folder.mkdir(parents=True, exist_ok=True)
    place, labels_place = asked.folder / f"{asked.image}.zarr", asked.folder / "labels.zarr"
    shape, chunk = (asked.side,) * 3, asked.chunk
    with concurrent.futures.ThreadPoolExecutor(asked.workers) as pool:
        if not place.exists():
            volume = zarr.create_array(store=str(place), shape=shape, chunks=(chunk,) * 3, dtype="u1")
            over_chunks(pool, asked.side, chunk, lambda origin: volume.__setitem__(volumes.region(origin, chunk), make(origin, (chunk,) * 3)))
        volume = zarr.open_array(str(place), mode="r")
        report = {"date": datetime.date.today().isoformat(), "image": asked.image, "side": asked.side, "chunk": chunk, "workers": asked.workers,
                  "load": os.getloadavg()[0], "alone": alone(pool, volume, asked, bound, asked.folder)}
        before = volumes.largest_resident_set()
        shutil.rmtree(labels_place, ignore_errors=True)
        (labels, table), wall, work = timed(lambda: skerry.blocks.label(volume, above=bound, out=str(labels_place), dtype="u4", executor=pool))
        report["blocks"], report["components"] = [wall, work], len(table)
        report["gib_resident"] = [round(each, 2) for each in (before, volumes.largest_resident_set())]
        pixels, *_ = over_chunks(pool, asked.side, chunk, lambda origin: [int((volume[volumes.region(origin, chunk)] > bound).sum()),
                                                                         int(labels[volumes.region(origin, chunk)].max())])
    report["right"] = sum(count for count, _ in pixels) == int(table["area"].sum()) and max(top for _, top in pixels) == len(table)
    for which, name in enumerate(("of_wall_time", "of_processor_time")):
        report[name] = round(sum(each[which] for each in report["alone"].values()) / report["blocks"][which], 2)
    report["alone"] = {name: [round(each, 1) for each in seconds] for name, seconds in report["alone"].items()}
    report["blocks"] = [round(each, 1) for each in report["blocks"]]
    print(json.dumps(report), flush=True)
    shutil.rmtree(labels_place)
    if not asked.keep:
        shutil.rmtree(place)


if __name__ == "__main__":
    main()

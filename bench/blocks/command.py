# SPDX-License-Identifier: Apache-2.0
"""skerry label --memory on a BigTIFF that is larger than memory, next to the same command without --memory on a part that fits.

    python bench/blocks/command.py FOLDER build/release/cli/skerry --slices 2048 --memory 2G

The part is the first --part slices; the command reads it, labels it and writes its labels in one piece, which is the speed of
reading + labelling + writing alone. Needs tifffile. FOLDER holds the volume (a byte a pixel) and labels, deflated, and is emptied at
the end. Prints one line of JSON.
"""
import datetime
import json
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy
import tifffile

import volumes


def pages(slices, side, chunk, make):
    for z in range(0, slices, chunk):
        slab = numpy.empty((chunk, side, side), "u1")
        for y in range(0, side, chunk):
            for x in range(0, side, chunk):
                slab[:, y:y + chunk, x:x + chunk] = make((z, y, x), (chunk,) * 3)
        yield from slab


def write_pages(place, slices, asked):
    tifffile.imwrite(place, pages(slices, asked.side, asked.chunk, volumes.VOLUMES[asked.image][0]), shape=(slices, asked.side, asked.side),
                     dtype="u1", bigtiff=True, photometric="minisblack", metadata={"axes": "ZYX"}, rowsperstrip=asked.side)


def write(*arguments):
    """In a process of its own: the resident set of a command is at least that of the process which starts it."""
    process = multiprocessing.get_context("spawn").Process(target=write_pages, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(process.exitcode)


def run(asked, place, out, *more):
    """Wall seconds, processor seconds, largest resident set in GiB, and the command's summary."""
    command = [asked.skerry, "label", place, "--range", str(volumes.VOLUMES[asked.image][1] + 1), "255", "--threads", str(asked.threads), "-o", out, *more]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = process.stdout.read()
        _, status, took = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(said)
    return [round(time.perf_counter() - begin, 1), round(took.ru_utime + took.ru_stime, 1), round(took.ru_maxrss / 2**20, 2)], said.strip()


def main():
    parser = volumes.options(__doc__, side=2048, chunk=256, image="g4")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("skerry")
    parser.add_argument("--slices", type=int, default=512)
    parser.add_argument("--part", type=int, default=256)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--memory", default="2G")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True)
    part, whole, labels = (str(asked.folder / name) for name in ("part.tif", "whole.tif", "labels.tif"))
    write(part, asked.part, asked)
    alone, _ = run(asked, part, labels)
    write(whole, asked.slices, asked)
    load = os.getloadavg()[0]
    bands, said = run(asked, whole, labels, "--memory", asked.memory)
    share = [round(of_part * asked.slices / asked.part / of_whole, 2) for of_part, of_whole in zip(alone[:2], bands[:2])]
    print(json.dumps({
        "date": datetime.date.today().isoformat(), "load": round(load, 1), "image": asked.image, "shape": [asked.slices, asked.side, asked.side],
        "memory": asked.memory, "threads": asked.threads, "part": asked.part, "part_in_memory": alone, "bands": bands,
        "label_bytes": os.path.getsize(labels), "of_wall_time": share[0], "of_processor_time": share[1], "said": said.split(": ", 1)[-1]}))
    shutil.rmtree(asked.folder)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""skerry.dask.label next to dask_image.ndmeasure.label on a volume of Zarr: tasks, seconds, and the same components.

    python bench/blocks/beside_dask_image.py FOLDER/g4.zarr --image g4 --minutes 40

The volume is one that out_of_core.py --keep left. 26 neighbours. Labels go to Zarr beside the volume, and are removed at the end.
dask-image ends after so many minutes of wall time; then the line says how far it was. Prints one line of JSON for each.
"""
import datetime
import json
import os
import pathlib
import shutil
import sys
import threading
import time

import dask
import dask.array
import dask.callbacks
import numpy
import zarr

import skerry.dask
import volumes


class Tasks(dask.callbacks.Callback):
    """How many tasks there are, and are done."""

    def __init__(self):
        super().__init__(start_state=self._begin, posttask=self._count)
        self.all = self.done = 0

    def _begin(self, graph, _state):
        self.all = len(graph)

    def _count(self, *_):
        self.done += 1


class Report:
    """The line of one program, from its first step."""

    def __init__(self, what, minutes=None):
        self.begin, self.tasks = (time.perf_counter(), time.process_time()), Tasks()
        self.line = {"date": datetime.date.today().isoformat(), "load": round(os.getloadavg()[0], 1), "what": what}
        if minutes:
            limit = threading.Timer(60 * minutes, self._end)
            limit.daemon = True
            limit.start()

    def step(self, name):
        """Seconds so far, and processor seconds."""
        self.line[name] = [round(time.perf_counter() - self.begin[0], 1), round(time.process_time() - self.begin[1], 1)]

    def write(self):
        print(json.dumps({**self.line, "tasks": self.tasks.all, "tasks_done": self.tasks.done}), flush=True)

    def _end(self):
        self.step("not_done_after")
        self.write()
        os._exit(1)


def label_with(which, array, out, report):
    """Labels to Zarr. Returns their count."""
    if which == "skerry":
        labels, table = skerry.dask.label(array, connectivity=26, dtype="u4")
        stored, count = labels.to_zarr(out, compute=False), dask.delayed(len)(table)
    else:
        from dask_image import ndmeasure
        labels, count = ndmeasure.label(array, structure=numpy.ones((3, 3, 3), int))
        stored = labels.astype("u4").to_zarr(out, compute=False)
    report.step("graph")
    with report.tasks:
        count = dask.compute(stored, count)[1]
    report.step("labels_and_count")
    report.line["components"] = int(count)
    report.write()
    return zarr.open_array(out, mode="r")


def same_up_to_numbers(one, other, side, chunk):
    """Whether labels of one are those of the other, renumbered."""
    pairs = set()
    for origin in volumes.chunks(side, chunk):
        where = volumes.region(origin, chunk)
        pairs.update(numpy.unique(one[where].astype("u8") << 32 | other[where]).tolist())
    left, right = {each >> 32 for each in pairs}, {each & 0xFFFFFFFF for each in pairs}
    return len(left) == len(right) == len(pairs)


def main():
    parser = volumes.options(__doc__, image="g4")
    parser.add_argument("volume", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=40)
    asked = parser.parse_args()
    array = dask.array.from_zarr(str(asked.volume)) > volumes.VOLUMES[asked.image][1]
    outs = {which: asked.volume.parent / f"of_{which}.zarr" for which in ("skerry", "dask-image")}
    try:
        labels = [label_with(which, array, str(out), Report(which, asked.minutes if which == "dask-image" else None))
                  for which, out in outs.items()]
        same = same_up_to_numbers(*labels, array.shape[0], array.chunksize[0])
        print(json.dumps({"same_up_to_numbers": same}))
    finally:
        for each in outs.values():
            shutil.rmtree(each, ignore_errors=True)
    return 0 if same else 2


if __name__ == "__main__":
    sys.exit(main())

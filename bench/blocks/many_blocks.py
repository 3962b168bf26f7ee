# SPDX-License-Identifier: Apache-2.0
"""Pieces of many blocks, joined in the tree of skerry.blocks.label and numbered by one process: time and memory by number of blocks.

    python bench/blocks/many_blocks.py 10000 30000 100000

A block has --side pixels on each axis, of which --density per cent at random are foreground: noise from a seed and the block's
place. So pieces are made without an image, one after the other, and their time is told apart from that of joining. Each number of
blocks, a little above or below what is asked, is run in a process of its own. Prints one line of JSON for each.
"""
import datetime
import json
import multiprocessing
import os
import sys
import time
import types

import numpy

import skerry.blocks
from skerry._block_calls import Tree
from skerry._grid import Grid
from skerry._workers import Crew

import volumes


class Clock:
    """Wall and processor seconds of one kind of work."""

    def __init__(self):
        self.wall = self.work = 0.0

    def of(self, work, *arguments):
        begin = time.perf_counter(), time.process_time()
        result = work(*arguments)
        self.wall, self.work = self.wall + time.perf_counter() - begin[0], self.work + time.process_time() - begin[1]
        return result

    def rounded(self):
        return [round(self.wall, 1), round(self.work, 1)]


def counts_near(blocks):
    """Blocks along three axes, near to a cube."""
    side = round(blocks ** (1 / 3))
    return side, side, max(round(blocks / side**2), 1)


def run(blocks, asked):
    counts = counts_near(blocks)
    grid = Grid.of_blocks([asked.side * count for count in counts], (asked.side,) * 3)
    tree = Tree(types.SimpleNamespace(grid=grid, crew=Crew(None, 0)))
    make, join, number = Clock(), Clock(), Clock()

    def piece_of(index):
        random = numpy.random.default_rng([19, *index])
        pixels = (random.integers(0, 100, (asked.side,) * 3, "u1") < asked.density).view("u1")
        return skerry.blocks.label_block(pixels, grid.origin(index), grid.shape, threads=1)

    def follow(place, piece):
        """Adds a piece, and joins as far up the tree as all children are there."""
        tasks = tree.add(place, piece)
        while tasks:
            task = tasks.pop()
            result = task.function(*task.arguments())
            tasks += task.then(*(task.split(result) if task.split else [result])) or []

    for index in grid:
        join.of(follow, (0, index), make.of(piece_of, index))
    pieces = tree.pieces()
    numbering, table = number.of(skerry.blocks.number, pieces)
    print(json.dumps({
        "date": datetime.date.today().isoformat(), "load": round(os.getloadavg()[0], 1), "blocks": len(grid), "side": asked.side,
        "density": asked.density, "components": numbering.count, "pieces_made": make.rounded(), "joined": join.rounded(),
        "numbered": number.rounded(), "microseconds_of_processor_per_block": round(1e6 * (join.work + number.work) / len(grid)),
        "gib_resident": round(volumes.largest_resident_set(), 2)}), flush=True)


def main():
    parser = volumes.options(__doc__, side=16)
    parser.add_argument("blocks", type=int, nargs="+")
    parser.add_argument("--density", type=int, default=30)
    asked = parser.parse_args()
    for blocks in asked.blocks:
        process = multiprocessing.get_context("spawn").Process(target=run, args=(blocks, asked))
        process.start()
        process.join()
        if process.exitcode:
            sys.exit(process.exitcode)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of the papers from what skerry_papers has measured, and prints their tables and claims.

report.py plots RESULT FOLDER    PNG and SVG of every figure whose numbers are there; needs matplotlib
report.py tables RESULT          Markdown on standard output
report.py publish RESULT         docs/reproduction.md, docs/systems.md and docs/pictures/papers again, of RESULT in bench/results
report.py check                  fails when one of these pages is not what its result in bench/results gives
"""
import importlib.util
import os
import re
import sys

import claims
import devices
import systems
import tables
import verdict
from samples import read

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PICTURES = os.path.join(ROOT, "docs", "pictures", "papers")
BLOCKS = {**devices.BLOCKS, **verdict.BLOCKS, **tables.BLOCKS, **claims.BLOCKS}
PAGES = {"docs/reproduction.md": BLOCKS, "docs/systems.md": systems.BLOCKS}
SOURCE = re.compile(r"bench/results/[^`]*-papers\.json")


def print_tables(path):
    head, samples = read(path)
    papers = {sample["figure"][:3] for sample in samples}
    if head["images"] == "small":
        papers = set()  # too few images for claims
        print("A quick run: claims are left out.")
    for name, lines in BLOCKS.items():
        if not name.startswith("claims") or name[-3:] in papers:
            print("\n".join(["", f"### {name}", ""] + lines(head, samples)))


def filled(page, blocks, path):
    """The page with every block between its two marks made again."""
    head, samples = read(path)
    for name, lines in blocks.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, after = page.index(begin) + len(begin), page.index(end)
        page = page[:before] + "\n".join(lines(head, samples)).strip("\n") + "\n" + page[after:]
    if verdict.NO_CAUSE in page:
        sys.exit(f"{path}: a claim does not hold and names no cause:\n" +
                 "\n".join(line for line in page.splitlines() if verdict.NO_CAUSE in line))
    return SOURCE.sub(os.path.relpath(os.path.abspath(path), ROOT), page)


def publish(path):
    for name, blocks in PAGES.items():
        with open(os.path.join(ROOT, name)) as file:
            page = filled(file.read(), blocks, path)
        with open(os.path.join(ROOT, name), "w") as file:
            file.write(page)
    draw(path, PICTURES)


def draw(path, folder):
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit(f"{sys.executable} has no matplotlib: no figures were drawn")
    import figures
    figures.plots(path, folder)


def check():
    for name, blocks in PAGES.items():
        check_page(name, blocks)


def check_page(name, blocks):
    with open(os.path.join(ROOT, name)) as file:
        page = file.read()
    path = os.path.join(ROOT, SOURCE.search(page).group())
    wanted = filled(page, blocks, path)
    for number, (is_there, should_be) in enumerate(zip(page.splitlines(), wanted.splitlines()), 1):
        if is_there != should_be:
            sys.exit(f"{name}:{number}: is not what {path} gives:\n- {is_there}\n+ {should_be}")
    if page != wanted:
        sys.exit(f"{name} is not as long as {path} makes it")


def main():
    match sys.argv[1:]:
        case ["plots", path, folder]:
            draw(path, folder)
        case ["tables", path]:
            print_tables(path)
        case ["publish", path]:
            publish(path)
        case ["check"]:
            check()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

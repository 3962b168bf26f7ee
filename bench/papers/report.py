#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of the papers from what skerry_papers has measured, and prints their tables and claims.
What skerry_papers_cpu has measured has tables only.

report.py plots RESULT FOLDER    PNG and SVG of every figure whose numbers are there; needs matplotlib
report.py tables RESULT          Markdown on standard output
report.py note RESULT NAME FACT  puts a fact into the head of a result

bench/pages.py makes docs/reproduction.md and docs/systems.md of the newest result in bench/results.
"""
import importlib.util
import json
import sys

import tables_cpu
from blocks import BLOCKS
from samples import read


def print_tables(path):
    head, samples = read(path)
    if all(sample["figure"][4:].startswith("cpu") for sample in samples):
        for name, lines in tables_cpu.BLOCKS.items():
            print("\n".join(["", f"### {name}", ""] + lines(head, samples)))
        return
    papers = {sample["figure"][:3] for sample in samples}
    if head["images"] == "small":
        papers = set()  # too few images for claims
        print("A quick run: claims are left out.")
    for name, lines in BLOCKS.items():
        if not name.startswith("claims") or name[-3:] in papers:
            print("\n".join(["", f"### {name}", ""] + lines(head, samples)))


def note(path, name, fact):
    """Other bytes stay as the program wrote them."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if name in json.loads(text)["head"]:
        sys.exit(f"{path}: the head has a {name}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('{"head": {', f'{{"head": {{{json.dumps(name)}: {json.dumps(fact)}, ', 1))


def draw(path, folder):
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit(f"{sys.executable} has no matplotlib: no figures were drawn")
    import figures
    figures.plots(path, folder)


def main():
    match sys.argv[1:]:
        case ["plots", path, folder]:
            draw(path, folder)
        case ["tables", path]:
            print_tables(path)
        case ["note", path, name, fact]:
            note(path, name, fact)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

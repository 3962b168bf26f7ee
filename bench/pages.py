#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pages of docs that show measured numbers, from the newest results of each machine in bench/results.

bench/pages.py             docs/performance.md, docs/reproduction.md, docs/systems.md; their pictures where there is matplotlib
bench/pages.py --check     fails where a page is not what the results give, where a result is not the newest of its name or is not
                           read, and where docs/performance.md has a measured number without a date outside its tables
"""
import importlib.util
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE / "papers"))

import blocks  # noqa: E402
import revisions  # noqa: E402
import samples  # noqa: E402
import systems  # noqa: E402
import tables_cpu  # noqa: E402
import verdict  # noqa: E402
from performance import cpu, gpu, results  # noqa: E402

PAPERS, PAPERS_CPU = (results.newest_of_all(ending) for ending in ("-papers.json", "-papers-cpu.json"))
PERFORMANCE = "docs/performance.md"
SOURCE = re.compile(r"bench/results/[^`]*-papers\.json")
SOURCE_CPU = re.compile(r"bench/results/[^`]*-papers-cpu\.json")
MEASURED = re.compile(r"\d (?:[GM](?:px|vx)/s|frames/s|GB/s|[mµn]?s\b)")
DATE = re.compile(r"\d{4}-\d\d-\d\d")


def of_papers(some):
    """Blocks of the papers' run as functions of nothing; claims see what was measured of a CPU, too, if both may be joined."""
    head, measured = samples.read(PAPERS)
    head_of_cpu, on_cpu = samples.read(PAPERS_CPU) if PAPERS_CPU else ({}, [])
    note = revisions.note((PAPERS.name, head), (PAPERS_CPU.name, head_of_cpu) if PAPERS_CPU else None)
    made = {name: lambda lines=lines: lines(head, measured + samples.beside_a_gpu(on_cpu)) for name, lines in some.items()}
    return {"revisions": lambda: note, **made}


def of_cpu(some):
    """The same of the run on a CPU, if there is one."""
    if PAPERS_CPU is None:
        return {}
    head, measured = samples.read(PAPERS_CPU)
    return {name: lambda lines=lines: lines(head, measured) for name, lines in some.items()}


def pages():
    return {PERFORMANCE: {**cpu.BLOCKS, **gpu.BLOCKS}, "docs/reproduction.md": {**of_papers(blocks.BLOCKS), **of_cpu(tables_cpu.BLOCKS)},
            "docs/systems.md": of_papers(systems.BLOCKS)}


def parted(page, name):
    """What is before a block, the block, and what is after it."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, rest = page.split(begin)
    block, after = rest.split(end)
    return before + begin, block, end + after


def filled(name, page, made):
    """The page with every block between its two marks made again."""
    for block, lines in made.items():
        before, _, after = parted(page, block)
        page = before + "\n".join(lines()).strip("\n") + "\n" + after
    without_cause = [line for line in page.splitlines() if verdict.NO_CAUSE in line]
    if without_cause:
        sys.exit(f"{name}: a claim does not hold and names no cause:\n" + "\n".join(without_cause))
    if PAPERS_CPU:
        page = SOURCE_CPU.sub(f"bench/results/{PAPERS_CPU.name}", page)
    return SOURCE.sub(f"bench/results/{PAPERS.name}", page)


def undated(page, made):
    """Paragraphs of prose with a measured number and no date: they belong into a result, or to dead_ends.md."""
    for block in made:
        before, _, after = parted(page, block)
        page = before + after
    return [text for text in page.split("\n\n") if MEASURED.search(text) and not DATE.search(text)]


def unread(texts):
    """Results that no page, decision or picture of the README names."""
    named = "".join(texts)
    return [path.name for path in sorted(results.FOLDER.iterdir()) if path.name not in named and path.stem not in named]


def write():
    for name, made in pages().items():
        path = results.ROOT / name
        path.write_text(filled(name, path.read_text(encoding="utf-8"), made), encoding="utf-8")
    if importlib.util.find_spec("matplotlib") is None:
        print(f"{sys.executable} has no matplotlib: the pages are made, but no picture was drawn", file=sys.stderr)
        return
    import figures
    figures.plots(PAPERS, results.ROOT / "docs" / "pictures" / "papers")


def check():
    docs = results.ROOT / "docs"
    texts = [path.read_text(encoding="utf-8") for path in
             [*(docs / "decisions").glob("*.md"), docs / "any_size.md", results.ROOT / "script" / "speed-picture"]]
    for name, made in pages().items():
        page = (results.ROOT / name).read_text(encoding="utf-8")
        texts.append(page)
        wanted = filled(name, page, made)
        for number, (is_there, should_be) in enumerate(zip(page.splitlines(), wanted.splitlines()), 1):
            if is_there != should_be:
                sys.exit(f"{name}:{number}: is not what bench/results gives; run bench/pages.py:\n- {is_there}\n+ {should_be}")
        if page != wanted:
            sys.exit(f"{name} is not as long as bench/results makes it; run bench/pages.py")
        if name == PERFORMANCE and (some := undated(page, made)):
            sys.exit(f"{name}: measured numbers without a date, outside the tables:\n" + "\n\n".join(some))
    if some := results.superseded():
        sys.exit("bench/results: there are later ones of " + ", ".join(path.name for path in some) + ": remove these")
    if some := unread(texts):
        sys.exit("bench/results: no page, decision or picture names " + ", ".join(some))


def main():
    match sys.argv[1:]:
        case []:
            write()
        case ["--check"]:
            check()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Finds the files of bench/results, and reads the tables that the benches print into them."""
import json
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "bench" / "results"
DATED = re.compile(r"(\d{4}-\d\d-\d\d)-(.+)")
CELLS = re.compile(r"\S+")


def newest(name):
    """The latest of the results `<date>-NAME`; a name ends with the ending of the file."""
    return max(path for path in FOLDER.iterdir() if (found := DATED.fullmatch(path.name)) and found[2] == name)


def newest_of_all(ending):
    """The latest of the results of any machine whose names end so; None when there is none."""
    return max((path for path in FOLDER.iterdir() if path.name.endswith(ending)), default=None)


def superseded():
    """Results of which there is a later one of the same name."""
    names = {DATED.fullmatch(path.name)[2] for path in FOLDER.iterdir()}
    return sorted(set(FOLDER.iterdir()) - {newest(name) for name in names})


def lines_of(name):
    return newest(name).read_text(encoding="utf-8").splitlines()


def json_of(name):
    return json.loads(newest(name).read_text(encoding="utf-8"))


def origin(name):
    """Where the numbers of a table are: for the line above it."""
    path = newest(name)
    return f"{DATED.fullmatch(path.name)[1]}, `{path.relative_to(ROOT)}`"


def of_time(speeds):
    """All pixels by all of the time: the harmonic mean, for images of one size."""
    return statistics.harmonic_mean(speeds)


def both_means(speeds, form=".0f"):
    """The mean of time, and in brackets that of throughput."""
    return f"{of_time(speeds):{form}} ({statistics.mean(speeds):{form}})"


def percent(share):
    return f"{100 * share:.0f} %"


def versus(name):
    """{(side, connectivity, threads): {row: {g: Mpx/s by density, and their mean}}} of what skerry_versus prints."""
    tables, table, sides = {}, None, []
    for line in lines_of(name):
        title = re.match(r"(\d+) x \d+, (\d)-connectivity, (\d+) thread", line)
        if title:
            table = tables.setdefault(tuple(map(int, title.groups())), {})
        elif "| g=" in line:
            sides = [int(side) for side in re.findall(r"g=(\d+)", line)]
        elif table is not None and "|" in line and not line.startswith("density"):
            row, *groups = line.split("|")
            table[row.strip()] = {side: [float(cell) for cell in group.split()] for side, group in zip(sides, groups)}
    return tables


def threads(name):
    """{(side, connectivity, job, g): how many times as fast two threads are, of each run}; without versions before a change."""
    gains, where, leave_out = {}, None, False
    for line in lines_of(name):
        title = re.match(r"side (\d+), (\d)-connectivity", line)
        row = re.match(r"(label and measure|label|measure) +(\d+) .* ([\d.]+)$", line)
        if line.startswith("####"):
            leave_out = "before" in line
        elif title:
            where = tuple(map(int, title.groups()))
        elif row and not leave_out:
            gains.setdefault((*where, row[1], int(row[2])), []).append(float(row[3]))
    return gains


def stages(name, job):
    """{stage: ns per pixel, means of all images} of one job of what skerry_stages prints."""
    found, inside = {}, False
    for line in lines_of(name):
        if ", side" in line:
            inside = line.startswith(job + ",")
        cells = re.match(r"(\d_\w+|rest) .* ([\d.]+) +\d+ %$", line)
        if inside and cells:
            found.setdefault(cells[1], float(cells[2]))
    return found


def table_after(name, title, columns):
    """The rows of the first printed table below the line that has `title`, each a list of its last cells and the words before."""
    lines = lines_of(name)
    first = next(number for number, line in enumerate(lines) if title in line)
    rows = []
    for line in lines[first + 1:]:
        cells = CELLS.findall(line)
        values = cells[-columns:]
        if len(cells) >= columns and all(re.fullmatch(r"[\d.]+", value) for value in values):
            rows.append((" ".join(cells[:-columns]), *map(float, values)))
        elif rows and not line.startswith("  "):
            break
    return rows

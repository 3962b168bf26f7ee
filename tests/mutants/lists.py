# SPDX-License-Identifier: Apache-2.0
"""Lists of mutants, and where their lines are (script/mutate tells the form)."""
import collections
import re
import zlib

Mutant = collections.namedtuple("Mutant", "number file line before after same")
TESTS_OF = {"io": ("cli",), "core": ("core", "label", "feature", "max_tree_attributes", "track_threshold"),
            "engine": ("engine", "label", "max_tree_arguments"), "label": ("label", "feature")}


def read_lists(paths):
    mutants, used = [], set()
    for path in paths:
        read_list(path, mutants, used)
    return mutants


def read_list(path, mutants, used):
    file, line = None, None
    for text in path.read_text().splitlines():
        stripped = text.strip()
        if not stripped or text.startswith("#"):
            continue
        if text.startswith("["):
            file = stripped[1:-1]
        elif not text.startswith("    "):
            line = stripped
        elif stripped.startswith("equivalent: "):
            mutants[-1] = mutants[-1]._replace(same=stripped[12:])
        else:
            before, after = stripped.split("  =>  ")
            number = zlib.crc32(f"{file}{line}{stripped}".encode()) % 65535 + 1
            while number in used:
                number = number % 65535 + 1
            used.add(number)
            mutants.append(Mutant(number, file, line, before, after, None))


def take_out(paths, wrong):
    """What a list says before its first file stays."""
    unwanted = {mutant[1:] for mutant in wrong}
    for path in paths:
        head = path.read_text().split("\n[")[0].rstrip("\n")
        path.write_text((head and head + "\n") + as_list([m for m in read_lists([path]) if m[1:] not in unwanted]))


def as_list(mutants):
    text, file, line = "", None, None
    for mutant in mutants:
        if mutant.file != file:
            text += f"\n[{mutant.file}]\n"
        if (mutant.file, mutant.line) != (file, line):
            text += f"  {mutant.line}\n"
        file, line = mutant.file, mutant.line
        text += f"    {mutant.before}  =>  {mutant.after}\n"
        if mutant.same:
            text += f"    equivalent: {mutant.same}\n"
    return text


def room_of(mutant):
    parts = mutant.file.split("/")
    return parts[1] if parts[0] == "src" else parts[0]


def tests_of(mutant):
    if mutant.file.endswith((".cu", ".cuh")):
        return "cuda_test", "track_cuda_test"
    return TESTS_OF.get(room_of(mutant), (room_of(mutant),))


def find_line(lines, wanted):
    numbered = re.match(r"(\d+): (.*)", wanted)
    nth, text = (int(numbered[1]), numbered[2]) if numbered else (1, wanted)
    places = [i for i, line in enumerate(lines) if line.strip() == text]
    if len(places) < nth or (not numbered and len(places) > 1):
        return None
    return places[nth - 1]


def place_of(lines, mutant):
    """Where a mutant changes its file, whose lines these are; None where it is not what the list says."""
    place = find_line(lines, mutant.line)
    return None if place is None or mutant.before not in lines[place] else place


def not_there(root, mutants):
    """The mutants whose lines the sources lack, or have more than once without a number."""
    lines_of = {name: (root / name).read_text().split("\n") for name in {m.file for m in mutants} if (root / name).is_file()}
    return [m for m in mutants if place_of(lines_of.get(m.file, []), m) is None]

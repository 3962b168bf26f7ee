# SPDX-License-Identifier: Apache-2.0
"""The sources with all mutants of a list in them, and what is built of them."""
import collections
import os
import re
import shutil
import subprocess
import sys

from lists import find_line, place_of, tests_of

COPIED = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "bench", "cli", "cmake", "docs", "examples", "include",
          "published", "samples", "src", "tests")
OWN_DEVICE_PROGRAMS = ["tests/cuda/cuda_test", "tests/track/track_cuda_test"]
DEVICE_PROGRAMS = OWN_DEVICE_PROGRAMS + ["tests/each_engine_test"]


def switched(line, mutants):
    """The line with all its mutants; their fragments are the same or apart."""
    by_fragment = collections.defaultdict(list)
    for mutant in mutants:
        by_fragment[mutant.before].append(mutant)
    for before, group in by_fragment.items():
        text = before
        for mutant in group:
            chosen = f"skerry_mutant({mutant.number})"
            if before.endswith(";"):
                text = f"{{ if ({chosen}) {{ {mutant.after} }} else {{ {text} }} }}"
            else:
                text = f"({chosen} ? ({mutant.after}) : ({text}))"
        place = line.find(before)
        line = line[:place] + text + line[place + len(before):]
    return line


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy_sources(root, folder, mutants):
    """The tracked files with all mutants in them, each in the line where it stands; returns the mutants that were found."""
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *COPIED], cwd=root, check=True,
                             capture_output=True, text=True).stdout.splitlines()
    kept = set(tracked)
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).parts[0] != "build" and str(path.relative_to(folder)) not in kept:
            path.unlink()
    in_file, found = collections.defaultdict(list), []
    for mutant in mutants:
        in_file[mutant.file].append(mutant)
    for name in tracked:
        source, target = root / name, folder / name
        if not source.is_file():
            continue
        if name in in_file:
            lines, on_line = source.read_text().split("\n"), collections.defaultdict(list)
            for mutant in in_file[name]:
                place = place_of(lines, mutant)
                if place is None:
                    print(f"not found: {name}: {mutant.line}: {mutant.before}", file=sys.stderr)
                    continue
                on_line[place].append(mutant)
                found.append(mutant)
            for place, group in on_line.items():
                lines[place] = switched(lines[place], group)
            lines[0] = f'#include "{root}/tests/mutants/switch.hpp"'  # for the line of the licence: none moves
            write_if_changed(target, "\n".join(lines))
        elif not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return found


def build_folder(folder, options):
    return folder / "source/build" / ("cuda" if options.device else "dev")


def build(folder, options, mutants):
    """In the folder and by the preset of any other build, so that a compiler cache knows the files without mutants."""
    source, target = folder / "source", build_folder(folder, options)
    environment = {**os.environ, "CCACHE_BASEDIR": str(source), "CCACHE_NOHASHDIR": "1"}
    command = ["cmake", "--preset", target.name, "-D", "SKERRY_BUILD_EXAMPLES=OFF", "-D", "SKERRY_TEST_SCALAR=OFF"]
    if options.device:
        command += ["-D", "SKERRY_BUILD_CLI=OFF"]
    with open(folder / "configure.log", "w") as log:
        subprocess.run(command, cwd=source, env=environment, check=True, stdout=log, stderr=log)
    shown = subprocess.run(["ninja", "-C", target, "-t", "targets", "all"], check=True, capture_output=True, text=True)
    programs = re.findall(r"^((?:tests|cli)/(?:\S+_test|skerry|\S+_answers)): CXX_EXECUTABLE_LINKER", shown.stdout, re.M)
    if options.quick:
        own = tuple(name for mutant in mutants for name in tests_of(mutant))
        programs = [name for name in programs if os.path.basename(name).startswith((*own, "skerry"))]
    if options.device:
        programs = OWN_DEVICE_PROGRAMS if options.quick else DEVICE_PROGRAMS
    done = subprocess.run(["ninja", "-k", "0", "-j", str(options.jobs), "-C", target, *sorted(programs)], env=environment,
                          capture_output=True, text=True)
    (folder / "build.log").write_text(done.stdout + done.stderr)
    return done.returncode == 0


def mutants_that_do_not_compile(root, folder, mutants):
    """By the lines of the compiler's errors."""
    wrong = set()
    pattern = re.compile(r"(?:^|/)((?:src|cli|include)/[^:\s(]+)[:(](\d+)[:)].*?\b(?:error|required from)")
    for text in (folder / "build.log").read_text().splitlines():
        if (place := pattern.search(text)) and (root / place[1]).exists():
            wrong.add((place[1], int(place[2]) - 1))
    lines = {file: (root / file).read_text().split("\n") for file, _ in wrong}
    return [m for m in mutants if m.file in lines and (m.file, find_line(lines[m.file], m.line)) in wrong]


def bundle(root, folder, paths):
    """The programs with the libraries that they need besides glibc and the driver, this script and the mutants."""
    target = folder / "mutants-gpu"
    shutil.rmtree(target, ignore_errors=True)
    for name in ("bin", "lib", "script", "tests/mutants"):
        (target / name).mkdir(parents=True)
    built = [folder / "source/build/cuda" / name for name in DEVICE_PROGRAMS]
    programs = [program for program in built if program.exists()]
    subprocess.run(["install", "-s", *programs, target / "bin"], check=True)
    needed = subprocess.run(["ldd", *programs], check=True, capture_output=True, text=True).stdout
    for library in set(re.findall(r"=> (/\S+)", needed)):
        if not re.match(r"lib(c|m|dl|rt|pthread|cuda)\.so", os.path.basename(library)):
            shutil.copy(library, target / "lib")
    shutil.copy(root / "script/mutate", target / "script")
    for path_of_part in (root / "tests/mutants").glob("*.py"):
        shutil.copy(path_of_part, target / "tests/mutants")
    (target / "tests/mutants/device.txt").write_text("".join(path.read_text() for path in paths))
    subprocess.run(["tar", "-C", folder, "-cJf", folder / "mutants-gpu.tar.xz", "mutants-gpu"], check=True)
    print(folder / "mutants-gpu.tar.xz")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md and other pages show is run as it is printed.

readme.py sources README FOLDER          writes each C++ block to FOLDER/readme_N.cpp, and prints these names
readme.py cpp README N PROGRAM           runs the program of block N; a text block that follows is its output
readme.py shell PAGE PROGRAM SAMPLES     runs the shell blocks, but those of the installation, in a new folder
readme.py block README KIND              prints the first block of a kind: cmake, or sh, which is the installation
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(path):
    """Kind and text of every fenced block, and the text block that follows it at once, or None."""
    with open(path) as file:
        page = file.read()
    found = re.findall(r"^```(\w+)\n(.*?)^```\n(?:\s*```text\n(.*?)^```\n)?", page, re.MULTILINE | re.DOTALL)
    return [(kind, text, output or None) for kind, text, output in found]


def of_kind(path, kind):
    some = [(text, output) for each, text, output in blocks(path) if each == kind]
    if not some:
        sys.exit(f"{path} has no {kind} block")
    return some


def run(words, expected, **options):
    """Runs a command, and compares what it prints with what the page says that it prints."""
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"ends with {done.returncode}: {words[-1]}")
    if expected is not None and done.stdout != expected:
        sys.exit(f"prints\n{done.stdout}and not\n{expected}: {words[-1]}")


def write_sources(path, folder):
    os.makedirs(folder, exist_ok=True)
    names = []
    for number, (text, _) in enumerate(of_kind(path, "cpp"), 1):
        names.append(f"readme_{number}")
        with open(os.path.join(folder, names[-1] + ".cpp"), "w") as file:
            file.write(text)
    print(";".join(names), end="")


def run_shell(path, program, samples):
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(samples, os.path.join(folder, "samples"))
        places = dict(os.environ, PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"])
        for text, expected in of_kind(path, "sh"):
            if "script/bootstrap" in text or "pip install ." in text:
                continue
            run(["bash", "-euo", "pipefail", "-c", text], expected, cwd=folder, env=places)


def main(words):
    if words[0] == "sources":
        write_sources(words[1], words[2])
    elif words[0] == "cpp":
        run([words[3]], of_kind(words[1], "cpp")[int(words[2]) - 1][1])
    elif words[0] == "shell":
        run_shell(*words[1:])
    else:
        print(of_kind(words[1], words[2])[0][0], end="")


main(sys.argv[1:])

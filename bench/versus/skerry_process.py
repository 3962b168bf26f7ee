# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys


class Skerry:
    """The process that runs skerry's side and knows the right labels."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit(f"{os.path.basename(sys.argv[0])}: skerry's process ended")
        return answer

    def timed(self, *words):
        count, seconds = self.ask(*words)
        return int(count), float(seconds)


def numbers(text):
    """A list of an option: "4,8"."""
    return [int(item) for item in text.split(",")]

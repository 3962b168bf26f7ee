# SPDX-License-Identifier: Apache-2.0
"""Compares what the image readers give with what independent readers give, value by value, on files of every format.

Usage: files.py DUMP_PIXELS. Exits with 77 when a Python package is missing.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import file_cases
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

WEIGHTS = 0.2125, 0.7154, 0.0721


class Reader:
    """The program that reads files and writes what it read as NPY."""

    def __init__(self, program, folder):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        self.out = folder / "pixels.npy"

    def read(self, path, page=-1, channel=-1, out=None):
        """The pixels, or the error as a text. They are written as NPY, or to `out` for another program to read."""
        self.out.unlink(missing_ok=True)
        print(path, page, channel, out or self.out, sep="\t", file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit(f"{path.name}, page {page}, channel {channel}: the reader has ended: {self.process.stderr.read()}")
        if answer != "read":
            return answer
        return np.load(self.out) if out is None else file_cases.read_written(out)

    def close(self):
        """What it printed to standard error, which ought to be nothing."""
        self.process.stdin.close()
        return self.process.stderr.read()


def grey_of(pixels, alpha):
    """What (…, channels) becomes when nobody chooses a channel, or None when one has to be chosen."""
    channels = pixels.shape[-1] - (alpha and pixels.shape[-1] > 1)
    if channels == 1:
        return pixels[..., 0]
    if channels != 3:
        return None
    mixed = sum(weight * pixels[..., i].astype(np.float64) for i, weight in enumerate(WEIGHTS))
    if pixels.dtype == np.float16:
        return mixed.astype(np.float32)
    return (np.rint(mixed) if pixels.dtype.kind in "ui" else mixed).astype(pixels.dtype)


def difference(got, want, tolerance):
    if want is None:
        return None if isinstance(got, str) and "choose a channel" in got else f"is read, but a channel has to be chosen: {got}"
    if isinstance(got, str):
        return got
    if (got.shape, got.dtype) != (want.shape, want.dtype):
        return f"is {got.dtype} of {got.shape} instead of {want.dtype} of {want.shape}"
    if tolerance:
        same = np.abs(got.astype(np.float64) - want.astype(np.float64)) <= tolerance
    else:
        same = (got == want) | ((got != got) & (want != want))
    if same.all():
        return None
    place = tuple(int(i) for i in np.argwhere(~same)[0])
    return f"{(~same).sum()} of {same.size} pixels differ, first at {place}: {got[place]} instead of {want[place]}"


def compare(reader, case):
    """Returns the differences of one file: of all of it, and of each page and channel alone."""
    if case.pixels is None:
        got = reader.read(case.path)
        return [] if isinstance(got, str) and case.error in got else [f"{case.path.name}: '{got}', not '{case.error}'"]
    pages = case.pixels
    squeeze = (lambda image: image[0]) if len(pages) == 1 and not case.stays_volume else (lambda image: image)
    found = []

    def expect(want, **chosen):
        text = difference(reader.read(case.path, **chosen), want, case.tolerance)
        if text:
            found.append(f"{case.path.name} {chosen or ''}: {text}")

    if case.whole:
        grey = grey_of(pages, case.alpha)
        expect(None if grey is None else squeeze(grey))
        for end in case.written_as:
            expect(squeeze(grey), out=reader.out.with_suffix(end))
    for page in range(len(pages) if case.by_page else 0):
        expect(grey_of(pages[page], case.alpha), page=page)
    for channel in range(pages.shape[-1]):
        if case.whole:
            expect(squeeze(pages[..., channel]), channel=channel)
        elif case.by_page:
            expect(pages[-1][..., channel], page=len(pages) - 1, channel=channel)
    return found


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        reader = Reader(program, folder)
        count, found = {}, []
        for case in file_cases.all_cases(folder):
            count[case.format] = count.get(case.format, 0) + 1
            found += compare(reader, case)
        if leaked := reader.close():
            found.append(f"printed to standard error: {leaked[:500]}")
    print(*found, sep="\n")
    print(f"{sum(count.values())} files: " + ", ".join(f"{n} {name}" for name, n in count.items()))
    sys.exit(bool(found))


if __name__ == "__main__":
    main(sys.argv[1])

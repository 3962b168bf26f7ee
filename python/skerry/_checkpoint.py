# SPDX-License-Identifier: Apache-2.0
"""What a call has done, in a folder, so that the same call can go on after its process was lost."""
import json
import os
import pathlib
import shutil

try:
    import fcntl
except ImportError:  # systems without it
    fcntl = None


class Checkpoint:
    """Pieces of blocks as files, and which blocks are written. ``question`` is what must be the same to go on."""

    def __init__(self, folder, question):
        self._folder = pathlib.Path(folder)
        self._pieces = self._folder / "pieces"
        self._written = self._folder / "written"
        self._pieces.mkdir(parents=True, exist_ok=True)
        self._lock = open(self._folder / "lock", "wb")
        if fcntl:
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._lock.close()
                raise ValueError(f"resume: another call works in {folder} now; two would write the same blocks") from None
        asked = self._folder / "call.json"
        text = json.dumps(question, sort_keys=True, default=str)
        if not asked.exists():
            self._write(asked, text.encode())
        elif asked.read_text() != text:
            self._lock.close()
            raise ValueError(f"resume: {folder} is of a call with another array or other arguments; remove it or give another folder")
        self._written.mkdir(exist_ok=True)

    def close(self):
        self._lock.close()

    def piece(self, index, piece_type):
        """The piece of a block; None where it is not there, or damaged."""
        try:
            return piece_type.from_bytes((self._pieces / _name(index)).read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def keep(self, index, piece):
        self._write(self._pieces / _name(index), piece.to_bytes())

    def is_written(self, index):
        return (self._written / _name(index)).exists()

    def mark_written(self, index):
        (self._written / _name(index)).touch()

    def forget_written(self):
        shutil.rmtree(self._written)
        self._written.mkdir()

    @staticmethod
    def _write(path, content):
        """All or nothing, whatever happens meanwhile."""
        partial = path.with_suffix(".partial")
        partial.write_bytes(content)
        os.replace(partial, path)


def _name(index):
    return "-".join(map(str, index))

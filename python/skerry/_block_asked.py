# SPDX-License-Identifier: Apache-2.0
"""What all calls on arrays in blocks are asked."""
import contextlib

from . import _block_arrays, _block_calls
from ._arguments import flag
from ._checkpoint import Checkpoint
from ._grid import Grid
from ._workers import Crew


class Arrays:
    """The arrays of a call and who works on them, checked as far as can be without the pixels."""

    def __init__(self, keywords, name, channels=False):
        self.array = _block_arrays.check_source(keywords[name], name)
        self.shape = tuple(map(int, self.array.shape))
        grey = keywords["intensity"]
        self.intensity = None if grey is None else _block_arrays.check_source(grey, "intensity", self.shape, name, channels)
        self.moments = flag("moments", keywords["moments"])
        self.blocks, self.resume, self.threads = (keywords[each] for each in ("blocks", "resume", "threads"))
        self.crew = Crew(keywords["executor"], keywords["retries"])
        self.question = {}  # what decides pieces and labels, besides the arrays

    def grid(self, unit):
        if self.blocks is not None:
            return Grid.of_blocks(self.shape, _block_arrays.check_blocks(self.blocks, self.shape))
        return Grid.of_blocks(self.shape, _block_arrays.block_shape(self.shape, unit))

    @contextlib.contextmanager
    def call(self, grid, choice, labels_go_to=None):
        """The passes over the blocks, with what they need until they are done."""
        with contextlib.ExitStack() as held:
            checkpoint = None
            if self.resume is not None:
                question = {"array": [self.shape, self.array.dtype.str], "bounds": grid.bounds, "choice": choice, "moments": self.moments,
                            "intensity": self.intensity is not None and self.intensity.dtype.str, "out": labels_go_to, **self.question}
                if self.intensity is not None and len(self.intensity.shape) > len(self.shape):
                    question["channels"] = int(self.intensity.shape[-1])
                checkpoint = held.enter_context(contextlib.closing(Checkpoint(self.resume, question)))
            held.enter_context(self.crew)
            yield _block_calls.Call(self.array, self.intensity, grid, self.crew, choice=choice, moments=self.moments,
                                    threads=self.threads, checkpoint=checkpoint)

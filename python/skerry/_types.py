# SPDX-License-Identifier: Apache-2.0
"""Types of arguments, for annotations."""
from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias, TypedDict

import numpy
from numpy.typing import ArrayLike, DTypeLike


class ArrayOnGpu(Protocol):
    """An array of CuPy, PyTorch, JAX or another library, as DLPack describes it."""

    def __dlpack__(self, *, stream: int | None = None) -> object: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


Number: TypeAlias = float | numpy.integer | numpy.floating
Image: TypeAlias = ArrayLike | ArrayOnGpu
Array: TypeAlias = numpy.ndarray
Background: TypeAlias = Literal["zero and below"] | int | numpy.integer | None
Spacing: TypeAlias = Number | Sequence[Number] | None
Type: TypeAlias = DTypeLike


class FrameChoice(TypedDict, total=False):
    """The keywords of ``label`` that choose components of frames."""

    connectivity: int | None
    threshold: Number | Literal["otsu"] | None
    above: Number | None
    at_least: Number | None
    within: tuple[Number, Number] | None
    equal: bool
    delta: Number | None
    periodic: bool | Sequence[bool]
    fill_holes: bool
    min_area: int
    max_area: int | None
    clear_border: bool
    largest: int | None


class Choice(FrameChoice, total=False):
    """The keywords of ``label`` that choose components."""

    background: Number | None

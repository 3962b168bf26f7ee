# SPDX-License-Identifier: Apache-2.0
"""What labelling an image gives."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
import html

import numpy

from . import _thumbnail

if TYPE_CHECKING:
    from ._types import Array, Type


class Labels:
    """A label image and the number of its components.

    NumPy takes it for its image, and it unpacks as what scipy.ndimage.label returns:

    >>> from skerry import label
    >>> labels, count = label([[1, 0, 1]])
    >>> numpy.asarray(label([[1, 0, 1]]))
    array([[1, 0, 2]], dtype=uint8)

    Attributes: ``image``, an array of 0 (background) and 1..count, and ``count``.
    """

    __slots__ = ("image", "count")
    image: Any
    count: int

    def __init__(self, image: Any, count: int) -> None:
        self.image = image
        self.count = count

    def __array__(self, dtype: Type | None = None, copy: bool | None = None) -> Array:
        converted = self.image if dtype is None else self.image.astype(dtype, copy=False)
        if copy is False and converted is not self.image:
            raise ValueError(f"dtype: {numpy.dtype(dtype)} needs a copy of labels of {self.image.dtype}")
        return converted.copy() if copy and converted is self.image else converted

    def __dlpack__(self, **keywords: Any) -> object:
        return self.image.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.image.__dlpack_device__()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.image, self.count))

    def __repr__(self) -> str:
        sides = " x ".join(map(str, self.image.shape))
        return f"<Labels: {self.count} components, {sides} {self.image.dtype}>"

    def _repr_html_(self) -> str:
        """A small picture, for notebooks."""
        return f"{_thumbnail.html(self.image)}<p>{html.escape(repr(self)[1:-1])}</p>"

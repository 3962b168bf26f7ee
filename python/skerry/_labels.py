# SPDX-License-Identifier: Apache-2.0
"""The result of labelling an image."""
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
import html

import numpy
import numpy.lib.mixins

from . import _thumbnail

if TYPE_CHECKING:
    from ._types import Array, Type


def _image_of(value: Any) -> Any:
    return value.image if isinstance(value, Labels) else value


class Labels(numpy.lib.mixins.NDArrayOperatorsMixin):
    """A label image and the number of its components.

    NumPy functions, operators and indices apply to the image. Unpacked, it gives what scipy.ndimage.label returns:

    >>> from skerry import label
    >>> labels, count = label([[1, 0, 1]])
    >>> numpy.asarray(label([[1, 0, 1]]))
    array([[1, 0, 2]], dtype=uint8)
    >>> label([[1, 0, 1]]) == 2
    array([[False, False,  True]])

    Attributes: ``image``, an array of 0 (background) and 1..count, and ``count``, which stays when the image is written to. All
    others, such as ``shape`` and ``max``, are those of the image. Pass ``image`` to functions that accept only a numpy.ndarray.
    """

    __slots__ = ("image", "count")
    image: Any
    count: int

    def __init__(self, image: Any, count: int) -> None:
        self.image = image
        self.count = count

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in Labels.__slots__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.image, name)

    def __getitem__(self, index: Any) -> Any:
        return self.image[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.image[index] = _image_of(value)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        outputs = keywords.pop("out", ())
        keywords = {name: _image_of(value) for name, value in keywords.items()}
        if outputs:
            keywords["out"] = tuple(map(_image_of, outputs))
        found = getattr(function, method)(*map(_image_of, inputs), **keywords)
        return outputs[0] if len(outputs) == 1 and found is keywords["out"][0] else found

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

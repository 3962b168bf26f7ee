# SPDX-License-Identifier: Apache-2.0
"""Arrays in memory of a GPU: labels are enqueued on the stream of the array's library, and come as arrays of that library."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
import functools
import sys

import numpy

from . import _native
from ._arguments import dtype_of, is_on_device
from ._labels import Labels

if TYPE_CHECKING:
    from ._types import Array, Type

_CUDA = 2  # of DLPack
_DEFAULT_STREAM = 1
_BEFORE_COUNT, _BYTES_OF_COUNTS = 8, 16  # of cuda::label_job::offsets, which begin with 0
_ALIGNMENT = 256


class _Library:
    """What a call needs of an array library."""

    def new_labels(self, shape, dtype):
        """Memory of labels as ``described`` has it, that of their counts, and a function that makes the array: it is called when the work
        has been enqueued."""
        made = self.empty(shape, dtype)
        return self.described(made), self.memory(_BYTES_OF_COUNTS), lambda: made


class _CuPy(_Library):
    """Memory and streams of CuPy."""

    label_type = "uint32"

    def __init__(self, like):
        self._cupy = sys.modules["cupy"]
        self.device = like.data.device_id

    def stream(self):
        return self._cupy.cuda.get_current_stream(self.device).ptr or _DEFAULT_STREAM

    def empty(self, shape, dtype):
        return self._allocated(self._cupy.ndarray, shape, dtype)

    def memory(self, size):
        """Memory of this size, and its address."""
        taken = self._allocated(self._cupy.cuda.alloc, size)
        return taken, taken.ptr

    def new_labels(self, shape, dtype):
        """The counts lie behind the labels: one allocation."""
        kind = numpy.dtype(dtype)
        strides = [kind.itemsize]
        for side in reversed(shape):
            strides.append(strides[-1] * side)
        counts = -(-strides.pop() // _ALIGNMENT) * _ALIGNMENT
        taken, address = self.memory(counts + _BYTES_OF_COUNTS)
        described = address, shape, tuple(reversed(strides)), kind.str, self.device
        return described, (taken, address + counts), lambda: self._cupy.ndarray(shape, kind, taken)

    def _allocated(self, allocate, *what):
        if self._cupy.cuda.runtime.getDevice() == self.device:
            return allocate(*what)
        with self._cupy.cuda.Device(self.device):
            return allocate(*what)

    def described(self, array):
        """What enqueue_label asks of an array of this library, or the array, whose protocols then say it."""
        if not isinstance(array, self._cupy.ndarray) or array.dtype.kind not in "biuf":
            return array
        return array.data.ptr, array.shape, array.strides, array.dtype.str, array.data.device_id


class _Torch(_Library):
    """Memory and streams of PyTorch."""

    label_type = "int32"  # the widest unsigned type with all operations is uint8 there

    def __init__(self, like):
        self._torch = sys.modules["torch"]
        self._place = like.device
        self.device = like.device.index

    def stream(self):
        return self._torch.cuda.current_stream(self._place).cuda_stream or _DEFAULT_STREAM

    def empty(self, shape, dtype):
        return self._torch.empty(shape, dtype=getattr(self._torch, numpy.dtype(dtype).name), device=self._place)

    def memory(self, size):
        """As of CuPy."""
        taken = self._torch.empty((size,), dtype=self._torch.uint8, device=self._place)
        return taken, taken.data_ptr()

    def described(self, tensor):
        """As of CuPy. What PyTorch does not export by DLPack is left to it to refuse."""
        plain = (type(tensor) is self._torch.Tensor and tensor.is_cuda and tensor.layout is self._torch.strided
                 and not (tensor.requires_grad or tensor.is_neg()))
        kind = _type_text(tensor.dtype) if plain else None
        if kind is None:
            return tensor
        size = tensor.element_size()
        return tensor.data_ptr(), tuple(tensor.shape), tuple(size * step for step in tensor.stride()), kind, tensor.device.index


@functools.cache
def _type_text(dtype):
    """The string that NumPy has for a type of PyTorch; None where it knows no such number."""
    try:
        known = numpy.dtype(str(dtype).removeprefix("torch."))
    except TypeError:
        return None
    return known.str if known.kind in "biuf" else None


class DeviceArray:
    """An array in memory of a GPU, for libraries that lend none: take it by DLPack or by ``__cuda_array_interface__``.

    ``cupy.asarray(labels)``, ``torch.from_dlpack(labels)`` and ``jax.dlpack.from_dlpack(labels)`` share its memory, and wait for
    the work on it on the device. ``copy_to_host()`` gives a NumPy array.
    """

    def __init__(self, shape: Sequence[int], dtype: Type, stream: int, device: int) -> None:
        self.shape = tuple(shape)
        self.dtype = numpy.dtype(dtype)
        self.size = int(numpy.prod(self.shape, dtype=object))
        self._stream = stream
        self._memory = _native.DeviceMemory(self.size * self.dtype.itemsize, stream, device)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._memory.address, False), "version": 3,
                "strides": None, "stream": self._stream}

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._memory.device

    def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> object:
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("labels: DLPack exports them where they are; use copy_to_host()")
        if stream != -1:
            self._memory.let_read(stream or _DEFAULT_STREAM)
        return self._memory.exported(self.dtype.kind, 8 * self.dtype.itemsize, self.shape)

    def copy_to_host(self) -> Array:
        """A NumPy array of the same shape and type; waits for the work that writes it."""
        array = numpy.empty(self.shape, self.dtype)
        self._memory.copy_to(array)
        return array

    def __array__(self, dtype: Type | None = None, copy: bool | None = None) -> Array:
        raise TypeError("labels: are in memory of a GPU; use copy_to_host()")

    def __repr__(self) -> str:
        sides = " x ".join(map(str, self.shape))
        return f"<DeviceArray: {sides} {self.dtype} on GPU {self._memory.device}>"


class _Others(_Library):
    """Streams of a library's __cuda_array_interface__, and memory of skerry."""

    label_type = "uint32"

    def __init__(self, like):
        self.device = _native.device_of(like)
        self._stream = getattr(like, "__cuda_array_interface__", {}).get("stream") or _DEFAULT_STREAM

    def stream(self):
        return self._stream

    def empty(self, shape, dtype):
        return DeviceArray(shape, dtype, self._stream, self.device)

    def memory(self, size):
        """As of CuPy."""
        taken = _native.DeviceMemory(size, self._stream, self.device)
        return taken, taken.address

    def described(self, array):
        """As of CuPy: its protocols say all, and make our stream wait."""
        return array


def library_of(array):
    """Memory and streams of the library that an array belongs to."""
    for name, class_name, library in (("cupy", "ndarray", _CuPy), ("torch", "Tensor", _Torch)):
        if name in sys.modules and isinstance(array, getattr(sys.modules[name], class_name)):
            return library(array)
    return _Others(array)


class DeviceLabels(Labels):
    """Labels in memory of a GPU. The work may still run when label() returns; asking for ``count`` waits for it. Operators are for arrays
    of CuPy; use those of ``image`` for arrays of other libraries."""

    __slots__ = ("_counts", "_library")

    def __init__(self, image, counts, library):
        self.image = image
        self._counts = counts  # memory and its address; None of no pixels
        self._library = library

    @property
    def count(self):
        """Number of components. Waits for the device each time, since a CUDA graph may have run again.

        Raises ValueError if the labels do not fit their type.
        """
        if self._counts is None:
            return 0
        count = _native.number_at(self._counts[1] + _BEFORE_COUNT, self._library.stream(), self._library.device)
        most = _largest(self.image.dtype)
        if count > most:
            raise ValueError(f"dtype: {count} components do not fit labels up to {most}; use a wider type")
        return count

    @property
    def __cuda_array_interface__(self):
        return self.image.__cuda_array_interface__

    def __array__(self, dtype=None, copy=None):
        raise TypeError("labels: are in memory of a GPU; copy labels.image to host memory first")

    def __iter__(self):
        return iter((self.image, self.count))

    def __repr__(self):
        sides = " x ".join(map(str, self.image.shape))
        return f"<Labels on a GPU: {sides} {self.image.dtype}>"

    def _repr_html_(self):
        return None

    def __reduce__(self):
        raise TypeError("labels: are in memory of a GPU and cannot be pickled; copy labels.image to host memory first")


def label(image, choice, dtype, out):
    """Enqueues the labels of an array on a GPU."""
    if not hasattr(_native, "enqueue_label"):
        _native.count(image, choice, None)  # refuses it
    library = library_of(image)
    stream = library.stream()
    shape = tuple(image.shape)
    if out is None:
        kind = library.label_type if dtype is None else type_of(dtype)
    elif dtype is not None:
        raise ValueError("dtype: out has its own")
    elif not is_on_device(out):
        raise TypeError("out: is in host memory, and the image on a GPU; give an array there")
    if 0 in shape:
        return DeviceLabels(library.empty(shape, kind) if out is None else out, None, library)
    if out is None:
        labels, counts, made = library.new_labels(shape, kind)
    else:
        labels, counts, made = library.described(out), library.memory(_BYTES_OF_COUNTS), lambda: out
    scratch = []

    def allocate(size):
        # Its library gives the memory to nothing that comes before this work on the stream.
        scratch.append(library.memory(size))
        return scratch[0][1]

    _native.enqueue_label(library.described(image), choice, labels, counts[1], stream, allocate)
    return DeviceLabels(made(), counts, library)


def type_of(dtype):
    """A type of NumPy; those of PyTorch have the same names."""
    return dtype_of("dtype", str(dtype).removeprefix("torch.") if type(dtype).__module__ == "torch" else dtype)


def place_for(labels, out, dtype):
    """``out``, or a new label image like another one, where that one is."""
    if out is not None:
        if dtype is not None:
            raise ValueError("dtype: out has its own")
        return out
    kind = type_of(labels.dtype if dtype is None else dtype)
    if dtype is not None and not kind.isnative:
        raise TypeError(f"dtype: {kind} is not in native byte order; give {kind.newbyteorder('=')}")
    if dtype is not None and kind == bool:
        raise TypeError("dtype: bool holds no labels; give an integer type")
    if kind.kind not in "biu":
        raise TypeError(f"{'labels' if dtype is None else 'dtype'}: {kind} is not an integer type")
    if kind == bool:
        kind = numpy.uint8
    if is_on_device(labels):
        return library_of(labels).empty(tuple(labels.shape), kind)
    return numpy.empty_like(labels, kind, subok=False)


@functools.cache
def _largest(dtype):
    return int(numpy.iinfo(type_of(dtype)).max)

// SPDX-License-Identifier: Apache-2.0
// Arrays in memory of a GPU, whose library is CuPy, PyTorch, JAX, Numba or another one that speaks DLPack or
// __cuda_array_interface__. device.cpp reads both protocols; work on such arrays is in cuda.cpp, or refused in no_cuda.cpp.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// A CUDA stream as libraries of Python hand it around.
using stream_handle = std::uintptr_t;
/// The default stream, which cudaStreamLegacy is, too.
inline constexpr stream_handle default_stream = 1;

/// Pixels in memory of a GPU, and what keeps them there.
struct device_pixels {
  nb::object owner;
  mutable_image image;
  bool read_only = false;
  stream_handle stream =
      default_stream;  // work that is enqueued there comes after what the array's library has enqueued
};

/// Whether an object says that its memory is a GPU's.
[[nodiscard]] bool is_on_device(nb::handle object);

/// The pixels of such an object: by DLPack, whose producer makes `stream` wait for its work, or else by
/// __cuda_array_interface__, which names a stream of its own. Nothing waits on the host. Throws TypeError or ValueError naming
/// the argument.
[[nodiscard]] device_pixels device_pixels_of(nb::handle object, const char* name, stream_handle stream);

/// The same of an object, or of what skerry/_device.py describes of an array of CuPy or PyTorch: a tuple (address, shape, strides in
/// bytes, numpy.dtype.str, GPU). Its library works on `stream`, which need not wait, and keeps the memory.
[[nodiscard]] device_pixels described_pixels_of(nb::handle object, const char* name, stream_handle stream);

/// Throws TypeError for an array on a GPU that a function, or this build, does not take, with what to do.
[[noreturn]] void refuse_device_array(const char* name);

// ---- cuda.cpp, no_cuda.cpp --------------------------------------------------------------------------------------------------

/// Whether a build without CUDA has to refuse every array of a GPU.
[[nodiscard]] bool takes_device_arrays();

/// Waits until the work of a stream is done, with the GIL released.
void wait_for(const device_pixels& pixels);

/// The GPU that holds these pixels.
[[nodiscard]] int device_of(const image_view& pixels);

}  // namespace skerry::python

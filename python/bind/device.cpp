// SPDX-License-Identifier: Apache-2.0
#include "bind/device.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "bind/arguments.hpp"
#include "bind/array.hpp"

namespace skerry::python {
namespace {

// Of DLPack. Managed memory is a device's here, since kernels read it where it is.
bool is_device_type(int type) { return type == nb::device::cuda::value || type == nb::device::cuda_managed::value; }

std::optional<int> device_type_of(nb::handle object) {
  if (!nb::hasattr(object, "__dlpack_device__")) return std::nullopt;
  const nb::object place = object.attr("__dlpack_device__")();
  return nb::cast<int>(place[0]);
}

std::optional<dtype> type_of(const nb::dlpack::dtype& type) {
  using code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return std::nullopt;
  switch (static_cast<code>(type.code)) {
    case code::Bool: return type.bits == 8 ? std::optional(dtype::boolean) : std::nullopt;
    case code::Int: return integer_type(type.bits / 8, true);
    case code::UInt: return integer_type(type.bits / 8, false);
    case code::Float:
      if (type.bits == 16) return dtype::f16;
      if (type.bits == 32) return dtype::f32;
      return type.bits == 64 ? std::optional(dtype::f64) : std::nullopt;
    default: return std::nullopt;
  }
}

// numpy.dtype of a typestr, which begins with the order of bytes.
dtype type_of_interface(const std::string& text, const char* name) {
  if (text.size() >= 3) {
    const char kind = text[1];
    const int bytes = std::atoi(text.c_str() + 2);
    if (text[0] == '>' && bytes > 1)
      bad_type(name, "dtype " + text + " is big-endian; convert it to the machine's order");
    if (kind == 'b' && bytes == 1) return dtype::boolean;
    if (kind == 'f' && bytes == 2) return dtype::f16;
    if (kind == 'f' && bytes == 4) return dtype::f32;
    if (kind == 'f' && bytes == 8) return dtype::f64;
    const auto found = kind == 'i' || kind == 'u' ? integer_type(bytes, kind == 'i') : std::nullopt;
    if (found) return *found;
  }
  bad_type(name, "dtype " + text + " is not " + known_types);
}

std::string name_of_type(nb::handle object) {
  return nb::hasattr(object, "dtype") ? nb::cast<std::string>(nb::str(nb::object(object.attr("dtype")))) : "unknown";
}

// Exporting fails for arrays that need something else first, as tensors with gradients do: their library's words say what.
nb::object capsule_of(nb::handle object, const char* name, stream_handle stream) {
  try {
    return object.attr("__dlpack__")(nb::arg("stream") = stream);
  } catch (nb::python_error& failure) {
    const std::string reason = nb::cast<std::string>(nb::str(failure.value()));
    if (!failure.matches(PyExc_BufferError) && !failure.matches(PyExc_RuntimeError) &&
        !failure.matches(PyExc_TypeError))
      throw;
    bad_type(name, "its library does not export it by DLPack: " + reason);
  }
}

device_pixels from_dlpack(nb::handle object, const char* name, stream_handle stream) {
  const nb::object capsule = capsule_of(object, name, stream);
  nb::ndarray<nb::ro> array;
  if (!nb::try_cast(capsule, array)) bad_type(name, "dtype " + name_of_type(object) + " is not " + known_types);
  const std::optional<dtype> type = type_of(array.dtype());
  if (!type) bad_type(name, "dtype " + name_of_type(object) + " is not " + known_types);
  std::int64_t shape[3], strides[3];
  const std::size_t rank = array.ndim();
  for (std::size_t axis = 0; axis < rank && axis < 3; ++axis) {
    shape[axis] = static_cast<std::int64_t>(array.shape(axis));
    strides[axis] = array.stride(axis) * static_cast<std::int64_t>(size_of(*type));
  }
  device_pixels made;
  made.image = image_of({shape, strides, static_cast<int>(rank)}, *type, name);
  made.image.data = const_cast<void*>(array.data());
  made.image.residence = residence::device(array.device_id());
  auto* const held = new nb::ndarray<nb::ro>(std::move(array));
  made.owner = nb::capsule(held, [](void* kept) noexcept { delete static_cast<nb::ndarray<nb::ro>*>(kept); });
  made.stream = stream;
  return made;
}

device_pixels from_interface(nb::handle object, const char* name) {
  const nb::object interface = object.attr("__cuda_array_interface__");
  const auto entry = [&](const char* key) { return nb::object(interface.attr("get")(key)); };
  if (!entry("mask").is_none()) bad_type(name, "masked arrays are not supported");
  const dtype type = type_of_interface(nb::cast<std::string>(entry("typestr")), name);
  const nb::object sides = entry("shape"), distances = entry("strides"), data = entry("data");
  std::int64_t shape[3], strides[3];
  const auto rank = static_cast<int>(nb::len(sides));
  for (int axis = 0; axis < rank && axis < 3; ++axis) shape[axis] = nb::cast<std::int64_t>(sides[axis]);
  std::int64_t distance = static_cast<std::int64_t>(size_of(type));
  for (int axis = std::min(rank, 3) - 1; axis >= 0; --axis) {
    strides[axis] = distances.is_none() ? distance : nb::cast<std::int64_t>(distances[axis]);
    distance *= shape[axis];
  }
  device_pixels made;
  made.image = image_of({shape, strides, rank}, type, name);
  made.image.data =
      reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));  // NOLINT: the protocol has it as an integer
  made.read_only = nb::cast<bool>(data[1]);
  made.owner = nb::borrow(object);
  const nb::object stream = entry("stream");
  if (!stream.is_none()) made.stream = nb::cast<stream_handle>(stream);
  return made;
}

// (address, shape, strides in bytes, type as of numpy.dtype.str, GPU)
device_pixels from_description(const nb::tuple& described, const char* name, stream_handle stream) {
  const nb::object sides = described[1], distances = described[2];
  std::int64_t shape[3], strides[3];
  const auto rank = static_cast<int>(nb::len(sides));
  for (int axis = 0; axis < std::min(rank, 3); ++axis) {
    shape[axis] = nb::cast<std::int64_t>(sides[axis]);
    strides[axis] = nb::cast<std::int64_t>(distances[axis]);
  }
  device_pixels made;
  made.image = image_of({shape, strides, rank}, type_of_interface(nb::cast<std::string>(described[3]), name), name);
  made.image.data = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(described[0]));  // NOLINT: an address of Python
  made.image.residence = residence::device(nb::cast<int>(described[4]));
  made.stream = stream;
  return made;
}

}  // namespace

bool is_on_device(nb::handle object) {
  if (const auto type = device_type_of(object)) return is_device_type(*type);
  return nb::hasattr(object, "__cuda_array_interface__");
}

device_pixels device_pixels_of(nb::handle object, const char* name, stream_handle stream) {
  if (nb::hasattr(object, "__dlpack__")) return from_dlpack(object, name, stream);
  return from_interface(object, name);
}

device_pixels described_pixels_of(nb::handle object, const char* name, stream_handle stream) {
  if (nb::isinstance<nb::tuple>(object)) return from_description(nb::borrow<nb::tuple>(object), name, stream);
  return device_pixels_of(object, name, stream);
}

void refuse_device_array(const char* name) {
  const std::string host =
      std::string("copy it to host memory, as cupy.asnumpy(") + name + ") or " + name + ".cpu() does";
  if (takes_device_arrays()) bad_type(name, "is in memory of a GPU, where this function does not work; " + host);
  bad_type(name, "is in memory of a GPU, and this is skerry without CUDA; install skerry-cuda13, or " + host);
}

}  // namespace skerry::python

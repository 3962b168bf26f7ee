// SPDX-License-Identifier: Apache-2.0
#include "bind/array.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <optional>
#include <string>

#include "bind/arguments.hpp"

namespace skerry::python {
namespace {

nb::module_ numpy() { return nb::module_::import_("numpy"); }

constexpr const char* known_types = "bool, int8 to int64, uint8 to uint64, float16, float32 or float64";

std::optional<dtype> integer_type(Py_ssize_t bytes, bool is_signed) {
  switch (bytes) {
    case 1: return is_signed ? dtype::i8 : dtype::u8;
    case 2: return is_signed ? dtype::i16 : dtype::u16;
    case 4: return is_signed ? dtype::i32 : dtype::u32;
    case 8: return is_signed ? dtype::i64 : dtype::u64;
    default: return std::nullopt;
  }
}

// The letter says the kind; the size of a kind's numbers depends on how the format begins, and the buffer tells it anyway.
std::optional<dtype> type_of(char letter, Py_ssize_t bytes) {
  if (letter == '?') return dtype::boolean;
  if (letter == 'e') return dtype::f16;
  if (letter == 'f') return dtype::f32;
  if (letter == 'd') return dtype::f64;
  if (std::strchr("bhilq", letter) != nullptr) return integer_type(bytes, true);
  if (std::strchr("BHILQ", letter) != nullptr) return integer_type(bytes, false);
  return std::nullopt;
}

// The dtype as NumPy prints it, or the format of what is no NumPy array.
std::string type_name(nb::handle array, const char* format) {
  return nb::hasattr(array, "dtype") ? nb::cast<std::string>(nb::str(nb::object(array.attr("dtype"))))
                                     : std::string(format);
}

dtype type_of(nb::handle array, const Py_buffer& buffer, const char* name) {
  const char* const format = buffer.format == nullptr ? "B" : buffer.format;
  const char* letters = format;
  const bool swapped = *letters == '>' || *letters == '!';
  if (std::strchr("@=<^>!", *letters) != nullptr) ++letters;
  const auto type = std::strlen(letters) == 1 ? type_of(*letters, buffer.itemsize) : std::nullopt;
  if (!type) bad_type(name, "dtype " + type_name(array, format) + " is not " + known_types);
  if (swapped && buffer.itemsize > 1)
    bad_type(name, "dtype " + type_name(array, format) + " is big-endian; convert it by " + name + ".astype(" + name +
                       ".dtype.newbyteorder('='))");
  return *type;
}

extent extent_of(const Py_buffer& buffer, const char* name) {
  if (buffer.ndim == 1) return extent(buffer.shape[0]);
  if (buffer.ndim == 2) return {buffer.shape[0], buffer.shape[1]};
  if (buffer.ndim == 3) return {buffer.shape[0], buffer.shape[1], buffer.shape[2]};
  bad_value(name,
            std::to_string(buffer.ndim) + " dimensions are not 1, 2 (rows, columns) or 3 (slices, rows, columns)");
}

// Arrays with a mask export the pixels under it.
bool has_mask(nb::handle object) { return nb::hasattr(object, "mask") && nb::hasattr(object, "filled"); }

}  // namespace

held_image::held_image(nb::handle from, const char* name, access mode) {
  const bool writes = mode == access::write;
  nb::object array = nb::borrow(from);
  if (!array.type().is(numpy().attr("ndarray"))) {
    if (has_mask(from)) bad_type(name, std::string("masked arrays are not supported; use ") + name + ".filled(0)");
    if (PyObject_CheckBuffer(from.ptr()) == 0) {
      if (writes) bad_type(name, text_of(from.type()) + " is not an array that can be written");
      array = numpy().attr("asarray")(from);
    }
  }
  if (PyObject_GetBuffer(array.ptr(), &buffer_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    bad_type(name, "dtype " + type_name(array, "unknown") + " is not " + known_types);
  }
  try {  // no destructor runs when a constructor fails
    if (writes && buffer_.readonly != 0) bad_value(name, "is read-only");
    type_ = type_of(array, buffer_, name);
    size_ = extent_of(buffer_, name);
  } catch (...) {
    PyBuffer_Release(&buffer_);
    throw;
  }
  array_ = std::move(array);
}

mutable_image held_image::writable() const {
  const Py_ssize_t* const last = buffer_.strides + buffer_.ndim - 1;
  return {buffer_.buf, type_, size_, {size_.rank == 3 ? last[-2] : 0, size_.rank == 1 ? 0 : last[-1], last[0]}};
}

nb::object held_image::empty_like(dtype type) const {
  return numpy().attr("empty_like")(array_, nb::arg("dtype") = name_of(type), nb::arg("subok") = false);
}

nb::tuple shape_of(const extent& size) {
  if (size.rank == 1) return nb::make_tuple(size.width);
  return size.rank == 3 ? nb::make_tuple(size.depth, size.height, size.width) : nb::make_tuple(size.height, size.width);
}

nb::object empty_array(const extent& size, dtype type) {
  return numpy().attr("empty")(shape_of(size), type == dtype::boolean ? "bool" : name_of(type));
}

nb::object with_usual_type(const nb::object& array) {
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (kind == "f" || nb::cast<int>(array.attr("itemsize")) != 8) return array;
  return array.attr("view")(kind == "i" ? "int64" : "uint64");
}

dtype dtype_from(nb::handle object, const char* name) {
  const nb::object type = nb::steal(PyObject_CallOneArg(nb::object(numpy().attr("dtype")).ptr(), object.ptr()));
  if (!type.is_valid()) {
    PyErr_Clear();
    bad_type(name, text_of(object) + " is not a type of NumPy");
  }
  const auto kind = nb::cast<std::string>(type.attr("kind"));
  const auto bytes = nb::cast<Py_ssize_t>(type.attr("itemsize"));
  const auto found = kind == "u" || kind == "i" ? integer_type(bytes, kind == "i") : std::nullopt;
  if (!found || !nb::cast<bool>(type.attr("isnative")))
    bad_type(name, nb::cast<std::string>(nb::str(type)) + " is not a native integer type");
  return *found;
}

}  // namespace skerry::python

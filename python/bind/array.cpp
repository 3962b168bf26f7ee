// SPDX-License-Identifier: Apache-2.0
#include "bind/array.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "bind/arguments.hpp"
#include "bind/device.hpp"

namespace skerry::python {
namespace {

// What calls need of NumPy, looked up when the extension is imported: looking a name up takes as long as labelling a small row.
struct numpy_names {
  nb::object array_type, asarray, type, empty, empty_like, same_order;
  std::array<nb::object, 1 + static_cast<std::size_t>(dtype::f16)> types;  // by dtype; of `bit` there is none
};

const numpy_names* kept_names = nullptr;  // until the process ends, when Python has ended before

const numpy_names& numpy() { return *kept_names; }

const nb::object& numpy_type(dtype type) { return numpy().types[static_cast<std::size_t>(type)]; }

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

// Arrays with a mask export the pixels under it.
bool has_mask(nb::handle object) { return nb::hasattr(object, "mask") && nb::hasattr(object, "filled"); }

// Of lists, and of all that NumPy takes for an array.
nb::object as_array(nb::handle from, const char* name) {
  try {
    return numpy().asarray(from);
  } catch (nb::python_error& failure) {
    if (!failure.matches(PyExc_ValueError) && !failure.matches(PyExc_TypeError)) throw;
    bad_value(name, text_of(from) + " is not an array: " + nb::cast<std::string>(nb::str(failure.value())));
  }
}

}  // namespace

void remember_numpy() {
  const nb::module_ module = nb::module_::import_("numpy");
  auto* const found = new numpy_names{module.attr("ndarray"),
                                      module.attr("asarray"),
                                      module.attr("dtype"),
                                      module.attr("empty"),
                                      module.attr("empty_like"),
                                      nb::str("K"),
                                      {}};
  for (std::size_t type = static_cast<std::size_t>(dtype::boolean); type < found->types.size(); ++type)
    found->types[type] = found->type(name_of(static_cast<dtype>(type)));
  kept_names = found;
}

std::optional<dtype> integer_type(std::ptrdiff_t bytes, bool is_signed) {
  switch (bytes) {
    case 1: return is_signed ? dtype::i8 : dtype::u8;
    case 2: return is_signed ? dtype::i16 : dtype::u16;
    case 4: return is_signed ? dtype::i32 : dtype::u32;
    case 8: return is_signed ? dtype::i64 : dtype::u64;
    default: return std::nullopt;
  }
}

mutable_image image_of(const array_layout& layout, dtype type, const char* name) {
  const auto& [shape, strides, rank] = layout;
  if (rank == 1) return {nullptr, type, extent(shape[0]), byte_strides{0, 0, strides[0]}};
  if (rank == 2) return {nullptr, type, extent{shape[0], shape[1]}, byte_strides{0, strides[0], strides[1]}};
  if (rank == 3)
    return {nullptr, type, extent{shape[0], shape[1], shape[2]}, byte_strides{strides[0], strides[1], strides[2]}};
  bad_value(name, std::to_string(rank) + " dimensions are not 1, 2 (rows, columns) or 3 (slices, rows, columns)");
}

held_image::held_image(nb::handle from, const char* name, access mode) {
  const bool writes = mode == access::write || mode == access::write_anywhere;
  nb::object array = nb::borrow(from);
  if (!array.type().is(numpy().array_type)) {
    if (has_mask(from)) bad_type(name, std::string("masked arrays are not supported; use ") + name + ".filled(0)");
    if (nb::isinstance<nb::bytes>(from)) bad_type(name, "bytes are not an array; use numpy.frombuffer()");
    if (python::is_on_device(from)) {
      const device_pixels pixels = device_pixels_of(from, name, default_stream);
      if (mode == access::read || mode == access::write || !takes_device_arrays()) refuse_device_array(name);
      if (writes && pixels.read_only) bad_value(name, "is read-only");
      wait_for(pixels);
      on_device_ = true;
      image_ = pixels.image;
      array_ = pixels.owner;
      return;
    }
    if (PyObject_CheckBuffer(from.ptr()) == 0) {
      if (writes) bad_type(name, text_of(from.type()) + " is not an array that can be written");
      if (from.is_none()) bad_type(name, "None is not an array");
      array = as_array(from, name);
    }
  }
  hold_buffer(array, name, writes);
}

void held_image::hold_buffer(const nb::object& from, const char* name, bool writes) {
  if (PyObject_GetBuffer(from.ptr(), &buffer_, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    bad_type(name, "dtype " + type_name(from, "unknown") + " is not " + known_types);
  }
  try {  // no destructor runs when a constructor fails
    if (writes && buffer_.readonly != 0) bad_value(name, "is read-only");
    image_ = image_of({buffer_.shape, buffer_.strides, buffer_.ndim}, type_of(from, buffer_, name), name);
    image_.data = buffer_.buf;
  } catch (...) {
    PyBuffer_Release(&buffer_);
    throw;
  }
  array_ = from;
}

nb::object held_image::empty_like(dtype type) const {
  return numpy().empty_like(array_, numpy_type(type), numpy().same_order, false);  // no subclass
}

nb::tuple shape_of(const extent& size) {
  if (size.rank == 1) return nb::make_tuple(size.width);
  return size.rank == 3 ? nb::make_tuple(size.depth, size.height, size.width) : nb::make_tuple(size.height, size.width);
}

nb::object empty_array(const extent& size, dtype type) { return numpy().empty(shape_of(size), numpy_type(type)); }

nb::object with_type(const nb::object& array, dtype type) { return array.attr("view")(numpy_type(type)); }

column_memory::column_memory(std::size_t rows, std::size_t columns) : rows_(rows) {
  constexpr std::size_t line = 64, large_page = std::size_t{2} << 20;
  bytes_of_column_ = (rows * sizeof(std::uint64_t) + line - 1) / line * line;
  const std::size_t bytes = columns * bytes_of_column_;
  const std::size_t alignment =
      bytes < 2 * large_page ? line : large_page;  // room before the first column is not touched
  block_ = empty_array(extent(static_cast<std::int64_t>(bytes + alignment)), dtype::u8);
  const held_image memory(block_, "columns", held_image::access::write);
  block_begin_ = static_cast<std::byte*>(memory.writable().data);
  begin_ = block_begin_ + (0 - reinterpret_cast<std::uintptr_t>(block_begin_)) % alignment;
}

nb::object column_memory::array(std::size_t column, dtype type) const {
  const auto* const data = static_cast<const std::byte*>(at(column));
  return numpy().array_type(rows_, numpy_type(type), block_, data - block_begin_);
}

dtype dtype_from(nb::handle object, const char* name) {
  const nb::object type = nb::steal(PyObject_CallFunctionObjArgs(numpy().type.ptr(), object.ptr(), nullptr));
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

// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as images, and results as NumPy arrays, without a copy.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// Looks up what the others need of NumPy. The module calls it before all.
void remember_numpy();

/// An image argument: holds the array's memory by Python's buffer protocol, which has all layouts, read-only arrays, and
/// strides that are no multiple of a pixel. What has no buffer goes through numpy.asarray.
///
/// Made and destroyed with the GIL held; views may be used without it.
///
/// Arrays of a GPU are taken on demand, when the work of their library is done.
class held_image {
 public:
  enum class access { read, write, read_anywhere, write_anywhere };
  /// Throws TypeError or ValueError naming the argument.
  held_image(nb::handle from, const char* name, access mode = access::read);
  held_image(const held_image&) = delete;
  held_image& operator=(const held_image&) = delete;
  ~held_image() { PyBuffer_Release(&buffer_); }

  [[nodiscard]] image_view view() const { return image_; }
  [[nodiscard]] const mutable_image& writable() const { return image_; }
  [[nodiscard]] const extent& size() const { return image_.size; }
  [[nodiscard]] bool is_on_device() const { return on_device_; }
  /// A new array of the same shape and order in memory, as numpy.empty_like makes it. Needs the GIL.
  [[nodiscard]] nb::object empty_like(dtype type) const;

 private:
  void hold_buffer(const nb::object& from, const char* name, bool writes);

  nb::object array_;
  Py_buffer buffer_{};
  bool on_device_ = false;
  mutable_image image_;
};

/// The shape of an array of this extent.
[[nodiscard]] nb::tuple shape_of(const extent& size);

/// What messages say of types.
inline constexpr const char* known_types = "bool, int8 to int64, uint8 to uint64, float16, float32 or float64";

/// The integer type of so many bytes.
[[nodiscard]] std::optional<dtype> integer_type(std::ptrdiff_t bytes, bool is_signed);

/// Sides, and distances in bytes, from the slowest axis to the fastest.
struct array_layout {
  const std::int64_t* shape;
  const std::int64_t* strides;
  int rank;
};

/// An image without data of this layout. Throws ValueError naming the argument for other than 1, 2 or 3 dimensions.
[[nodiscard]] mutable_image image_of(const array_layout& layout, dtype type, const char* name);

/// numpy.empty of this extent and type, in C order.
[[nodiscard]] nb::object empty_array(const extent& size, dtype type);

/// The type that numpy.dtype(object) is. Throws TypeError naming the argument.
[[nodiscard]] dtype dtype_from(nb::handle object, const char* name);

/// The array as one of this type, which has pixels as large.
[[nodiscard]] nb::object with_type(const nb::object& array, dtype type);

/// The vector moved to memory that an array can own.
template <class Item>
std::pair<Item*, nb::capsule> owned(std::vector<Item> items) {
  auto* const kept = new std::vector<Item>(std::move(items));
  return {kept->data(),
          nb::capsule(kept, [](void* pointer) noexcept { delete static_cast<std::vector<Item>*>(pointer); })};
}

/// An array that owns the vector's memory, of a type as large as its items. NumPy takes an exported integer of 64 bits for its second
/// such type, long long: this is the first.
template <class Item>
nb::object array_of(std::vector<Item> items, dtype type = dtype_of_pixel<Item>::value) {
  const std::size_t count = items.size();
  const auto [memory, owner] = owned(std::move(items));
  const nb::object array = nb::cast(nb::ndarray<nb::numpy, Item, nb::ndim<1>>(memory, {count}, owner));
  if constexpr (std::is_integral_v<Item> && sizeof(Item) == 8) return with_type(array, type);
  else return array;
}

/// Columns of 8 bytes a value that are written together, in one block of memory that their arrays share: the system provides the pages
/// of one large block sooner than those of several. NumPy allocates it, and asks for large pages.
class column_memory {
 public:
  column_memory(std::size_t rows, std::size_t columns);
  /// Where a column is written: it begins with a cache line.
  [[nodiscard]] void* at(std::size_t column) const { return begin_ + column * bytes_of_column_; }
  /// The column, with values of this type.
  [[nodiscard]] nb::object array(std::size_t column, dtype type) const;

 private:
  std::size_t rows_, bytes_of_column_;
  nb::object block_;
  std::byte *block_begin_, *begin_;
};

/// A read-only array of memory that `owner` keeps.
template <class Item>
nb::object array_in(nb::handle owner, std::span<const Item> items) {
  return nb::cast(nb::ndarray<nb::numpy, const Item, nb::ndim<1>>(items.data(), {items.size()}, owner));
}

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
// What is known of blocks as bytes: little-endian, with a version, a length and a sum that tells changed bytes.
//
//   8 bytes  "skerry", the kind and its version
//   8 bytes  length of all that follows but the sum
//   …        numbers, and lists, each after its length
//   8 bytes  sum
#pragma once
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "blocks/boxes.hpp"
#include "core/portable.hpp"
#include "skerry/measure.hpp"

namespace skerry::blocks {

static_assert(std::endian::native == std::endian::little, "rows are copied as they lie in memory");

[[nodiscard]] constexpr u64 bytes_header(u8 kind, u8 version) {
  return u64{'s'} | u64{'k'} << 8 | u64{'e'} << 16 | u64{'r'} << 24 | u64{'r'} << 32 | u64{'y'} << 40 |
         u64{kind} << 48 | u64{version} << 56;
}

// Calls parts.number(one) for the numbers of a size; `parts` is a byte_writer or a byte_reader, whose functions have the same
// names, so that what is written and what is read are listed once.
template <class Extent, class Parts>
void each_side(Extent& size, Parts& parts) {
  parts.number(size.rank), parts.number(size.depth), parts.number(size.height), parts.number(size.width);
}

// Throws invalid_argument.
[[noreturn]] void refuse_bytes(const std::string& why);

// Refuses boxes that were read and are not in order, or not within the image, whose size is checked as well.
void check_boxes(const std::vector<box>& boxes, const extent& whole);

// Refuses a table that was read and has not a row for each component in the groups that the flags of the question name.
void check_rows(const feature_table& rows, std::size_t components, u16 flags);
// The same of one group.
template <class Group>
void check_rows_of(const feature_table& rows, Group group, std::size_t components, u16 flags) {
  const bool is_there = group.flag == 0 || (flags & group.flag) != 0;
  if ((rows.*group.rows).size() != (is_there ? components : 0))
    refuse_bytes("a group of features has another number of rows");
}

// Refuses a list that was read and is not sorted.
template <class List, class Before>
void check_sorted(const List& list, const char* what, Before before) {
  for (std::size_t i = 1; i < list.size(); ++i)
    if (!before(list[i - 1], list[i])) refuse_bytes(std::string(what) + " are not in order");
}

class byte_writer {
 public:
  explicit byte_writer(u64 header) {
    number(header);
    number(u64{0});
  }

  template <class T>
  void number(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  template <class List>
  void list(const List& list) {
    static_assert(std::is_trivially_copyable_v<typename List::value_type>);
    number(u64{list.size()});
    append(list.data(), list.size() * sizeof(typename List::value_type));
  }
  // All bytes, with length and sum.
  [[nodiscard]] std::vector<std::byte> finish();

 private:
  void append(const void* from, std::size_t count) {
    if (count == 0) return;
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<std::byte> bytes_;
};

class byte_reader {
 public:
  // Refuses bytes that are not all there, were changed, or begin with another header.
  byte_reader(std::span<const std::byte> bytes, u64 header);

  template <class T>
  void number(T& value) {
    take(&value, sizeof value);
  }
  template <class List>
  void list(List& list) {
    using item = typename List::value_type;
    u64 count = 0;
    number(count);
    if (count > rest_.size() / sizeof(item)) refuse_bytes("a list of a piece ends early");
    list.resize(count);
    take(list.data(), count * sizeof(item));
  }
  // To be called when all is read.
  void finish() const {
    if (!rest_.empty()) refuse_bytes("a piece is followed by other bytes");
  }

 private:
  void take(void* to, std::size_t count) {
    if (count > rest_.size()) refuse_bytes("a piece ends early");
    if (count != 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  std::span<const std::byte> rest_;
};

}  // namespace skerry::blocks

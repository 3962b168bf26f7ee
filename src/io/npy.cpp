// SPDX-License-Identifier: Apache-2.0
#include "io/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <stdexcept>

#include "io/pixel_types.hpp"

namespace skerry::io {
namespace {

// One pass over a dictionary literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class dictionary_reader {
 public:
  explicit dictionary_reader(std::string_view text) : rest_(text) {}

  npy_header read() {
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        header_.descr = string();
        has_descr = true;
      } else if (key == "fortran_order") {
        header_.fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        header_.shape = tuple();
        has_shape = true;
      } else {
        throw std::runtime_error("NPY header with the unknown key '" + key + "'");
      }
      if (!accept(',') && !at('}')) throw bad();
    }
    if (!has_descr || !has_order || !has_shape) throw std::runtime_error("NPY header without descr, order or shape");
    return std::move(header_);
  }

 private:
  static std::runtime_error bad() { return std::runtime_error("has a damaged NPY header"); }

  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  bool at(char wanted) {
    skip_space();
    return !rest_.empty() && rest_[0] == wanted;
  }
  bool accept(char wanted) {
    if (!at(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) throw bad();
  }

  std::string string() {
    if (at('[')) throw std::runtime_error("structured NPY records are not an image");
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) throw bad();
    std::string result(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    throw bad();
  }

  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> result;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::uint64_t side = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), side);
      if (error != std::errc{}) throw bad();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // written by Python 2
      if (result.size() == 32) throw bad();                           // NumPy's own limit
      result.push_back(side);
      if (!accept(',') && !at(')')) throw bad();
    }
    return result;
  }

  std::string_view rest_;
  npy_header header_;
};

}  // namespace

npy_header parse_npy_header(std::string_view text) { return dictionary_reader(text).read(); }

std::string make_npy_header(dtype type, const extent& size) {
  const char* order = size_of(type) == 1 ? "|" : std::endian::native == std::endian::little ? "<" : ">";
  const std::string shape = size.rank == 1   ? fmt::format("({},)", size.width)
                            : size.rank == 3 ? fmt::format("({}, {}, {})", size.depth, size.height, size.width)
                                             : fmt::format("({}, {})", size.height, size.width);
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}", order, npy_code_of(type), shape);
  constexpr std::size_t prefix = 10;  // magic, version and length
  text.append(63 - (prefix + text.size()) % 64, ' ').push_back('\n');
  const auto length = static_cast<unsigned>(text.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(length & 0xff));
  header.push_back(static_cast<char>(length >> 8));
  return header + text;
}

}  // namespace skerry::io

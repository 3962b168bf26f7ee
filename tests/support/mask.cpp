// SPDX-License-Identifier: Apache-2.0
#include "support/mask.hpp"

#include <random>
#include <stdexcept>
#include <string>

namespace skerry::test {
namespace {

// The rows of a picture, slice after slice.
struct picture_rows {
  extent size;
  std::vector<std::string> rows;
};

std::string without_spaces(std::string_view line) {
  std::string kept;
  for (const char c : line)
    if (c != ' ') kept += c;
  return kept;
}

picture_rows rows_of(std::string_view text) {
  picture_rows result;
  std::int64_t cuts = 0;
  bool ends_with_cut = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string row = without_spaces(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (row.empty()) continue;
    ends_with_cut = row[0] == '-';
    if (ends_with_cut) ++cuts;
    else result.rows.push_back(row);
  }
  const auto rows = static_cast<std::int64_t>(result.rows.size());
  const auto width = rows == 0 ? 0 : static_cast<std::int64_t>(result.rows[0].size());
  const std::int64_t slices = ends_with_cut ? cuts : cuts + 1;
  if (rows % slices != 0) throw std::logic_error("slices of a picture differ in height");
  for (const std::string& row : result.rows)
    if (static_cast<std::int64_t>(row.size()) != width) throw std::logic_error("rows of a picture differ in width");
  result.size = cuts == 0 ? extent(rows, width) : extent(slices, rows / slices, width);
  return result;
}

std::uint64_t label_of(char c) {
  if (c == '.') return 0;
  if (c >= '1' && c <= '9') return static_cast<std::uint64_t>(c - '0');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint64_t>(c - 'a') + 10;
  throw std::logic_error(std::string("not a label: ") + c);
}

}  // namespace

mask empty_mask(const extent& size) {
  return {size, std::vector<std::uint8_t>(static_cast<std::size_t>(size.pixels()), 0)};
}

mask picture(std::string_view text) {
  const picture_rows from = rows_of(text);
  mask result = {from.size, {}};
  for (const std::string& row : from.rows)
    for (const char c : row) {
      if (c != '.' && c != '#') throw std::logic_error(std::string("not a pixel: ") + c);
      result.pixels.push_back(c == '#' ? 1 : 0);
    }
  return result;
}

std::vector<std::uint64_t> picture_of_labels(std::string_view text) {
  std::vector<std::uint64_t> labels;
  for (const std::string& row : rows_of(text).rows)
    for (const char c : row) labels.push_back(label_of(c));
  return labels;
}

mask random_mask(const extent& size, int granularity, double density_percent, std::uint32_t seed) {
  std::mt19937 draw(seed);
  const double limit = density_percent * 0x1p32 / 100;
  const auto blocks = [&](std::int64_t side) { return (side + granularity - 1) / granularity; };
  const std::int64_t depth = size.rank == 2 ? 1 : blocks(size.depth), slice_step = size.rank == 2 ? 1 : granularity;
  const std::int64_t height = blocks(size.height), width = blocks(size.width);
  std::vector<std::uint8_t> block(static_cast<std::size_t>(depth * height * width));
  for (std::uint8_t& value : block) value = static_cast<double>(draw()) < limit ? 1 : 0;

  mask result = {size, {}};
  result.pixels.reserve(static_cast<std::size_t>(size.pixels()));
  for (std::int64_t z = 0; z < size.depth; ++z)
    for (std::int64_t y = 0; y < size.height; ++y)
      for (std::int64_t x = 0; x < size.width; ++x)
        result.pixels.push_back(
            block[static_cast<std::size_t>(((z / slice_step) * height + y / granularity) * width + x / granularity)]);
  return result;
}

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Group "patterns": Euler number, perimeters, surface. Counts of windows of 2 × 2 (× 2) pixels, and of border pixels by their
// neighbours; each region against everything else, connected or not. All counts add up over shares of an image. In a plane they
// are sums over pixels, of bits that pattern_words.cpp makes; in a volume windows are looked up.
//
// Euler number  The region as a union of closed pixels: corners - edges + faces (- cells). Each of these belongs to the
//               window whose middle is its lowest corner [Gray1971]; so pixels that share a corner are connected.
// Crofton       Crossings of lines in four directions [scikit-image; Lehmann2012]: pi/4 · (straight + slanted / sqrt 2).
// Perimeter     Border pixels (with a 4-neighbour outside) weighted by how many of their 8 neighbours are border pixels of
//               the region, as scikit-image has it with neighborhood = 4 [Benkrid2000].
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/derived.hpp"
#include "engine/cpu/new_memory.hpp"
#include "features/groups.hpp"
#include "features/pattern_words.hpp"
#include "regions/volume_windows.hpp"

namespace skerry::features {
namespace {

void add_counts(three_counts& to, const three_counts& more) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += more[k];
}

class pattern_sums final : public feature_sums {
 public:
  explicit pattern_sums(const region_frame& frame) : wanted_(frame.wanted), counts_(frame.memory) {
    resize_in_large_pages(counts_, frame.count());
  }
  // All rows are in already.
  explicit pattern_sums(const std::vector<regions::plane_patterns>& patterns) {
    counts_.reserve(patterns.size());
    for (const regions::plane_patterns& of : patterns)
      counts_.push_back({{of.euler, of.straight, of.slanted}, {of.side, of.diagonal, of.mixed}, {}});
  }

  explicit pattern_sums(const std::vector<regions::volume_patterns>& patterns) {
    counts_.reserve(patterns.size());
    for (const regions::volume_patterns& of : patterns)
      counts_.push_back({{of.euler, 0, 0}, {}, {of.faces[0], of.faces[1], of.faces[2]}});
  }

  [[nodiscard]] std::size_t bytes() const override { return counts_.size() * sizeof counts_[0]; }

  void add(const image_row& row) override {
    if (row.around == nullptr) return add_plane_row(row);
    const extent& size = row.around->size();
    const i64 last_y = size.height - 1, last_z = size.depth - 1;
    for (i64 z = row.z; z <= row.z + (row.z == last_z ? 1 : 0); ++z)
      for (i64 y = row.y; y <= row.y + (row.y == last_y ? 1 : 0); ++y) add_volume_windows(row, z, y);
  }

  void join(feature_sums& later) override {
    const auto& other = static_cast<const pattern_sums&>(later);
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      add_counts(counts_[k].windows, other.counts_[k].windows);
      add_counts(counts_[k].lengths, other.counts_[k].lengths);
      add_counts(counts_[k].faces, other.counts_[k].faces);
    }
  }

  void store(stored_sums& to, const block_origin&) override {
    to.numbers = counts_of_region;
    to.sums.reserve(counts_.size() * counts_of_region);
    for (const pattern_counts& of : counts_)
      for (const three_counts& kind : {of.windows, of.lengths, of.faces})
        for (const i64 count : kind) to.sums.push_back(static_cast<u64>(count));
  }

  void restore(const stored_sums& from) override {
    const u64* next = from.sums.data();
    for (pattern_counts& of : counts_)
      for (three_counts* kind : {&of.windows, &of.lengths, &of.faces})
        for (i64& count : *kind) count = static_cast<i64>(*next++);
  }

  [[nodiscard]] const pattern_counts& of(std::size_t row) const { return counts_[row]; }

 private:
  static constexpr u32 counts_of_region = sizeof(pattern_counts) / sizeof(i64);

  // Windows belong to the pixel with the largest coordinates, and those at the ends of the image to its last pixels.
  static i64 end_of_windows(const image_row& row) { return row.end + (row.end == row.around->size().width ? 1 : 0); }

  // Calls count(region, window) for each region of a window whose cells, by bits, are `cells`.
  template <int Cells, class Count>
  static void each_region(const u32 (&cells)[Cells], Count count) {
    const auto cells_of = [&](u32 region) {
      unsigned window = 0;
      for (int k = 0; k < Cells; ++k) window |= (cells[k] == region ? 1u : 0u) << k;
      return window;
    };
    for (unsigned left = ~cells_of(no_region) & ((1u << Cells) - 1); left != 0;) {
      const u32 region = cells[std::countr_zero(left)];
      const unsigned window = cells_of(region);
      count(region, window);
      left &= ~window;
    }
  }

  // What a row adds follows from five rows; where a sixth repeats them, the next row adds the same and is waited for.
  void add_plane_row(const image_row& row) {
    if (!has_room_) make_room(row.pairs->width());
    ++waiting_;
    if (repeats_around(*row.pairs, row.y)) return;
    const pairs_around pairs = around(*row.pairs, row.y);
    if ((wanted_ & (uses_euler | uses_lines)) != 0) find_euler_parts(*pairs.own, row.pairs->width(), words_);
    if ((wanted_ & uses_lengths) != 0)
      find_lengths(pairs, {&border(*row.pairs, row.y - 1), &border(*row.pairs, row.y), &border(*row.pairs, row.y + 1)},
                   row.pairs->width(), words_);
    add_patterns({row.runs, *pairs.own, words_, waiting_}, wanted_, counts_.data());
    waiting_ = 0;
  }

  // At the first row: sums of blocks that are put together have none.
  void make_room(i64 width) {
    words_ = pattern_words(width);
    for (border_row& row : borders_) row.pixels = bit_words(width);
    has_room_ = true;
  }

  static pairs_around around(const pair_rows& pairs, i64 y) { return {&pairs.of(y), &pairs.of(y + 1)}; }

  // Whether rows y - 2 to y + 3 are equal.
  static bool repeats_around(const pair_rows& pairs, i64 y) {
    for (i64 row = y - 1; row <= y + 3; ++row)
      if (!pairs.of(row).repeats) return false;
    return true;
  }

  struct border_row {
    i64 y = -2;  // of an image: none
    bit_words pixels;
  };

  const bit_words& border(const pair_rows& pairs, i64 y) {
    border_row& row = borders_[static_cast<std::size_t>((y + 3) % 3)];
    if (row.y != y) find_border(around(pairs, y), pairs.width(), row.pixels);
    row.y = y;
    return row.pixels;
  }

  void add_volume_windows(const image_row& row, i64 z, i64 y) {
    const u32* const rows[4] = {row.around->row(z, y), row.around->row(z, y - 1), row.around->row(z - 1, y),
                                row.around->row(z - 1, y - 1)};
    for (i64 x = row.begin; x < end_of_windows(row); ++x) {
      const u32 cells[8] = {rows[0][x], rows[1][x], rows[0][x - 1], rows[1][x - 1],
                            rows[2][x], rows[3][x], rows[2][x - 1], rows[3][x - 1]};
      u32 differing = 0;
      for (int k = 1; k < 8; ++k) differing |= cells[k] ^ cells[0];
      if (differing == 0) continue;
      each_region(cells, [&](u32 region, unsigned window) {
        counts_[region].windows[0] += regions::euler_of_volume.of[window];
      });
      const auto add_faces = [&](std::size_t axis, u32 before) {
        if (before == cells[0]) return;
        if (before != no_region) ++counts_[before].faces[axis];
        if (cells[0] != no_region) ++counts_[cells[0]].faces[axis];
      };
      add_faces(0, cells[4]);
      add_faces(1, cells[1]);
      add_faces(2, cells[2]);
    }
  }

  unsigned wanted_ = 0;
  std::pmr::vector<pattern_counts> counts_;
  bool has_room_ = false;  // for bits of a row
  pattern_words words_;
  border_row borders_[3];  // of a plane, around the row; row y is at (y + 3) % 3
  i64 waiting_ = 0;        // rows that add what the next one does
};

const pattern_counts& counts_of(const column_source& from, std::size_t row) {
  return static_cast<const pattern_sums&>(*from.sums).of(row);
}

i64 euler_number(const column_source& from, std::size_t row, int) { return counts_of(from, row).windows[0]; }

double perimeter(const column_source& from, std::size_t row, int) {
  const three_counts& counts = counts_of(from, row).lengths;
  const double length = static_cast<double>(counts[side]) +
                        static_cast<double>(counts[diagonal]) * std::numbers::sqrt2 +
                        static_cast<double>(counts[mixed]) * ((1 + std::numbers::sqrt2) / 2);
  return length * from.frame.spacing[2];
}

double perimeter_crofton(const column_source& from, std::size_t row, int) {
  const three_counts& counts = counts_of(from, row).windows;
  const double crossings = static_cast<double>(counts[1]) + static_cast<double>(counts[2]) / std::numbers::sqrt2;
  return std::numbers::pi / 4 * crossings * from.frame.spacing[2];
}

double circularity(const column_source& from, std::size_t row, int) {
  const double length = perimeter(from, row, 0);
  return 4 * std::numbers::pi * static_cast<double>(from.frame.region(row).area) * from.frame.pixel() /
         (length * length);
}

double surface_area(const column_source& from, std::size_t row, int) {
  double area = 0;
  for (std::size_t axis = 0; axis < 3; ++axis)
    area += static_cast<double>(counts_of(from, row).faces[axis]) * (from.frame.pixel() / from.frame.spacing[axis]);
  return area;
}

constexpr feature_column pattern_columns[] = {
    {"euler_number", euler_number, column_shape::single, needs_many_axes | uses_euler},
    {"perimeter", perimeter, column_shape::single, needs_rank_2 | needs_equal_sides | uses_lengths},
    {"perimeter_crofton", perimeter_crofton, column_shape::single, needs_rank_2 | needs_equal_sides | uses_lines},
    {"circularity", circularity, column_shape::single, needs_rank_2 | needs_equal_sides | uses_lengths},
    {"surface_area", surface_area, column_shape::single, needs_rank_3},
};

std::unique_ptr<feature_sums> start_patterns(const region_frame& frame) {
  return std::make_unique<pattern_sums>(frame);
}

std::unique_ptr<feature_sums> patterns_of_plane(const std::vector<regions::plane_patterns>& patterns) {
  return std::make_unique<pattern_sums>(patterns);
}

std::unique_ptr<feature_sums> patterns_of_volume(const std::vector<regions::volume_patterns>& patterns) {
  return std::make_unique<pattern_sums>(patterns);
}

}  // namespace

const feature_group patterns_group = {.name = "patterns",
                                      .columns = pattern_columns,
                                      .start = start_patterns,
                                      .reads_neighbours = true,
                                      .of_plane = patterns_of_plane,
                                      .of_volume = patterns_of_volume};

}  // namespace skerry::features

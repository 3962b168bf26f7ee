// SPDX-License-Identifier: Apache-2.0
// Group "patterns": Euler number, perimeters, surface. Counts of windows of 2 × 2 (× 2) pixels, and of border pixels by their
// neighbours; each region against everything else, connected or not. All counts add up over shares of an image.
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
#include "features/find_edges.hpp"
#include "features/groups.hpp"
#include "features/window_tables.hpp"

namespace skerry::features {
namespace {

using three_counts = std::array<i64, 3>;

void add_counts(three_counts& to, const three_counts& more) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k] += more[k];
}

struct pattern_counts {
  three_counts windows{};  // Euler number; for Crofton straight and slanted crossings
  three_counts lengths{};  // of the perimeter: pixels by length_class
  three_counts faces{};    // of pixels, to what is outside, across z, y, x
};

class pattern_sums final : public feature_sums {
 public:
  explicit pattern_sums(const region_frame& frame)
      : counts_(frame.count()), places_(static_cast<std::size_t>(frame.size.width) + 1) {
    if (frame.size.rank == 2)
      for (border_row& row : borders_) row = border_row(frame.size.width);
  }
  // All rows of a plane are in already.
  explicit pattern_sums(const std::vector<regions::plane_patterns>& patterns) {
    counts_.reserve(patterns.size());
    for (const regions::plane_patterns& of : patterns)
      counts_.push_back({{of.euler, of.straight, of.slanted}, {of.side, of.diagonal, of.mixed}, {}});
  }

  void add(const image_row& row) override {
    const extent& size = row.around->size();
    const i64 last_y = size.height - 1, last_z = size.depth - 1;
    if (size.rank == 2) {
      add_plane_windows(row, row.y);
      if (row.y == last_y) add_plane_windows(row, row.y + 1);
      add_borders(row);
      return;
    }
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

  void store(stored_sums& to, const block_origin&) const override {
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

  // Adds to one kind of counts, and to registers as long as the next window or pixel is of the same region.
  class region_counter {
   public:
    region_counter(std::vector<pattern_counts>& counts, three_counts pattern_counts::*kind)
        : counts_(counts), kind_(kind) {}
    region_counter(const region_counter&) = delete;
    region_counter& operator=(const region_counter&) = delete;
    ~region_counter() { write(); }

    three_counts& of(u32 region) {
      if (region != region_) {
        write();
        region_ = region;
        sums_ = {};
      }
      return sums_;
    }

   private:
    void write() {
      if (region_ != no_region) add_counts(counts_[region_].*kind_, sums_);
    }
    std::vector<pattern_counts>& counts_;
    three_counts pattern_counts::*kind_;
    u32 region_ = no_region;
    three_counts sums_{};
  };

  void add_plane_windows(const image_row& row, i64 y) {
    const u32* const below = row.around->row(0, y) + row.begin;
    const u32* const above = row.around->row(0, y - 1) + row.begin;
    const auto count = static_cast<std::size_t>(end_of_windows(row) - row.begin);
    const std::size_t windows = find_windows(above, below, count, places_.data());
    region_counter counter(counts_, &pattern_counts::windows);
    for (std::size_t i = 0; i < windows; ++i) {
      const i64 x = places_[i];
      const u32 cells[4] = {below[x], above[x], below[x - 1], above[x - 1]};
      each_region(cells, [&](u32 region, unsigned window) {
        add_counts(counter.of(region), {euler_of_plane.of[window], straight_of[window], slanted_of[window]});
      });
    }
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
      each_region(cells,
                  [&](u32 region, unsigned window) { counts_[region].windows[0] += euler_of_volume.of[window]; });
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

  // Border pixels of one row: of each pixel its region, or no_region of one that is no border pixel.
  struct border_row {
    border_row() = default;
    explicit border_row(i64 width)
        : cells(static_cast<std::size_t>(width) + 2, no_region), places(static_cast<std::size_t>(width)) {}

    void find(const index_rows& around, i64 row) {
      for (std::size_t i = 0; i < count; ++i) cells[places[i] + 1] = no_region;
      const u32* const own = around.row(0, row);
      count = find_borders({around.row(0, row - 1), own, around.row(0, row + 1)}, places.size(), places.data());
      for (std::size_t i = 0; i < count; ++i) cells[places[i] + 1] = own[places[i]];
      y = row;
    }

    i64 y = -2;              // of an image: none
    std::vector<u32> cells;  // from x = -1 to the width
    std::vector<u32> places;
    std::size_t count = 0;
  };

  void add_borders(const image_row& row) {
    for (i64 y = row.y - 1; y <= row.y + 1; ++y) {
      border_row& borders = borders_[static_cast<std::size_t>((y + 3) % 3)];
      if (borders.y != y) borders.find(*row.around, y);
    }
    const auto cells_of = [&](i64 y) { return borders_[static_cast<std::size_t>((y + 3) % 3)].cells.data() + 1; };
    const u32* const rows[3] = {cells_of(row.y - 1), cells_of(row.y), cells_of(row.y + 1)};
    const border_row& own = borders_[static_cast<std::size_t>(row.y % 3)];
    region_counter counter(counts_, &pattern_counts::lengths);
    for (std::size_t i = 0; i < own.count; ++i) {
      const i64 x = own.places[i];
      if (x < row.begin || x >= row.end) continue;
      if (rows[1][x] != no_region) add_border(counter.of(rows[1][x]), rows, x);
    }
  }

  static void add_border(three_counts& lengths, const u32* const (&rows)[3], i64 x) {
    const u32 region = rows[1][x];
    const auto at = [&](int k, i64 place) { return rows[k][place] == region ? 1 : 0; };
    const int beside = at(0, x) + at(2, x) + at(1, x - 1) + at(1, x + 1);
    const int across = at(0, x - 1) + at(0, x + 1) + at(2, x - 1) + at(2, x + 1);
    const length_class which = length_classes.of[beside][across];
    add_counts(lengths, {which == side, which == diagonal, which == mixed});
  }

  std::vector<pattern_counts> counts_;
  std::vector<u32> places_;  // of edges in a row
  border_row borders_[3];    // around the row; row y is at (y + 3) % 3
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
    {"euler_number", euler_number, column_shape::single, needs_many_axes},
    {"perimeter", perimeter, column_shape::single, needs_rank_2 | needs_equal_sides},
    {"perimeter_crofton", perimeter_crofton, column_shape::single, needs_rank_2 | needs_equal_sides},
    {"circularity", circularity, column_shape::single, needs_rank_2 | needs_equal_sides},
    {"surface_area", surface_area, column_shape::single, needs_rank_3},
};

std::unique_ptr<feature_sums> start_patterns(const region_frame& frame) {
  return std::make_unique<pattern_sums>(frame);
}

std::unique_ptr<feature_sums> patterns_of_plane(const std::vector<regions::plane_patterns>& patterns) {
  return std::make_unique<pattern_sums>(patterns);
}

}  // namespace

const feature_group patterns_group = {.name = "patterns",
                                      .columns = pattern_columns,
                                      .start = start_patterns,
                                      .reads_neighbours = true,
                                      .of_plane = patterns_of_plane};

}  // namespace skerry::features

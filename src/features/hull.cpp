// SPDX-License-Identifier: Apache-2.0
// Group "hull": convex area, diameters, rectangle and circle, from the outermost pixels of each row of a region. In a
// volume, convex content and largest diameter.
//
// area_convex counts the pixels whose centres the hull of the region's diamonds holds. Lengths are, as scikit-image's
// feret_diameter_max, of the hull of the diamonds of all these pixels.
#include "features/convex.hpp"
#include "features/groups.hpp"
#include "features/solid_hull.hpp"

namespace skerry::features {
namespace {

struct hull_row {
  i64 pixels = 0;
  polygon_measures measures;
};

class hull_sums final : public feature_sums {
 public:
  explicit hull_sums(const region_frame& frame) : height_(frame.size.height), lists_(frame.count()) {}

  void add(const image_row& row) override {
    const i64 number = row.z * height_ + row.y;
    for (const region_run& run : row.runs) {
      row_stretch* const last = lists_.last(run.region);
      if (last != nullptr && last->row == number) last->end = static_cast<i32>(run.end);
      else lists_.add(run.region, {number, static_cast<i32>(run.begin), static_cast<i32>(run.end)});
    }
  }

  [[nodiscard]] std::size_t bytes() const override { return lists_.bytes(); }

  void join(feature_sums& later) override { lists_.join(static_cast<hull_sums&>(later).lists_); }

  void prepare(const region_frame& frame) override {
    lists_.sort();
    rows_.resize(frame.count());
  }

  void finish(const region_frame& frame, std::size_t index) override {
    if (frame.size.rank == 3) return finish_solid(frame, index);
    std::vector<plane_row> region;
    for (const row_stretch& stretch : lists_.of(index)) region.push_back({stretch.row, stretch.begin, stretch.end});
    const std::vector<plane_row> convex = rows_in_hull(region);
    hull_row& to = rows_[index];
    for (const plane_row& row : convex) to.pixels += row.end - row.begin;
    to.measures = measures_of(hull_of(convex), frame.spacing[1], frame.spacing[2]);
  }

  void store(stored_sums& to, const block_origin& block) override { lists_.store(to, block, true); }
  void restore(const stored_sums& from) override { lists_.restore(from); }

  [[nodiscard]] const hull_row& of(std::size_t row) const { return rows_[row]; }

 private:
  void finish_solid(const region_frame& frame, std::size_t index) {
    std::vector<solid_row> region;
    for (const row_stretch& stretch : lists_.of(index))
      region.push_back({stretch.row / height_, stretch.row % height_, stretch.begin, stretch.end});
    const solid_measures measures = measures_of(region, frame.spacing);
    rows_[index].pixels = measures.pixels;
    rows_[index].measures.widest = measures.widest;
  }

  i64 height_;
  region_lists lists_;
  std::vector<hull_row> rows_;
};

const hull_row& hull_at(const column_source& from, std::size_t row) {
  return static_cast<const hull_sums&>(*from.sums).of(row);
}

double area_convex(const column_source& from, std::size_t row, int) {
  return static_cast<double>(hull_at(from, row).pixels) * from.frame.pixel();
}

double solidity(const column_source& from, std::size_t row, int) {
  return static_cast<double>(from.frame.region(row).area) / static_cast<double>(hull_at(from, row).pixels);
}

template <double polygon_measures::*Measure>
double measure(const column_source& from, std::size_t row, int) {
  return hull_at(from, row).measures.*Measure;
}

double rectangle_area(const column_source& from, std::size_t row, int) {
  const polygon_measures& measures = hull_at(from, row).measures;
  return measures.length * measures.width;
}

double circle_center(const column_source& from, std::size_t row, int place) {
  return hull_at(from, row).measures.centre[place];
}

constexpr column_shape single = column_shape::single;
constexpr feature_column hull_columns[] = {
    {"area_convex", area_convex, single, needs_many_axes},
    {"solidity", solidity, single, needs_many_axes},
    {"feret_diameter_max", measure<&polygon_measures::widest>, single, needs_many_axes},
    {"feret_diameter_min", measure<&polygon_measures::narrowest>, single, needs_rank_2},
    {"minimum_rectangle_area", rectangle_area, single, needs_rank_2},
    {"minimum_rectangle_length", measure<&polygon_measures::length>, single, needs_rank_2},
    {"minimum_rectangle_width", measure<&polygon_measures::width>, single, needs_rank_2},
    {"minimum_rectangle_orientation", measure<&polygon_measures::orientation>, single, needs_rank_2},
    {"bounding_circle_radius", measure<&polygon_measures::radius>, single, needs_rank_2},
    {"bounding_circle_center", circle_center, column_shape::per_axis, needs_rank_2},
};

std::unique_ptr<feature_sums> start_hulls(const region_frame& frame) { return std::make_unique<hull_sums>(frame); }

}  // namespace

const feature_group hull_group = {.name = "hull", .columns = hull_columns, .start = start_hulls};

}  // namespace skerry::features

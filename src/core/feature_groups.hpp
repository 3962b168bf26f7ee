// SPDX-License-Identifier: Apache-2.0
// The groups of features of tables: the rows of each are one vector of the table. Whatever handles tables loops over this list and
// knows no group by name: the CPU engine, given label images, selections, blocks. Host only.
//
// A group has
//   row               what is kept of a component; join(row, row, how) is in core/feature.hpp
//   rows              where the table has them
//   flag              its bit where pieces of images say what was asked of them
//   is_wanted()       whether a request asks for it
//   empty(rank)       what joins to any row
//   add<Rank>()       joins the sums of a run to a row; or, if it reads_intensity,
//   takes(type)       which intensity images it reads, and
//   add_pixels<T>()   joins the pixels under a run to a row, of a type that it takes
#pragma once
#include "core/feature.hpp"
#include "core/real_intensity.hpp"
#include "core/run_intensities.hpp"
#include "skerry/measure.hpp"

namespace skerry {

struct geometry_group {
  using row = geometry;
  static constexpr bool reads_intensity = false;
  static constexpr table_rows<row> feature_table::*rows = &feature_table::components;
  static constexpr u16 flag = 0;  // every piece has them
  static bool is_wanted(const measure_options&) { return true; }
  static row empty(int rank) { return empty_geometry(rank); }
  template <int Rank>
  static void add(row& to, const placed_run& run) {
    join<Rank>(to, geometry_of(run), join_alone());
  }
};

struct moments_group {
  using row = second_moments;
  static constexpr bool reads_intensity = false;
  static constexpr table_rows<row> feature_table::*rows = &feature_table::moments;
  static constexpr u16 flag = 2;
  static bool is_wanted(const measure_options& options) { return options.moments; }
  static row empty(int) { return {}; }
  template <int Rank>
  static void add(row& to, const placed_run& run) {
    join<Rank>(to, second_moments_of(run), join_alone());
  }
};

struct intensity_group {
  using row = intensity;
  static constexpr bool reads_intensity = true;  // added up in stage 5, which knows where pixels are
  static constexpr table_rows<row> feature_table::*rows = &feature_table::intensities;
  static constexpr u16 flag = 4;
  static constexpr bool takes(dtype type) { return !sums_reals(type); }
  static bool is_wanted(const measure_options& options) {
    return options.intensity.data != nullptr && takes(options.intensity.type);
  }
  static row empty(int) { return {}; }
  template <class Pixel>
  static void add_pixels(row& to, const image_view& image, const placed_run& run) {
    skerry::add_pixels<Pixel>(image, run, to);
  }
};

struct real_intensity_group {
  using row = real_intensity;
  static constexpr bool reads_intensity = true;
  static constexpr table_rows<row> feature_table::*rows = &feature_table::real_intensities;
  static constexpr u16 flag = 8;
  static constexpr bool takes(dtype type) { return sums_reals(type); }
  static bool is_wanted(const measure_options& options) {
    return options.intensity.data != nullptr && takes(options.intensity.type);
  }
  static row empty(int) { return {}; }
  template <class Pixel>
  static void add_pixels(row& to, const image_view& image, const placed_run& run) {
    skerry::add_pixels<Pixel>(image, run, to);
  }
};

// Calls visit(group) for each group, in the order in which they are measured.
template <class Visit>
void each_feature_group(Visit visit) {
  visit(geometry_group());
  visit(moments_group());
  visit(intensity_group());
  visit(real_intensity_group());
}

// The same for the groups that read intensities.
template <class Visit>
void each_intensity_group(Visit visit) {
  each_feature_group([&]<class Group>(Group group) {
    if constexpr (Group::reads_intensity) visit(group);
  });
}

}  // namespace skerry

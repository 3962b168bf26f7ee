// SPDX-License-Identifier: Apache-2.0
// The groups of features: the rows of each are one vector of the table. The CPU engine loops over this list and knows no
// group by name, but for what stage 5 reads besides runs. Host only.
#pragma once
#include "core/feature.hpp"
#include "core/real_intensity.hpp"
#include "skerry/measure.hpp"

namespace skerry {

struct geometry_group {
  using row = geometry;
  static constexpr bool reads_intensity = false;
  static constexpr table_rows<row> feature_table::*rows = &feature_table::components;
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
  static bool is_wanted(const measure_options& options) {
    return options.intensity.data != nullptr && !sums_reals(options.intensity.type);
  }
  static row empty(int) { return {}; }
};

struct real_intensity_group {
  using row = real_intensity;
  static constexpr bool reads_intensity = true;
  static constexpr table_rows<row> feature_table::*rows = &feature_table::real_intensities;
  static bool is_wanted(const measure_options& options) {
    return options.intensity.data != nullptr && sums_reals(options.intensity.type);
  }
  static row empty(int) { return {}; }
};

// Calls visit(group) for each group, in the order in which they are measured.
template <class Visit>
void each_feature_group(Visit visit) {
  visit(geometry_group());
  visit(moments_group());
  visit(intensity_group());
  visit(real_intensity_group());
}

}  // namespace skerry

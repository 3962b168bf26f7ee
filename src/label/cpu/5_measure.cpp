// SPDX-License-Identifier: Apache-2.0
// Stage 5, CPU: one row of features for each label.
//
//   run     closed-form sums over it and its repetitions below (core/feature.hpp), or a walk along its intensities
//   strip   runs in raster order, each joined to the table row of its label
//   image   guests of all strips join their roots
//
// Reads   edges and components of runs, label of each component, intensities
// Writes  table rows; a strip writes only rows of its own components, so strips need no locks
// Method  closed-form sums per run [Lacassagne2011]; sums of floats in bins, core/real_intensity.hpp
#include <algorithm>
#include <type_traits>

#include "core/feature_groups.hpp"
#include "core/pixel_type.hpp"
#include "label/cpu/row_groups.hpp"
#include "label/cpu/stages.hpp"

namespace skerry::label_stages {
namespace {

// ---- run ----------------------------------------------------------------------------------------------------------

template <class Position, class Visit>
void each_run(const row_group& rows, const Position* edges, const u32* component, Visit visit) {
  for (u32 i = rows.runs.first; i < rows.runs.end(); ++i)
    visit(placed_run{rows.z, rows.top, rows.bottom, edges[2 * u64{i}], edges[2 * u64{i} + 1]}, component[i]);
}

// Calls visit(run, component) for each run of a row group, from the left.
template <class Visit>
void each_run(const strip& s, const row_group& rows, Visit visit) {
  if (s.edges.kept == run_edges::form::short_form)
    each_run(rows, s.edges.short_edges.data(), s.component.data(), visit);
  else each_run(rows, s.edges.long_edges.data(), s.component.data(), visit);
}

// Calls add(row, run) for each run of a strip with the table row of its component. Components are met in order, so a
// row becomes first_row(rows of the first run) just before it is needed, while it is going to be in the cache anyway.
template <class Row, class FirstRow, class Add>
void fill_rows(const strip& s, const extent& size, const u32* label, FirstRow first_row, Row* rows, Add add) {
  label += s.first_component;
  u32 started = 0;
  each_row_group(s, size, [&, label, rows](const row_group& group) {
    const u32* const component = s.component.data();
    u32 last = 0;  // std::max_element mispredicts at each new maximum
    for (u32 i = group.runs.first; i < group.runs.end(); ++i) last = std::max(last, component[i]);
    for (const Row row = first_row(group); started <= last; ++started) rows[label[started] - 1] = row;
    each_run(s, group, [=](const placed_run& run, u32 c) { add(rows[label[c] - 1], run); });
  });
}

template <class Row>
void join_guest_rows(const std::vector<strip>& strips, const u32* label, table_rows<Row>& rows) {
  if (rows.empty()) return;
  for (const strip& s : strips)
    for (const strip::guest& guest : s.guests)
      join(rows[label[guest.root] - 1], rows[label[guest.component] - 1], join_alone());
}

// ---- strip --------------------------------------------------------------------------------------------------------

template <class Group>
void measure_runs(const strip& s, const extent& size, const u32* label, typename Group::row* rows) {
  if constexpr (std::is_same_v<Group, geometry_group>) {
    measure_geometry(s, size, label, rows);
  } else {
    const auto of_rank = [&]<int Rank>(std::integral_constant<int, Rank>) {
      fill_rows(
          s, size, label, [](const row_group&) { return Group::empty(Rank); }, rows,
          [](typename Group::row& row, const placed_run& run) { Group::template add<Rank>(row, run); });
    };
    if (size.rank == 2) of_rank(std::integral_constant<int, 2>());
    else of_rank(std::integral_constant<int, 3>());
  }
}

template <class Group>
void measure_pixels(const strip& s, const image_view& image, const u32* label, typename Group::row* rows) {
  with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) {
    if constexpr (Group::takes(dtype_of_pixel<Pixel>::value))
      fill_rows(
          s, image.size, label, [&](const row_group&) { return Group::empty(image.size.rank); }, rows,
          [&](auto& to, const placed_run& run) { Group::template add_pixels<Pixel>(to, image, run); });
  });
}

}  // namespace

void measure(const strip& s, const extent& size, const measure_options& features, const u32* label,
             feature_table& table) {
  each_feature_group([&]<class Group>(Group) {
    if (!Group::is_wanted(features)) return;
    auto* const rows = (table.*Group::rows).data();
    if constexpr (Group::reads_intensity) measure_pixels<Group>(s, features.intensity, label, rows);
    else measure_runs<Group>(s, size, label, rows);
  });
}

// ---- image --------------------------------------------------------------------------------------------------------

void join_guests(const std::vector<strip>& strips, const u32* label, feature_table& table) {
  each_feature_group([&](auto group) { join_guest_rows(strips, label, table.*group.rows); });
}

}  // namespace skerry::label_stages

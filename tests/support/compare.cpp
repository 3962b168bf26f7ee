// SPDX-License-Identifier: Apache-2.0
#include "support/compare.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "support/engines.hpp"
#include "support/values.hpp"

namespace skerry {

// How GoogleTest prints a row that differs.
static std::ostream& operator<<(std::ostream& out, const wide_integer& value) {
  return out << value.high << ":" << value.low;
}
static std::ostream& operator<<(std::ostream& out, const geometry& g) {
  out << "area " << g.area;
  for (int axis = 0; axis < 3; ++axis)
    out << ", axis " << axis << " sum " << g.sum[axis] << " in " << g.min[axis] << "…" << g.max[axis];
  return out;
}
static std::ostream& operator<<(std::ostream& out, const second_moments& m) {
  return out << "zz " << m.zz << " zy " << m.zy << " zx " << m.zx << " yy " << m.yy << " yx " << m.yx << " xx " << m.xx;
}
static std::ostream& operator<<(std::ostream& out, const intensity& i) {
  return out << "min " << i.min << " max " << i.max << " sum " << i.sum << " squares " << i.squares;
}
static std::ostream& operator<<(std::ostream& out, const real_intensity& i) {
  out << "min " << i.min << " max " << i.max << " non-finite " << i.non_finite;
  for (int k = 0; k < real_intensity::bins; ++k)
    out << ", bin " << k << " sum " << i.sum[k] << " squares " << i.squares[k];
  return out;
}
static std::ostream& operator<<(std::ostream& out, const labelled_run& r) {
  return out << "row " << r.row << " [" << r.begin << ", " << r.end << ") label " << r.label;
}

}  // namespace skerry

namespace skerry::test {
namespace {

template <class Row>
bool same(const Row& a, const Row& b) {
  return a == b;
}

// Two zeros can differ.
bool same(const real_intensity& a, const real_intensity& b) {
  return a == b && std::signbit(a.min) == std::signbit(b.min) && std::signbit(a.max) == std::signbit(b.max);
}

template <class Rows>
testing::AssertionResult same_rows(const char* what, const Rows& got, const Rows& want) {
  if (got.size() != want.size())
    return testing::AssertionFailure() << got.size() << " " << what << " instead of " << want.size();
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!same(got[i], want[i]))
      return testing::AssertionFailure() << what << " " << i << " differ: " << got[i] << " instead of " << want[i];
  return testing::AssertionSuccess();
}

std::string description_of(const question& asked) {
  const extent& size = asked.image.size;
  const selection& keep = asked.options.selection;
  return "image " + std::to_string(size.depth) + " x " + std::to_string(size.height) + " x " +
         std::to_string(size.width) + " of rank " + std::to_string(size.rank) + ", " + name_of(asked.image.type) +
         ", connectivity " + std::to_string(asked.options.connectivity) + ", " + text_of(asked.options.foreground) +
         ", holes " + (keep.fill_holes ? "filled" : "kept") + ", area " + std::to_string(keep.min_area) + "…" +
         std::to_string(keep.max_area) + ", border " + (keep.clear_border ? "cleared" : "kept") + ", largest " +
         std::to_string(keep.largest) + text_of(asked.options.joining) + text_of(asked.options.periodic) + "; labels " +
         name_of(asked.label_type) + ", " + name_of(asked.label_layout);
}

void expect_label_image(engine& on, const question& asked, const reference::answer& want) {
  const placed_image labels(asked.label_type, asked.image.size, asked.label_layout);
  EXPECT_EQ(published::label(on, asked.method, asked.request(), {.labels = labels.target()}), want.count);
  EXPECT_TRUE(same_labels(labels.values(), want.labels, asked.image.size));
  EXPECT_TRUE(labels.surroundings_untouched());
}

}  // namespace

std::vector<int> connectivities_of(const extent& size) {
  return size.rank == 2 ? std::vector<int>{4, 8} : std::vector<int>{6, 18, 26};
}

reference::answer expected_answer(const question& asked) {
  return reference::analyse(asked.image, asked.options, asked.features);
}

testing::AssertionResult same_table(const feature_table& got, const feature_table& want) {
  if (got.rank != want.rank) return testing::AssertionFailure() << "rank " << got.rank << " instead of " << want.rank;
  if (got.has_moments != want.has_moments || got.has_intensities != want.has_intensities)
    return testing::AssertionFailure() << "the table says it has other features than it was asked for";
  if (const auto result = same_rows("components", got.components, want.components); !result) return result;
  if (const auto result = same_rows("moments", got.moments, want.moments); !result) return result;
  if (const auto result = same_rows("intensities", got.intensities, want.intensities); !result) return result;
  return same_rows("real intensities", got.real_intensities, want.real_intensities);
}

testing::AssertionResult same_runs(const std::vector<labelled_run>& got, const std::vector<labelled_run>& want) {
  return same_rows("runs", got, want);
}

testing::AssertionResult same_labels(const std::vector<std::uint64_t>& got, const std::vector<std::uint64_t>& want,
                                     const extent& size) {
  if (got.size() != want.size())
    return testing::AssertionFailure() << got.size() << " labels instead of " << want.size();
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (got[i] == want[i]) continue;
    const auto width = static_cast<std::size_t>(size.width);
    return testing::AssertionFailure() << "label " << got[i] << " instead of " << want[i] << " at row " << i / width
                                       << ", column " << i % width;
  }
  return testing::AssertionSuccess();
}

void expect_measured(engine& on, const question& asked, const reference::answer& want) {
  SCOPED_TRACE(description_of(asked));
  std::vector<std::uint64_t> labels(static_cast<std::size_t>(asked.image.size.pixels()), ~std::uint64_t{0});
  std::vector<labelled_run> runs(3);
  feature_table table;
  const label_outputs outputs = {.labels = {labels.data(), asked.image.size}, .runs = &runs, .table = &table};
  EXPECT_EQ(published::label(on, asked.method, asked.request(), outputs), want.count);
  EXPECT_TRUE(same_labels(labels, want.labels, asked.image.size));
  EXPECT_TRUE(same_runs(runs, want.runs));
  EXPECT_TRUE(same_table(table, want.table));
}

void expect_all_ways(engine& on, const question& asked, const reference::answer& want) {
  expect_measured(on, asked, want);
  SCOPED_TRACE(description_of(asked));
  expect_label_image(on, asked, want);

  std::vector<labelled_run> runs(2);
  EXPECT_EQ(published::label(on, asked.method, asked.request(), {.runs = &runs}), want.count);
  EXPECT_TRUE(same_runs(runs, want.runs));
  EXPECT_EQ(published::label(on, asked.method, asked.request(), {}), want.count);

  feature_table table;
  table.components.assign(5, {});
  table.moments.assign(7, {});
  table.intensities.assign(1, {});
  table.real_intensities.assign(1, {});
  table.has_moments = table.has_intensities = true;
  EXPECT_EQ(published::label(on, asked.method, asked.request(), {.table = &table}), want.count);
  EXPECT_TRUE(same_table(table, want.table));
}

bool is_for_published_methods(const question& asked) {
  const selection& keep = asked.options.selection;
  const label_options& how = asked.options;
  if (how.foreground.kind == foreground::rule::except || how.joining.kind != joining::rule::foreground) return false;
  return asked.image.size.rank == 2 && !how.periodic.any() && !keep.fill_holes && keep.min_area <= 1 &&
         keep.max_area == selection().max_area && !keep.clear_border && keep.largest == 0;
}

question as_published(question asked, std::string_view method) {
  asked.method = method;
  asked.features = {};
  return asked;
}

reference::answer as_published(reference::answer want) {
  feature_table& table = want.table;
  table.moments.clear();
  table.intensities.clear();
  table.real_intensities.clear();
  table.has_moments = table.has_intensities = false;
  return want;
}

void expect_everywhere(const question& asked) {
  const reference::answer want = expected_answer(asked);
  static int question_number = 0;
  const bool some = ++question_number % std::max(1, static_cast<int>(1 / test_scale())) != 0;
  if (is_for_published_methods(asked)) {
    std::vector<named_engine>& methods = each_published_method();
    const reference::answer geometry = as_published(want);
    const std::size_t turns = some ? 1 : std::max<std::size_t>(1, methods.size() / 3),
                      first = static_cast<std::size_t>(question_number) * turns;
    for (std::size_t i = first; i < first + turns; ++i) {
      named_engine& method = methods[i % methods.size()];
      if (!method.knows(asked.options.connectivity)) continue;
      SCOPED_TRACE(method.name);
      expect_all_ways(method.on, as_published(asked, method.method), geometry);
    }
  }
  if (some) {
    for (const std::size_t which : {1, 4})
      if (which != 1 || !looks_for_races()) expect_measured(each_engine().at(which).on, asked, want);
    return;
  }
  for (named_engine* engine : engines_to_ask()) {
    SCOPED_TRACE(engine->name);
    expect_all_ways(engine->on, asked, want);
  }
}

}  // namespace skerry::test

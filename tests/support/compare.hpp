// SPDX-License-Identifier: Apache-2.0
// Asks an engine a question in every way the interface offers, and compares each answer with the expected one.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reference/reference.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"
#include "skerry/published.hpp"
#include "support/placed_image.hpp"

namespace skerry::test {

struct question {
  image_view image;
  label_options options;
  measure_options features = {};
  dtype label_type = dtype::u32;  // of the label image that label() writes
  layout label_layout = layout::dense;
  std::string_view method = published::own_method;

  [[nodiscard]] label_request request() const { return {image, options, features}; }
};

inline label_options with_connectivity(int connectivity, foreground rule = {}, selection keep = {}) {
  return {connectivity, rule, keep};
}

/// 4 and 8, or 6, 18 and 26.
std::vector<int> connectivities_of(const extent& size);

reference::answer expected_answer(const question& asked);

testing::AssertionResult same_table(const feature_table& got, const feature_table& want);
testing::AssertionResult same_runs(const std::vector<labelled_run>& got, const std::vector<labelled_run>& want);
testing::AssertionResult same_labels(const std::vector<std::uint64_t>& got, const std::vector<std::uint64_t>& want,
                                     const extent& size);

/// measure() with a label image, runs and a table.
void expect_measured(engine& on, const question& asked, const reference::answer& want);

/// measure(), label(), label_runs(), count_components(), and measure() with the table alone.
void expect_all_ways(engine& on, const question& asked, const reference::answer& want);

/// What a published method can answer of a question: an image of rank 2, without a selection; of the features, geometry.
bool is_for_published_methods(const question& asked);
question as_published(question asked, std::string_view method);
reference::answer as_published(reference::answer want);

/// expect_all_ways() for each engine, and for a third of the published methods, by turns, where they are for it; with a
/// smaller test_scale(), often only measure() on one and on seven threads, and one of the published methods.
void expect_everywhere(const question& asked);

}  // namespace skerry::test

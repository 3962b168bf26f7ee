// SPDX-License-Identifier: Apache-2.0
// Given label images: what a method cannot do with one is refused by its name. tests/cuda measures them.
#include <gtest/gtest.h>

#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

const std::vector<std::uint32_t> blobs = {1, 1, 0, 2, 0, 0, 0, 2, 3, 0, 0, 2};

region_request request() { return {.labels = {blobs.data(), extent(3, 4)}}; }

void expect_refused(std::string_view by, const region_request& asked, const std::string& why,
                    const published::method_options& how = {}) {
  engine on = engine::automatic();
  region_table table;
  table.labels = {7};
  try {
    published::measure(on, by, asked, table, how);
    ADD_FAILURE() << why << ": was accepted";
  } catch (const invalid_argument& error) {
    EXPECT_EQ(error.what(), why);
  }
  EXPECT_EQ(table.labels, std::vector<label_bits>{7});
}

TEST(published_regions, the_library_s_own_method_is_measure_regions) {
  for (named_engine& each : each_engine()) {
    region_table table;
    EXPECT_EQ(published::measure(each.on, published::own_method, request(), table), 3U);
    EXPECT_EQ(table.labels, (std::vector<label_bits>{1, 2, 3}));
    EXPECT_EQ(table.features.components[1].area, 3U);
  }
}

TEST(published_regions, methods_that_find_components) {
  std::size_t takes_labels = 0;
  for (const published::method& method : published::methods())
    if (method.takes_labels) ++takes_labels;
    else
      expect_refused(method.name, request(),
                     "method " + std::string(method.name) + ": finds components itself, and takes no label image");
  EXPECT_EQ(takes_labels, 3U);
  expect_refused("ham", request(), "method: 'ham' is not one of " + published::method_names());
}

TEST(published_regions, what_methods_cannot_measure) {
  region_request asked = request();
  asked.features.moments = true;
  expect_refused("tmk", asked, "method tmk: measures area, box and coordinate sums only, no moments and no intensity");
  asked = request();
  asked.index = {{1}};
  expect_refused("tmk", asked, "method tmk: gives rows of all labels only; leave the index out");
  asked = request();
  asked.background = background::none();
  expect_refused("ha", asked, "method ha: takes 0 and below for background only");
  asked = request();
  asked.labels = {blobs.data(), extent(1, 3, 4)};
  expect_refused("ha-cd", asked, "method ha-cd: takes label images of rank 2 only");
  expect_refused("tmk", request(), "method tmk: first_copy: at least 1 object is copied at first, not 0",
                 {.first_copy = 0});
}

TEST(published_regions, labels_that_components_do_not_have) {
  const std::vector<std::int16_t> touching = {-3, 1, 0, 1, 2, 0}, large = {-3, 4, 0, 1, 1, 0};
  expect_refused("tmk", {.labels = {touching.data(), extent(2, 3)}},
                 "method tmk: labels 1 and 2 touch in row 1; labels of components do not");
  expect_refused("ha", {.labels = {large.data(), extent(2, 3)}},
                 "method ha: label 4 is above half the number of pixels, 3; number the regions 1, 2, 3 …");
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// What a published method cannot do is refused by its name, before anything is touched.
#include <gtest/gtest.h>

#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

const std::vector<std::uint8_t> pixels(64, 1);

// Whatever is wanted, the same is said.
void expect_refused(engine& on, const std::string& why, std::string_view by, const label_request& asked) {
  std::vector<std::uint32_t> labels(64, 77);
  std::vector<labelled_run> runs(1);
  feature_table table;
  table.components.resize(3);
  const mutable_image target(labels.data(), dtype::u32, asked.image.size, {32, 32, 4});
  const label_outputs wanted[] = {
      {.labels = target}, {.runs = &runs}, {}, {.table = &table}, {.labels = target, .runs = &runs, .table = &table}};
  for (const label_outputs& outputs : wanted) try {
      published::label(on, by, asked, outputs);
      ADD_FAILURE() << why << ": was accepted";
    } catch (const invalid_argument& error) {
      EXPECT_EQ(error.what(), why);
    }
  EXPECT_EQ(labels, std::vector<std::uint32_t>(64, 77));
  EXPECT_EQ(runs.size(), 1U);
  EXPECT_EQ(table.size(), 3U);
}

TEST(published_arguments, unknown_names_are_answered_with_those_there_are) {
  for (named_engine& each : each_engine())
    for (const char* name : {"", "Skerry", "lsl", "rosenfeld ", "Naive"})
      expect_refused(each.on, "method: '" + std::string(name) + "' is not one of " + published::method_names(), name,
                     {{pixels.data(), extent(8, 8)}, with_connectivity(8)});
}

TEST(published_arguments, engines_that_do_not_run_a_method) {
  for (named_engine& each : each_engine())
    for (const published::method& method : published::methods()) {
      if (each.on.kind() == method.engines.front()) continue;
      expect_refused(each.on,
                     "method " + std::string(method.name) + ": does not run on the engine " +
                         std::string(each.on.name()) + ", but on " +
                         (method.engines.front() == engine_kind::cuda ? "cuda" : "cpu"),
                     method.name, {{pixels.data(), extent(8, 8)}, with_connectivity(4)});
    }
}

TEST(published_arguments, connectivities) {
  for (named_engine& each : each_published_method())
    if (!each.knows(8))
      expect_refused(each.on, "method " + each.method + ": does not know connectivity 8", each.method,
                     {{pixels.data(), extent(8, 8)}, with_connectivity(8)});
}

TEST(published_arguments, volumes) {
  for (named_engine& each : each_published_method())
    expect_refused(each.on, "method " + each.method + ": labels images of rank 2 only, not volumes", each.method,
                   {{pixels.data(), extent(4, 4, 4)}, with_connectivity(6)});
}

TEST(published_arguments, selections) {
  for (named_engine& each : each_published_method())
    for (const selection& keep : {selection{.fill_holes = true}, selection{.min_area = 2}, selection{.max_area = 9},
                                  selection{.clear_border = true}, selection{.largest = 1}})
      expect_refused(
          each.on,
          "method " + each.method + ": has no selection (fill_holes, min_area, max_area, clear_border, largest)",
          each.method, {{pixels.data(), extent(8, 8)}, with_connectivity(4, {}, keep)});
}

TEST(published_arguments, order) {
  label_options how = with_connectivity(4);
  how.order = pixel_order::as_stored;
  const image_view columns(pixels.data(), dtype::u8, extent(8, 8), {0, 1, 8});
  for (named_engine& each : each_published_method())
    EXPECT_THROW(published::label(each.on, each.method, {columns, how}, {}), invalid_argument) << each.method;
}

TEST(published_arguments, sizes) {
  // The pixels are never read.
  for (named_engine& each : each_published_method())
    expect_refused(each.on, "method " + each.method + ": takes at most 4294967294 pixels, not 4294967296", each.method,
                   {{pixels.data(), dtype::u8, extent(1 << 16, 1 << 16), {0, 0, 0}}, with_connectivity(4)});
}

// Methods whose own numbers run out before those of labels: on the other side of the limit they are not refused for it.
TEST(published_arguments, sizes_of_single_methods) {
  const auto refusal = [](named_engine& each, const extent& size) -> std::string {
    try {
      const label_options how = with_connectivity(4, {}, {.min_area = 2});  // what is refused after sizes
      published::label(each.on, each.method, {{pixels.data(), dtype::u8, size, {0, 0, 0}}, how}, {});
    } catch (const invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  for (named_engine& each : each_published_method()) {
    const std::string method = "method " + each.method + ": ";
    const std::string selection = method + "has no selection (fill_holes, min_area, max_area, clear_border, largest)";
    const bool is_ha = each.method.starts_with("ha"), fills = each.method == "block-fill";
    const extent odd(858993458, 5), even(858993458, 4);
    EXPECT_EQ(refusal(each, odd), is_ha
                                      ? method + "takes at most 4294967295 pixels with lines made even, not 5153960748"
                                  : fills ? method + "takes at most 8388607 squares of 32 x 32 pixels, not 26843546"
                                          : selection);
    EXPECT_EQ(refusal(each, even),
              fills ? method + "takes at most 8388607 squares of 32 x 32 pixels, not 26843546" : selection);
    EXPECT_EQ(refusal(each, extent((1 << 23) * 32, 1)),
              fills ? method + "takes at most 8388607 squares of 32 x 32 pixels, not 8388608" : selection);
    EXPECT_EQ(refusal(each, extent(((1 << 23) - 1) * 32, 1)), selection);
  }
}

TEST(published_arguments, features) {
  const image_view image(pixels.data(), extent(8, 8));
  for (named_engine& each : each_published_method()) {
    feature_table table;
    for (const measure_options& features : {measure_options{.moments = true}, measure_options{.intensity = image}})
      try {
        published::label(each.on, each.method, {image, with_connectivity(4), features}, {.table = &table});
        ADD_FAILURE() << each.name;
      } catch (const invalid_argument& error) {
        EXPECT_EQ(error.what(), "method " + each.method + ": measures area, box and coordinate sums, no " +
                                    (features.moments ? "moments" : "intensity"));
      }
  }
}

TEST(published_arguments, what_every_engine_refuses) {
  for (named_engine& each : each_published_method()) {
    const auto count = [&](const extent& size, int connectivity) {
      return published::label(each.on, each.method, {{pixels.data(), size}, with_connectivity(connectivity)}, {});
    };
    for (const int connectivity : {0, 6, 26}) EXPECT_THROW(count(extent(8, 8), connectivity), invalid_argument);
    EXPECT_THROW(count(extent(-1, 8), 4), invalid_argument);
    EXPECT_EQ(count(extent(0, 8), 4), 0U);
    EXPECT_EQ(count(extent(8, 8), 4), 1U);
  }
}

}  // namespace
}  // namespace skerry::test

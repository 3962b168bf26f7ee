// SPDX-License-Identifier: Apache-2.0
// Views of device memory that calls on given label images refuse, by name. The engine goes on working.
#include <gtest/gtest.h>

#include "core/portable.hpp"
#include "cuda/device_image.hpp"
#include "cuda/refused.hpp"
#include "skerry/columns.hpp"
#include "skerry/outline.hpp"
#include "skerry/region_values.hpp"
#include "skerry/relabel.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

TEST(cuda_region_arguments, views_that_end_behind_their_memory_are_refused_by_name) {
  SKERRY_NEEDS_CUDA_DEVICE();
  SKERRY_NEEDS_MEMORY_APART();
  engine gpu = engine::cuda(), chosen = engine::automatic();
  const extent size(70, 300);
  const std::vector<u32> pixels(static_cast<std::size_t>(size.pixels()), 1);
  const device_bytes memory(pixels), out(pixels.size() * 4);
  const image_view right(memory.data<u32>(), size);
  const mutable_image to(out.data<u32>(), size);
  // Away from each other, since overlapping images are refused for that.
  const i64 away = (memory.data<char>() < out.data<char>() ? -1 : 1) * (i64{1} << 40);
  image_view wrong = right;
  wrong.strides.y = away;
  mutable_image wrong_to = to, askew_to = to;
  wrong_to.strides.y = -away;
  askew_to.data = askew(out.data<u32>());
  for (engine* const on : {&gpu, &chosen}) {
    region_table table;
    outline_table outlines;
    expect_refused("labels", [&] { measure_regions(*on, {.labels = wrong}, table); });
    expect_refused("intensity",
                   [&] { measure_regions(*on, {.labels = right, .features = {.intensity = wrong}}, table); });
    expect_refused("channels[1]", [&] { measure_regions(*on, {.labels = right, .channels = {right, wrong}}, table); });
    column_table columns;
    expect_refused("channels[1]", [&] {
      measure_columns(*on, right, {.columns = {"centroid_weighted"}, .channels = {right, wrong}}, columns);
    });
    expect_refused("image", [&] { (void)find_extrema(*on, {right, wrong}); });
    for (const double simplify : {0.0, 1.5})
      expect_refused("labels",
                     [&] { outline(*on, {.labels = wrong, .connectivity = 4, .simplify = simplify}, outlines); });
    expect_refused("labels", [&] { relabel(*on, wrong, {}, to); });
    expect_refused("out", [&] { relabel(*on, right, {}, wrong_to); });
    expect_refused("out", [&] { relabel(*on, right, {}, askew_to); });
    EXPECT_EQ(measure_regions(*on, {.labels = right}, table), 1u);
    EXPECT_EQ(relabel(*on, right, {}, to).size(), 1u);
    EXPECT_EQ(out.copied<u32>(pixels.size()) == pixels, true);
  }
}

}  // namespace
}  // namespace skerry::test

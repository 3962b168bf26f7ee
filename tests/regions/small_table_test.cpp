// SPDX-License-Identifier: Apache-2.0
// Tables as a device gives them, by label.
#include "regions/small_table.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/feature.hpp"

namespace skerry::test {
namespace {

using namespace regions;

TEST(small_tables, keep_rows_of_labels_that_there_are) {
  std::mt19937 random(1);
  for (const extent& size : {extent(100, 300), extent(9, 50, 70)})
    for (const u64 labels : {0, 1, 5000, 40000})
      for (const u32 gaps : {0, 50, 100})
        for (const int threads : {1, 3}) {
          const row_frame frame = frame_of(size);
          std::vector<u64> words(labels);
          std::vector<geometry> list;
          region_table want, got;
          got.labels.resize(7);
          for (u64 label = 0; label < labels; ++label) {
            words[label] = no_short_row;
            if (random() % 100 < gaps) continue;
            const i64 side = random() % 10 == 0 ? 20 : 2;
            geometry row = empty_geometry(size.rank);
            const i64 z = size.rank == 3 ? random() % 9 : 0, y = random() % 30, x = random() % 40;
            const placed_run run{z, y, y + side, x, x + side};
            if (size.rank == 3) join<3>(row, geometry_of(run), join_alone());
            else join<2>(row, geometry_of(run), join_alone());
            words[label] = short_row(row, frame);
            if (is_listed(words[label])) {
              words[label] = listed_row(list.size());
              list.push_back(row);
            }
            want.labels.push_back(label);
            want.features.components.push_back(row);
          }
          u64 end = labels;
          engine on = engine::cpu(threads);
          take_rows(on.inside(), {&end, words.data(), list.data()}, frame, got);
          EXPECT_EQ(got.labels, want.labels);
          EXPECT_EQ(got.features.components == want.features.components, true);
        }
}

}  // namespace
}  // namespace skerry::test

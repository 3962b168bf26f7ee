// SPDX-License-Identifier: Apache-2.0
// What an engine keeps of measuring a label image: tables for the next call, and nothing of what was in them.
#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <vector>

#include "regions/label_slots.hpp"
#include "regions/row_dealer.hpp"
#include "skerry/regions.hpp"

namespace skerry::test {
namespace {

using regions::label_slots;

void expect_slots(label_slots& slots, const std::vector<label_bits>& labels) {
  for (const label_bits label : labels) EXPECT_EQ(slots.find(label), label_slots::none) << label;
  for (u32 slot = 0; slot < labels.size(); ++slot) EXPECT_EQ(slots.slot_of(labels[slot]), slot);
  for (u32 slot = 0; slot < labels.size(); ++slot) EXPECT_EQ(slots.find(labels[slot]), slot);
  EXPECT_EQ(slots.labels(), labels);
}

TEST(label_slots, forget_labels_of_earlier_images) {
  label_slots slots(100);
  expect_slots(slots, {7, 99, 0, 100, u64{1} << 40});
  slots.forget(100, 5000);
  expect_slots(slots, {0, 5, 99, 7, u64{1} << 40, 3000});
  slots.forget(50, 5000);  // labels that were small are large
  expect_slots(slots, {99, 7, 49, 50});
  slots.forget(4000, 5000);  // a larger table
  expect_slots(slots, {3999, 99, 7, 4000});
}

TEST(label_slots, begin_anew_where_slots_would_not_fit_32_bits) {
  label_slots slots(100);
  expect_slots(slots, {3, 2});
  slots.forget(100, label_slots::none - 2);
  expect_slots(slots, {2, 3, 4});
  slots.forget(100, label_slots::none - 2);  // one more than fits above three
  expect_slots(slots, {4, 3, 2, 1});
}

TEST(label_slots, are_listed_in_the_order_of_labels) {
  label_slots slots(100);
  std::vector<u32> order;
  for (const bool ascend : {false, true, false}) {
    slots.forget(100, 1000);
    for (const label_bits label : {ascend ? 5u : 90u, 60u, 70u, 4000u}) slots.slot_of(label);
    slots.look_at_order();
    EXPECT_EQ(slots.ascend(false), ascend);
    EXPECT_EQ(slots.end_of_small(), ascend ? 71u : 91u);
    EXPECT_TRUE(slots.has_large());
    slots.list_ascending(false, order);
    EXPECT_EQ(order, ascend ? (std::vector<u32>{0, 1, 2, 3}) : (std::vector<u32>{1, 2, 0, 3}));
  }
  slots.forget();
  EXPECT_TRUE(slots.ascend(true));
  EXPECT_FALSE(slots.has_large());
  EXPECT_EQ(slots.end_of_small(), 0u);
  EXPECT_EQ(slots.find(60), label_slots::none);
}

TEST(label_slots, ascend_with_a_sign_only_without_negative_labels) {
  label_slots slots(100);
  slots.slot_of(3);
  slots.look_at_order();
  EXPECT_TRUE(slots.ascend(true));
  slots.slot_of(static_cast<label_bits>(-2));
  slots.look_at_order();
  EXPECT_TRUE(slots.ascend(false));
  EXPECT_FALSE(slots.ascend(true));
}

TEST(label_slots, are_looked_at_once_and_across_looks) {
  label_slots slots(100);
  for (const label_bits label : {3u, 5u, 4u, 9u}) {
    slots.slot_of(label);
    slots.look_at_order();
    EXPECT_EQ(slots.ascend(false), label == 3 || label == 5) << label;
  }
}

TEST(row_dealer, deals_every_row_once) {
  for (const i64 rows_of_block : {1, 7, 100}) {
    const regions::row_range ranges[] = {{0, 50}, {50, 99}, {99, 100}};
    regions::row_dealer dealer(ranges, rows_of_block, 4);
    std::vector<int> dealt(100, 0);
    const auto take = [&](std::size_t interval) {
      const regions::row_range rows = dealer.take(interval);
      EXPECT_LE(rows.end - rows.begin, rows_of_block);
      for (i64 row = rows.begin; row < rows.end; ++row) ++dealt[static_cast<std::size_t>(row)];
      return rows.begin < rows.end;
    };
    take(0);
    std::vector<std::size_t> intervals = {0, 1, 2};
    for (std::optional<std::size_t> next = dealer.split(); next.has_value(); next = dealer.split()) {
      EXPECT_EQ(*next, intervals.size());
      intervals.push_back(*next);
      take(*next);
    }
    EXPECT_EQ(intervals.size(), rows_of_block == 100 ? 3U : 7U);
    for (const std::size_t interval : intervals)
      while (take(interval)) {}
    EXPECT_EQ(dealt, std::vector<int>(100, 1));
    EXPECT_FALSE(dealer.split().has_value());
  }
}

TEST(row_dealer, splits_off_the_rear_half_of_the_longest) {
  const regions::row_range ranges[] = {{0, 10}, {10, 40}};
  regions::row_dealer dealer(ranges, 3, 2);
  EXPECT_EQ(dealer.take(1).begin, 10);
  EXPECT_EQ(dealer.split(), 2U);  // 9 blocks are left: 5 stay
  EXPECT_EQ(dealer.rows_of(2).begin, 28);
  EXPECT_EQ(dealer.rows_of(2).end, 40);
}

// Labels 1, 2, … in raster order, a pixel each.
std::vector<u32> numbered(const extent& size, u32 first) {
  std::vector<u32> labels(static_cast<std::size_t>(size.pixels()));
  std::iota(labels.begin(), labels.end(), first);
  return labels;
}

TEST(measure_regions, keeps_its_tables_and_those_of_the_caller) {
  const extent size(600, 400);
  const std::vector<u32> labels = numbered(size, 1);
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    engine on = engine::cpu(threads);
    region_table table;
    measure_regions(on, {.labels = image_view(labels.data(), size)}, table);
    measure_regions(on, {.labels = image_view(labels.data(), size)}, table);
    const geometry* const rows = table.features.components.data();
    const std::size_t held = on.scratch_bytes();
    EXPECT_GT(held, 0U);
    measure_regions(on, {.labels = image_view(labels.data(), size)}, table);
    EXPECT_EQ(table.features.components.data(), rows);
    if (threads == 1) {  // rows go to whichever of several threads is free
      EXPECT_EQ(on.scratch_bytes(), held);
    }
    on.release_scratch();
    EXPECT_EQ(on.scratch_bytes(), 0U);
    EXPECT_EQ(measure_regions(on, {.labels = image_view(labels.data(), size)}, table), labels.size());
  }
}

}  // namespace
}  // namespace skerry::test

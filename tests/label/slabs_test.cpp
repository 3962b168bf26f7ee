// SPDX-License-Identifier: Apache-2.0
// What slabs are cut to, and how their components become those of the image, with the CPU in the place of devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "core/adjacency.hpp"
#include "label/slabs/crew.hpp"
#include "label/slabs/number.hpp"
#include "label/slabs/slab.hpp"
#include "label/slabs/slab_table.hpp"
#include "skerry/error.hpp"
#include "skerry/slabs.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"
#include "support/refusal.hpp"

namespace skerry::test {
namespace {

using namespace label_stages;

std::vector<i64> layers_in(const extent& size, const slab_limits& limits) {
  std::vector<u8> pixels(static_cast<std::size_t>(size.pixels()));
  std::vector<slab_images> slabs;
  cut({image_view(pixels.data(), size), {}, {}, 0}, limits, slabs);
  std::vector<i64> layers;
  i64 first = 0;
  for (const slab_images& slab : slabs) {
    EXPECT_EQ(slab.first, first);
    EXPECT_EQ(static_cast<const u8*>(slab.image.data) - pixels.data(), first * size.pixels() / layers_of(size));
    first += layers_of(slab.image.size);
    layers.push_back(layers_of(slab.image.size));
  }
  return layers;
}

TEST(label_slabs, are_whole_tiles_where_there_are_enough_layers) {
  EXPECT_EQ(layers_in(extent(1000, 10), {.slabs = 2}), (std::vector<i64>{512, 488}));
  EXPECT_EQ(layers_in(extent(100, 10), {.slabs = 3}), (std::vector<i64>{34, 34, 32}));
  EXPECT_EQ(layers_in(extent(2, 10), {.slabs = 3}), (std::vector<i64>{1, 1}));
  EXPECT_EQ(layers_in(extent(40, 9, 10), {.slabs = 2}), (std::vector<i64>{24, 16}));
  EXPECT_EQ(layers_in(extent(1, 9, 10), {.slabs = 2}), (std::vector<i64>{1}));
  EXPECT_EQ(layers_in(extent(7, 10), {.layers = 3}), (std::vector<i64>{3, 3, 1}));
  EXPECT_EQ(layers_in(extent(1000, 10), {.slabs = 2, .quartered = 1}), (std::vector<i64>{512, 128, 128, 128, 104}));
  EXPECT_EQ(layers_in(extent(300, 10), {.slabs = 3, .quartered = 1}), (std::vector<i64>{128, 128, 44}));
  EXPECT_EQ(layers_in(extent(7, 10), {.layers = 3, .quartered = 9}), (std::vector<i64>{3, 3, 1}));
}

TEST(label_slabs, are_no_larger_than_what_a_device_numbers_at_once) {
  EXPECT_EQ(layers_of_slab(extent(65536, 65536), {}), 32768);
  EXPECT_EQ(layers_of_slab(extent(65536, 65536), {.slabs = 2}), 32768);
  EXPECT_EQ(layers_of_slab(extent(65536, 65536), {.pixels = 1 << 27}), 2048);
  EXPECT_EQ(layers_of_slab(extent(4096, 4096, 4096), {}), 128);
  EXPECT_EQ(layers_of_slab(extent(4096, 4096, 4096), {.pixels = 1 << 27}), 8);
  EXPECT_EQ(layers_of_slab(extent(1 << 30, 1), {}), 1 << 24);
  EXPECT_EQ(layers_of_slab(extent(100, 1 << 26), {}), 64);  // a row of tiles at least
}

// What a device leaves of a slab.
struct labelled_slab {
  std::vector<u32> labels;
  feature_table table;
  std::vector<u64> shapes;
  std::vector<geometry> large;
};

void shorten_rows(labelled_slab& slab, const row_frame& frame) {
  for (const geometry& row : slab.table.components) {
    slab.shapes.push_back(short_row(row, frame));
    if (!is_listed(slab.shapes.back())) continue;
    slab.shapes.back() = listed_row(slab.large.size());
    slab.large.push_back(row);
  }
}

// A slab as a device would find it, with its table.
slab_findings findings_of(engine& on, const slab_images& slab, const question& asked, labelled_slab& to) {
  slab_findings found;
  to.labels.resize(static_cast<std::size_t>(slab.image.size.pixels()));
  label_options options = asked.options;
  options.selection = {};
  found.count = label(on, {slab.image, options, {asked.features.moments, slab.intensity}},
                      {.labels = {to.labels.data(), slab.image.size}, .table = &to.table});
  found.rows.frame = frame_of(slab.image.size);
  shorten_rows(to, found.rows.frame);
  found.rows.shapes = to.shapes.data();
  found.rows.large = to.large.data();
  const auto rows = [](const auto& list) { return list.empty() ? nullptr : list.data(); };
  found.rows.others = {rows(to.table.moments), rows(to.table.intensities), rows(to.table.real_intensities)};
  found.rows.first[slab.image.size.rank == 3 ? 0 : 1] = slab.first;
  return found;
}

// Of the last layer of one slab and the first of the next.
std::vector<touching_labels> touching(const std::vector<u32>& before, const std::vector<u32>& here, const extent& size,
                                      int connectivity, std::mt19937& random) {
  const bool volume = size.rank == 3;
  const i64 height = volume ? size.height : 1, width = size.width;
  const auto layer = static_cast<std::size_t>(height * width);
  const u32* const last = before.data() + before.size() - layer;
  std::vector<touching_labels> pairs;
  for (i64 i = 0; i < height * width; ++i)
    for (i64 k = 0; k < height * width; ++k) {
      const int dy = static_cast<int>(k / width - i / width), dx = static_cast<int>(k % width - i % width);
      const bool near = volume ? touch(axes_of(connectivity), -1, dy, dx) : touch(axes_of(connectivity), 0, -1, dx);
      if (near && here[static_cast<std::size_t>(i)] != 0 && last[k] != 0)
        pairs.push_back({last[k], here[static_cast<std::size_t>(i)]});
    }
  std::shuffle(pairs.begin(), pairs.end(), random);
  return pairs;
}

std::vector<u64> emitted(const std::vector<u32>& labels, const slab_labels& given) {
  std::vector<u64> all;
  for (const u32 label : labels) {
    if (label == 0) {
      all.push_back(0);
      continue;
    }
    const auto next = std::lower_bound(given.given_up.begin(), given.given_up.end(), label - 1);
    const auto before = next - given.given_up.begin();
    if (next != given.given_up.end() && *next == label - 1)
      all.push_back(given.label[static_cast<std::size_t>(before)]);
    else all.push_back(given.base + label - static_cast<u64>(before));
  }
  return all;
}

// What lanes say of slabs (even) and of borders (odd): in order as one lane, or as it comes.
std::vector<std::size_t> in_some_order(std::size_t count, std::mt19937& random) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (random() % 2 == 0) std::shuffle(all.begin(), all.end(), random);
  return all;
}

void expect_whole(const question& asked, i64 layers, std::mt19937& random) {
  static engine cpu = engine::cpu(1);
  const reference::answer want = expected_answer(asked);
  std::vector<slab_images> slabs;
  cut({asked.image, asked.features.intensity, {}, 0}, {.layers = layers}, slabs);
  std::vector<slab_findings> found(slabs.size());
  static slab_numbering numbers;  // goes from image to image
  numbers.begin(found);
  feature_table table;
  table.components.resize(random() % 3);  // of another image
  static slab_table rows;
  const u64 least_streamed = random() % 2 * 1024;
  rows.begin(found, numbers, table, least_streamed);
  component_sets sets;
  std::vector<labelled_slab> labelled(slabs.size());
  for (std::size_t i = 0; i < slabs.size(); ++i) found[i] = findings_of(cpu, slabs[i], asked, labelled[i]);
  std::vector<std::jthread> helpers(random() % 3);
  for (std::jthread& each : helpers) each = std::jthread([] { rows.help(); });
  for (const std::size_t news : in_some_order(2 * slabs.size() - 1, random)) {
    const std::size_t i = news / 2;
    if (news % 2 == 0) {
      numbers.arrive(i);
    } else {
      std::vector<touching_labels> pairs =
          touching(labelled[i].labels, labelled[i + 1].labels, asked.image.size, asked.options.connectivity, random);
      if (layers % 2 == 0) keep_uniting(pairs, sets);
      numbers.unite(i, pairs);
    }
    rows.news();
  }
  helpers.clear();
  numbers.finish();
  if (rows.fit()) rows.help();
  u64 count = numbers.count();
  if (selects(asked.options.selection)) count = numbers.select(asked.options.selection, asked.image.size, table);
  EXPECT_EQ(count, want.count);
  table.rank = asked.image.size.rank;
  table.has_moments = asked.features.moments;
  table.has_intensities = true;
  EXPECT_TRUE(same_table(table, want.table));
  std::vector<u64> all;
  for (std::size_t i = 0; i < slabs.size(); ++i) {
    const std::vector<u64> part = emitted(labelled[i].labels, numbers.labels_of(i));
    all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(same_labels(all, want.labels, asked.image.size));
}

TEST(label_slabs, become_the_whole_image) {
  std::mt19937 random(3);
  const auto side = [&](u32 most) { return static_cast<i64>(1 + random() % most); };
  for (int round = 0; round < scaled(3000) && !HasFailure(); ++round) {
    const bool volume = round % 2 == 0;
    const extent size = volume ? extent(side(7), side(6), side(9)) : extent(side(20), side(30));
    const mask image = random_mask(size, 1 + static_cast<int>(random() % 2), 30 + random() % 50, random());
    const std::vector<int> choices = connectivities_of(size);
    selection keep;
    if (round % 3 == 0) keep = {.min_area = random() % 5, .clear_border = random() % 2 == 0, .largest = random() % 6};
    question asked{.image = image.view(), .options = with_connectivity(choices[random() % choices.size()], {}, keep)};
    asked.features = {.moments = random() % 2 == 0, .intensity = image.view()};
    SCOPED_TRACE("round " + std::to_string(round));
    expect_whole(asked, side(5), random);
  }
}

TEST(label_slabs, many_components_are_placed_by_many_threads) {
  std::mt19937 random(5);
  const mask image = random_mask(extent(500, 600), 1, 30, 2);
  question asked{.image = image.view(), .options = with_connectivity(4)};
  asked.features = {.moments = true, .intensity = image.view()};
  expect_whole(asked, 230, random);
}

TEST(label_slabs, a_path_through_all_slabs_and_back_is_one_component) {
  // Teeth of a comb that meet only in the last row, and bars that begin in any slab.
  mask comb = empty_mask(extent(30, 41));
  for (i64 x = 0; x < 41; x += 2)
    for (i64 y = x % 5; y < 30; ++y) comb.at(y, x) = 1;
  for (i64 x = 0; x < 41; ++x) comb.at(29, x) = 1;
  std::mt19937 random(1);
  question asked{.image = comb.view(), .options = with_connectivity(4)};
  asked.features.intensity = comb.view();
  for (const i64 layers : {1, 2, 7, 29}) expect_whole(asked, layers, random);
}

TEST(label_slabs, pairs_that_unite_nothing_are_left_out) {
  std::vector<touching_labels> pairs = {{1, 1}, {1, 2}, {1, 1}, {2, 1}, {2, 2}, {5, 7}, {1, 2}};
  component_sets sets;
  keep_uniting(pairs, sets);
  EXPECT_EQ(pairs.size(), 4U);  // five components and a pair of their own
  EXPECT_EQ(pairs.back().before, 5U);
}

TEST(label_slabs, whoever_helps_with_a_table_returns_when_lanes_fail) {
  std::vector<slab_findings> found(3);
  slab_numbering numbers;
  numbers.begin(found);
  feature_table table;
  slab_table rows;
  rows.begin(found, numbers, table);
  std::vector<std::jthread> helpers;
  for (int k = 0; k < 3; ++k) helpers.emplace_back([&] { rows.help(); });
  numbers.arrive(0);
  rows.news();
  rows.stop();
}

TEST(label_slabs, a_crew_does_all_of_its_work_each_time) {
  crew threads;
  for (std::size_t round = 0; round < 2000; ++round) {
    std::vector<std::size_t> done(1 + round % 5, 0);
    threads.run(done.size(), [&](std::size_t nth) { done[nth] += nth + round; });
    for (std::size_t nth = 0; nth < done.size(); ++nth) ASSERT_EQ(done[nth], nth + round);
  }
}

TEST(label_slabs, what_does_not_fit_together_is_refused) {
  engine cpu = engine::cpu(1);
  const std::vector<u8> pixels(100);
  std::vector<u32> labels(100);
  const image_view image(pixels.data(), extent(5, 10)), wider(pixels.data(), extent(5, 11));
  const auto refused = [&](const slab_request& asked, const slab_outputs& outputs = {}) {
    return refusal([&] { label_slabs(cpu, asked, outputs); });
  };
  EXPECT_EQ(refused({{}, with_connectivity(8)}), "images: there is none; an image in slabs has at least one");
  EXPECT_EQ(refused({{image, wider}, with_connectivity(8)}),
            "slab 1: image: size 5 x 11 does not continue slabs of 5 x 10");
  EXPECT_EQ(refused({{image, image}, with_connectivity(6)}), "slab 0: connectivity: 6 is not 4 or 8 (image of rank 2)");
  EXPECT_EQ(refused({{image, image}, with_connectivity(8), false, {image}}), "intensities: 1 are given for 2 slabs");
  EXPECT_EQ(refused({{image, image}, with_connectivity(8)}, {.labels = {mutable_image(labels.data(), extent(5, 10))}}),
            "labels: 1 are given for 2 slabs");
  EXPECT_EQ(refused({{image}, with_connectivity(8, {}, {.fill_holes = true})}),
            "selection: fill_holes is not for images in slabs; label the image in one memory, or in blocks");
  EXPECT_EQ(refused({{image, image}, with_connectivity(8)}),
            "engine: images in slabs are for engine::cuda(); label others in blocks, by label_block()");
}

TEST(label_slabs, an_engine_of_several_devices_has_some) {
  EXPECT_EQ(refusal([] { (void)engine::cuda(std::vector<int>{}); }), "devices: 0 were named; name 1 to 64");
  EXPECT_THROW((void)engine::cuda({0, 1000}), device_error);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Images in blocks against the same image in one call of the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "blocks/whole_and_blocks.hpp"
#include "skerry/error.hpp"
#include "skerry/region_blocks.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

struct whole_answer {
  std::vector<u32> labels;
  feature_table table;
};

whole_answer answer_of(const block_case& asked, const selection& keep = {}) {
  static engine reference = engine::reference();
  whole_answer answer;
  answer.labels.resize(static_cast<std::size_t>(asked.size.pixels()));
  label_request whole = asked.whole();
  whole.options.selection = keep;
  label(reference, whole, {.labels = mutable_image(answer.labels.data(), asked.size), .table = &answer.table});
  return answer;
}

std::vector<piece> pieces_of(engine& on, const block_case& asked, const std::vector<placed_block>& blocks) {
  std::vector<piece> pieces;
  pieces.reserve(blocks.size());
  for (const placed_block& block : blocks) pieces.push_back(label_block(on, asked.of(block), block.place));
  return pieces;
}

std::vector<u32> emitted(engine& on, const block_case& asked, const std::vector<placed_block>& blocks,
                         const numbering& numbers) {
  std::vector<u32> labels(static_cast<std::size_t>(asked.size.pixels()), 77);
  for (const placed_block& block : blocks) {
    const i64 at = (block.place.z * asked.size.height + block.place.y) * asked.size.width + block.place.x;
    const mutable_image out(labels.data() + at, dtype::u32, block.size, dense_strides(dtype::u32, asked.size));
    emit_block(on, asked.of(block), block.place, labels_of_block(numbers, block.place, block.size), out);
  }
  return labels;
}

selection random_selection(std::mt19937& random) {
  selection keep;
  if (random() % 2 == 0) keep.min_area = random() % 6;
  if (random() % 4 == 0) keep.max_area = keep.min_area + random() % 9;
  keep.clear_border = random() % 4 == 0;
  if (random() % 3 == 0) keep.largest = 1 + random() % 4;
  return keep;
}

void expect_whole(engine& on, const block_case& asked, const std::vector<placed_block>& blocks,
                  std::span<const piece> pieces, const selection& keep) {
  const whole_answer want = answer_of(asked, keep);
  const numbering numbers = number(pieces, keep);
  EXPECT_TRUE(same_table(numbers.table, want.table));
  EXPECT_EQ(emitted(on, asked, blocks, numbers), want.labels);
}

TEST(blocks, of_any_cut_joined_in_any_order_are_the_whole_image) {
  std::mt19937 random(11);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(2500); ++round) {
    const block_case asked = random_case(random);
    const std::vector<placed_block> blocks = random_blocks(asked.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    std::vector<piece> taken;
    taken.push_back(joined_at_random(pieces_of(on, asked, blocks), random, &taken));
    expect_whole(on, asked, blocks, taken, round % 2 == 0 ? selection() : random_selection(random));
    if (HasFailure()) return;
  }
}

TEST(blocks, are_the_same_bytes_in_any_order) {
  std::mt19937 random(12);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(300); ++round) {
    const block_case asked = random_case(random);
    std::vector<placed_block> blocks = random_blocks(asked.size, random);
    if (blocks.size() > 1 && round % 2 == 0) blocks.pop_back();  // components stay open
    const std::vector<piece> pieces = pieces_of(on, asked, blocks);
    expect_same_bytes(joined_at_random(pieces, random), pieces, random, &piece_from_bytes);
  }
}

TEST(blocks, are_the_same_pieces_on_every_engine) {
  std::mt19937 random(13);
  for (int round = 0; round < scaled(40); ++round) {
    const block_case asked = random_case(random);
    const placed_block block = random_blocks(asked.size, random).front();
    const std::vector<std::byte> want = label_block(each_engine().front().on, asked.of(block), block.place).to_bytes();
    for (named_engine& e : each_engine()) {
      if (e.on.kind() == engine_kind::cuda && asked.options.joining.kind != joining::rule::foreground) continue;
      EXPECT_EQ(label_block(e.on, asked.of(block), block.place).to_bytes(), want) << e.name;
    }
  }
}

TEST(blocks, close_components_as_soon_as_their_neighbours_are_there) {
  // Two bars that end in the second block, and a third in each.
  const std::vector<u8> pixels = {1, 1, 1, 1, 0, 1,  //
                                  0, 0, 0, 0, 0, 0,  //
                                  1, 0, 1, 1, 1, 0};
  block_case asked{{3, 6}, pixels, {}, {.connectivity = 4}, {}, false};
  engine on = engine::cpu(1);
  const placed_block left{{asked.size, 0, 0, 0}, {3, 2}}, middle{{asked.size, 0, 0, 2}, {3, 2}},
      right{{asked.size, 0, 0, 4}, {3, 2}};
  const piece a = label_block(on, asked.of(left), left.place), b = label_block(on, asked.of(middle), middle.place),
              c = label_block(on, asked.of(right), right.place);
  EXPECT_EQ(a.open_components(), 1U);
  EXPECT_EQ(a.closed_components(), 1U);
  piece ab = join(a, b);
  EXPECT_EQ(ab.pixels(), 12U);
  EXPECT_FALSE(ab.is_complete());
  EXPECT_EQ(ab.open_components(), 2U);
  const piece closed = ab.take_closed();
  EXPECT_EQ(closed.closed_components(), 1U);
  EXPECT_EQ(ab.closed_components(), 0U);
  const piece whole = join(ab, c);
  EXPECT_TRUE(whole.is_complete());
  EXPECT_EQ(whole.open_components(), 0U);
  const std::vector<piece> all = {whole, closed};
  EXPECT_EQ(number(all).table.column("area"), (std::vector<double>{4, 1, 1, 3}));
}

// Values of every type that a delta just reaches, or just not.
template <class Pixel>
void expect_reached(const std::vector<Pixel>& pixels, double delta, u64 components) {
  engine on = engine::cpu(1);
  const extent size(1, static_cast<i64>(pixels.size()));
  const label_options options{.connectivity = 4, .foreground = foreground::all(), .joining = joining::within(delta)};
  const image_view whole(pixels.data(), dtype_of_pixel<Pixel>::value, size);
  EXPECT_EQ(count_components(on, whole, options), components);
  piece all;
  for (i64 x = 0; x < size.width; ++x)
    all = join(all, label_block(on, {{pixels.data() + x, whole.type, {1, 1}}, options}, {size, 0, 0, x}));
  EXPECT_EQ(number(std::vector<piece>{all}).labels.count, components);
}

TEST(blocks, join_values_that_differ_by_a_delta_exactly) {
  expect_reached<u64>({0, ~u64{0}, ~u64{0} - 3}, 3, 2);
  expect_reached<std::int64_t>({INT64_MIN, INT64_MIN + 5, INT64_MAX}, 5.5, 2);
  expect_reached<std::int8_t>({-128, 127, -1}, 254, 2);
  expect_reached<double>({1, 1 + 0x1p-52, -0.0, 0.0}, 0x1p-52, 2);
  expect_reached<double>({0.1, 0.4, 0x1p60, INFINITY, INFINITY, -INFINITY}, 0.3, 5);
  expect_reached<double>({-INFINITY, 7, INFINITY}, INFINITY, 1);
  expect_reached<float>({0.5F, 1.5F, 2.75F}, 1, 2);
  expect_reached<float16_bits>({{0x3c00}, {0x4000}, {0x4400}}, 1, 2);  // 1, 2, 4
}

TEST(blocks, count_the_runs_that_are_listed) {
  std::mt19937 random(14);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(200); ++round) {
    const block_case asked = random_case(random);
    const label_request whole = asked.whole();
    std::vector<labelled_run> runs;
    label_options options = whole.options;
    options.periodic = {};
    label_runs(on, whole.image, options, runs);
    const u64 counted = count_runs(whole.image, options);
    if (options.joining.kind == joining::rule::within) EXPECT_GE(counted, runs.size());
    else EXPECT_EQ(counted, runs.size());
  }
  const std::vector<u8> bits = {0b10101101, 0b1};
  EXPECT_EQ(count_runs({bits.data(), dtype::bit, {1, 9}}, {.connectivity = 4}), 4U);
  const std::vector<u8> truths = {1, 7, 0, 2};
  EXPECT_EQ(count_runs({truths.data(), dtype::boolean, {2, 2}, {0, 1, 2}}, {.connectivity = 8}), 2U);
  EXPECT_EQ(count_runs({truths.data(), dtype::u8, {0, 2}}, {.connectivity = 8}), 0U);
}

TEST(blocks, know_the_memory_that_they_take) {
  engine on = engine::cpu(1);
  const std::vector<u8> pixels(10000, 1);
  const image_view image(pixels.data(), {100, 100});
  const u64 without = label_block(on, {image, {.connectivity = 4}}, {image.size}).memory();
  const u64 with_faces = label_block(on, {image, {.connectivity = 4}}, {{300, 300}, 0, 100, 100}).memory();
  EXPECT_GE(without, sizeof(geometry));
  EXPECT_LT(without, 2000U);
  EXPECT_GT(with_faces, without + u64{198} * 40);
}

TEST(blocks, are_chosen_by_columns_of_the_whole_table) {
  std::mt19937 random(19);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(400); ++round) {
    block_case asked = random_case(random);
    asked.features.moments = true;
    const std::vector<placed_block> blocks = random_blocks(asked.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    numbering numbers = number(pieces_of(on, asked, blocks));
    const numbering all = numbers;
    const pixel_spacing spacing{2, 1, 0.5, "um"};
    const std::string last = asked.size.rank == 3 ? "area_um3" : "area_um2";
    const std::vector<column_bounds> bounds = {
        {"area", 2}, {"extent", 0.3, 0.9}, {last, 0, 5.5}, {"axis_major_length", 0.5}};
    keep_components(numbers, bounds, &spacing);
    std::vector<u64> kept;  // labels before
    for (std::size_t row = 0; row < all.table.size(); ++row)
      if (std::all_of(bounds.begin(), bounds.end(), [&](const column_bounds& each) {
            return each.contains(all.table.column(each.column, spacing)[row]);
          }))
        kept.push_back(row + 1);
    ASSERT_EQ(numbers.labels.count, kept.size());
    EXPECT_EQ(numbers.labels.first, all.labels.first);
    for (std::size_t i = 0; i < all.labels.label.size(); ++i) {
      const auto at = std::lower_bound(kept.begin(), kept.end(), all.labels.label[i]);
      const bool stays = at != kept.end() && *at == all.labels.label[i];
      EXPECT_EQ(numbers.labels.label[i], stays ? static_cast<u64>(at - kept.begin()) + 1 : 0);
    }
    const std::vector<double> before = all.table.column("area"), after = numbers.table.column("area");
    ASSERT_EQ(after.size(), kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(after[i], before[kept[i] - 1]);
    if (HasFailure()) return;
  }
}

// ---- refusals -----------------------------------------------------------------------------------------------------

class blocks_refused : public testing::Test {
 protected:
  piece of(const placed_block& block, const block_case& asked) { return label_block(on, asked.of(block), block.place); }
  piece of(const placed_block& block) { return of(block, asked); }

  engine on = engine::cpu(1);
  block_case asked{{4, 6}, std::vector<u8>(24, 1), std::vector<float>(24, 1), {.connectivity = 4}, {}, false};
  placed_block top{{asked.size, 0, 0, 0}, {2, 6}}, bottom{{asked.size, 0, 2, 0}, {2, 6}};
};

TEST_F(blocks_refused, places_outside_the_image) {
  for (const placed_block& wrong :
       {placed_block{{asked.size, 0, 3, 0}, {2, 6}}, placed_block{{asked.size, 0, -1, 0}, {2, 6}},
        placed_block{{asked.size, 1, 0, 0}, {2, 6}}, placed_block{{asked.size, 0, 0, 1}, {2, 6}},
        placed_block{{asked.size, 0, INT64_MAX, 0}, {2, 6}}, placed_block{{extent(1, 4, 6), 0, 0, 0}, {2, 6}}}) {
    const label_request block = asked.of(top);
    expect_refused([&] { static_cast<void>(label_block(on, block, wrong.place)); }, "place: ");
  }
  expect_refused([&] { static_cast<void>(label_block(on, asked.of({top.place, {0, 6}}), top.place)); }, "block: ");
}

TEST_F(blocks_refused, questions_that_blocks_cannot_answer) {
  const auto refused_with = [&](const label_options& options, const std::string& name) {
    label_request block = asked.of(top);
    block.options = options;
    expect_refused([&] { static_cast<void>(label_block(on, block, top.place)); }, name);
  };
  refused_with({.connectivity = 4, .selection = {.min_area = 2}}, "selection: ");
  refused_with({.connectivity = 4, .selection = {.fill_holes = true}}, "selection: ");
  refused_with({.connectivity = 4, .order = pixel_order::as_stored}, "order: ");
  refused_with({.connectivity = 4, .joining = joining::within(-1)}, "joining: ");
  refused_with({.connectivity = 4, .periodic = {.z = true}}, "periodic: ");
  refused_with({.connectivity = 5}, "connectivity: ");
}

TEST_F(blocks_refused, pieces_that_do_not_belong_together) {
  const piece a = of(top), b = of(bottom);
  expect_refused([&] { static_cast<void>(join(a, a)); }, "join: ");
  expect_refused([&] { static_cast<void>(join(join(a, b), a)); }, "join: ");
  block_case other = asked;
  other.options.connectivity = 8;
  expect_refused([&] { static_cast<void>(join(a, of(bottom, other))); }, "join: ");
  other = asked;
  other.features.moments = true;
  expect_refused([&] { static_cast<void>(join(a, of(bottom, other))); }, "join: ");
  const extent larger(8, 6);
  const piece of_larger = label_block(on, asked.of(bottom), {larger, 0, 2, 0});
  expect_refused([&] { static_cast<void>(join(a, of_larger)); }, "join: ");
}

TEST_F(blocks_refused, numbers_of_parts) {
  const std::vector<piece> half = {of(top)};
  expect_refused([&] { static_cast<void>(number(half)); }, "pieces: ");
  const std::vector<piece> all = {of(top), of(bottom)};
  expect_refused([&] { static_cast<void>(number(all, {.fill_holes = true})); }, "keep: ");
  expect_refused([&] { static_cast<void>(number(all, {.min_area = 3, .max_area = 2})); }, "keep: ");
  numbering numbers = number(all);
  const std::uint64_t count = numbers.labels.count;
  expect_refused(
      [&] {
        keep_components(numbers, {{"area", 1}, {"perimeter", 1}});
      },
      "bounds: 'perimeter' is no column");
  expect_refused([&] { keep_components(numbers, {{"area_um2", 1}}); }, "bounds: 'area_um2'");
  expect_refused([&] { keep_components(numbers, {{"area", 5, 1}}); }, "bounds: area from 5 to 1 keeps nothing");
  EXPECT_EQ(numbers.labels.count, count);
  EXPECT_EQ(numbers.table.size(), count);
  numbers.table = {};
  expect_refused([&] { keep_components(numbers, {{"area", 1}}); }, "of: ");
}

TEST_F(blocks_refused, labels_of_another_block_or_too_many) {
  asked.pixels = {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
  const std::vector<piece> all = {of(top), of(bottom)};
  const numbering numbers = number(all);
  std::vector<u32> labels(12, 5);
  const mutable_image out(labels.data(), {2, 6});
  const block_labels of_bottom = labels_of_block(numbers, bottom.place, bottom.size);
  expect_refused([&] { emit_block(on, asked.of(top), top.place, of_bottom, out); }, "given: ");
  block_labels wrong = labels_of_block(numbers, top.place, top.size);
  wrong.label.back() = wrong.count + 1;
  expect_refused([&] { emit_block(on, asked.of(top), top.place, wrong, out); }, "given: ");
  wrong.label.pop_back();
  expect_refused([&] { emit_block(on, asked.of(top), top.place, wrong, out); }, "given: ");
  wrong = labels_of_block(numbers, top.place, top.size);
  wrong.count = 300;
  std::vector<u8> small(12, 5);
  EXPECT_THROW(emit_block(on, asked.of(top), top.place, wrong, mutable_image(small.data(), {2, 6})), label_overflow);
  EXPECT_EQ(labels, std::vector<u32>(12, 5));
  EXPECT_EQ(small, std::vector<u8>(12, 5));
  expect_refused([&] { static_cast<void>(labels_of_block(numbers, {extent(9, 9)}, {2, 6})); }, "place: ");
}

TEST_F(blocks_refused, bytes_that_were_cut_or_changed) {
  asked.features.moments = true;
  const std::vector<std::byte> bytes = join(of(top), of(bottom)).to_bytes();
  expect_bytes_are_checked(bytes, &piece_from_bytes, &region_piece_from_bytes);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Holes that are filled block by block, against the whole image in one call of the reference.
#include <gtest/gtest.h>

#include "blocks/whole_and_blocks.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

// A case with holes: joined by the foreground, more of it than background, in an image without periodic axes.
block_case random_case_with_holes(std::mt19937& random) {
  block_case made = random_case(random);
  made.options.joining = joining::foreground();
  made.options.periodic = {};
  made.options.foreground = random() % 3 == 0 ? foreground::at_least(2) : foreground::nonzero();
  for (u8& pixel : made.pixels)
    if (random() % 2 == 0) pixel = 9;
  return made;
}

// The holes of each block, of pieces that are joined at random.
numbering holes_of(engine& on, const block_case& asked, const std::vector<placed_block>& blocks, std::mt19937& random) {
  std::vector<piece> pieces, taken;
  pieces.reserve(blocks.size());
  for (const placed_block& block : blocks) pieces.push_back(label_background(on, asked.of(block), block.place));
  taken.push_back(joined_at_random(std::move(pieces), random, &taken));
  return number(taken, {.clear_border = true});
}

// The request for a block whose holes are filled; it looks at `mask`.
label_request filled_request(const block_case& asked, const placed_block& block, const std::vector<u8>& mask) {
  label_request request = asked.of(block);
  request.image = image_view(mask.data(), dtype::boolean, block.size);
  request.options.foreground = foreground::nonzero();
  return request;
}

TEST(fill_block, of_any_cut_fills_the_holes_of_the_whole_image) {
  std::mt19937 random(41);
  engine on = engine::cpu(1), reference = engine::reference();
  u64 filled = 0;
  for (int round = 0; round < scaled(800); ++round) {
    const block_case asked = random_case_with_holes(random);
    const std::vector<placed_block> blocks = random_blocks(asked.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    selection keep;
    if (round % 3 == 0) keep.min_area = 4;
    label_request whole = asked.whole();
    whole.options.selection = keep;
    whole.options.selection.fill_holes = true;
    std::vector<u32> want(asked.pixels.size()), got(asked.pixels.size(), 77);
    feature_table table;
    label(reference, whole, {.labels = mutable_image(want.data(), asked.size), .table = &table});

    const numbering holes = holes_of(on, asked, blocks, random);
    filled += holes.labels.count;
    std::vector<std::vector<u8>> masks;
    std::vector<piece> pieces;
    for (const placed_block& block : blocks) {
      masks.push_back(fill_block(on, asked.of(block), block.place, labels_of_block(holes, block.place, block.size)));
      pieces.push_back(label_block(on, filled_request(asked, block, masks.back()), block.place));
    }
    const numbering numbers = number(pieces, keep);
    EXPECT_TRUE(same_table(numbers.table, table));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto& [place, size] = blocks[i];
      const i64 at = (place.z * asked.size.height + place.y) * asked.size.width + place.x;
      const mutable_image out(got.data() + at, dtype::u32, size, dense_strides(dtype::u32, asked.size));
      emit_block(on, filled_request(asked, blocks[i], masks[i]), place, labels_of_block(numbers, place, size), out);
    }
    EXPECT_EQ(got, want);
    if (HasFailure()) return;
  }
  EXPECT_GT(filled, 0U);
}

TEST(fill_block, refuses_what_has_no_holes) {
  engine on = engine::cpu(1);
  const std::vector<u8> pixels = {1, 1, 1, 1, 0, 1, 1, 1, 1};
  const block_place place{{3, 3}};
  label_request block{image_view(pixels.data(), {3, 3}), {.connectivity = 4}, {}};
  const piece background = label_background(on, block, place);
  const block_labels holes = labels_of_block(number(std::vector{background}, {.clear_border = true}), place, {3, 3});
  EXPECT_EQ(fill_block(on, block, place, holes), std::vector<u8>(9, 1));
  expect_refused([&] { static_cast<void>(fill_block(on, block, place, {})); }, "holes: ");
  expect_refused([&] { static_cast<void>(fill_block(on, block, {{3, 9}, 0, 0, 2}, holes)); }, "holes: ");
  expect_refused([&] { static_cast<void>(label_background(on, block, {{3, 2}})); }, "place: ");
  const piece other = label_block(on, {block.image, {.connectivity = 8}, {}}, {{3, 6}, 0, 0, 3});
  expect_refused([&] { static_cast<void>(join(label_background(on, block, {{3, 6}}), other)); }, "join: ");
  block.options.joining = joining::equal();
  expect_refused([&] { static_cast<void>(label_background(on, block, place)); }, "selection: fill_holes");
  block.options.joining = joining::foreground();
  block.options.periodic.x = true;
  expect_refused([&] { static_cast<void>(fill_block(on, block, place, holes)); }, "selection: fill_holes");
}

}  // namespace
}  // namespace skerry::test

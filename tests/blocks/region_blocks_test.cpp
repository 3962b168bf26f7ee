// SPDX-License-Identifier: Apache-2.0
// Given label images in blocks against the same image in one call of the reference.
#include <gtest/gtest.h>

#include "blocks/whole_and_blocks.hpp"
#include "skerry/region_blocks.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

// A label image at random, of a type with a sign or without, with labels that are far apart or everywhere.
struct region_case {
  block_case image;
  std::vector<std::int32_t> labels;
  dtype type = dtype::i32;
  skerry::background background;
  struct channel {
    dtype type;
    std::vector<std::int32_t> pixels;
  };
  std::vector<channel> channels = {};  // instead of an intensity image

  [[nodiscard]] region_request of(const placed_block& block) const {
    const label_request pixels = image.of(block);
    const i64 offset = (block.place.z * image.size.height + block.place.y) * image.size.width + block.place.x;
    region_request asked{
        image_view(labels.data() + offset, type, block.size, dense_strides(type, image.size)), background, {}, {}};
    asked.features = pixels.features;
    if (!channels.empty()) asked.features.intensity = {};
    for (const channel& each : channels)
      asked.channels.emplace_back(each.pixels.data() + offset, each.type, block.size,
                                  dense_strides(each.type, image.size));
    return asked;
  }
  [[nodiscard]] region_table whole() const {
    static engine reference = engine::reference();
    region_table table;
    measure_regions(reference, of({{image.size, 0, 0, 0}, image.size}), table);
    return table;
  }
};

region_case random_regions(std::mt19937& random) {
  region_case made{random_case(random), {}, dtype::i32, {}};
  if (random() % 2 == 0) made.type = dtype::u32;
  const u32 kind = random() % 3;
  if (kind == 1) made.background = background::none();
  if (kind == 2) made.background = background::equal_to(std::int32_t{2});
  const i64 factor = random() % 2 == 0 ? 1 : 300000007;
  for (const u8 pixel : made.image.pixels)
    made.labels.push_back(static_cast<std::int32_t>((static_cast<i64>(pixel % 8) - 3) * factor));
  for (u32 count = random() % 4; count != 0; --count) {
    region_case::channel& channel = made.channels.emplace_back();
    channel.type = random() % 2 == 0 ? dtype::f32 : dtype::i32;
    for (std::size_t i = 0; i < made.labels.size(); ++i) channel.pixels.push_back(static_cast<std::int32_t>(random()));
  }
  return made;
}

std::vector<region_piece> pieces_of(engine& on, const region_case& asked, const std::vector<placed_block>& blocks) {
  std::vector<region_piece> pieces;
  pieces.reserve(blocks.size());
  for (const placed_block& block : blocks) pieces.push_back(measure_block(on, asked.of(block), block.place));
  return pieces;
}

TEST(region_blocks, of_any_cut_joined_in_any_order_have_the_table_of_the_whole_image) {
  std::mt19937 random(31);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(1500); ++round) {
    const region_case asked = random_regions(random);
    const std::vector<placed_block> blocks = random_blocks(asked.image.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    const std::vector<region_piece> pieces = pieces_of(on, asked, blocks);
    const region_piece one = joined_at_random(pieces, random);
    const region_table want = asked.whole();
    for (const region_table& got : {table_of(std::vector{one}), table_of(pieces)}) {
      EXPECT_EQ(got.labels, want.labels);
      EXPECT_EQ(got.signed_labels, want.signed_labels);
      EXPECT_TRUE(same_table(got.features, want.features));
      ASSERT_EQ(got.channels.size(), want.channels.size());
      for (std::size_t c = 0; c < got.channels.size(); ++c) {
        EXPECT_TRUE(same_table(got.channels[c], want.channels[c]));
        EXPECT_EQ(got.channels[c].has_intensities, want.channels[c].has_intensities);
      }
    }
    expect_same_bytes(one, pieces, random, &region_piece_from_bytes);
    if (HasFailure()) return;
  }
}

// ---- refusals -----------------------------------------------------------------------------------------------------

class region_blocks_refused : public testing::Test {
 protected:
  [[nodiscard]] region_piece of(const region_request& block, i64 y) {
    return measure_block(on, block, {extent(4, 6), 0, y, 0});
  }

  engine on = engine::cpu(1);
  std::vector<u32> labels = std::vector<u32>(12, 5);
  region_request block{image_view(labels.data(), dtype::u32, {2, 6}), {}, {}, {}};
};

TEST_F(region_blocks_refused, blocks_that_cannot_be_measured) {
  expect_refused([&] { static_cast<void>(of(block, 3)); }, "place: ");
  block.index = std::vector<label_bits>{5};
  expect_refused([&] { static_cast<void>(of(block, 0)); }, "index: ");
  block.index.reset();
  block.labels.type = dtype::f32;
  expect_refused([&] { static_cast<void>(of(block, 0)); }, "labels: ");
  block.labels.type = dtype::u32;
  block.features.moments = true;
  expect_refused(
      [&] {
        static_cast<void>(measure_block(on, block, {extent(512, INT32_MAX), 0, 0, 0}));
      },
      "whole image: ");
  block.features = {};
  block.channels = {image_view(labels.data(), dtype::u32, {2, 5})};
  expect_refused([&] { static_cast<void>(of(block, 0)); }, "channels[0]: ");
  block.channels = {block.labels};
  block.features.intensity = block.labels;
  expect_refused([&] { static_cast<void>(of(block, 0)); }, "channels: ");
}

TEST_F(region_blocks_refused, pieces_that_do_not_belong_together) {
  const region_piece top = of(block, 0), bottom = of(block, 2);
  expect_refused([&] { static_cast<void>(join(top, top)); }, "join: ");
  expect_refused([&] { static_cast<void>(join(top, measure_block(on, block, {extent(8, 6), 0, 2, 0}))); }, "join: ");
  expect_refused([&] { static_cast<void>(table_of(std::vector{top})); }, "pieces: 12 of 24 pixels");
  region_request other = block;
  other.features.moments = true;
  expect_refused([&] { static_cast<void>(join(top, of(other, 2))); }, "join: ");
  other = block;
  other.background = background::none();
  expect_refused([&] { static_cast<void>(join(top, of(other, 2))); }, "join: ");
  other = block;
  other.channels = {block.labels};
  expect_refused([&] { static_cast<void>(join(top, of(other, 2))); }, "join: ");
  other = block;
  other.labels.type = dtype::i32;
  expect_refused([&] { static_cast<void>(join(top, of(other, 2))); }, "join: ");
  EXPECT_EQ(table_of(std::vector{top, bottom}).column("area"), std::vector<double>{24});
  EXPECT_EQ(join(region_piece(), top).to_bytes(), top.to_bytes());
  EXPECT_GE(top.memory(), sizeof(geometry));
}

TEST_F(region_blocks_refused, bytes_that_were_cut_or_changed) {
  block.channels = {block.labels, block.labels};
  block.channels.back().type = dtype::f32;
  const std::vector<std::byte> bytes = join(of(block, 0), of(block, 2)).to_bytes();
  expect_bytes_are_checked(bytes, &region_piece_from_bytes, &piece_from_bytes);
}

}  // namespace
}  // namespace skerry::test

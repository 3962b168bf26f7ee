// SPDX-License-Identifier: Apache-2.0
// Area openings and closings in blocks against one call for the whole image.
#include <gtest/gtest.h>

#include "blocks/whole_and_blocks.hpp"
#include "skerry/tree_blocks.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

struct tree_case {
  extent size;
  dtype type = dtype::u8;
  std::vector<std::int8_t> pixels;  // bytes of either type
  tree_options options;
  u64 least_area = 0;

  [[nodiscard]] image_view part(const placed_block& block) const {
    const i64 first = (block.place.z * size.height + block.place.y) * size.width + block.place.x;
    return {pixels.data() + first, type, block.size, dense_strides(type, size)};
  }
  [[nodiscard]] std::vector<std::int8_t> whole() const {
    engine on = engine::cpu(1);
    max_tree tree;
    build(on, part({{size, 0, 0, 0}, size}), options, tree);
    attribute_table table;
    measure(on, tree, {}, table);
    std::vector<std::int8_t> filtered(pixels.size());
    area_filter(on, tree, table, least_area, mutable_image(filtered.data(), type, size));
    return filtered;
  }
};

tree_case random_tree(std::mt19937& random) {
  const block_case image = random_case(random);
  tree_case made;
  made.size = image.size;
  made.type = random() % 2 == 0 ? dtype::u8 : dtype::i8;
  const u32 levels = random() % 3 == 0 ? 256 : 2 + random() % 5;
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    made.pixels.push_back(static_cast<std::int8_t>(random() % levels - (random() % 9 == 0 ? 3 : 0)));
  const int planes[] = {4, 8}, volumes[] = {6, 18, 26};
  made.options.connectivity = made.size.rank == 2 ? planes[random() % 2] : volumes[random() % 3];
  made.options.kind = random() % 2 == 0 ? tree_kind::max : tree_kind::min;
  made.least_area = random() % 12;
  return made;
}

std::vector<tree_piece> pieces_of(engine& on, const tree_case& asked, const std::vector<placed_block>& blocks) {
  std::vector<tree_piece> pieces;
  for (const placed_block& block : blocks)
    pieces.push_back(build_block(on, asked.part(block), asked.options, block.place));
  return pieces;
}

std::vector<std::int8_t> filtered(engine& on, const tree_case& asked, const std::vector<placed_block>& blocks,
                                  const border_nodes& nodes) {
  std::vector<std::int8_t> result(asked.pixels.size());
  for (const placed_block& block : blocks) {
    const i64 first = (block.place.z * asked.size.height + block.place.y) * asked.size.width + block.place.x;
    const mutable_image out(result.data() + first, asked.type, block.size, dense_strides(asked.type, asked.size));
    filter_block(on, asked.part(block), asked.options, block.place, nodes_of_block(nodes, block.place, block.size),
                 asked.least_area, out);
  }
  return result;
}

TEST(tree_blocks, of_any_cut_joined_in_any_order_filter_as_the_whole_image) {
  std::mt19937 random(51);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(1500); ++round) {
    const tree_case asked = random_tree(random);
    const std::vector<placed_block> blocks = random_blocks(asked.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    const std::vector<tree_piece> pieces = pieces_of(on, asked, blocks);
    const tree_piece one = joined_at_random(pieces, random);
    EXPECT_EQ(filtered(on, asked, blocks, resolve_areas(std::vector{one}, asked.least_area)), asked.whole());
    expect_same_bytes(one, pieces, random, &tree_piece_from_bytes);
    EXPECT_EQ(resolve_areas(pieces, 3).area, resolve_areas(std::vector{one}, 3).area);
    if (HasFailure()) return;
  }
}

TEST(tree_blocks, know_the_areas_of_the_whole_image) {
  tree_case asked{{2, 4}, dtype::u8, {1, 3, 3, 1, 1, 1, 3, 2}, {4, tree_kind::max}, 0};
  engine on = engine::cpu(1);
  const std::vector<placed_block> blocks = {{{asked.size, 0, 0, 0}, {2, 2}}, {{asked.size, 0, 0, 2}, {2, 2}}};
  const border_nodes nodes = resolve_areas(pieces_of(on, asked, blocks), 4);
  EXPECT_EQ(nodes.first_pixel, (std::vector<std::uint64_t>{0, 1, 2, 3, 7}));
  EXPECT_EQ(nodes.area, (std::vector<std::uint64_t>{8, 3, 3, 8, 4}));
  EXPECT_EQ(nodes.level, (std::vector<std::int16_t>{1, 2, 2, 1, 2}));
}

class tree_blocks_refused : public testing::Test {
 protected:
  tree_blocks_refused() {
    asked = {{4, 6}, dtype::u8, std::vector<std::int8_t>(24, 5), {4, tree_kind::max}, 0};
    asked.pixels[13] = 7;
  }
  engine on = engine::cpu(1);
  tree_case asked;
  placed_block top{{{4, 6}, 0, 0, 0}, {2, 6}}, bottom{{{4, 6}, 0, 2, 0}, {2, 6}};
};

TEST_F(tree_blocks_refused, blocks_and_pieces) {
  const auto of = [&](const placed_block& block) {
    return build_block(on, asked.part(block), asked.options, block.place);
  };
  const tree_piece one = of(top), other = of(bottom);
  expect_refused([&] { static_cast<void>(join(one, one)); }, "join: a block at");
  expect_refused([&] { static_cast<void>(resolve_areas(std::vector{one}, 2)); }, "pieces: 12 of 24 pixels");
  asked.options.kind = tree_kind::min;
  expect_refused([&] { static_cast<void>(join(one, of(bottom))); }, "join: pieces are of trees");
  asked.options.kind = tree_kind::max;
  asked.size = {8, 6};
  placed_block larger = bottom;
  larger.place.whole = {8, 6};
  expect_refused([&] { static_cast<void>(join(one, of(larger))); }, "join: pieces are of images");
  asked.size = {4, 6};
  const border_nodes nodes = resolve_areas(std::vector{one, other}, 2);
  std::vector<std::int8_t> out(12);
  const mutable_image to(out.data(), dtype::u8, {2, 6}), narrow(out.data(), dtype::u8, {2, 5});
  const auto filter = [&](const border_nodes& given, const mutable_image& output) {
    filter_block(on, asked.part(top), asked.options, top.place, given, 2, output);
  };
  expect_refused([&] { filter(nodes, to); }, "given: ");
  expect_refused([&] { filter(nodes_of_block(nodes, bottom.place, bottom.size), to); }, "given: ");
  expect_refused([&] { filter(nodes_of_block(nodes, top.place, top.size), narrow); }, "output: ");
  image_view wide = asked.part(top);
  wide.type = dtype::u16;
  expect_refused([&] { static_cast<void>(build_block(on, wide, asked.options, top.place)); },
                 "block: trees in blocks are of u8");
  EXPECT_EQ(join(tree_piece(), one).to_bytes(), one.to_bytes());
  EXPECT_GT(one.memory(), one.nodes());
}

TEST_F(tree_blocks_refused, bytes_that_were_cut_or_changed) {
  const std::vector<std::byte> bytes =
      join(build_block(on, asked.part(top), asked.options, top.place), tree_piece()).to_bytes();
  expect_bytes_are_checked(bytes, &tree_piece_from_bytes, &piece_from_bytes);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Outlines of label images in blocks against one call of the reference for the whole image.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "blocks/whole_and_blocks.hpp"
#include "skerry/outline_blocks.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

constexpr dtype types[] = {dtype::i32, dtype::u32, dtype::i64, dtype::u8, dtype::boolean};

// A label image at random, dense, and how it is outlined.
struct outline_case {
  extent size;
  dtype type = dtype::i32;
  std::vector<std::int64_t> memory;  // for every type
  outline_request asked;

  [[nodiscard]] image_view part(i64 y, i64 x, const extent& of) const {
    const byte_strides strides = dense_strides(type, size);
    return {reinterpret_cast<const std::byte*>(memory.data()) + y * strides.y + x * strides.x, type, of, strides};
  }
  void set(i64 pixel, std::int64_t label) {
    std::memcpy(reinterpret_cast<std::byte*>(memory.data()) + pixel * static_cast<i64>(size_of(type)), &label,
                size_of(type));
  }
  [[nodiscard]] outline_piece of(engine& on, const placed_block& block) const {
    const i64 y = std::max<i64>(0, block.place.y - 1), x = std::max<i64>(0, block.place.x - 1);
    const i64 y_end = std::min(size.height, block.place.y + block.size.height + 1);
    const i64 x_end = std::min(size.width, block.place.x + block.size.width + 1);
    outline_request request = asked;
    request.labels = part(y, x, extent(y_end - y, x_end - x));
    return outline_block(on, request, block.place, block.size);
  }
  [[nodiscard]] outline_table whole(engine& on) const {
    outline_request request = asked;
    request.labels = part(0, 0, size);
    outline_table table;
    outline(on, request, table);
    return table;
  }
};

outline_case random_outlines(std::mt19937& random) {
  outline_case made;
  made.size = random() % 8 == 0 ? extent(1, 1 + random() % 30) : extent(1 + random() % 14, 1 + random() % 17);
  made.type = types[random() % std::size(types)];
  made.memory.assign(static_cast<std::size_t>(made.size.pixels()), 0);
  const u32 labels = 2 + random() % 3, grain = 1 + random() % 3;
  const i64 first = random() % 2 == 0 ? 0 : -1;
  const i64 blank = random() % 3 == 0 ? 1 : 0;  // one label almost everywhere, so that blocks have no outline
  for (i64 i = 0; i < made.size.pixels(); ++i) {
    const i64 y = i / made.size.width / grain, x = i % made.size.width / grain;
    const u32 hash = static_cast<u32>((y * 7919 + x * 104729 + 17) * 2654435761u) >> 9;
    const i64 label = blank != 0 && hash % 9 != 0 ? 1 : static_cast<i64>((hash + random() % 2) % labels) + first;
    made.set(i, made.type == dtype::boolean ? label & 1 : label);
  }
  made.asked.connectivity = random() % 2 == 0 ? 4 : 8;
  made.asked.keep_collinear = random() % 4 == 0;
  if (random() % 3 == 0) made.asked.background = background::none();
  if (random() % 5 == 0) made.asked.background = background::equal_to(std::int32_t{1});
  return made;
}

std::vector<outline_piece> pieces_of(engine& on, const outline_case& asked, const std::vector<placed_block>& blocks) {
  std::vector<outline_piece> pieces;
  for (const placed_block& block : blocks) pieces.push_back(asked.of(on, block));
  return pieces;
}

TEST(outline_blocks, of_any_cut_joined_in_any_order_are_the_outlines_of_the_whole_image) {
  std::mt19937 random(61);
  engine on = engine::cpu(1), reference = engine::reference();
  for (int round = 0; round < scaled(4000); ++round) {
    const outline_case asked = random_outlines(random);
    const std::vector<placed_block> blocks = random_blocks(asked.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    const std::vector<outline_piece> pieces = pieces_of(on, asked, blocks);
    const outline_table want = asked.whole(reference);
    const outline_piece one = joined_at_random(pieces, random);
    EXPECT_EQ(outline_of(std::vector{one}), want);
    EXPECT_EQ(outline_of(pieces), want);
    EXPECT_EQ(one.open_chains(), 0U);
    EXPECT_GE(one.closed_chains(), want.rings());
    if (asked.asked.connectivity == 8) {
      EXPECT_EQ(one.closed_chains(), want.rings());
    }
    std::vector<outline_piece> taken;
    taken.push_back(joined_at_random(pieces, random, [&](outline_piece& made) {
      if (random() % 3 == 0) taken.push_back(made.take_closed());
    }));
    EXPECT_EQ(outline_of(taken), want);
    if (round % 4 == 0) expect_same_bytes(one, pieces, random, &outline_piece_from_bytes);
    if (HasFailure()) return;
  }
}

TEST(outline_blocks, give_rings_that_are_closed_away) {
  outline_case asked;
  asked.size = extent(40, 40);
  asked.type = dtype::i32;
  asked.memory.assign(1600, 0);
  asked.asked.connectivity = 4;
  for (i64 i = 0; i < 1600; ++i) asked.set(i, i / 40 % 2 == 1 && i % 40 % 2 == 1 ? i : 0);
  engine on = engine::cpu(1);
  outline_piece all = asked.of(on, {{asked.size, 0, 0, 0}, extent(20, 40)});
  const std::uint64_t before = all.memory();
  EXPECT_EQ(all.closed_chains(), 180U);  // those of rows 1 to 17; of row 19 the lower sides lie in the other block
  EXPECT_EQ(all.open_chains(), 20U);
  const outline_piece closed = all.take_closed();
  EXPECT_EQ(closed.closed_chains(), 180U);
  EXPECT_LT(all.memory(), before / 3);
  const std::vector<outline_piece> pieces = {join(all, asked.of(on, {{asked.size, 0, 20, 0}, extent(20, 40)})), closed};
  engine reference = engine::reference();
  EXPECT_EQ(outline_of(pieces), asked.whole(reference));
}

// ---- refusals -----------------------------------------------------------------------------------------------------

class outline_blocks_refused : public testing::Test {
 protected:
  outline_blocks_refused() {
    asked.size = extent(8, 6);
    asked.memory.assign(48, 0);
    for (i64 i = 0; i < 48; ++i) asked.set(i, i % 5 == 0 ? 2 : 1);
    asked.asked.connectivity = 4;
  }
  engine on = engine::cpu(1);
  outline_case asked;
  placed_block top{{extent(8, 6), 0, 0, 0}, extent(4, 6)}, bottom{{extent(8, 6), 0, 4, 0}, extent(4, 6)};
};

TEST_F(outline_blocks_refused, blocks_that_cannot_be_outlined) {
  outline_request request = asked.asked;
  request.labels = asked.part(0, 0, extent(4, 6));
  expect_refused([&] { static_cast<void>(outline_block(on, request, top.place, top.size)); },
                 "labels: size 4 x 6 is not that of the block, 4 x 6, and a halo of 1");
  request.labels = asked.part(0, 0, extent(5, 6));
  const auto refused = [&](const outline_request& changed, const char* name) {
    expect_refused([&] { static_cast<void>(outline_block(on, changed, top.place, top.size)); }, name);
  };
  outline_request other = request;
  other.simplify = 1;
  refused(other, "simplify: ");
  other = request;
  other.through_centres = true;
  refused(other, "through_centres: ");
  other = request;
  other.nesting = true;
  refused(other, "nesting: ");
  other = request;
  other.connectivity = 6;
  refused(other, "connectivity: ");
  other = request;
  other.labels.type = dtype::f32;
  refused(other, "labels: ");
  expect_refused([&] { static_cast<void>(outline_block(on, request, {extent(3, 6), 0, 0, 0}, top.size)); }, "place: ");
}

TEST_F(outline_blocks_refused, pieces_that_do_not_belong_together) {
  const outline_piece one = asked.of(on, top), two = asked.of(on, bottom);
  expect_refused([&] { static_cast<void>(join(one, one)); }, "join: ");
  expect_refused([&] { static_cast<void>(outline_of(std::vector{one})); }, "pieces: 24 of 48 pixels");
  outline_case other = asked;
  other.asked.keep_collinear = true;
  expect_refused([&] { static_cast<void>(join(one, other.of(on, bottom))); }, "join: pieces were outlined");
  other = asked;
  for (i64 i = 0; i < 48; ++i) other.set(i, i % 3);
  expect_refused([&] { static_cast<void>(outline_of(std::vector{one, other.of(on, bottom)})); }, "pieces: ");
  EXPECT_EQ(join(outline_piece(), two).to_bytes(), two.to_bytes());
}

TEST_F(outline_blocks_refused, bytes_that_were_cut_or_changed) {
  expect_bytes_are_checked(join(asked.of(on, top), asked.of(on, bottom)).to_bytes(), &outline_piece_from_bytes,
                           &piece_from_bytes);
}

}  // namespace
}  // namespace skerry::test

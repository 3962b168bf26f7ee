// SPDX-License-Identifier: Apache-2.0
// Columns of label images in blocks against one call for the whole image, bit for bit.
#include <gtest/gtest.h>

#include "blocks/whole_and_blocks.hpp"
#include "features/columns.hpp"
#include "skerry/column_blocks.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

constexpr dtype grey_types[] = {dtype::u8, dtype::i16, dtype::i32, dtype::f32, dtype::f64, dtype::u64, dtype::boolean};

// A label image at random, with an intensity image or without, and some of the columns.
struct column_case {
  block_case image;
  std::vector<std::int32_t> labels;
  struct grey_image {
    dtype type = dtype::u8;
    std::vector<double> memory = {};  // for every type
  };
  std::vector<grey_image> greys = {};
  bool numbered = false;  // greys are channels
  column_request asked = {};

  [[nodiscard]] image_view part(const void* data, dtype type, const block_place& place, const extent& size) const {
    const byte_strides strides = dense_strides(type, image.size);
    const auto* first =
        static_cast<const std::byte*>(data) + place.z * strides.z + place.y * strides.y + place.x * strides.x;
    return {first, type, size, strides};
  }
  // Gives the images of intensities of a block to what is asked of it.
  void add_greys(image_view& one, std::vector<image_view>& several, const placed_block& block) const {
    for (const grey_image& grey : greys) {
      const image_view view = part(grey.memory.data(), grey.type, block.place, block.size);
      if (numbered) several.push_back(view);
      else one = view;
    }
  }
  [[nodiscard]] column_needs needs() const {
    std::vector<dtype> types;
    for (const grey_image& grey : greys) types.push_back(grey.type);
    if (numbered) return needs_of_columns(image.size.rank, asked.columns, asked.spacing, nullptr, types);
    return needs_of_columns(image.size.rank, asked.columns, asked.spacing, types.data());
  }

  [[nodiscard]] column_block of(const placed_block& block, const region_piece* known) const {
    const i64 halo = needs().halo;
    const extent &whole = image.size, &size = block.size;
    const auto begin = [&](i64 at) { return std::max<i64>(0, at - halo); };
    const auto side = [&](i64 at, i64 of, i64 room) { return std::min(room, at + of + halo) - begin(at); };
    const block_place& at = block.place;
    block_place around = at;
    extent sides = size;
    if (whole.rank == 3) around.z = begin(at.z), sides.depth = side(at.z, size.depth, whole.depth);
    around.y = begin(at.y), sides.height = side(at.y, size.height, whole.height);
    around.x = begin(at.x), sides.width = side(at.x, size.width, whole.width);
    column_block made{part(labels.data(), dtype::i32, around, sides), at, size, asked, known};
    add_greys(made.asked.intensity, made.asked.channels, block);
    return made;
  }
  [[nodiscard]] region_piece rows_of(engine& on, const placed_block& block) const {
    region_request rows{part(labels.data(), dtype::i32, block.place, block.size), asked.background, {}, {}, {}};
    if (needs().intensities) add_greys(rows.features.intensity, rows.channels, block);
    return measure_block(on, rows, block.place);
  }
  [[nodiscard]] column_table whole() const {
    engine on = engine::cpu(1);
    column_request request = asked;
    add_greys(request.intensity, request.channels, {{image.size, 0, 0, 0}, image.size});
    column_table table;
    measure_columns(on, image_view(labels.data(), dtype::i32, image.size, dense_strides(dtype::i32, image.size)),
                    request, table);
    return table;
  }
};

void add_grey(column_case& of, std::mt19937& random) {
  const auto pixels = static_cast<std::size_t>(of.image.size.pixels());
  const dtype type = grey_types[random() % std::size(grey_types)];
  std::vector<double>& memory = of.greys.emplace_back(column_case::grey_image{type}).memory;
  memory.resize(pixels);
  auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
  for (std::size_t i = 0; i < pixels; ++i) {
    if (type == dtype::f64 || type == dtype::f32) {
      double value = (static_cast<double>(random() % 2001) - 1000) * (random() % 4 == 0 ? 1e-9 : 1);
      if (random() % 200 == 0) value = random() % 2 == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
      if (type == dtype::f64) memory[i] = value;
      else reinterpret_cast<float*>(bytes)[i] = static_cast<float>(value);
      continue;
    }
    for (std::size_t byte = 0; byte < size_of(type); ++byte)
      bytes[i * size_of(type) + byte] = std::byte(random() % 256);
  }
}

column_case random_columns(std::mt19937& random) {
  column_case made{random_case(random), {}};
  const i64 factor = random() % 2 == 0 ? 1 : 300000007;
  const u32 labels = 2 + random() % 6;
  for (const u8 pixel : made.image.pixels)
    made.labels.push_back(static_cast<std::int32_t>((static_cast<i64>(pixel % labels) - 1) * factor));
  if (random() % 3 == 0) made.asked.background = background::none();
  made.numbered = random() % 2 == 0;
  for (u32 count = made.numbered ? 1 + random() % 3 : random() % 3 == 0 ? 0 : 1; count != 0; --count)
    add_grey(made, random);
  if (random() % 3 == 0) made.asked.spacing = {7, 0.5, 0.5, "um"};
  made.asked.columns.clear();
  for (const std::string& group : column_groups())
    if (random() % 2 == 0 && (!made.greys.empty() || group.find("intensity") + group.find("weighted") + 2 == 0))
      made.asked.columns.push_back(group);
  if (random() % 4 == 0) made.asked.columns = {"all"};
  if (made.numbered && random() % 4 == 0) {
    const std::string last = "-" + std::to_string(made.greys.size() - 1);
    made.asked.columns = {"centroid_weighted-0" + last, "intensity_median" + last, "intensity_max-0",
                          "perimeter_crofton"};
    if (made.image.size.rank == 3) made.asked.columns.pop_back();
  }
  return made;
}

void expect_same_bits(const column_table& got, const column_table& want) { expect_same(got, want, have_same_bits); }

std::vector<column_piece> pieces_of(engine& on, const column_case& asked, const std::vector<placed_block>& blocks) {
  std::vector<region_piece> rows;
  region_piece all;
  if (asked.needs().known) {
    for (const placed_block& block : blocks) rows.push_back(asked.rows_of(on, block));
    for (const region_piece& each : rows) all = join(all, each);
  }
  std::vector<column_piece> pieces;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const region_piece known = rows.empty() || i % 2 == 0 ? all : part_of(all, rows[i]);
    pieces.push_back(measure_block(on, asked.of(blocks[i], rows.empty() ? nullptr : &known)));
  }
  return pieces;
}

TEST(column_blocks, of_any_cut_joined_in_any_order_have_the_columns_of_the_whole_image) {
  std::mt19937 random(41);
  engine on = engine::cpu(1);
  for (int round = 0; round < scaled(600); ++round) {
    const column_case asked = random_columns(random);
    const std::vector<placed_block> blocks = random_blocks(asked.image.size, random);
    SCOPED_TRACE("round " + std::to_string(round));
    const std::vector<column_piece> pieces = pieces_of(on, asked, blocks);
    const column_piece one = joined_at_random(pieces, random);
    const column_table want = asked.whole();
    expect_same_bits(columns_of(on, std::vector{one}, asked.asked.columns, asked.asked.spacing), want);
    expect_same_bits(columns_of(on, pieces, asked.asked.columns, asked.asked.spacing), want);
    expect_same_bytes(one, pieces, random, &column_piece_from_bytes);
    if (HasFailure()) return;
  }
}

// Wide enough for words of bits, with rows that repeat, and with a region whose sums 64 bits do not hold.
TEST(column_blocks, of_planes_wider_than_words_of_pixels_have_the_columns_of_the_whole_image) {
  std::mt19937 random(78);
  engine on = engine::cpu(2);
  for (int repetition = 0; repetition < 8; ++repetition) {
    column_case made;
    made.image.size = extent(300, 330 + random() % 40);
    const i64 width = made.image.size.width, side = 1 + random() % 8, tall = 1 + random() % 20;
    for (i64 i = 0; i < made.image.size.pixels(); ++i) {
      const i64 y = i / width / tall, x = i % width / side;
      made.labels.push_back(static_cast<std::int32_t>((y * y * 5 + x * x * 3 + y * x) % 11 < 4 ? 7 : (x + y) % 5));
    }
    made.asked.columns = {"patterns", "power_sums", "filled"};
    std::vector<placed_block> blocks;
    const i64 height_of_block = 40 + random() % 60, width_of_block = 50 + random() % 100;
    for (i64 y = 0; y < 300; y += height_of_block)
      for (i64 x = 0; x < width; x += width_of_block)
        blocks.push_back({{made.image.size, 0, y, x},
                          extent(std::min(height_of_block, 300 - y), std::min(width_of_block, width - x))});
    const column_piece all = joined_at_random(pieces_of(on, made, blocks), random);
    const std::vector<column_piece> pieces = {all};
    expect_same_bits(columns_of(on, pieces, made.asked.columns, made.asked.spacing), made.whole());
  }
}

TEST(column_blocks, are_the_same_for_any_number_of_threads) {
  std::mt19937 random(42);
  engine one = engine::cpu(1), several = engine::cpu(3);
  column_case asked = random_columns(random);
  asked.image.size = {90, 70};
  asked.labels.assign(90 * 70, 0);
  for (std::size_t i = 0; i < asked.labels.size(); ++i) asked.labels[i] = static_cast<std::int32_t>(random() % 3);
  asked.asked = {};
  asked.greys.clear();
  const std::vector<placed_block> blocks = {{{asked.image.size, 0, 0, 0}, {90, 33}},
                                            {{asked.image.size, 0, 0, 33}, {90, 37}}};
  EXPECT_EQ(joined_at_random(pieces_of(one, asked, blocks), random).to_bytes(),
            joined_at_random(pieces_of(several, asked, blocks), random).to_bytes());
}

// ---- refusals -----------------------------------------------------------------------------------------------------

class column_blocks_refused : public testing::Test {
 protected:
  column_blocks_refused() {
    asked.image.size = {8, 6};
    asked.labels.assign(48, 5);
    asked.asked.columns = {"perimeter", "filled"};
  }
  [[nodiscard]] column_block upper() const { return asked.of({{asked.image.size, 0, 0, 0}, {4, 6}}, nullptr); }
  [[nodiscard]] column_block lower() const { return asked.of({{asked.image.size, 0, 4, 0}, {4, 6}}, nullptr); }

  engine on = engine::cpu(1);
  column_case asked;
};

TEST_F(column_blocks_refused, blocks_that_cannot_be_measured) {
  const auto measure = [&](const column_block& block) { static_cast<void>(measure_block(on, block)); };
  column_block block = upper();
  block.labels.size.height -= 1;
  expect_refused([&] { measure(block); }, "labels: size 5 x 6 is not that of the block, 4 x 6, and a halo of 2");
  block = upper();
  block.asked.channels.push_back(block.labels);
  expect_refused([&] { measure(block); }, "channels[0]: size 6 x 6 is not that of the image, 4 x 6");
  block = upper();
  block.asked.channels.push_back({asked.labels.data(), dtype::i32, block.size, block.labels.strides});
  block.asked.intensity = block.asked.channels.front();
  expect_refused([&] { measure(block); }, "channels: an intensity is given as well");
  block = upper();
  block.asked.intensity = block.labels;
  expect_refused([&] { measure(block); }, "intensity: ");
  block = upper();
  block.asked.columns = {"height"};
  expect_refused([&] { measure(block); }, "columns: ");
  block = upper();
  block.asked.index.emplace();
  expect_refused([&] { measure(block); }, "index: ");
  asked.asked.columns = {"moments"};
  expect_refused([&] { measure(upper()); }, "known: ");
  engine definitions = engine::reference();
  expect_refused([&] { static_cast<void>(measure_block(definitions, lower())); }, "engine: ");
  expect_refused([&] { static_cast<void>(needs_of_columns(1, {"all"}, {}, nullptr)); }, "rank: ");
  const dtype type = dtype::u8;
  expect_refused([&] { static_cast<void>(needs_of_columns(2, {"all"}, {}, &type, {&type, 1})); }, "channels: ");
}

TEST_F(column_blocks_refused, tables_that_are_not_of_these_blocks) {
  asked.asked.columns = {"moments"};
  const placed_block top{{asked.image.size, 0, 0, 0}, {4, 6}}, bottom{{asked.image.size, 0, 4, 0}, {4, 6}};
  const region_piece half = asked.rows_of(on, top), whole = join(half, asked.rows_of(on, bottom));
  expect_refused([&] { static_cast<void>(measure_block(on, asked.of(top, &half))); }, "known: is not of all blocks");
  expect_refused([&] { static_cast<void>(part_of(half, half)); }, "all: ");
  column_case other = asked;
  other.labels.assign(48, 0);
  const region_piece none = join(other.rows_of(on, top), other.rows_of(on, bottom));
  expect_refused([&] { static_cast<void>(measure_block(on, asked.of(top, &none))); }, "known: has no row of region 5");
  expect_refused([&] { static_cast<void>(part_of(none, half)); }, "all: has no row of region 5");
  other.labels[0] = 5;
  other.labels[47] = 5;
  other.labels[3] = 7;
  column_case shifted = asked;
  std::fill(shifted.labels.begin(), shifted.labels.begin() + 6, 0);  // the box begins one row later
  const region_piece wrong = join(shifted.rows_of(on, top), shifted.rows_of(on, bottom));
  const column_piece right_piece = measure_block(on, asked.of(top, &whole)),
                     wrong_piece = measure_block(on, asked.of(bottom, &wrong));
  expect_refused([&] { static_cast<void>(join(right_piece, wrong_piece)); },
                 "join: pieces were measured with different tables");
  const std::vector<column_piece> both = {measure_block(on, asked.of(top, &wrong)), wrong_piece};
  expect_refused([&] { static_cast<void>(columns_of(on, both, {"moments"})); }, "pieces: `known` was not the table");
}

TEST_F(column_blocks_refused, pieces_that_do_not_belong_together) {
  const column_piece top = measure_block(on, upper()), bottom = measure_block(on, lower());
  expect_refused([&] { static_cast<void>(join(top, top)); }, "join: ");
  expect_refused([&] { static_cast<void>(columns_of(on, std::vector{top}, {"filled"})); }, "pieces: ");
  const std::vector<column_piece> both = {top, bottom};
  expect_refused([&] { static_cast<void>(columns_of(on, both, {"hull"})); },
                 "columns: pieces were measured without what");
  expect_refused([&] { static_cast<void>(columns_of(on, both, {"eccentricity"})); }, "columns: pieces were measured");
  expect_refused([&] { static_cast<void>(columns_of(on, both, {"intensity_mean"})); }, "columns: ");
  asked.asked.columns = {"filled"};
  expect_refused([&] { static_cast<void>(join(top, measure_block(on, lower()))); }, "join: ");
  EXPECT_EQ(columns_of(on, both, {"euler_number"}).column("euler_number").integers, std::vector<std::int64_t>{1});
  EXPECT_EQ(join(column_piece(), top).to_bytes(), top.to_bytes());
  EXPECT_GE(top.memory(), top.regions().memory());
}

TEST_F(column_blocks_refused, channels_that_do_not_belong_together) {
  const auto of = [&](i64 y, std::size_t channels, bool numbered) {
    asked.greys.assign(channels, {dtype::f32, std::vector<double>(48)});
    asked.numbered = numbered;
    return asked.of({{asked.image.size, 0, y, 0}, {4, 6}}, nullptr);
  };
  asked.asked.columns = {"intensity_median"};
  const column_piece bottom = measure_block(on, of(4, 1, false));
  for (const std::size_t channels : {std::size_t{1}, std::size_t{2}})
    expect_refused([&] { static_cast<void>(join(measure_block(on, of(0, channels, true)), bottom)); }, "join: ");
  asked.asked.columns = {"intensity_median-1"};
  const std::vector<column_piece> both = {measure_block(on, of(0, 2, true)), measure_block(on, of(4, 2, true))};
  EXPECT_EQ(columns_of(on, both, {"intensity_median-1"}).columns.size(), 2);
  expect_refused([&] { static_cast<void>(columns_of(on, both, {"intensity_median"})); },
                 "columns: pieces were measured without what 'intensity_median-0' needs");
  asked.asked.columns = {"moments_weighted"};
  const placed_block top{{asked.image.size, 0, 0, 0}, {4, 6}};
  static_cast<void>(of(0, 1, true));
  const region_piece rows = join(asked.rows_of(on, top), asked.rows_of(on, {{asked.image.size, 0, 4, 0}, {4, 6}}));
  column_block block = of(0, 2, true);
  block.known = &rows;
  expect_refused([&] { static_cast<void>(measure_block(on, block)); }, "known: has no sums of these");
}

TEST_F(column_blocks_refused, pieces_of_no_block) {
  expect_refused([&] { static_cast<void>(columns_of(on, std::vector<column_piece>{}, {"area"})); },
                 "pieces: of no block");
}

TEST_F(column_blocks_refused, bytes_that_were_cut_or_changed) {
  const std::vector<std::byte> bytes = join(measure_block(on, upper()), measure_block(on, lower())).to_bytes();
  expect_bytes_are_checked(bytes, &column_piece_from_bytes, &region_piece_from_bytes);
}

}  // namespace
}  // namespace skerry::test

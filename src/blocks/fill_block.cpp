// SPDX-License-Identifier: Apache-2.0
// Holes are components of the background that do not touch the border of the whole image. Blocks find them as they find components.
#include <algorithm>
#include <vector>

#include "blocks/check.hpp"
#include "blocks/pixel_rows.hpp"
#include "core/pixel_range.hpp"
#include "core/pixel_type.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "label/select.hpp"

namespace skerry {
namespace {

using namespace blocks;

// 1 for each pixel that is not foreground.
std::vector<u8> background_of(const label_request& block) {
  std::vector<u8> background;
  background.reserve(static_cast<std::size_t>(block.image.size.pixels()));
  with_pixel_type(block.image.type, [&]<class Pixel>(pixel_type<Pixel>) {
    const pixel_range<Pixel> range = range_of<Pixel>(block.options.foreground);
    each_pixel_row<Pixel>(block.image, [&](const std::vector<Pixel>& row) {
      for (const Pixel pixel : row) background.push_back(range.holds(pixel) ? 0 : 1);
    });
  });
  return background;
}

void check_filling(const label_request& block, const block_place& place) {
  check_image("image", block.image);
  if (block.image.residence.is_device()) refuse("image: holes of blocks are found in host memory");
  check_block({block.image, block.options, {}}, place);
  label_options filling = block.options;
  filling.selection.fill_holes = true;
  check_options(block.image, filling);
}

// The background as an image of its own.
label_request request_of(const std::vector<u8>& background, const label_request& block) {
  label_options options;
  options.connectivity = label_stages::dual_of(block.options.connectivity);
  return {image_view(background.data(), dtype::boolean, block.image.size), options, {}};
}

}  // namespace

piece label_background(engine& on, const label_request& block, const block_place& place) {
  static_cast<void>(check_place(block.image.size, place));
  check_filling(block, place);
  const std::vector<u8> background = background_of(block);
  piece made = label_block(on, request_of(background, block), place);
  question& asked = made.inside().asked;
  asked.flags |= question::background;
  asked.foreground = block.options.foreground.kind;
  asked.low = block.options.foreground.low;
  asked.high = block.options.foreground.high;
  return made;
}

std::vector<std::uint8_t> fill_block(engine& on, const label_request& block, const block_place& place,
                                     const block_labels& holes) {
  static_cast<void>(check_place(block.image.size, place));
  check_filling(block, place);
  std::vector<u8> pixels = background_of(block);
  const label_request background = request_of(pixels, block);
  std::vector<labelled_run> runs;
  label_runs(on, background.image, background.options, runs);
  const extent& size = block.image.size;
  check_labels_of("holes", runs, size, place, holes);
  for (const labelled_run& run : runs) {
    u8* const row = pixels.data() + run.row * size.width;
    if (holes.label[run.label - 1] != 0) std::fill(row + run.begin, row + run.end, u8{0});
  }
  for (u8& pixel : pixels) pixel ^= 1;
  return pixels;
}

}  // namespace skerry

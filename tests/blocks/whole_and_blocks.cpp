// SPDX-License-Identifier: Apache-2.0
#include "blocks/whole_and_blocks.hpp"

#include <utility>

namespace skerry::test {
namespace {

i64 any_below(i64 end, std::mt19937& random) { return static_cast<i64>(random() % static_cast<u64>(end)); }

i64 sides_of(const extent& size, int axis) { return axis == 0 ? size.depth : axis == 1 ? size.height : size.width; }

// Cuts a block in two along an axis at random.
std::pair<placed_block, placed_block> cut(const placed_block& block, std::mt19937& random) {
  int axis = 0;
  do axis = static_cast<int>(random() % 3);
  while (sides_of(block.size, axis) < 2);
  const i64 at = 1 + any_below(sides_of(block.size, axis) - 1, random);
  std::pair<placed_block, placed_block> parts{block, block};
  auto& [first, second] = parts;
  if (axis == 0) first.size.depth = at, second.size.depth -= at, second.place.z += at;
  if (axis == 1) first.size.height = at, second.size.height -= at, second.place.y += at;
  if (axis == 2) first.size.width = at, second.size.width -= at, second.place.x += at;
  return parts;
}

}  // namespace

label_request block_case::whole() const { return of({{size, 0, 0, 0}, size}); }

label_request block_case::of(const placed_block& block) const {
  const i64 offset = (block.place.z * size.height + block.place.y) * size.width + block.place.x;
  label_request asked{image_view(pixels.data() + offset, dtype::u8, block.size, dense_strides(dtype::u8, size)),
                      options, features};
  if (measures_reals)
    asked.features.intensity =
        image_view(reals.data() + offset, dtype::f32, block.size, dense_strides(dtype::f32, size));
  else asked.features.intensity = asked.image;
  return asked;
}

block_case random_case(std::mt19937& random) {
  block_case made;
  const bool flat = random() % 2 == 0;
  made.size = flat ? extent(1 + any_below(12, random), 1 + any_below(14, random))
                   : extent(1 + any_below(5, random), 1 + any_below(6, random), 1 + any_below(7, random));
  const int flat_connectivities[] = {4, 8}, deep_connectivities[] = {6, 18, 26};
  made.options.connectivity = flat ? flat_connectivities[random() % 2] : deep_connectivities[random() % 3];
  const u32 rule = random() % 6;
  const bool by_value = rule < 4;
  if (rule < 2) made.options.joining = joining::equal();
  else if (by_value) made.options.joining = joining::within(rule == 2 ? 1 : 2.5);
  else if (random() % 4 == 0) made.options.foreground = foreground::at_least(2);
  if (random() % 2 == 0) made.options.periodic = {!flat && random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
  made.features.moments = random() % 2 == 0;
  made.measures_reals = random() % 2 == 0;
  const u32 sparsity = 2 + random() % 4, values = rule < 2 ? 2 : by_value ? 9 : 3;
  for (i64 i = 0; i < made.size.pixels(); ++i) {
    made.pixels.push_back(static_cast<u8>(random() % sparsity == 0 ? 0 : 1 + random() % values));
    made.reals.push_back(static_cast<float>(random() % 1000) * (random() % 3 == 0 ? 1e20F : -1e-3F));
  }
  return made;
}

std::vector<placed_block> random_blocks(const extent& size, std::mt19937& random) {
  std::vector<placed_block> blocks = {{{size, 0, 0, 0}, size}}, done;
  const i64 enough = 1 + any_below(size.pixels() < 40 ? 4 : 30, random);
  while (!blocks.empty()) {
    const placed_block block = blocks.back();
    blocks.pop_back();
    if (block.size.pixels() <= enough) {
      done.push_back(block);
      continue;
    }
    auto [first, second] = cut(block, random);
    blocks.push_back(first);
    blocks.push_back(second);
  }
  return done;
}

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
#include "label/slabs/slab.hpp"

#include <algorithm>

namespace skerry::label_stages {
namespace {

i64 parts(i64 count, i64 each) { return (count + each - 1) / each; }

i64 layers_of_tile(const extent& size) { return size.rank == 3 ? 8 : 64; }

}  // namespace

i64 layers_of_slab(const extent& size, const slab_limits& limits) {
  if (limits.layers > 0) return limits.layers;
  const bool volume = size.rank == 3;
  const i64 step = layers_of_tile(size);
  const i64 tiles_of_step = parts(size.width, 128) * (volume ? parts(size.height, 8) : 1);
  i64 layers = parts(layers_of(size), limits.slabs);
  if (limits.pixels > 0)
    layers = std::min(layers, std::max<i64>(1, limits.pixels / (size.width * (volume ? size.height : 1))));
  if (layers > step) layers = parts(layers, step) * step;  // whole tiles
  return std::min(layers, std::max<i64>(1, limits.tiles / tiles_of_step) * step);
}

void cut(const slab_images& whole, const slab_limits& limits, std::vector<slab_images>& slabs) {
  const i64 all = layers_of(whole.image.size), each = layers_of_slab(whole.image.size, limits);
  const i64 short_each =
      std::max<i64>(1, each / 4 / layers_of_tile(whole.image.size)) * layers_of_tile(whole.image.size);
  for (i64 first = 0, count = 0; first < all; first += count) {
    const i64 left = all - first;
    count = std::min({left, each, left <= limits.quartered * each ? short_each : each});
    slabs.push_back({layers_of(whole.image, first, count), layers_of(whole.intensity, first, count),
                     layers_of(whole.labels, first, count), whole.first + first});
  }
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
// A volume, and a box inside it without a copy: strides say where the pixels are.
#include <skerry/skerry.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  constexpr int depth = 8, height = 16, width = 32;
  std::vector<std::uint16_t> pixels(depth * height * width);
  const auto at = [&](int z, int y, int x) -> std::uint16_t& { return pixels[(z * height + y) * width + x]; };
  // A diagonal: its voxels touch by corners, so they are one component for 26 neighbours and eight for 6 or 18.
  for (int i = 0; i < depth; ++i) at(i, i, i) = 1000;
  // A bar along z, outside the box below.
  for (int z = 0; z < depth; ++z) at(z, 12, 20) = 500;

  const skerry::extent whole{depth, height, width};
  skerry::engine engine = skerry::engine::automatic();
  const auto count = [&](const skerry::image_view& image, int connectivity) {
    return skerry::count_components(engine, image, {.connectivity = connectivity});
  };
  const skerry::image_view volume{pixels.data(), whole};
  const std::uint64_t by_corners = count(volume, 26), by_faces = count(volume, 6);

  // The same pixels, from slice 2, row 2, column 2 on: only the first pixel and the extent change.
  const skerry::image_view box{&at(2, 2, 2), skerry::dtype::u16, {depth - 2, 10, width - 2}, volume.strides};
  const std::uint64_t in_box = count(box, 26);

  std::printf("26 neighbours: %llu, 6 neighbours: %llu, in the box: %llu\n",
              static_cast<unsigned long long>(by_corners), static_cast<unsigned long long>(by_faces),
              static_cast<unsigned long long>(in_box));
  return by_corners == 2 && by_faces == depth + 1 && in_box == 1 ? 0 : 1;
}

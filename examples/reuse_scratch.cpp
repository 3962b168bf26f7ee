// SPDX-License-Identifier: Apache-2.0
// A stream of frames through one engine: after the first frame nothing is allocated, in the engine or in the table.
#include <skerry/skerry.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int height = 480, width = 640, frames = 20;

// Nine squares that wander to the right.
void draw(int frame, std::vector<std::uint8_t>& pixels) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int column = x - 4 * frame;
      pixels[y * width + x] = column >= 0 && column < 450 && y < 450 && column % 150 < 100 && y % 150 < 100 ? 255 : 0;
    }
}

}  // namespace

int main() {
  std::vector<std::uint8_t> pixels(height * width);
  std::vector<std::uint16_t> labels(pixels.size());
  const skerry::extent size{height, width};

  skerry::engine engine = skerry::engine::cpu(2);
  skerry::feature_table table;
  std::size_t scratch_of_first = 0, room_of_first = 0;
  bool right = true;
  for (int frame = 0; frame < frames; ++frame) {
    draw(frame, pixels);
    const std::uint64_t count = skerry::label(engine, {{pixels.data(), size}, {.connectivity = 4}},
                                              {.labels = {labels.data(), size}, .table = &table});
    if (frame == 0) {
      scratch_of_first = engine.scratch_bytes();
      room_of_first = table.components.capacity();
    }
    right = right && count == 9 && engine.scratch_bytes() == scratch_of_first &&
            table.components.capacity() == room_of_first && table.components[0].min[2] == 4 * frame &&
            table.components[0].area == 100 * 100;
  }
  std::printf("%d frames, %zu bytes of scratch after the first and after the last\n", frames, engine.scratch_bytes());
  engine.release_scratch();
  return right && engine.scratch_bytes() == 0 ? 0 : 1;
}

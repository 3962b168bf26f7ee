// SPDX-License-Identifier: Apache-2.0
// A film of three frames: two squares meet, and part again. Who is who, and what happened?
#include <skerry/skerry.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr int height = 8, width = 20;

// Two squares of 4 x 4 and 3 x 3 pixels, whose left sides are at these columns.
std::vector<std::uint8_t> frame_with(int large, int small) {
  std::vector<std::uint8_t> pixels(height * width);
  const auto draw = [&](int left, int side) {
    for (int y = 2; y < 2 + side; ++y)
      for (int x = left; x < left + side; ++x) pixels[y * width + x] = 200;
  };
  draw(large, 4);
  draw(small, 3);
  return pixels;
}

void print(std::uint64_t frame, std::uint32_t id, const skerry::geometry& object) {
  const auto area = static_cast<double>(object.area);  // sum[] is of slices, rows and columns
  const double row = static_cast<double>(object.sum[1]) / area, column = static_cast<double>(object.sum[2]) / area;
  std::printf("frame %d: object %d has %g pixels around row %g, column %g\n", static_cast<int>(frame),
              static_cast<int>(id), area, row, column);
}

}  // namespace

int main() {
  skerry::engine engine = skerry::engine::automatic();
  skerry::track_options options;
  options.size = skerry::extent(height, width);
  options.connectivity = 8;
  options.threshold = skerry::frame_threshold::fixed(skerry::foreground::above(100));
  options.inherit.memory = 2;  // what has merged gets its id back if it parts soon

  std::string story;
  skerry::tracker stream(engine, options, [&](const skerry::frame_result& seen) {
    for (std::size_t i = 0; i < seen.objects.size(); ++i)
      print(seen.frame, seen.objects[i].id, seen.table.components[i]);
    for (const skerry::track_event& event : seen.events)
      story += std::string(skerry::name_of(event.kind)) + " " + std::to_string(event.id) + ", ";
  });
  for (const auto& [large, small] : {std::pair(3, 10), std::pair(4, 8), std::pair(3, 10)})
    stream.push({frame_with(large, small).data(), options.size});
  stream.stop();

  std::printf("%s\n", story.c_str());
  return story == "birth 1, birth 2, merge 2, reappearance 2, " ? 0 : 1;
}

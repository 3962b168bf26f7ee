// SPDX-License-Identifier: Apache-2.0
// Measures the bright blobs of a picture, without a label image: small ones and those at the border do not count.
#include <skerry/skerry.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int height = 64, width = 96;

// Two ellipses inside, one at the border, and one bright pixel.
std::vector<float> picture() {
  std::vector<float> pixels(height * width, 0.1F);
  const auto ellipse = [&](double row, double column, double half_height, double half_width, float brightness) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (std::hypot((y - row) / half_height, (x - column) / half_width) <= 1) pixels[y * width + x] = brightness;
  };
  ellipse(20, 30, 6, 18, 0.5F);
  ellipse(44, 70, 12, 12, 0.8F);
  ellipse(60, 5, 9, 9, 0.9F);
  pixels[3 * width + 90] = 1;
  return pixels;
}

}  // namespace

int main() {
  const std::vector<float> pixels = picture();
  const skerry::image_view image{pixels.data(), {height, width}};

  skerry::label_options options{.connectivity = 8, .foreground = skerry::foreground::at_least(0.3)};
  options.selection.min_area = 10;
  options.selection.clear_border = true;

  skerry::engine engine = skerry::engine::automatic();
  skerry::feature_table table;
  skerry::measure(engine, image, options, {.moments = true, .intensity = image}, table);

  const std::vector<std::string> shown = {
      "label", "area", "centroid-0", "centroid-1", "axis_major_length", "orientation", "intensity_mean"};
  for (const std::string& name : shown) std::printf("%18s", name.c_str());
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::printf("\n");
    for (const std::string& name : shown) std::printf("%18.6g", table.column(name)[i]);
  }
  std::printf("\n");

  const bool right = table.size() == 2 && table.column("centroid-0") == std::vector<double>{20, 44} &&
                     std::abs(table.column("axis_major_length")[0] - 36) < 1 &&
                     std::abs(table.column("intensity_mean")[1] - 0.8) < 1e-6;
  return right ? 0 : 1;
}

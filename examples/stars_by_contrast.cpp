// SPDX-License-Identifier: Apache-2.0
// Finds stars on a sky that is brighter on one side, where no threshold finds them: by area and contrast in the max-tree.
// The tree is built once and filtered three times.
#include <skerry/skerry.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int height = 64, width = 96;

// A sky from 20 to 115, a cloud, and four stars that are 30, 50, 75 and 100 brighter than what is around them.
std::vector<std::uint8_t> picture() {
  std::vector<std::uint8_t> pixels(height * width);
  const auto at = [&](int y, int x) -> std::uint8_t& { return pixels[y * width + x]; };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool cloud = std::hypot(y - 40, x - 60) < 14;
      at(y, x) = static_cast<std::uint8_t>(20 + x + (cloud ? 70 : 0));
    }
  const auto star = [&](int row, int column, int brightness) {
    const int ground = at(row, column);
    for (int y = row - 2; y <= row + 2; ++y)
      for (int x = column - 2; x <= column + 2; ++x)
        if (std::hypot(y - row, x - column) < 2.5) at(y, x) = static_cast<std::uint8_t>(ground + brightness);
  };
  star(10, 10, 30);
  star(20, 80, 50);
  star(40, 60, 75);  // before the cloud
  star(55, 15, 100);
  return pixels;
}

// The stars of that contrast on dark ground, counted.
std::uint64_t count_stars(skerry::engine& engine, const skerry::max_tree& tree, const skerry::attribute_table& nodes,
                          const std::vector<double>& contrast, double least) {
  std::vector<std::uint8_t> keep(tree.nodes()), stars(height * width);
  for (std::size_t i = 0; i < keep.size(); ++i) keep[i] = nodes.area[i] <= 100 && contrast[i] >= least ? 1 : 0;
  skerry::filter(engine, tree, keep, {.rule = skerry::filter_rule::subtractive}, {stars.data(), tree.size()});
  const double ground = tree.level()[0];
  return skerry::count_components(engine, skerry::image_view{stars.data(), tree.size()},
                                  {.connectivity = 8, .foreground = skerry::foreground::above(ground)});
}

}  // namespace

int main() {
  const std::vector<std::uint8_t> pixels = picture();
  const skerry::image_view image{pixels.data(), {height, width}};

  skerry::engine engine = skerry::engine::automatic();
  skerry::max_tree tree;
  skerry::build(engine, image, {.connectivity = 8}, tree);
  skerry::attribute_table nodes;
  skerry::measure(engine, tree, {}, nodes);
  const std::vector<double> contrast = nodes.column(tree, "dynamics");

  bool right = true;
  std::uint64_t expected = 4;
  for (const double least : {25.0, 40.0, 70.0}) {
    const std::uint64_t stars = count_stars(engine, tree, nodes, contrast, least);
    std::printf("%llu stars of contrast %g and more\n", static_cast<unsigned long long>(stars), least);
    right &= stars == expected--;
  }
  return right ? 0 : 1;
}

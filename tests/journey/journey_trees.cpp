// SPDX-License-Identifier: Apache-2.0
// Prints the max-tree of an image of 7 x 9, attributes of its nodes, and two filterings of it, one "name: numbers" a line, for
// script/journey-pictures.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "print.hpp"
#include "skerry/max_tree.hpp"

namespace {

using namespace skerry;

const extent size(7, 9);
constexpr std::size_t pixel_count = 63;
constexpr std::array<std::uint8_t, pixel_count> pixels = {
    1, 1, 1, 1, 1, 1, 1, 1, 1,  //
    1, 4, 4, 4, 2, 2, 3, 2, 1,  //
    1, 4, 6, 4, 2, 3, 5, 3, 1,  //
    1, 4, 4, 4, 2, 2, 3, 2, 1,  //
    1, 1, 1, 1, 1, 1, 1, 1, 1,  //
    1, 1, 7, 1, 1, 1, 2, 2, 1,  //
    1, 1, 1, 1, 1, 1, 1, 1, 1,
};

}  // namespace

int main() {
  engine on = engine::cpu(1);
  max_tree tree;
  build(on, {pixels.data(), size}, {.connectivity = 4}, tree);
  attribute_table table;
  measure(on, tree, {}, table);
  const std::vector<double> dynamics = table.column(tree, "dynamics");
  print("size", std::array{size.height, size.width});
  print("pixels", pixels);
  print("level", tree.level());
  print("parent", tree.parent());
  print("area", table.area);
  print("dynamics", dynamics);

  std::array<std::uint8_t, pixel_count> filtered{};
  const mutable_image output(filtered.data(), size);
  constexpr std::uint64_t least_area = 5, most_area = 9;
  constexpr double least_dynamics = 3;
  area_filter(on, tree, table, least_area, output);
  print("opened", filtered);
  std::vector<std::uint8_t> keep;
  for (std::size_t node = 0; node < tree.nodes(); ++node)
    keep.push_back(table.area[node] <= most_area && dynamics[node] >= least_dynamics ? 1 : 0);
  filter(on, tree, keep, {.rule = filter_rule::subtractive}, output);
  print("kept", filtered);
  print("bounds", std::array{least_area, most_area, static_cast<std::uint64_t>(least_dynamics)});
}

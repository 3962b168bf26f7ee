// SPDX-License-Identifier: Apache-2.0
// A label image of any program: measures its regions, keeps those that are compact, and outlines them.
#include <skerry/skerry.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const skerry::extent size{5, 8};
  std::vector<std::uint16_t> pixels = {40, 40, 40, 0, 0, 0, 7, 0,  //
                                       40, 40, 40, 0, 0, 0, 7, 0,  //
                                       40, 40, 40, 0, 0, 7, 7, 0,  //
                                       0,  0,  0,  0, 7, 7, 0, 0,  //
                                       0,  0,  7,  7, 7, 0, 0, 0};
  const skerry::image_view labels{pixels.data(), size};

  skerry::engine engine = skerry::engine::automatic();
  skerry::column_table table;
  skerry::measure_columns(engine, labels, {.columns = {"area", "perimeter", "solidity"}}, table);
  for (std::size_t row = 0; row < table.size(); ++row)
    std::printf("region %lld: area %g, perimeter %.2f, solidity %.2f\n",
                static_cast<long long>(table.column("label").integers[row]), table.column("area").numbers[row],
                table.column("perimeter").numbers[row], table.column("solidity").numbers[row]);

  const std::vector<skerry::label_bits> kept =
      skerry::keep_regions(engine, labels, {{.column = "solidity", .least = 0.9}}, {}, {pixels.data(), size});

  skerry::outline_table outlines;
  skerry::outline(engine, {.labels = labels, .connectivity = 4}, outlines);
  for (std::size_t ring = 0; ring < outlines.rings(); ++ring)
    for (const skerry::corner& at : outlines.ring(ring)) std::printf("(%d, %d) ", at.x, at.y);
  std::printf("\n");

  const std::vector<skerry::corner> square = {{0, 0}, {3, 0}, {3, 3}, {0, 3}};
  const bool right = table.size() == 2 && kept == std::vector<skerry::label_bits>{40} && outlines.regions() == 1 &&
                     std::vector<skerry::corner>(outlines.ring(0).begin(), outlines.ring(0).end()) == square;
  return right ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// Prints the contacts, columns and outlines of a label image of 7 x 10, one "name: numbers" a line, for script/journey-pictures.
// Columns that are no integers are printed in millionths.
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>

#include "skerry/columns.hpp"
#include "skerry/contacts.hpp"
#include "skerry/outline.hpp"

namespace {

using namespace skerry;

const extent size(7, 10);
constexpr std::array<std::uint8_t, 70> labels = {
    1, 1, 1, 1, 2, 2, 2, 2, 2, 0,  //
    1, 1, 1, 1, 2, 2, 2, 2, 2, 0,  //
    1, 1, 1, 1, 2, 0, 0, 0, 2, 0,  //
    1, 1, 0, 0, 2, 0, 3, 0, 2, 0,  //
    1, 1, 0, 0, 2, 0, 0, 0, 2, 0,  //
    0, 0, 4, 4, 2, 2, 2, 2, 2, 0,  //
    0, 0, 4, 4, 4, 4, 0, 0, 0, 0,
};

void print_contacts(engine& on, const image_view& image) {
  contact_table table;
  contacts(on, {.labels = image, .connectivity = 8}, table);
  for (const contact& each : table.contacts)
    std::cout << "contact: " << each.first << ' ' << each.second << ' ' << each.faces.y << ' ' << each.faces.x << ' '
              << each.edges << '\n';
}

void print_columns(engine& on, const image_view& image) {
  column_table table;
  measure_columns(on, image, {.columns = {"area", "euler_number", "perimeter"}}, table);
  for (const table_column& column : table.columns) {
    std::cout << column.name << ":";
    for (const std::int64_t value : column.integers) std::cout << ' ' << value;
    for (const double value : column.numbers) std::cout << ' ' << std::llround(1e6 * value);
    std::cout << '\n';
  }
}

// Of each ring: its label, twice its area, and x and y of its vertices.
void print_outlines(engine& on, const image_view& image) {
  outline_table table;
  outline(on, {.labels = image, .connectivity = 4}, table);
  for (std::size_t region = 0; region < table.regions(); ++region)
    for (auto polygon = table.region_offsets[region]; polygon < table.region_offsets[region + 1]; ++polygon)
      for (auto ring = static_cast<std::size_t>(table.polygon_offsets[static_cast<std::size_t>(polygon)]);
           ring < static_cast<std::size_t>(table.polygon_offsets[static_cast<std::size_t>(polygon) + 1]); ++ring) {
        std::cout << "ring: " << table.labels[region] << ' ' << table.twice_area(ring);
        for (const corner& vertex : table.ring(ring)) std::cout << ' ' << vertex.x << ' ' << vertex.y;
        std::cout << '\n';
      }
}

}  // namespace

int main() {
  engine on = engine::cpu(1);
  const image_view image(labels.data(), size);
  std::cout << "size: " << size.height << ' ' << size.width << "\nlabels:";
  for (const std::uint8_t label : labels) std::cout << ' ' << +label;
  std::cout << '\n';
  print_contacts(on, image);
  print_columns(on, image);
  print_outlines(on, image);
}

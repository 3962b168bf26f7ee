// SPDX-License-Identifier: Apache-2.0
// Prints label images of two images, one for each rule of selection and of joining, one "name: numbers" a line, for
// script/journey-pictures.
#include <array>
#include <cstdint>
#include <iostream>
#include <string>

#include "print.hpp"
#include "skerry/label.hpp"

namespace {

using namespace skerry;

template <std::size_t Pixels>
void print_labels(engine& on, const std::string& name, const std::array<std::uint8_t, Pixels>& pixels, extent size,
                  const label_options& options) {
  std::array<std::uint8_t, Pixels> labels{};
  label(on, {pixels.data(), size}, options, {labels.data(), size});
  print(name, labels);
}

void print_selections(engine& on) {
  const extent size(7, 9);
  constexpr std::array<std::uint8_t, 63> pixels = {
      1, 1, 0, 0, 0, 0, 0, 1, 0,  //
      1, 0, 0, 1, 1, 1, 0, 0, 0,  //
      0, 0, 1, 0, 0, 1, 0, 1, 1,  //
      0, 0, 1, 0, 0, 1, 0, 1, 1,  //
      1, 0, 1, 1, 1, 1, 0, 0, 0,  //
      0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      0, 0, 1, 1, 1, 1, 0, 1, 0,
  };
  std::cout << "selections size: " << size.height << ' ' << size.width << '\n';
  print_labels(on, "selections none", pixels, size, {.connectivity = 8});
  print_labels(on, "selections holes", pixels, size, {.connectivity = 8, .selection = {.fill_holes = true}});
  print_labels(on, "selections area", pixels, size,
               {.connectivity = 8, .selection = {.fill_holes = true, .min_area = 3}});
}

void print_joins(engine& on) {
  const extent size(5, 7);
  constexpr std::array<std::uint8_t, 35> pixels = {
      3, 3, 0, 7, 7, 0, 3,  //
      3, 4, 0, 7, 8, 0, 3,  //
      0, 4, 4, 0, 8, 0, 0,  //
      0, 0, 4, 0, 0, 2, 2,  //
      5, 5, 0, 1, 1, 2, 0,
  };
  std::cout << "joins size: " << size.height << ' ' << size.width << '\n';
  print("joins values", pixels);
  print_labels(on, "joins equal", pixels, size, {.connectivity = 8, .joining = joining::equal()});
  print_labels(on, "joins within", pixels, size, {.connectivity = 8, .joining = joining::within(1)});
  print_labels(on, "joins periodic", pixels, size,
               {.connectivity = 8, .joining = joining::equal(), .periodic = {.x = true}});
}

}  // namespace

int main() {
  engine on = engine::cpu(1);
  print_selections(on);
  print_joins(on);
}

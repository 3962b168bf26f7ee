// SPDX-License-Identifier: Apache-2.0
#include "bind/block_places.hpp"

#include <array>

#include "bind/arguments.hpp"

namespace skerry::python {
namespace {

constexpr std::uint64_t longest_side = 0x7fffffff;

// Two or three integers, from the slowest axis to the fastest; the first is 0 for an image of rank 2.
struct triple {
  std::array<std::int64_t, 3> of{0, 0, 0};
  int rank = 0;
};

triple triple_from(nb::handle given, const char* name) {
  const std::size_t count = PySequence_Check(given.ptr()) != 0 ? nb::len(given) : 0;
  if (count != 2 && count != 3) bad_value(name, text_of(given) + " is not one integer for each of 2 or 3 axes");
  triple made;
  made.rank = static_cast<int>(count);
  for (std::size_t axis = 0; axis < count; ++axis)
    made.of[3 - count + axis] = static_cast<std::int64_t>(whole_number(given[axis], name, 0, longest_side));
  return made;
}

}  // namespace

extent extent_from(nb::handle shape, const char* name) {
  const triple sides = triple_from(shape, name);
  return sides.rank == 2 ? extent{sides.of[1], sides.of[2]} : extent{sides.of[0], sides.of[1], sides.of[2]};
}

block_place place_from(nb::handle origin, const extent& whole) {
  const triple first = triple_from(origin, "origin");
  if (first.rank != whole.rank)
    bad_value("origin", text_of(origin) + " has not one integer for each of the " + std::to_string(whole.rank) +
                            " axes of the whole image");
  return {whole, first.of[0], first.of[1], first.of[2]};
}

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
// Outlines on their way to Python.
#pragma once
#include "skerry/outline.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace skerry::python {

namespace nb = nanobind;

/// The arrays of skerry.Outlines. They are made without the interpreter's lock, and given with it.
class outline_arrays {
 public:
  outline_arrays() = default;
  explicit outline_arrays(outline_table table);
  /// Labels; offsets of regions, polygons and rings; vertices, each x and y; of each ring, if asked, its parent and first corner.
  [[nodiscard]] nb::tuple give();

 private:
  outline_table table_;
  std::vector<corner> firsts_;
  std::vector<std::int64_t> parents_;
};

}  // namespace skerry::python

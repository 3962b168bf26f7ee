// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "skerry/cuda.hpp"

namespace skerry::bench {

/// What a job is asked for. Something new to be timed is a line in `cuda_outputs`; a new kind of result is also a table
/// in cuda_results.
struct cuda_output {
  std::string name;
  bool labels = false, rows = false, moments = false, intensities = false, runs = false;
  bool real = false;  // intensities are floats
  cuda::numbering numbering = cuda::numbering::consecutive;
  selection keep = {};
  skerry::joining joining = {};
  bool one_kernel = true, early_launch = false;  // for small frames
  bool few_rows = false;                         // room for a row for each 64 pixels, which objects do not need
};

inline const std::vector<cuda_output> cuda_outputs = {
    {.name = "labels", .labels = true},
    {.name = "features", .rows = true},
    {.name = "first-pixel", .labels = true, .numbering = cuda::numbering::first_pixel},
    {.name = "moments", .rows = true, .moments = true},
    {.name = "intensity", .rows = true, .intensities = true},
    {.name = "real-intensity", .rows = true, .intensities = true, .real = true},
    {.name = "runs", .runs = true},
    {.name = "selected", .labels = true, .keep = {.min_area = 16, .clear_border = true}},
    {.name = "filled", .labels = true, .keep = {.fill_holes = true}},
    {.name = "values", .labels = true, .joining = joining::equal()},
    {.name = "labels-features", .labels = true, .rows = true},
};

/// Throws std::invalid_argument.
inline const cuda_output& output_named(const std::string& name) {
  const auto found = std::ranges::find(cuda_outputs, name, &cuda_output::name);
  if (found == cuda_outputs.end()) throw std::invalid_argument("--outputs: there is no \"" + name + '"');
  return *found;
}

}  // namespace skerry::bench

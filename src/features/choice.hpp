// SPDX-License-Identifier: Apache-2.0
// Which columns a request asks for.
#pragma once
#include <string>
#include <vector>

#include "features/group.hpp"

namespace skerry::features {

struct chosen_column {
  const feature_group* group;
  const feature_column* column;
  int place;
  std::size_t channel;  // of the intensities; 0 for what reads none
  std::string name;
  std::string unnumbered;  // without the channel
};

// What decides which columns are available.
struct column_conditions {
  int rank;
  pixel_spacing spacing;
  bool has_intensities;
  std::size_t channels = 0;      // numbered in names; 0: one without a number
  std::string image = "labels";  // its name in messages
};

// The group of columns that has those of several others: patterns, hull and filled.
inline constexpr const char* shape_group = "shape";

// In the order of the request, each once, "label" first. Throws invalid_argument for an unknown name, or for a quantity
// unavailable under these conditions.
[[nodiscard]] std::vector<chosen_column> chosen_columns(const std::vector<std::string>& names,
                                                        const column_conditions& conditions);

}  // namespace skerry::features

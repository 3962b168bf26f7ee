// SPDX-License-Identifier: Apache-2.0
// Label images too large to be brought to the host, compared where they are.
#pragma once
#include <cstdint>
#include <vector>

namespace skerry::test {

/// Labels that repeat every few rows; those of row r that are not 0 are larger by r * `per_row`.
struct label_pattern {
  std::int64_t width;
  std::vector<std::uint32_t> labels;  // whole rows
  std::uint32_t per_row = 0;
};

/// How many of the labels in device memory are not those of the pattern.
std::uint64_t labels_that_differ(const std::uint32_t* labels, std::int64_t rows, const label_pattern& want);

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// No output is timed before it was compared with that of an independent program. Each function throws
// std::runtime_error that says what differs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "skerry/measure.hpp"
#include "versus/opencv_peer.hpp"

namespace skerry::bench {

/// Peer labels in any order, brought to raster order of first pixels, must be `expected` with `components` labels.
/// Returns the expected label of each peer label (0 of 0).
std::vector<std::uint32_t> require_same_partition(const std::string& who, const std::int32_t* peer,
                                                  const std::uint32_t* expected, std::size_t pixels,
                                                  std::uint64_t components);

/// Every label must be the same.
void require_same_labels(const std::string& who, const std::uint32_t* labels, const std::uint32_t* expected,
                         std::size_t pixels);

void require_same_count(const std::string& who, std::uint64_t count, std::uint64_t expected);

/// Areas, boxes and coordinate sums must be those of the peer, whose row i is component `label_of[i]`.
void require_same_geometry(const std::string& who, const opencv::statistics& peer,
                           const std::vector<std::uint32_t>& label_of, const feature_table& table);

}  // namespace skerry::bench

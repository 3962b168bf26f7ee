// SPDX-License-Identifier: Apache-2.0
// Results compared on the device, where they are. Each function waits for the device and throws std::runtime_error with
// `who` and how much differs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "skerry/feature.hpp"

namespace skerry::bench {

/// Every item must be the same; all arrays are device memory, sizes are multiples of 4.
void require_same_device_items(const std::string& who, const char* items, const void* given, const void* right,
                               std::size_t count, std::size_t item_bytes);

/// Every row must be the same. Rows of a batch may or may not know the number of their frame: z is not compared.
void require_same_device_rows(const std::string& who, const geometry* rows, const geometry* expected, std::size_t count,
                              bool batch);

/// Labels of a peer that come in any order, where `expected` is not 0.
struct peer_errors {
  std::uint64_t out_of_range = 0;  // pixels with a label that is not below `peer_labels`
  std::uint64_t joined = 0;        // pixels whose label is also that of another component
  std::uint64_t split = 0;         // pixels whose component has another label, too

  [[nodiscard]] bool any() const { return out_of_range + joined + split != 0; }
};

/// What the peer writes where `expected` is 0 is not looked at. Waits for the device.
[[nodiscard]] peer_errors errors_of_partition(const std::uint32_t* peer, std::size_t peer_labels,
                                              const std::uint32_t* expected, std::size_t components,
                                              std::size_t pixels);

}  // namespace skerry::bench

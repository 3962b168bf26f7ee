// SPDX-License-Identifier: Apache-2.0
// The sort of the CUDA engine, of pairs from and to memory of the host.
#pragma once
#include <cstdint>
#include <vector>

namespace skerry::test {

struct key_and_value {
  std::uint32_t key, value;
  bool operator==(const key_and_value&) const = default;
};

/// Sorts by the lowest `digits` digits of 8 bits, of 1 to 4. Keys stay whole.
std::vector<key_and_value> sorted_on_device(const std::vector<key_and_value>& pairs, std::uint32_t digits);

/// Sorts by the lowest 32 or 16 bits of keys, which lose a digit in each pass, so that values are all that is left.
std::vector<std::uint32_t> values_sorted_on_device(const std::vector<key_and_value>& pairs, int bits);

/// Items that a block takes at a time.
std::uint32_t items_of_sort_tile();

}  // namespace skerry::test

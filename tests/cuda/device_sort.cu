// SPDX-License-Identifier: Apache-2.0
#include "cuda/device_sort.hpp"

#include "cuda/device_image.hpp"
#include "engine/cuda/radix_sort.cuh"

namespace skerry::test {
namespace {

// Two of everything; pairs go from one to the other.
struct sort_on_device {
  u32 items;
  device_bytes keys[2], values[2], tables;

  explicit sort_on_device(const std::vector<key_and_value>& pairs)
      : items(static_cast<u32>(pairs.size())), keys{device_bytes(4 * pairs.size()), device_bytes(4 * pairs.size())},
        values{device_bytes(4 * pairs.size()), device_bytes(4 * pairs.size())}, tables(bytes_of_tables(items)) {
    std::vector<u32> key, value;
    for (const key_and_value& pair : pairs) {
      key.push_back(pair.key);
      value.push_back(pair.value);
    }
    keys[0].upload(key.data(), 4 * pairs.size());
    values[0].upload(value.data(), 4 * pairs.size());
  }
  [[nodiscard]] digit_sort begin(u32 digits) const {
    pieces memory(tables.data());
    const digit_sort sort(sort_tables(memory, items), items, digits, nullptr);
    EXPECT_EQ(sort.count(from<u32>(0)), cudaSuccess);
    return sort;
  }
  template <class Key>
  [[nodiscard]] pairs_in_memory<Key> from(int side) const {
    return {keys[side].data<Key>(), values[side].data<u32>()};
  }
  template <class Key>
  [[nodiscard]] pairs_to_memory<Key> to(int side, u32 drop) const {
    return {keys[side].data<Key>(), values[side].data<u32>(), drop};
  }

 private:
  static std::size_t bytes_of_tables(u32 items) {
    pieces counted(nullptr);
    const sort_tables tables(counted, items);
    return counted.used();
  }
};

}  // namespace

std::vector<key_and_value> sorted_on_device(const std::vector<key_and_value>& pairs, std::uint32_t digits) {
  const sort_on_device on(pairs);
  digit_sort sort = on.begin(digits);
  for (u32 digit = 0; digit < digits; ++digit) {
    const int side = static_cast<int>(digit % 2);
    EXPECT_EQ(sort.pass(on.from<u32>(side), on.to<u32>(1 - side, 0), digit * digit_bits), cudaSuccess);
  }
  const std::vector<u32> keys = on.keys[digits % 2].copied<u32>(pairs.size());
  const std::vector<u32> values = on.values[digits % 2].copied<u32>(pairs.size());
  std::vector<key_and_value> sorted;
  for (std::size_t i = 0; i < pairs.size(); ++i) sorted.push_back({keys[i], values[i]});
  return sorted;
}

std::vector<std::uint32_t> values_sorted_on_device(const std::vector<key_and_value>& pairs, int bits) {
  const sort_on_device on(pairs);
  digit_sort sort = on.begin(static_cast<u32>(bits) / digit_bits);
  const values_to_memory end{on.values[0].data<u32>()};
  if (bits == 32) {
    EXPECT_EQ(sort.pass(on.from<u32>(0), on.to<u32>(1, digit_bits), 0), cudaSuccess);
    EXPECT_EQ(sort.pass(on.from<u32>(1), on.to<u16>(0, digit_bits), 0), cudaSuccess);
    EXPECT_EQ(sort.pass(on.from<u16>(0), on.to<u8>(1, digit_bits), 0), cudaSuccess);
  } else {
    EXPECT_EQ(sort.pass(on.from<u32>(0), on.to<u8>(1, digit_bits), 0), cudaSuccess);
  }
  EXPECT_EQ(sort.pass(on.from<u8>(1), end, 0), cudaSuccess);
  return on.values[0].copied<u32>(pairs.size());
}

std::uint32_t items_of_sort_tile() { return sort_tile; }

}  // namespace skerry::test

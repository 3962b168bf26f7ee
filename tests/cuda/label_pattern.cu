// SPDX-License-Identifier: Apache-2.0
#include "cuda/label_pattern.hpp"

#include "cuda/device_image.hpp"

namespace skerry::test {
namespace {

using count = unsigned long long;

// One block per row, in turn.
__global__ void compare(const std::uint32_t* labels, std::int64_t rows, std::int64_t width,
                        const std::uint32_t* pattern, std::int64_t pattern_rows, std::uint32_t per_row,
                        count* different) {
  count found = 0;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x)
    for (std::int64_t x = threadIdx.x; x < width; x += blockDim.x) {
      const std::uint32_t at_start = pattern[row % pattern_rows * width + x];
      const std::uint32_t want = at_start == 0 ? 0 : at_start + static_cast<std::uint32_t>(row) * per_row;
      found += labels[row * width + x] != want;
    }
  if (found != 0) atomicAdd(different, found);
}

}  // namespace

std::uint64_t labels_that_differ(const std::uint32_t* labels, std::int64_t rows, const label_pattern& want) {
  const device_bytes pattern(want.labels), different(std::vector<std::uint8_t>(sizeof(count), 0));
  const auto pattern_rows = static_cast<std::int64_t>(want.labels.size()) / want.width;
  compare<<<2048, 256>>>(labels, rows, want.width, pattern.data<std::uint32_t>(), pattern_rows, want.per_row,
                         different.data<count>());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  return different.copied<count>(1)[0];
}

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Items to the host when only the device knows how many there are: as many as the frame before had, and a margin; what is
// missing in a second copy.
//
// Method  [Windisch2023], 3.2.4; the margin is an eighth and 16, which the text does not say
#pragma once
#include <algorithm>
#include <cstddef>

#include "published/cuda/device_task.hpp"

namespace skerry::published {

// The first `most` items at most, of which the host needs at least one to know the number.
template <class Item>
struct predicted_copy {
  const Item* device;
  Item* host;
  u64 most;
};

/// Waits for the items, and returns how many there are: count_of(first item), at least 1.
template <class Item, class CountOf>
u64 fetch_predicted(const device_task& work, const predicted_copy<Item>& what, CountOf count_of) {
  constexpr u64 least_margin = 16;
  const auto copy = [&](u64 begin, u64 end) {
    check_cuda(cudaMemcpyAsync(what.host + begin, what.device + begin, (end - begin) * sizeof(Item),
                               cudaMemcpyDeviceToHost, work.stream),
               "copy");
  };
  u64& remembered = work.memory.remembered;
  const u64 wanted = remembered == 0 ? std::max<u64>(work.first_copy, 1) : remembered + remembered / 8 + least_margin;
  const u64 predicted = std::min(what.most, wanted);
  work.phase("copy", [&] { copy(0, predicted); });
  check_cuda(cudaStreamSynchronize(work.stream), "copy");
  const u64 count = count_of(what.host[0]);
  if (count > predicted) {
    work.phase("second copy", [&] { copy(predicted, count); });
    check_cuda(cudaStreamSynchronize(work.stream), "second copy");
    ++work.memory.second_copies;
  }
  remembered = std::max<u64>(count, 1);
  return count;
}

}  // namespace skerry::published

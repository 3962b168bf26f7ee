// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "support/cuda_compare.hpp"
#include "support/cuda_memory.hpp"

namespace skerry::bench {
namespace {

using count = unsigned long long;
constexpr int blocks = 1056, threads = 256;

// Calls differs(i) for each i and counts.
template <class Differs>
__global__ void count_kernel(std::size_t items, Differs differs, count* different) {
  count found = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < items;
       i += std::size_t{gridDim.x} * threads)
    found += differs(i);
  if (found != 0) atomicAdd(different, found);
}

template <class Differs>
void require_none(const std::string& who, const char* what, std::size_t items, Differs differs) {
  const device_buffer different(sizeof(count));
  require(cudaMemset(different.data(), 0, sizeof(count)), "compare");
  count_kernel<<<blocks, threads>>>(items, differs, different.data<count>());
  require(cudaGetLastError(), "compare");
  count found = 0;
  require(cudaMemcpy(&found, different.data(), sizeof found, cudaMemcpyDeviceToHost), who.c_str());
  if (found != 0) throw std::runtime_error(who + ": " + std::to_string(found) + ' ' + what);
}

struct other_label {
  const std::uint32_t *labels, *expected;
  __device__ bool operator()(std::size_t i) const { return labels[i] != expected[i]; }
};

struct other_row {
  const geometry *rows, *expected;
  bool batch;
  __device__ bool operator()(std::size_t i) const {
    const geometry &a = rows[i], &b = expected[i];
    bool same = a.area == b.area;
    for (int axis = batch ? 1 : 0; axis < 3; ++axis)
      same = same && a.sum[axis] == b.sum[axis] && a.min[axis] == b.min[axis] && a.max[axis] == b.max[axis];
    return !same;
  }
};

// Each label takes the first partner that it meets; every other partner is a difference.
struct other_partner {
  const std::uint32_t *peer, *expected;
  std::uint32_t *of_peer, *of_expected;  // 0xffffffff while there is none
  std::size_t peer_labels, components;
  bool background_too;

  __device__ static bool differs(std::uint32_t* partner, std::uint32_t now) {
    const std::uint32_t before = *partner == 0xffffffffu ? atomicCAS(partner, 0xffffffffu, now) : *partner;
    return before != 0xffffffffu && before != now;
  }
  __device__ bool operator()(std::size_t i) const {
    const std::uint32_t theirs = peer[i], ours = expected[i];
    if (ours == 0) return !background_too && theirs != 0;
    if (theirs >= peer_labels || ours > components) return true;
    return differs(of_peer + theirs, ours) || differs(of_expected + ours, theirs);
  }
};

}  // namespace

void require_same_device_labels(const std::string& who, const std::uint32_t* labels, const std::uint32_t* expected,
                                std::size_t pixels) {
  require_none(who, "labels differ", pixels, other_label{labels, expected});
}

void require_same_device_rows(const std::string& who, const geometry* rows, const geometry* expected, std::size_t count,
                              bool batch) {
  require_none(who, "rows differ", count, other_row{rows, expected, batch});
}

void require_same_device_partition(const std::string& who, const std::uint32_t* peer, std::size_t peer_labels,
                                   const std::uint32_t* expected, std::size_t components, std::size_t pixels,
                                   bool background_too) {
  const device_buffer of_peer(peer_labels * 4), of_expected((components + 1) * 4);
  for (const device_buffer* partners : {&of_peer, &of_expected})
    require(cudaMemset(partners->data(), 0xff, partners->bytes()), "compare");
  require_none(who, "pixels belong to other components", pixels,
               other_partner{peer, expected, of_peer.data<std::uint32_t>(), of_expected.data<std::uint32_t>(),
                             peer_labels, components, background_too});
}

}  // namespace skerry::bench

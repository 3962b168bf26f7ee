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
count count_all(std::size_t items, Differs differs) {
  const device_buffer different(sizeof(count));
  require(cudaMemset(different.data(), 0, sizeof(count)), "compare");
  count_kernel<<<blocks, threads>>>(items, differs, different.data<count>());
  require(cudaGetLastError(), "compare");
  count found = 0;
  require(cudaMemcpy(&found, different.data(), sizeof found, cudaMemcpyDeviceToHost), "compare");
  return found;
}

template <class Differs>
void require_none(const std::string& who, const char* what, std::size_t items, Differs differs) {
  const count found = count_all(items, differs);
  if (found != 0) throw std::runtime_error(who + ": " + std::to_string(found) + " other " + what);
}

struct other_item {
  const std::uint32_t *given, *right;
  std::size_t item_words;
  __device__ bool operator()(std::size_t i) const {
    bool same = true;
    for (std::size_t k = 0; k < item_words; ++k) same = same && given[i * item_words + k] == right[i * item_words + k];
    return !same;
  }
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

// Each label of one side takes the first partner that it meets; every other partner is a difference.
struct other_partner {
  const std::uint32_t *labels, *partners;
  const std::uint32_t* expected;  // says where to look
  std::uint32_t* partner_of;      // no_partner while there is none
  std::size_t labels_end;
  static constexpr std::uint32_t no_partner = 0xffffffffu;

  __device__ bool operator()(std::size_t i) const {
    if (expected[i] == 0 || labels[i] >= labels_end) return false;
    // A word that is set never changes again, so a look is enough to leave the slow exchange out.
    std::uint32_t before = *static_cast<volatile std::uint32_t*>(partner_of + labels[i]);
    if (before == no_partner) before = atomicCAS(partner_of + labels[i], no_partner, partners[i]);
    return before != no_partner && before != partners[i];
  }
};

struct out_of_range {
  const std::uint32_t *labels, *expected;
  std::size_t labels_end;
  __device__ bool operator()(std::size_t i) const { return expected[i] != 0 && labels[i] >= labels_end; }
};

count count_other_partners(const std::uint32_t* labels, std::size_t labels_end, const std::uint32_t* partners,
                           const std::uint32_t* expected, std::size_t pixels) {
  const device_buffer partner_of(labels_end * sizeof(std::uint32_t));
  require(cudaMemset(partner_of.data(), 0xff, partner_of.bytes()), "compare");
  return count_all(pixels, other_partner{labels, partners, expected, partner_of.data<std::uint32_t>(), labels_end});
}

}  // namespace

void require_same_device_items(const std::string& who, const char* items, const void* given, const void* right,
                               std::size_t count, std::size_t item_bytes) {
  require_none(
      who, items, count,
      other_item{static_cast<const std::uint32_t*>(given), static_cast<const std::uint32_t*>(right), item_bytes / 4});
}

void require_same_device_rows(const std::string& who, const geometry* rows, const geometry* expected, std::size_t count,
                              bool batch) {
  require_none(who, "rows", count, other_row{rows, expected, batch});
}

peer_errors errors_of_partition(const std::uint32_t* peer, std::size_t peer_labels, const std::uint32_t* expected,
                                std::size_t components, std::size_t pixels) {
  peer_errors found;
  found.out_of_range = count_all(pixels, out_of_range{peer, expected, peer_labels});
  found.joined = count_other_partners(peer, peer_labels, expected, expected, pixels);
  found.split = count_other_partners(expected, components + 1, peer, expected, pixels);
  return found;
}

}  // namespace skerry::bench

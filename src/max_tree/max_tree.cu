// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages: check, and enqueue the kernels.
#include <algorithm>
#include <bit>

#include "engine/cuda/pieces.cuh"
#include "engine/cuda/stage_progress.cuh"
#include "max_tree/2_local.cuh"
#include "max_tree/3_merge.cuh"
#include "max_tree/3_merge_branches.cuh"
#include "max_tree/4_resolve.cuh"
#include "max_tree/4_resolve_branches.cuh"
#include "max_tree/5_measure.cuh"
#include "max_tree/5_measure_branches.cuh"
#include "max_tree/6_emit.cuh"
#include "max_tree/enqueue.hpp"

namespace skerry::cuda {
namespace {

using namespace tree_stages::on_device;

template <class Call>
void with_connectivity(int connectivity, Call call) {
  switch (connectivity) {
    case 4: return call.template operator()<4>();
    case 8: return call.template operator()<8>();
    case 6: return call.template operator()<6>();
    default: return call.template operator()<26>();
  }
}

// What is enqueued for one tree.
struct launch {
  const tree_job& work;
  cudaStream_t stream;
  stage_progress& progress;

  void begin(stage next) const { progress.begin(next); }
  [[nodiscard]] u32 pixels() const { return static_cast<u32>(work.image.size.pixels()); }
};

// ---- keys of 8 bits: in tiles -----------------------------------------------------------------------------------------

template <int Connectivity>
void build_in_tiles(const launch& on, u64* words) {
  constexpr int rank = rank_of<Connectivity>;
  const tree_job& work = on.work;
  const tree_grid<rank> grid(work.image.size);
  const grey_source<u8> image(work.image, work.kind);
  on.begin(stage::local);
  check_cuda(launch_local<Connectivity>(grid, image, words, on.stream), "local");
  on.begin(stage::merge);
  const joined_links<u8> trees{image, {words}};
  check_cuda(launch_merge<Connectivity>(grid, trees, on.stream), "merge");
  on.begin(stage::resolve);
  check_cuda(launch_resolve(grid, words, work.parent, on.stream), "resolve");
  on.begin(stage::measure);
  if (work.area != nullptr)
    check_cuda((launch_area<rank, u8>(grid, image, work.parent, words, on.pixels(), work.area, on.stream)), "measure");
  on.begin(stage::emit);
}

// ---- wider keys: by branch ------------------------------------------------------------------------------------------

// Rows of an even number of pixels: 2_branches.cuh names maxima by them.
u32 even_pitch(const extent& size) { return static_cast<u32>(size.width + size.width % 2); }

// The image of parents serves as a table until parents are known.
template <class Key>
struct branch_tables {
  u64 halves;
  u32 *words, *order[2], *spots;
  u64* ends;
  char* temporary;
  std::size_t temporary_bytes = 0;

  branch_tables(pieces& scratch, const extent& size) : halves(static_cast<u64>(size.rows()) * even_pitch(size) / 2) {
    const auto pixels = static_cast<u32>(size.pixels());
    scratch.take(words, pixels);
    for (u32*& each : order) scratch.take(each, pixels);
    scratch.take(spots, halves);
    scratch.take(ends, halves);
    std::size_t first = 0, second = 0, third = 0, fourth = 0;
    check_cuda(sort_bytes<Key>(pixels, first), "local");
    check_cuda(sort_bytes<u32>(pixels, second), "resolve");
    check_cuda(link_in_branches(nullptr, third, {}, {nullptr, place_in_order(pixels), {}, pixels, nullptr}, nullptr),
               "resolve");
    check_cuda(running_sum(nullptr, fourth, nullptr, pixels, nullptr), "measure");
    temporary_bytes = std::max({first, second, third, fourth});
    scratch.take(temporary, temporary_bytes);
  }
};

// Pixels from the lowest to the highest; the parent image is overwritten.
template <class Key>
cub::DoubleBuffer<u32> sort_pixels(const launch& on, const grey_source<Key>& image, const branch_tables<Key>& t) {
  const tree_job& work = on.work;
  cub::DoubleBuffer<Key> keys(reinterpret_cast<Key*>(t.words), reinterpret_cast<Key*>(work.parent));
  cub::DoubleBuffer<u32> order(t.order[0], t.order[1]);
  keys_kernel<<<linear_blocks(on.pixels()), linear_threads, 0, on.stream>>>(
      image, on.pixels(), place_in_order(on.pixels()), keys.Current(), order.Current(), work.first_nan);
  check_cuda(cudaGetLastError(), "encode");
  on.begin(stage::local);
  check_cuda(sort_pairs(t.temporary, t.temporary_bytes, keys, order, on.pixels(), 8 * sizeof(Key), on.stream), "local");
  return order;
}

// Sorts pixels by branch, where they stay in their order. Returns the sorted branches, which are not in the parent image.
template <class Key>
const u32* sort_by_branch(const launch& on, const u32* branch_of_pixel, u32* dealt, cub::DoubleBuffer<u32>& order,
                          const branch_tables<Key>& t) {
  deal_kernel<<<linear_blocks(on.pixels()), linear_threads, 0, on.stream>>>(on.pixels(), place_in_order(on.pixels()),
                                                                            order.Current(), branch_of_pixel, dealt);
  check_cuda(cudaGetLastError(), "resolve");
  cub::DoubleBuffer<u32> branches(dealt, dealt == t.words ? on.work.parent : t.words);
  const int bits = std::max(1, static_cast<int>(std::bit_width(t.halves - 1)));
  check_cuda(sort_pairs(t.temporary, t.temporary_bytes, branches, order, on.pixels(), bits, on.stream), "resolve");
  if (branches.Current() != t.words)
    check_cuda(cudaMemcpyAsync(t.words, branches.Current(), u64{on.pixels()} * sizeof(u32), cudaMemcpyDeviceToDevice,
                               on.stream),
               "resolve");
  return t.words;
}

template <int Connectivity, class Key>
void build_by_branches(const launch& on, pieces scratch) {
  constexpr int dimensions = rank_of<Connectivity>;
  const tree_job& work = on.work;
  const u32 pixels = on.pixels(), blocks = linear_blocks(pixels);
  const tree_grid<dimensions> grid(work.image.size);
  const grey_source<Key> image(work.image, work.kind);
  const branch_tables<Key> t(scratch, work.image.size);
  const image_branches<Key> branches{{t.ends}, t.spots, image, even_pitch(work.image.size)};
  cub::DoubleBuffer<u32> order = sort_pixels(on, image, t);

  // A radix sort of an even number of bytes ends where it began. If it does not, what it made is copied.
  const bool even = (std::bit_width(t.halves - 1) + 7) / 8 % 2 == 0;
  u32* const branch_of_pixel = even ? work.parent : t.words;
  check_cuda(launch_local_branches<Connectivity>(grid, branches, branch_of_pixel, on.stream), "local");
  on.begin(stage::merge);
  const joined_branches<Key> trees{branches, branch_of_pixel};
  check_cuda(launch_merge<Connectivity>(grid, trees, on.stream), "merge");
  branches_kernel<<<item_blocks(pixels), linear_threads, 0, on.stream>>>(pixels, branches, branch_of_pixel);
  check_cuda(cudaGetLastError(), "merge");

  on.begin(stage::resolve);
  const u32* const sorted = sort_by_branch(on, branch_of_pixel, even ? t.words : work.parent, order, t);
  const branch_order<Key> all{sorted, order.Current(), place_in_order(pixels), image, pixels};
  u32* const spare = order.Alternate();
  const order_begins begins(spare, pixels);
  begins_kernel<<<blocks, linear_threads, 0, on.stream>>>(all, begins);
  std::size_t bytes = t.temporary_bytes;
  check_cuda(link_in_branches(t.temporary, bytes, {begins.level},
                              {order.Current(), all.place, begins.branch, pixels, work.parent}, on.stream),
             "resolve");
  link_branches_kernel<<<blocks, linear_threads, 0, on.stream>>>(all, begins, branches, work.parent);
  check_cuda(cudaGetLastError(), "resolve");
  on.begin(stage::measure);
  if (work.area != nullptr)
    check_cuda(launch_areas(all, branches, work.parent, {t.spots, t.ends, work.area, spare}, t.halves, work.area,
                            t.temporary, t.temporary_bytes, on.stream),
               "measure");
  on.begin(stage::emit);
}

template <int Connectivity, class Key>
void build(const launch& on, void* scratch) {
  if constexpr (sizeof(Key) == 1) build_in_tiles<Connectivity>(on, static_cast<u64*>(scratch));
  else build_by_branches<Connectivity, Key>(on, pieces(scratch));
}

template <int Rank, class Key>
void filter(const tree_filter_job& work, void* scratch, cudaStream_t stream) {
  const auto pixels = static_cast<u64>(work.image.size.pixels());
  auto* const level = static_cast<Key*>(scratch);
  auto* const kept = reinterpret_cast<u8*>(level + pixels);
  const mutable_image& out = work.output;
  check_cuda((launch_filter<Rank, Key>(
                 tree_grid<Rank>(work.image.size), grey_source<Key>(work.image, work.kind),
                 {work.parent, work.area, work.least_area, work.keep}, work.rule, work.top_hat, level, kept, pixels,
                 {static_cast<char*>(out.data), out.strides.z, out.strides.y, out.strides.x}, stream)),
             "emit");
}

}  // namespace

std::size_t scratch_bytes(const tree_job& work) {
  check_tree_job(work);
  const auto pixels = static_cast<u32>(work.image.size.pixels());
  if (pixels == 0) return 0;
  pieces scratch(nullptr);
  if (u64 * words; size_of(work.image.type) == 1) scratch.take(words, pixels);
  else if (size_of(work.image.type) == 2) branch_tables<u16>(scratch, work.image.size);
  else branch_tables<u32>(scratch, work.image.size);
  return scratch.used();
}

std::size_t scratch_bytes(const tree_filter_job& work) {
  check_tree_job(work);
  const std::size_t each = size_of(work.image.type) + (work.rule == filter_rule::max ? 1 : 0);
  return static_cast<std::size_t>(work.image.size.pixels()) * each;
}

void enqueue(const tree_job& work, void* scratch, std::size_t bytes, cudaStream_t stream) {
  enqueue(work, scratch, bytes, stream, nullptr);
}

void enqueue(const tree_job& work, void* scratch, std::size_t bytes, cudaStream_t stream, stage_marks* marks) {
  check_tree_memory(work, scratch, bytes, scratch_bytes(work));
  if (work.first_nan != nullptr) check_cuda(cudaMemsetAsync(work.first_nan, 0xff, sizeof(u64), stream), "encode");
  if (work.image.size.pixels() == 0) return;
  stage_progress progress(marks);
  progress.begin(stage::encode);
  with_key(work.image.type, [&]<class Key>() {
    with_connectivity(work.connectivity, [&]<int Connectivity>() {
      build<Connectivity, Key>({work, stream, progress}, scratch);
    });
  });
}

void enqueue(const tree_filter_job& work, void* scratch, std::size_t bytes, cudaStream_t stream) {
  check_tree_memory(work, scratch, bytes, scratch_bytes(work));
  if (work.image.size.pixels() == 0) return;
  with_key(work.image.type, [&]<class Key>() {
    if (work.image.size.rank == 2) filter<2, Key>(work, scratch, stream);
    else filter<3, Key>(work, scratch, stream);
  });
}

}  // namespace skerry::cuda

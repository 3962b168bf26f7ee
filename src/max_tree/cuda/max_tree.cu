// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages: check, and enqueue the kernels.
#include <algorithm>
#include <bit>

#include "engine/cuda/pieces.cuh"
#include "engine/cuda/stage_progress.cuh"
#include "max_tree/cuda/6_emit.cuh"
#include "max_tree/cuda/branches/3_merge.cuh"
#include "max_tree/cuda/branches/4_resolve.cuh"
#include "max_tree/cuda/branches/5_measure.cuh"
#include "max_tree/cuda/check_job.hpp"
#include "max_tree/cuda/hooks/2_local.cuh"
#include "max_tree/cuda/hooks/3_merge.cuh"
#include "max_tree/cuda/hooks/4_resolve.cuh"
#include "max_tree/cuda/hooks/5_measure.cuh"

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
  int device;

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

// The image of parents serves as a table until parents are known, and that of areas, if there is one, until pixels are sorted.
template <class Key>
struct branch_tables {
  u64 halves;
  u32 branch_digits;
  u32 *words, *order[2], *spots;
  u64* ends;
  char* sorting;  // tables of the sorts; then there lie the next three
  u32 *begins, *root;
  char* scanning;
  std::size_t scanning_bytes = 0;

  branch_tables(pieces& scratch, const extent& size, u32* area)
      : halves(static_cast<u64>(size.rows()) * even_pitch(size) / 2),
        branch_digits((std::max(1u, static_cast<u32>(std::bit_width(halves - 1))) + digit_bits - 1) / digit_bits) {
    const auto pixels = static_cast<u32>(size.pixels());
    scratch.take(words, pixels);
    scratch.take(order[0], pixels);
    if (order[1] = area; area == nullptr) scratch.take(order[1], pixels);
    scratch.take(spots, halves);
    scratch.take(ends, halves);
    find_bytes(pixels);
    pieces for_sorts(nullptr), for_scans(nullptr);
    const sort_tables counted(for_sorts, pixels);
    take_for_scans(for_scans, pixels);
    scratch.take(sorting, std::max(for_sorts.used(), for_scans.used()));
    pieces later(sorting);
    take_for_scans(later, pixels);
  }

 private:
  void find_bytes(u32 pixels) {
    const place_in_order place(pixels);
    std::size_t other = 0;
    check_cuda(link_in_branches(nullptr, scanning_bytes, {}, {nullptr, place, {}, pixels, nullptr}, nullptr),
               "resolve");
    check_cuda(sum_in_branches(nullptr, other, {nullptr, place, {}, {pixels}, nullptr},
                               {nullptr, place, {}, {pixels}, nullptr}, nullptr),
               "measure");
    scanning_bytes = std::max(scanning_bytes, other);
  }
  void take_for_scans(pieces& from, u32 pixels) {
    from.take(begins, order_begins::words_for(pixels));
    from.take(root, 1);
    from.take(scanning, scanning_bytes);
  }
};

// Of all pixels. The next begins when this one has ended, in the same memory.
template <class Key>
digit_sort new_sort(const launch& on, const branch_tables<Key>& t, u32 digits) {
  pieces memory(t.sorting);
  return {sort_tables(memory, on.pixels()), on.pixels(), digits, on.stream};
}

// Pixels from the lowest to the highest, where the sort by branch, which has a digit after the other, ends in order[0]; the parent
// image is overwritten.
template <class Key>
u32* sort_pixels(const launch& on, const grey_source<Key>& image, const branch_tables<Key>& t) {
  const place_in_order place(on.pixels());
  u32* const order = t.order[t.branch_digits % 2];
  digit_sort sort = new_sort(on, t, sizeof(Key));
  check_cuda(sort.count(pixels_in_raster_order<Key>{image, place, on.work.first_nan}), "encode");
  on.begin(stage::local);
  check_cuda(launch_sort_of_pixels(sort, pixels_in_raster_order<Key>{image, place, nullptr},
                                   {t.words, on.work.parent, t.order[1 - t.branch_digits % 2], order}),
             "local");
  return order;
}

// Sorts pixels by branch, where they stay in their order. Both end in scratch.
template <class Key>
branch_order<Key> sort_by_branch(const launch& on, const image_branches<Key>& all, u32* branch_of_pixel, u32* order,
                                 const branch_tables<Key>& t) {
  const place_in_order place(on.pixels());
  digit_sort sort = new_sort(on, t, t.branch_digits);
  check_cuda(sort.count(branches_in_raster_order{branch_of_pixel}), "resolve");
  u32* const halves = branch_of_pixel == t.words ? on.work.parent : t.words;
  check_cuda(launch_sort_by_branch(sort, t.branch_digits, {order, branch_of_pixel, place},
                                   {halves, branch_of_pixel, order == t.order[0] ? t.order[1] : t.order[0], order}),
             "resolve");
  return {t.words, t.order[0], place, all.image, on.pixels()};
}

template <int Connectivity, class Key>
void build_by_branches(const launch& on, pieces scratch) {
  constexpr int dimensions = rank_of<Connectivity>;
  const tree_job& work = on.work;
  const u32 pixels = on.pixels();
  const tree_grid<dimensions> grid(work.image.size);
  const grey_source<Key> image(work.image, work.kind);
  const branch_tables<Key> t(scratch, work.image.size, work.area);
  const image_branches<Key> branches{{t.ends}, t.spots, image, even_pitch(work.image.size)};
  u32* const order = sort_pixels(on, image, t);

  // Sorted by an odd number of digits they end in the other one, which shall be `words`.
  u32* const branch_of_pixel = t.branch_digits % 2 == 1 ? work.parent : t.words;
  check_cuda(launch_local_branches<Connectivity>(grid, branches, branch_of_pixel, on.stream, on.device), "local");
  on.begin(stage::merge);
  const joined_branches<Key> trees{branches, branch_of_pixel};
  check_cuda(launch_merge<Connectivity>(grid, trees, on.stream), "merge");
  branches_kernel<<<item_blocks(pixels), linear_threads, 0, on.stream>>>(pixels, branches, branch_of_pixel);
  check_cuda(cudaGetLastError(), "merge");

  on.begin(stage::resolve);
  const branch_order<Key> all = sort_by_branch(on, branches, branch_of_pixel, order, t);
  const order_begins begins(t.begins, pixels);
  begins_kernel<<<item_blocks(pixels), linear_threads, 0, on.stream>>>(all, begins);
  std::size_t bytes = t.scanning_bytes;
  check_cuda(link_in_branches(t.scanning, bytes, {begins.level},
                              {all.order, all.place, begins.branch, pixels, work.parent}, on.stream),
             "resolve");
  link_branches_kernel<<<linear_blocks(pixels), linear_threads, 0, on.stream>>>(all, begins, branches, work.parent);
  check_cuda(cudaGetLastError(), "resolve");
  on.begin(stage::measure);
  if (work.area != nullptr)
    check_cuda(launch_areas(all, begins, branches, work.parent, {t.spots, t.ends, t.root, work.area}, t.halves,
                            t.scanning, t.scanning_bytes, on.stream),
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

class prepared_tree final : public prepared_work {
 public:
  explicit prepared_tree(const tree_job& work) : prepared_work(cuda::scratch_bytes(work)), work_(work) {}

  void enqueue(void* scratch, cudaStream_t stream, stage_marks* marks) const override {
    if (work_.first_nan != nullptr) check_cuda(cudaMemsetAsync(work_.first_nan, 0xff, sizeof(u64), stream), "encode");
    if (work_.image.size.pixels() == 0) return;
    stage_progress progress(marks);
    progress.begin(stage::encode);
    with_key(work_.image.type, [&]<class Key>() {
      with_connectivity(work_.connectivity, [&]<int Connectivity>() {
        build<Connectivity, Key>({work_, stream, progress, device()}, scratch);
      });
    });
  }

 private:
  tree_job work_;
};

class prepared_filter final : public prepared_work {
 public:
  explicit prepared_filter(const tree_filter_job& work) : prepared_work(cuda::scratch_bytes(work)), work_(work) {}

  void enqueue(void* scratch, cudaStream_t stream, stage_marks*) const override {
    if (work_.image.size.pixels() == 0) return;
    with_key(work_.image.type, [&]<class Key>() {
      if (work_.image.size.rank == 2) filter<2, Key>(work_, scratch, stream);
      else filter<3, Key>(work_, scratch, stream);
    });
  }

 private:
  tree_filter_job work_;
};

}  // namespace

std::size_t scratch_bytes(const tree_job& work) {
  check_tree_job(work);
  const auto pixels = static_cast<u32>(work.image.size.pixels());
  if (pixels == 0) return 0;
  pieces scratch(nullptr);
  if (u64 * words; size_of(work.image.type) == 1) scratch.take(words, pixels);
  else if (size_of(work.image.type) == 2) branch_tables<u16>(scratch, work.image.size, work.area);
  else branch_tables<u32>(scratch, work.image.size, work.area);
  return scratch.used();
}

std::size_t scratch_bytes(const tree_filter_job& work) {
  check_tree_job(work);
  const std::size_t each = size_of(work.image.type) + (work.rule == filter_rule::max ? 1 : 0);
  return static_cast<std::size_t>(work.image.size.pixels()) * each;
}

tree_plan::tree_plan(const tree_job& work) : plan(prepared<prepared_tree>(work)) {}

tree_filter_plan::tree_filter_plan(const tree_filter_job& work) : plan(prepared<prepared_filter>(work)) {}

}  // namespace skerry::cuda

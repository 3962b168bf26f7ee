// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages that make numbered nodes of a parent image, measure them, and decide about them.
#include <algorithm>

#include "engine/cuda/device_memory.cuh"
#include "engine/cuda/pieces.cuh"
#include "engine/cuda/stage_progress.cuh"
#include "max_tree/cuda/check_job.hpp"
#include "max_tree/cuda/nodes/5_areas.cuh"
#include "max_tree/cuda/nodes/5_chains.cuh"
#include "max_tree/cuda/nodes/5_columns.cuh"
#include "max_tree/cuda/nodes/5_tiles.cuh"
#include "max_tree/cuda/nodes/6_select.cuh"

namespace skerry::cuda {
namespace {

using namespace tree_stages::on_device;

u32 pixels_of(const tree_nodes_job& work) { return static_cast<u32>(work.image.size.pixels()); }

u32 rows_of(const tree_nodes_job& work) {
  return static_cast<u32>(std::min<u64>(work.capacity, static_cast<u64>(work.image.size.pixels())));
}

// Boxes have areas, which are taken from them.
shape_columns shape_columns_of(const tree_nodes_job& work) {
  shape_columns columns{nullptr, work.bbox_diagonal, work.elongation, work.compactness};
  if (work.components != nullptr || columns.any()) columns.area = work.area;
  return columns;
}

level_columns level_columns_of(const tree_nodes_job& work) {
  return {work.height, work.dynamics, work.volume, work.level_mean, work.level_variance};
}

bool sums_real_greys(const tree_nodes_job& work) {
  return sums_reals(work.image.type) && (work.real_intensities != nullptr || level_columns_of(work).from_sums());
}

// What is summed: what is asked for, and what that follows from.
node_groups groups_of(const tree_nodes_job& work) {
  const shape_columns shape = shape_columns_of(work);
  const level_columns level = level_columns_of(work);
  node_groups groups;
  groups.components = work.components != nullptr || shape.any();
  groups.moments = work.moments != nullptr || shape.from_moments();
  const bool sums = work.intensities != nullptr || work.real_intensities != nullptr || level.from_sums();
  groups.intensities = sums && !sums_reals(work.image.type);
  groups.area = !groups.components && (work.area != nullptr || sums);
  groups.peaks = level.from_peaks() || sums_real_greys(work);
  return groups;
}

// What areas alone need.
struct area_tables {
  u64* words = nullptr;   // of nodes
  u32* counts = nullptr;  // an image

  void take(pieces& scratch, u32 pixels, u32 rows) {
    scratch.take(words, rows);
    scratch.take(counts, rows > 0 ? pixels : 0);
  }
};

// Where everything lies. What the numbering and the climbing have for themselves is the same memory.
template <class Key>
struct node_scratch {
  numbering_tables<Key> numbering;
  u32* node_of_pixel;
  node_table table;
  node_mark* marks = nullptr;                    // of nodes, where keys have 8 bits and more than areas is wanted
  area_tables areas;                             // where keys have 8 bits and areas are all
  climbed_trees<area_table> climbed_areas;       // where areas are all and keys are wider
  climbed_trees<node_table> climbed;             // otherwise
  climbed_trees<real_grey_table> climbed_reals;  // after the others
  std::size_t bytes = 0;

  node_scratch(const tree_nodes_job& work, void* memory) : node_of_pixel(work.node_of_pixel) {
    const u32 rows = rows_of(work), pixels = pixels_of(work);
    pieces kept(memory);
    numbering.take_keys(kept, pixels, rows);
    if (node_of_pixel == nullptr && rows > 0) kept.take(node_of_pixel, pixels);
    table.components = work.components;
    table.moments = work.moments;
    table.intensities = work.intensities;
    const node_groups groups = groups_of(work);
    if (sizeof(Key) == 1 && groups.any() && !groups.only_area()) kept.take(marks, rows);
    if (groups.area) table.area = reinterpret_cast<node_area*>(work.area);
    table.take(kept, groups, rows);
    real_grey_table reals{work.real_intensities};
    if (sums_real_greys(work)) reals.take(kept, groups, rows);
    const auto rest = [&] { return pieces(memory == nullptr ? nullptr : static_cast<char*>(memory) + kept.used()); };
    pieces first = rest(), second = rest(), third = rest();
    check_cuda(numbering.take(first, pixels, rows), "resolve");
    constexpr bool cut = sizeof(Key) > 1;
    if (groups.only_area() && !cut) areas.take(second, pixels, rows);
    else if (groups.only_area()) climbed_areas.take(second, groups, rows, cut);
    else if (groups.any()) climbed.take(second, groups, rows, cut);
    climbed.tree.nodes = climbed_areas.tree.nodes = {rows, work.count, work.first_pixel, work.parent_node};
    climbed.tree.marks = marks;
    climbed.tree.table = table;
    climbed_areas.tree.table.rows = table.area;
    if (sums_real_greys(work)) climbed_reals.take(third, groups, rows, true);
    climbed_reals.tree.nodes = climbed.tree.nodes;
    climbed_reals.tree.table = reals;
    bytes = kept.used() + std::max({first.used(), second.used(), third.used()});
  }
  [[nodiscard]] const node_list& nodes() const { return climbed.tree.nodes; }
};

// Sums of grey values of each node alone; of floats, what they will follow from.
template <class Key>
void own_greys(const node_scratch<Key>& s, const grey_source<Key>& image, dtype type, cudaStream_t stream) {
  const u32 blocks = node_blocks(s.nodes().rows);
  const real_grey_table& reals = s.climbed_reals.tree.table;
  if (s.table.intensities != nullptr)
    own_greys_kernel<Key><<<blocks, node_threads, 0, stream>>>(s.nodes(), s.table, image, type, s.numbering.keys);
  if (reals.rows != nullptr) own_pixels_of_reals_kernel<<<blocks, node_threads, 0, stream>>>(s.nodes(), s.table, reals);
}

// Joins sums of floats, once the farthest levels are known.
template <class Key>
void join_real_greys(const node_scratch<Key>& s, const grey_source<Key>& image, dtype type, cudaStream_t stream) {
  own_real_greys_kernel<Key><<<node_blocks(s.nodes().rows), node_threads, 0, stream>>>(
      s.nodes(), s.table, s.climbed_reals.tree.table, image, type, s.numbering.keys);
  check_cuda(launch_climbs(s.climbed_reals, stream), "measure");
}

// What nodes have of their own.
template <int Rank, class Key>
void sum_own_pixels(const tree_nodes_job& work, const node_scratch<Key>& s, const tree_grid<Rank>& grid,
                    const grey_source<Key>& image, cudaStream_t stream) {
  const node_list& nodes = s.nodes();
  const extent& size = work.image.size;
  begin_rows_kernel<Key>
      <<<node_blocks(nodes.rows), node_threads, 0, stream>>>(nodes, s.table, s.numbering.keys, size.width, size.height);
  if (s.table.from_pixels())
    own_pixels_kernel<Rank><<<grid.tiles(), tile_threads, 0, stream>>>(grid, nodes, s.table, s.node_of_pixel);
  own_greys(s, image, work.image.type, stream);
  check_cuda(cudaGetLastError(), "measure");
}

// What tiles have of nodes.
template <int Rank>
void sum_in_tiles(const tree_nodes_job& work, const node_scratch<u8>& s, const tree_grid<Rank>& grid,
                  const grey_source<u8>& image, cudaStream_t stream, int device) {
  const measured_tiles<Rank> tiles{grid,
                                   image,
                                   work.parent,
                                   s.numbering.first,
                                   s.nodes(),
                                   s.numbering.keys,
                                   s.node_of_pixel,
                                   s.table,
                                   s.marks,
                                   tile_part<Rank>::words_for(groups_of(work))};
  check_cuda(launch_tiles(tiles, stream, device), "measure");
}

template <int Rank, class Key>
void measure_nodes(const tree_nodes_job& work, const node_scratch<Key>& s, const tree_grid<Rank>& grid,
                   const grey_source<Key>& image, cudaStream_t stream, int device) {
  const node_list& nodes = s.nodes();
  const u32 blocks = node_blocks(nodes.rows);
  const dtype type = work.image.type;
  const node_groups groups = groups_of(work);
  if (!groups.any()) return;
  if constexpr (sizeof(Key) == 1) {
    if (groups.only_area()) {
      check_cuda(launch_areas_of_nodes(grid, work.parent, s.areas.counts,
                                       {nodes, s.node_of_pixel, {s.areas.words}, s.table.area}, stream),
                 "measure");
      return;
    }
    sum_in_tiles(work, s, grid, image, stream, device);
  } else {
    sum_own_pixels(work, s, grid, image, stream);
  }
  check_cuda(groups.only_area() ? launch_climbs(s.climbed_areas, stream) : launch_climbs(s.climbed, stream), "measure");
  const real_grey_table& reals = s.climbed_reals.tree.table;
  if (reals.rows != nullptr) join_real_greys(s, image, type, stream);
  const shape_columns shape = shape_columns_of(work);
  const level_columns level = level_columns_of(work);
  if (shape.any())
    shape_columns_kernel<<<blocks, node_threads, 0, stream>>>(nodes, s.table, work.image.size.rank, shape);
  // The words of the climb have served.
  u32* const lowest_of_peak = s.climbed.tree.waiting;
  if (level.dynamics != nullptr)
    meetings_kernel<<<blocks, node_threads, 0, stream>>>(nodes, s.table.peaks, lowest_of_peak);
  if (level.any())
    level_columns_kernel<Key><<<blocks, node_threads, 0, stream>>>(nodes, s.table, reals, image, type, s.numbering.keys,
                                                                   lowest_of_peak, level);
  check_cuda(cudaGetLastError(), "measure");
}

template <int Rank, class Key>
void number_and_measure(const tree_nodes_job& work, void* scratch, cudaStream_t stream, int device) {
  const node_scratch<Key> s(work, scratch);
  const tree_grid<Rank> grid(work.image.size);
  const grey_source<Key> image(work.image, work.kind);
  const node_list& nodes = s.nodes();
  stage_progress progress(nullptr);
  progress.begin(stage::resolve);
  const auto number = [&](const auto& companion) {
    check_cuda((launch_number<Rank, Key>(grid, nodes, {image, work.parent, work.first_nan, pixels_of(work)},
                                         s.numbering, work.count, s.node_of_pixel, companion, stream)),
               "resolve");
  };
  const bool counts_areas = s.areas.counts != nullptr, has_marks = s.marks != nullptr;
  if constexpr (sizeof(Key) > 1) number(no_companion());
  else if (counts_areas) number(counting{{s.areas.words}, s.areas.counts});
  else if (has_marks) number(marking(s.marks));
  else number(no_companion());
  if (nodes.rows == 0) return;
  if (work.level != nullptr)
    levels_kernel<Key><<<node_blocks(nodes.rows), node_threads, 0, stream>>>(nodes, image, work.image.type,
                                                                             s.numbering.keys, work.level);
  check_cuda(cudaGetLastError(), "resolve");
  progress.begin(stage::measure);
  measure_nodes<Rank>(work, s, grid, image, stream, device);
}

class prepared_nodes final : public prepared_work {
 public:
  explicit prepared_nodes(const tree_nodes_job& work) : prepared_work(cuda::scratch_bytes(work)), work_(work) {}

  void enqueue(void* scratch, cudaStream_t stream, stage_marks*) const override {
    if (work_.image.size.pixels() == 0) {
      check_cuda(cudaMemsetAsync(work_.count, 0, sizeof *work_.count, stream), "resolve");
      return;
    }
    with_key(work_.image.type, [&]<class Key>() {
      if (work_.image.size.rank == 2) number_and_measure<2, Key>(work_, scratch, stream, device());
      else number_and_measure<3, Key>(work_, scratch, stream, device());
    });
  }

 private:
  tree_nodes_job work_;
};

class prepared_select final : public prepared_work {
 public:
  explicit prepared_select(const tree_select_job& work) : prepared_work(0), work_(work) {}

  void enqueue(void*, cudaStream_t stream, stage_marks*) const override {
    const auto pixels = static_cast<u64>(work_.size.pixels());
    if (pixels == 0) return;
    const auto rows = static_cast<u32>(std::min<u64>(work_.capacity, pixels));
    check_cuda(launch_select({rows, work_.count, const_cast<u32*>(work_.first_pixel), nullptr},
                             {work_.attribute, work_.least, work_.most, work_.decision}, work_.keep, pixels, stream),
               "emit");
  }

 private:
  tree_select_job work_;
};

}  // namespace

std::size_t scratch_bytes(const tree_nodes_job& work) {
  check_tree_job(work);
  std::size_t bytes = 0;
  if (work.image.size.pixels() == 0) return 0;
  with_key(work.image.type, [&]<class Key>() { bytes = node_scratch<Key>(work, nullptr).bytes; });
  return bytes;
}

tree_nodes_plan::tree_nodes_plan(const tree_nodes_job& work) : plan(prepared<prepared_nodes>(work)) {}

tree_select_plan::tree_select_plan(const tree_select_job& work) : plan(prepared<prepared_select>(work)) {}

}  // namespace skerry::cuda

// SPDX-License-Identifier: Apache-2.0
#include "label/cuda/slabs/stages.hpp"

#include <algorithm>

#include "label/cuda/emit/labels.cuh"
#include "label/cuda/emit/runs.cuh"
#include "label/cuda/launch.cuh"
#include "label/cuda/slabs/borders.cuh"
#include "label/cuda/slabs/renumber.cuh"
#include "label/cuda/slabs/short_rows.cuh"
#include "label/cuda/tiles/encode_source.cuh"

namespace skerry::label_stages::on_device {
namespace {

u32 blocks_for(u64 items, u64 of_block) { return static_cast<u32>((items + of_block - 1) / of_block); }

// Where the plan has put its tables.
template <class Shape>
label_tables tables_of(const solved_slab& slab) {
  pieces scratch(slab.scratch);
  if (is_packed_first(slab.work.image.type)) lay_out_bits(scratch, slab.work.image.size);
  return lay_out_tables<Shape>(scratch, tiling_of<Shape>(slab.work.image.size), slab.work).labels;
}

template <class Shape>
slab_tables tables_of(const solved_slab& slab, const device_labels& given) {
  return {tables_of<Shape>(slab), given.places, given.label, given.count};
}

template <class Call>
void with_shape_of(const solved_slab& slab, Call call) {
  with_shape(slab.work.connectivity, call);
}

template <class Shape, class Label>
void emit_as(const solved_slab& slab, const device_labels& given, const mutable_image& labels) {
  check_cuda((launch_emit<Shape, Label>(tiling_of<Shape>(labels.size), tables_of<Shape>(slab, given),
                                        label_target<Label>::of(labels), cuda::numbering::consecutive, false, false,
                                        slab.stream)),
             "emit");
}

}  // namespace

u64 units_of(const extent& size) {
  return static_cast<u64>(size.rows() * ((size.width + tile_width - 1) / tile_width));
}

void publish_layer(const solved_slab& slab, bool last, u32* labels) {
  const extent& size = slab.work.image.size;
  const bool volume = size.rank == 3;
  const i64 layers = volume ? size.depth : size.height, pixels = volume ? size.height * size.width : size.width;
  with_shape_of(slab, [&]<class Shape>(Shape) {
    layer_labels_kernel<Shape><<<blocks_for(static_cast<u64>(pixels), layer_threads), layer_threads, 0, slab.stream>>>(
        tiling_of<Shape>(size), tables_of<Shape>(slab), static_cast<i32>(last ? layers - 1 : 0), labels);
  });
  check_cuda(cudaGetLastError(), "merge");
}

void shorten_rows(const solved_slab& slab, const shortened_rows& to) {
  const cuda::label_job& work = slab.work;
  const u32 blocks = std::min(most_short_row_blocks, blocks_for(work.row_capacity, short_row_threads));
  check_cuda(cudaMemsetAsync(to.listed, 0, sizeof(u64), slab.stream), "measure");
  shorten_rows_kernel<<<blocks, short_row_threads, 0, slab.stream>>>(work.rows, work.offsets + 1, work.row_capacity,
                                                                     frame_of(work.image.size), to);
  check_cuda(cudaGetLastError(), "measure");
}

void find_pairs(const layer_pair& layers, const found_pairs& to, cudaStream_t stream) {
  const layer_size size{layers.size.rank == 3 ? layers.size.height : 1, layers.size.width};
  find_pairs_kernel<<<blocks_for(static_cast<u64>(size.pixels()), layer_threads * pixels_of_thread), layer_threads, 0,
                      stream>>>({layers.before, layers.here, size, touching_pixels(layers.connectivity)}, to);
  check_cuda(cudaGetLastError(), "merge");
}

void renumber(const solved_slab& slab, const device_labels& labels) {
  const u64 units = units_of(slab.work.image.size);
  with_shape_of(slab, [&]<class Shape>(Shape) {
    const slab_tables tables = tables_of<Shape>(slab, labels);
    if (labels.count != 0)
      find_places_kernel<<<blocks_for(labels.count, renumber_threads / 32), renumber_threads, 0, slab.stream>>>(
          units, tables, labels.given_up, labels.count, labels.places);
    give_up_kernel<<<blocks_for(units, renumber_threads * units_of_thread), renumber_threads, 0, slab.stream>>>(
        units, tables, labels.base);
  });
  check_cuda(cudaGetLastError(), "resolve");
}

void emit_labels(const solved_slab& slab, const device_labels& given, const mutable_image& labels) {
  with_shape_of(slab, [&]<class Shape>(Shape) {
    switch (size_of(labels.type)) {
      case 1: return emit_as<Shape, u8>(slab, given, labels);
      case 2: return emit_as<Shape, u16>(slab, given, labels);
      case 4: return emit_as<Shape, u32>(slab, given, labels);
      default: return emit_as<Shape, u64>(slab, given, labels);
    }
  });
}

void count_runs(const solved_slab& slab, const device_labels& given, u32* runs_before, u64* total_of_runs) {
  with_shape_of(slab, [&]<class Shape>(Shape) {
    const tiling grid = tiling_of<Shape>(slab.work.image.size);
    const slab_tables tables = tables_of<Shape>(slab, given);
    count_runs_kernel<Shape><<<grid.tiles, label_threads, 0, slab.stream>>>(grid, tables, false, runs_before);
    check_cuda(cudaGetLastError(), "emit");
    static resident_blocks known;
    int device = 0;
    check_cuda(cudaGetDevice(&device), "emit");
    const u64 blocks =
        std::min<u64>({(grid.units + 4095) / 4096, known.of(number_kernel<given_counts>, device), most_blocks});
    check_cuda(launch_together(static_cast<u32>(blocks), slab.stream, number_kernel<given_counts>, grid.units,
                               grid.units, given_counts{runs_before}, runs_before, total_of_runs, tables.block_total),
               "emit");
  });
}

void write_runs(const solved_slab& slab, const device_labels& given, const u32* runs_before, labelled_run* runs,
                u64 count) {
  with_shape_of(slab, [&]<class Shape>(Shape) {
    const tiling grid = tiling_of<Shape>(slab.work.image.size);
    write_runs_kernel<Shape><<<grid.tiles, label_threads, 0, slab.stream>>>(grid, tables_of<Shape>(slab, given), false,
                                                                            runs_before, runs, count);
  });
  check_cuda(cudaGetLastError(), "emit");
}

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a small frame by its pixels.
#include "label/cuda/by_pixel/by_pixel.hpp"

#include "label/cuda/by_pixel/kernel.cuh"
#include "label/cuda/scratch_layout.cuh"

namespace skerry::label_stages::on_device {
namespace {

pixel_grid grid_of(const extent& size) {
  const auto parts = [](i64 side) { return static_cast<u32>((side + pixel_side - 1) / pixel_side); };
  pixel_grid grid{};
  grid.frame = {static_cast<i32>(size.height), static_cast<i32>(size.width)};
  grid.columns = parts(size.width);
  grid.tiles = parts(size.height) * grid.columns;
  grid.by_columns = divisor(grid.columns);
  return grid;
}

// From what is wanted and from the size alone.
bool may_be_by_pixel(const cuda::label_job& work) {
  const extent& size = work.image.size;
  const bool labels = work.labels.data != nullptr, rows = work.rows != nullptr;
  const bool fits = rows && labels ? work.numbering == cuda::numbering::consecutive
                    : rows         ? may_have_many_rows(work)
                                   : labels;
  return fits && is_one_plain_frame(work) && size.height <= pixel_most_rows &&
         size.width <= pixel_most_columns * pixel_side && grid_of(size).tiles <= pixel_most_tiles;
}

pixel_tables lay_out(pieces& scratch, const pixel_grid& grid) {
  const u64 words = u64(grid.frame.height) * grid.columns;
  pixel_tables tables{};
  scratch.take(tables.parent, words * 16);
  scratch.take(tables.labels, words * 16);
  scratch.take(tables.bottom, grid.tiles * pixel_side);
  scratch.take(tables.right, grid.tiles * pixel_side);
  scratch.take(tables.firsts, words);
  scratch.take(tables.in_band.words, pixel_most_rows / pixel_side * counts_apart::words_of_each);
  scratch.take(tables.united, grid.tiles);
  scratch.take(tables.components, grid.tiles);
  return tables;
}

template <int Connectivity, int Rows, class Features, class Source, class Together>
using frame_by_pixel = kernel_together<by_pixel_kernel<Connectivity, Rows, Features, Source, Together>, Together,
                                       pixel_threads / Rows, std::size_t{0}>;

// Calls call(frame, source) with the fastest frame_by_pixel that the device runs, and returns whether there is one: a cluster if there
// are few tiles, and two pixels for each thread if the device cannot run one thread for each pixel.
template <class Call>
bool with_frame(const cuda::label_job& work, const any_source& source, int device, u32 tiles, const Call& call) {
  return std::visit(
      [&]<class Source>(const Source& from) {
        const auto with_features_or_not = [&]<int Connectivity, class Features>(
                                              std::integral_constant<int, Connectivity>, Features) {
          using few = frame_by_pixel<Connectivity, 1, Features, Source, blocks_of_cluster>;
          using many = frame_by_pixel<Connectivity, 1, Features, Source, blocks_of_grid>;
          using most = frame_by_pixel<Connectivity, 2, Features, Source, blocks_of_grid>;
          if (tiles <= few::at_once(device)) return call(few(), from), true;
          if (tiles <= many::at_once(device)) return call(many(), from), true;
          if (tiles <= most::at_once(device)) return call(most(), from), true;
          return false;
        };
        const auto with = [&](auto connectivity) {
          return work.rows != nullptr ? with_features_or_not(connectivity, with_features())
                                      : with_features_or_not(connectivity, no_features());
        };
        return work.connectivity == 4 ? with(std::integral_constant<int, 4>()) : with(std::integral_constant<int, 8>());
      },
      source);
}

}  // namespace

void lay_out_frame_by_pixel(pieces& scratch, const cuda::label_job& work) {
  if (may_be_by_pixel(work)) lay_out(scratch, grid_of(work.image.size));
}

bool takes_frame_by_pixel(const cuda::label_job& work, const any_source& source, int device) {
  return may_be_by_pixel(work) &&
         with_frame(work, source, device, grid_of(work.image.size).tiles, [](auto, const auto&) {});
}

void label_frame_by_pixel(const cuda::label_job& work, const any_source& source, pieces scratch, cudaStream_t stream,
                          int device) {
  const pixel_grid grid = grid_of(work.image.size);
  with_frame(work, source, device, grid.tiles, [&](auto frame, const auto& from) {
    frame.enqueue(grid.tiles, stream, grid, from, lay_out(scratch, grid), frame_target::of(work), work.numbering);
  });
}

}  // namespace skerry::label_stages::on_device

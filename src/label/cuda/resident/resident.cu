// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a frame whose tiles all run at once.
#include "label/cuda/resident/resident.hpp"

#include "label/cuda/launch.cuh"
#include "label/cuda/resident/kernel.cuh"

namespace skerry::label_stages::on_device {
namespace {

// From what is wanted and from the size alone.
bool may_be_resident(const cuda::label_job& work, bool in_cluster) {
  const extent& size = work.image.size;
  if (!is_one_plain_frame(work) || size.width > i64{resident_most_columns} * tile_width) return false;
  const bool labels = work.labels.data != nullptr, rows = work.rows != nullptr;
  if (labels == rows) return false;
  constexpr i64 large = i64{7} << 17;  // a cluster keeps components of these in device memory
  return labels || !in_cluster || may_have_many_rows(work) || (work.connectivity == 4 && size.pixels() > large);
}

template <class Shape, class Features>
resident_tables lay_out(pieces scratch, u64 tiles) {
  resident_tables tables{};
  scratch.take(tables.parent, tiles * Shape::border_capacity);
  scratch.take(tables.bottom, tiles * tile_width);
  scratch.take(tables.right, tiles * tile_rows);
  scratch.take(tables.in_rows, tiles * (tile_rows / 4));
  scratch.take(tables.in_band.words, tiles * counts_apart::words_of_each);  // there are no more rows of tiles
  if constexpr (Features::wanted) scratch.take(tables.features, tiles * Shape::border_capacity);
  else scratch.take(tables.labels, tiles * Shape::border_capacity);
  return tables;
}

template <class Shape, class Source, class Features>
struct resident_frame {
  using kernel = kernel_together<resident_kernel<Shape, Source, Features>, blocks_of_grid, Shape::group_words,
                                 sizeof(resident_memory<Shape, Features>)>;
  static resident_tables tables(pieces scratch, u32 tiles) { return lay_out<Shape, Features>(scratch, tiles); }
};

// Calls call(frame) with the fastest resident_frame that the device runs, and returns whether there is one: one of narrow words
// where each tile has a processor of its own.
template <int Connectivity, class Source, class Features, class Call>
bool with_words(u32 tiles, int device, const Call& call) {
  using narrow = resident_frame<resident_shape<Connectivity, u8>, Source, Features>;
  using wide = resident_frame<resident_shape<Connectivity, u16>, Source, Features>;
  if (tiles <= narrow::kernel::at_once(device)) return call(narrow()), true;
  if (tiles <= wide::kernel::at_once(device)) return call(wide()), true;
  return false;
}

template <class Call>
bool with_frame(const cuda::label_job& work, const any_source& source, int device, const Call& call) {
  const u32 tiles = tiling_of<tile_shape<8>>(work.image.size).tiles;
  return std::visit(
      [&]<class Source>(const Source& from) {
        const auto with_features_or_not = [&]<int Connectivity>(std::integral_constant<int, Connectivity>) {
          const auto with_source = [&](auto frame) { call(frame, from); };
          return work.rows != nullptr ? with_words<Connectivity, Source, with_features>(tiles, device, with_source)
                                      : with_words<Connectivity, Source, no_features>(tiles, device, with_source);
        };
        return work.connectivity == 4 ? with_features_or_not(std::integral_constant<int, 4>())
                                      : with_features_or_not(std::integral_constant<int, 8>());
      },
      source);
}

}  // namespace

bool takes_resident_frame(const cuda::label_job& work, const any_source& source, int device, bool in_cluster) {
  return may_be_resident(work, in_cluster) && with_frame(work, source, device, [](auto, const auto&) {});
}

void label_resident_frame(const cuda::label_job& work, const any_source& source, pieces scratch, cudaStream_t stream,
                          int device) {
  const tiling grid = tiling_of<tile_shape<8>>(work.image.size);
  with_frame(work, source, device, [&](auto frame, const auto& from) {
    decltype(frame)::kernel::enqueue(grid.tiles, stream, grid, from, frame.tables(scratch, grid.tiles),
                                     frame_target::of(work), work.numbering);
  });
}

}  // namespace skerry::label_stages::on_device

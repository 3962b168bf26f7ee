// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a frame whose tiles all run at once.
#include "label/cuda/resident/resident.hpp"

#include <array>
#include <atomic>

#include "engine/cuda/kernel_facts.cuh"
#include "label/cuda/launch.cuh"
#include "label/cuda/resident/kernel.cuh"

namespace skerry::label_stages::on_device {
namespace {

// From what is wanted and from the size alone.
bool may_be_resident(const cuda::label_job& work, bool in_cluster) {
  const extent& size = work.image.size;
  if (!work.one_kernel || rank_of_connectivity(work.connectivity) != 2 || size.depth != 1 || size.pixels() == 0 ||
      size.width > i64{resident_most_columns} * tile_width)
    return false;
  if (selects(work.selection) || work.moments || work.intensities || work.real_intensities || work.runs ||
      work.run_offsets || work.packed.bits)
    return false;
  const bool labels = work.labels.data != nullptr, rows = work.rows != nullptr;
  if (labels == rows) return false;
  if (labels) return true;
  // Tables of objects are made faster by one cluster, where it does not have to keep many components in device memory.
  constexpr i64 large = i64{7} << 17;
  return !in_cluster || (work.connectivity == 4 && size.pixels() > large);
}

template <class Shape, class Features>
resident_tables lay_out(pieces scratch, u64 tiles) {
  resident_tables tables{};
  scratch.take(tables.parent, tiles * Shape::border_capacity);
  scratch.take(tables.bottom, tiles * tile_width);
  scratch.take(tables.right, tiles * tile_rows);
  scratch.take(tables.counts, tiles * (tile_rows / 4));
  scratch.take(tables.totals, tiles * (tile_rows / 32));
  if constexpr (Features::wanted) scratch.take(tables.features, tiles * Shape::border_capacity);
  else scratch.take(tables.labels, tiles * Shape::border_capacity);
  return tables;
}

/// Blocks of a cooperative kernel that a device runs at once; 0 where it runs no such kernel.
template <class Kernel>
u32 count_at_once(blocks_of_grid*, Kernel kernel, cudaLaunchConfig_t& config, int device) {
  int processors = 0, per_processor = 0, together = 0;
  const bool runs =
      cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device) == cudaSuccess && together != 0 &&
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, static_cast<int>(config.blockDim.x),
                                                    config.dynamicSmemBytes) == cudaSuccess;
  return runs ? static_cast<u32>(processors * per_processor) : 0;
}
/// Blocks of the largest cluster.
template <class Kernel>
u32 count_at_once(blocks_of_cluster*, Kernel kernel, cudaLaunchConfig_t& config, int device) {
  int major = 0, clusters = 0;
  config.gridDim = blocks_of_cluster::most;
  const bool runs = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
                    major >= 9 &&
                    cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
                    cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess;
  return runs && clusters > 0 ? blocks_of_cluster::most : 0;
}

inline cudaLaunchAttribute launched_together(blocks_of_grid*, u32) {
  cudaLaunchAttribute cooperative;
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  return cooperative;
}
inline cudaLaunchAttribute launched_together(blocks_of_cluster*, u32 blocks) {
  cudaLaunchAttribute cluster;
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {blocks, 1, 1};
  return cluster;
}

template <class Shape, class Source, class Features, class Together>
struct resident_frame {
  static constexpr auto kernel = resident_kernel<Shape, Source, Features, Together>;
  static constexpr Together* how = nullptr;

  static cudaLaunchConfig_t config_for(u32 tiles, cudaLaunchAttribute& together) {
    cudaLaunchConfig_t config{};
    config.gridDim = tiles;
    config.blockDim = Shape::group_words;
    config.dynamicSmemBytes = sizeof(resident_memory<Shape, Features>);
    config.attrs = &together;
    config.numAttrs = 1;
    together = launched_together(how, tiles);
    return config;
  }

  /// Blocks of the kernel that the device runs at once, or 0.
  static u32 at_once(int device) {
    static std::array<std::atomic<u32>, most_known_devices> known;  // and 1 more
    const bool is_known = device < most_known_devices;
    if (is_known && known[device] != 0) return known[device] - 1;
    cudaLaunchAttribute together;
    cudaLaunchConfig_t config = config_for(blocks_of_cluster::most, together);
    const bool fits = allow_shared_memory(kernel, config.dynamicSmemBytes) == cudaSuccess;
    const u32 blocks = fits ? count_at_once(how, kernel, config, device) : 0;
    if (blocks == 0) cudaGetLastError();
    if (is_known) known[device] = blocks + 1;
    return blocks;
  }

  static void enqueue(const tiling& grid, const cuda::label_job& work, const Source& source, pieces scratch,
                      cudaStream_t stream) {
    cudaLaunchAttribute together;
    cudaLaunchConfig_t config = config_for(grid.tiles, together);
    config.stream = stream;
    check_cuda(cudaLaunchKernelEx(&config, kernel, grid, source, lay_out<Shape, Features>(scratch, grid.tiles),
                                  frame_target::of(work), work.numbering),
               "local");
  }
};

// Calls call(frame) with the fastest resident_frame that the device runs, and returns whether there is one: a cluster if the tiles
// are few, and narrow words where each tile has a processor of its own.
template <int Connectivity, class Source, class Features, class Call>
bool with_words(u32 tiles, int device, const Call& call) {
  using narrow_shape = resident_shape<Connectivity, u8>;
  using few = resident_frame<narrow_shape, Source, Features, blocks_of_cluster>;
  using narrow = resident_frame<narrow_shape, Source, Features, blocks_of_grid>;
  using wide = resident_frame<resident_shape<Connectivity, u16>, Source, Features, blocks_of_grid>;
  if (tiles <= few::at_once(device)) return call(few()), true;
  if (tiles <= narrow::at_once(device)) return call(narrow()), true;
  if (tiles <= wide::at_once(device)) return call(wide()), true;
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
  with_frame(work, source, device,
             [&](auto frame, const auto& from) { frame.enqueue(grid, work, from, scratch, stream); });
}

}  // namespace skerry::label_stages::on_device

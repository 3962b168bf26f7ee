// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages: check, lay out the scratch, and enqueue the kernels.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "label/2_local_kernel.cuh"
#include "label/4_resolve.cuh"
#include "label/5_measure.cuh"
#include "label/6_emit.cuh"
#include "label/check.hpp"
#include "label/frame.cuh"
#include "skerry/cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::cuda {
namespace {

using namespace label_stages::on_device;

void check(cudaError_t result, const char* stage) {
  if (result != cudaSuccess) throw device_error(std::string("stage ") + stage + ": " + cudaGetErrorString(result));
}

// ---- scratch --------------------------------------------------------------------------------------

/// Deals pieces of one allocation; with a null base it only counts.
class pieces {
 public:
  explicit pieces(void* base) : base_(static_cast<char*>(base)) {}
  template <class T>
  void take(T*& piece, std::uint64_t count) {
    piece = base_ ? reinterpret_cast<T*>(base_ + used_) : nullptr;
    used_ += (count * sizeof(T) + 255) / 256 * 256;
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  char* base_;
  std::size_t used_ = 0;
};

}  // namespace

namespace {

inline constexpr u32 most_blocks = 4096, fixed_pool_tiles = 1024;

template <class Shape>
tiling tiling_of(const extent& size) {
  const auto parts = [](std::int64_t side, int tile) { return static_cast<i32>((side + tile - 1) / tile); };
  tiling grid{};
  grid.depth = static_cast<i32>(size.depth), grid.height = static_cast<i32>(size.height),
  grid.width = static_cast<i32>(size.width);
  grid.tiles_z = parts(size.depth, Shape::depth);
  grid.tiles_y = parts(size.height, Shape::height);
  grid.tiles_x = parts(size.width, tile_width);
  const std::uint64_t tiles = std::uint64_t(grid.tiles_z) * grid.tiles_y * grid.tiles_x;
  grid.units = std::uint64_t(size.depth) * size.height * grid.tiles_x;
  if (tiles * Shape::border_capacity > 0xffffffffu || grid.units > 0xffffffffu || tiles > 0x7fffffffu)
    throw invalid_argument("image: more pixels than the CUDA engine can number");
  grid.tiles = static_cast<u32>(tiles);
  grid.by_tiles_x = divisor(static_cast<u32>(grid.tiles_x));
  grid.by_tiles_y = divisor(static_cast<u32>(grid.tiles_y));
  return grid;
}

template <class Shape>
std::size_t lay_out(const tiling& grid, const job& work, void* base, label_tables& t) {
  pieces scratch(base);
  const std::uint64_t tiles = grid.tiles;
  scratch.take(t.bits, tiles * tile_rows * tile_words);
  scratch.take(t.prefix, tiles * Shape::prefix_pitch);
  scratch.take(t.component, tiles * Shape::run_capacity);
  scratch.take(t.first, tiles * Shape::run_capacity);
  scratch.take(t.parent, tiles * Shape::border_capacity);
  scratch.take(t.info, tiles);
  scratch.take(t.edges, tiles * 16);
  scratch.take(t.root_bits, grid.units * tile_words);
  scratch.take(t.root_rank, grid.units);
  scratch.take(t.offset, Shape::rank == 2 ? grid.depth + 1 : 2);
  scratch.take(t.block_total, most_blocks);
  scratch.take(t.pool_used, 1);
  // Few tiles have fixed pieces of the pool: that saves the counter and the node of a graph that clears it.
  const bool fixed = tiles <= fixed_pool_tiles;
  t.pool_capacity =
      static_cast<u32>(fixed ? tiles * Shape::run_capacity : std::min<std::uint64_t>(work.row_capacity, 0xfffffffeu));
  if (fixed) t.pool_used = nullptr;
  if (work.rows) {
    scratch.take(t.border_features, tiles * Shape::border_capacity);
    scratch.take(t.pool, t.pool_capacity);
  }
  if (work.offsets) t.offset = reinterpret_cast<u64*>(work.offsets);
  return scratch.used();
}

// ---- foreground -----------------------------------------------------------------------------------

template <class Pixel>
interval<Pixel> interval_of(const foreground& rule) {
  using limits = std::numeric_limits<Pixel>;
  if (rule.kind == foreground::rule::nonzero) return {Pixel{}, Pixel{}, false};
  double low = rule.low,
         high = rule.kind == foreground::rule::within ? rule.high : std::numeric_limits<double>::infinity();
  const interval<Pixel> nothing{Pixel{1}, Pixel{0}, true};
  if (std::isnan(low) || std::isnan(high)) return nothing;
  Pixel first, last;
  if constexpr (limits::is_integer) {
    low = rule.kind == foreground::rule::above ? std::floor(low) + 1 : std::ceil(low);
    high = std::floor(high);
    if (low > double(limits::max()) || high < double(limits::lowest()) || low > high) return nothing;
    first = low < double(limits::lowest()) ? limits::lowest() : static_cast<Pixel>(low);
    last = high > double(limits::max()) ? limits::max() : static_cast<Pixel>(high);
  } else {
    const Pixel infinity = limits::infinity();
    first = static_cast<Pixel>(low);
    if (rule.kind == foreground::rule::above ? double(first) <= low : double(first) < low) {
      if (first == infinity) return nothing;
      first = std::nextafter(first, infinity);
    }
    last = static_cast<Pixel>(high);
    if (double(last) > high) last = std::nextafter(last, -infinity);
    if (first > last) return nothing;
  }
  return {first, last, true};
}

bool passes(const interval<std::uint8_t>& rule, std::uint8_t value) {
  return (rule.low <= value && value <= rule.high) == rule.inside;
}

// A boolean is 0 or 1, whatever its byte holds besides 0.
interval<std::uint8_t> truth_interval(const foreground& rule) {
  const interval<std::uint8_t> numbers = interval_of<std::uint8_t>(rule);
  const bool zero = passes(numbers, 0), one = passes(numbers, 1);
  if (zero == one) return {0, 255, one};
  return {0, 0, zero};
}

// The frames of a batch are checked as one of them.
void check_job(const job& work) {
  image_view image = work.image;
  const bool batch = image.size.rank == 3 && (work.connectivity == 4 || work.connectivity == 8);
  check_input(image, {batch ? 6 : work.connectivity, work.foreground, {}});
  check_cuda_request(image, {work.connectivity, work.foreground, {}}, {}, false);
  if (work.labels.data != nullptr) check_labels(image, work.labels);
  if (work.rows == nullptr && work.row_capacity != 0) throw invalid_argument("row_capacity: is given without rows");
}

// ---- the six stages -------------------------------------------------------------------------------

// How many blocks of the cooperative kernel the current device runs at once. Asked once for each device: it is slow.
template <class Shape, class Features>
u32 blocks_at_once() {
  constexpr int most_devices = 64;
  static std::atomic<u32> known[most_devices];
  const auto kernel = resolve_kernel<Shape, Features>;
  int device = 0, processors = 0, per_processor = 0;
  check(cudaGetDevice(&device), "resolve");
  if (device < most_devices && known[device] != 0) return known[device];
  check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "resolve");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, resolve_threads, 0), "resolve");
  const auto blocks = static_cast<u32>(processors * per_processor);
  if (device < most_devices) known[device] = blocks;
  return blocks;
}

/// Blocks that fill the device, but not more than there is work for: a barrier of few blocks is faster.
template <class Shape>
u32 resolve_blocks(const tiling& grid, u32 at_once) {
  const std::uint64_t patches = Shape::rank == 2 ? std::uint64_t((grid.tiles_y + patch_side - 1) / patch_side) *
                                                       ((grid.tiles_x + patch_side - 1) / patch_side) * grid.depth
                                                 : (grid.tiles + 1) / 2;
  const std::uint64_t useful = std::max<std::uint64_t>(patches, (grid.units + 4095) / 4096);
  return static_cast<u32>(std::min<std::uint64_t>({useful, at_once, most_blocks}));
}

template <class Shape, class Features, class Source>
void run_stages(const job& work, const tiling& grid, const label_tables& tables, const Source& source,
                cudaStream_t stream) {
  if (Features::wanted && tables.pool_used) check(cudaMemsetAsync(tables.pool_used, 0, sizeof(u32), stream), "local");
  check((launch_local<Shape, Source, Features>(grid, source, tables, stream)), "local");
  const u32 at_once = blocks_at_once<Shape, Features>();
  check((launch_resolve<Shape, Features>(grid, tables, resolve_blocks<Shape>(grid, at_once), stream)), "resolve");
  if (work.rows) check((launch_measure<Shape>(grid, tables, work.rows, work.row_capacity, stream)), "measure");
  if (!work.labels.data) return;
  const source_strides step{work.labels.strides.z, work.labels.strides.y, work.labels.strides.x};
  const auto emit = [&]<class Label>(Label*) {
    const std::int64_t four = 4 * sizeof(Label), align = std::min<std::int64_t>(four, 16);
    const bool dense = step.x == sizeof(Label) && (step.y % align) == 0 && (step.z % align) == 0 &&
                       reinterpret_cast<std::uintptr_t>(work.labels.data) % align == 0;
    check((launch_emit<Shape, Label>(grid, tables, {static_cast<char*>(work.labels.data), step, dense}, stream)),
          "emit");
  };
  switch (work.labels.type) {
    case dtype::u8: return emit(static_cast<std::uint8_t*>(nullptr));
    case dtype::u16: return emit(static_cast<std::uint16_t*>(nullptr));
    case dtype::u32: return emit(static_cast<std::uint32_t*>(nullptr));
    case dtype::u64: return emit(static_cast<std::uint64_t*>(nullptr));
    default: throw invalid_argument("labels: the type must be u8, u16, u32 or u64");
  }
}

template <class Shape, class Features>
void encode_and_run(const job& work, const tiling& grid, const label_tables& tables, cudaStream_t stream) {
  const source_strides step{work.image.strides.z, work.image.strides.y, work.image.strides.x};
  const auto from = [&]<class Pixel>(interval<Pixel> rule) {
    const bool dense = sizeof(Pixel) == 1 && step.x == 1 && step.y % 16 == 0 && step.z % 16 == 0 &&
                       reinterpret_cast<std::uintptr_t>(work.image.data) % 16 == 0;
    run_stages<Shape, Features>(
        work, grid, tables, pixel_source<Pixel>{static_cast<const char*>(work.image.data), step, rule, dense}, stream);
  };
  switch (work.image.type) {
    case dtype::bit: {
      const auto whole = [&](std::uint8_t v) {
        return passes(interval_of<std::uint8_t>(work.foreground), v) ? ~0u : 0u;
      };
      return run_stages<Shape, Features>(
          work, grid, tables, bit_source{static_cast<const u8*>(work.image.data), step, {whole(0), whole(1)}}, stream);
    }
    case dtype::boolean: return from(truth_interval(work.foreground));
    case dtype::u8: return from(interval_of<std::uint8_t>(work.foreground));
    case dtype::u16: return from(interval_of<std::uint16_t>(work.foreground));
    case dtype::i16: return from(interval_of<std::int16_t>(work.foreground));
    case dtype::f32: return from(interval_of<float>(work.foreground));
    default: throw invalid_argument("image: the CUDA engine reads bit, bool, u8, u16, i16 and f32");
  }
}

// ---- one small frame at once ----------------------------------------------------------------------

template <class Shape>
bool is_small_frame(const job& work, frame_plan& plan) {
  const bool follow = work.image.strides.x == 1 && size_of(work.image.type) == 1;
  return Shape::rank == 2 && work.image.size.depth == 1 && (follow || work.image.type == dtype::bit) &&
         frame_plan_for<frame_shape<Shape::connectivity>>(work.image.size.height, work.image.size.width, plan);
}

template <class Shape>
std::size_t small_frame_bytes(const job& work) {
  frame_plan plan;
  if constexpr (Shape::rank == 2)
    if (is_small_frame<Shape>(work, plan)) return frame_scratch_bytes(plan);
  return 0;
}

template <class Shape, bool Features>
bool runs_as_small_frame(const job& work, void* scratch, cudaStream_t stream) {
  if constexpr (Shape::rank == 2) {
    using frame = frame_shape<Shape::connectivity>;
    frame_plan plan;
    if (!is_small_frame<Shape>(work, plan) || !frame_runs<frame, Features>()) return false;
    const interval<std::uint8_t> rule = work.image.type == dtype::boolean ? truth_interval(work.foreground)
                                                                          : interval_of<std::uint8_t>(work.foreground);
    const auto whole = [&](std::uint8_t v) { return passes(rule, v) ? ~0u : 0u; };
    frame_source source{};
    source.data = static_cast<const u8*>(work.image.data);
    source.row_bytes = work.image.strides.y;
    source.rule = byte_rule::of(rule);
    source.of_bits = {whole(0), whole(1)};
    source.packed = work.image.type == dtype::bit;
    const frame_target target = frame_target::of(work.rows, work.row_capacity, work.offsets, work.labels);
    check(launch_frame<frame, Features>(plan, source, target, scratch, stream), "frame");
    return true;
  }
  return false;
}

template <class Call>
auto with_shape(int connectivity, Call call) {
  switch (connectivity) {
    case 4: return call(tile_shape<4>{});
    case 8: return call(tile_shape<8>{});
    case 6: return call(tile_shape<6>{});
    case 18: return call(tile_shape<18>{});
    case 26: return call(tile_shape<26>{});
    default: throw invalid_argument("connectivity: must be 4, 8, 6, 18 or 26");
  }
}

}  // namespace

std::size_t scratch_bytes(const job& work) {
  check_job(work);
  return with_shape(work.connectivity, [&](auto shape) {
    using Shape = decltype(shape);
    label_tables tables{};
    return std::max(small_frame_bytes<Shape>(work),
                    lay_out<Shape>(tiling_of<Shape>(work.image.size), work, nullptr, tables));
  });
}

void enqueue(const job& work, void* scratch, std::size_t bytes, cudaStream_t stream) {
  check_job(work);
  if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 256 != 0)
    throw invalid_argument("scratch: must be device memory at a multiple of 256");
  with_shape(work.connectivity, [&](auto shape) {
    using Shape = decltype(shape);
    const tiling grid = tiling_of<Shape>(work.image.size);
    label_tables tables{};
    if (std::max(small_frame_bytes<Shape>(work), lay_out<Shape>(grid, work, scratch, tables)) > bytes)
      throw invalid_argument("scratch: smaller than scratch_bytes()");
    if (grid.tiles == 0) {
      const std::size_t frames = Shape::rank == 2 ? work.image.size.depth : 1;
      if (work.offsets) check(cudaMemsetAsync(work.offsets, 0, (frames + 1) * sizeof(std::uint64_t), stream), "encode");
      return;
    }
    if (work.rows ? runs_as_small_frame<Shape, true>(work, scratch, stream)
                  : runs_as_small_frame<Shape, false>(work, scratch, stream))
      return;
    if (work.rows) encode_and_run<Shape, with_features>(work, grid, tables, stream);
    else encode_and_run<Shape, no_features>(work, grid, tables, stream);
  });
}

}  // namespace skerry::cuda

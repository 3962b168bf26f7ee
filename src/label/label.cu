// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages: check, lay out the scratch, and enqueue the kernels.
#include <atomic>
#include <bit>
#include <variant>

#include "engine/cuda/stage_marks.cuh"
#include "label/2_local_kernel.cuh"
#include "label/4_resolve.cuh"
#include "label/5_measure.cuh"
#include "label/5_measure_sums.cuh"
#include "label/6_emit.cuh"
#include "label/6_emit_filled.cuh"
#include "label/6_emit_runs.cuh"
#include "label/check_job.hpp"
#include "label/enqueue.hpp"
#include "label/scratch_layout.cuh"
#include "label/small_frame/launch.cuh"

namespace skerry::cuda {
namespace {

using namespace label_stages::on_device;
using label_stages::dual_of, label_stages::selects;

/// What a job's kernels are launched with.
template <class Shape>
struct launch {
  const job& work;
  const tiling grid;
  const job_tables tables;
  cudaStream_t stream;
  stage_marks* marks;  // null without a profile

  void begin(stage next) const {
    if (marks != nullptr) marks->end_of_previous(next);
  }
  [[nodiscard]] u32 frames() const { return frames_in<Shape>(grid); }
};

// ---- tiles ----------------------------------------------------------------------------------------

template <class Shape>
tiling tiling_of(const extent& size) {
  const auto parts = [](std::int64_t side, int tile) { return static_cast<i32>((side + tile - 1) / tile); };
  tiling grid{};
  grid.depth = static_cast<i32>(size.depth), grid.height = static_cast<i32>(size.height),
  grid.width = static_cast<i32>(size.width);
  grid.tiles_z = parts(size.depth, Shape::depth);
  grid.tiles_y = parts(size.height, Shape::height);
  grid.tiles_x = parts(size.width, tile_width);
  const u64 tiles = u64(grid.tiles_z) * grid.tiles_y * grid.tiles_x;
  grid.units = u64(size.depth) * size.height * grid.tiles_x;
  // At most every second pixel begins a run or a component, and both are counted in 32 bits.
  if (tiles * Shape::border_capacity > 0xffffffffu || grid.units > 0xffffffffu || tiles > 0x7fffffffu ||
      size.pixels() / 2 >= 0xffffffff)
    throw invalid_argument("image: more pixels than the cuda engine can number");
  grid.tiles = static_cast<u32>(tiles);
  grid.by_tiles_x = divisor(static_cast<u32>(grid.tiles_x));
  grid.by_tiles_y = divisor(static_cast<u32>(grid.tiles_y));
  return grid;
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

// Blocks of a kernel that wait for each other and that the current device runs at once. Asked once for each kernel and
// device: it is slow.
template <class... Parameters>
u32 blocks_at_once(std::atomic<u32> (&known)[64], void (*kernel)(Parameters...)) {
  int device = 0, processors = 0, per_processor = 0;
  check_cuda(cudaGetDevice(&device), "resolve");
  if (device < 64 && known[device] != 0) return known[device];
  check_cuda(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "resolve");
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, resolve_threads, 0), "resolve");
  const auto blocks = static_cast<u32>(processors * per_processor);
  if (device < 64) known[device] = blocks;
  return blocks;
}

// ---- 1 encode -------------------------------------------------------------------------------------

using any_source = std::variant<byte_source, bit_source>;

bool is_packed_first(dtype type) { return type != dtype::bit && size_of(type) != 1; }

source_strides strides_of(const image_view& image) { return {image.strides.z, image.strides.y, image.strides.x}; }

bool has_dense_rows(const image_view& image) {
  return image.strides.x == static_cast<i64>(size_of(image.type)) && image.strides.y % 16 == 0 &&
         image.strides.z % 16 == 0 && reinterpret_cast<std::uintptr_t>(image.data) % 16 == 0;
}

bit_source source_of(const bit_rows& bits) {
  const i64 row_bytes = bits.words_per_row * static_cast<i64>(sizeof(u32));
  return {reinterpret_cast<const u8*>(bits.words), {row_bytes * bits.height, row_bytes, 0}, {0, ~0u}};
}

template <class Pixel>
any_source packed(const job& work, const bit_rows& bits, cudaStream_t stream) {
  const image_view& image = work.image;
  check_cuda(launch_pack(wide_image<Pixel>{static_cast<const char*>(image.data), strides_of(image),
                                           range_of<Pixel>(work.foreground), has_dense_rows(image)},
                         bits, stream),
             "encode");
  return source_of(bits);
}

// The image as stage 2 reads it; wide pixels are packed to bits now.
any_source encode(const job& work, const bit_rows& bits, cudaStream_t stream) {
  const image_view& image = work.image;
  const auto* bytes = static_cast<const u8*>(image.data);
  const auto all_or_none = [](bool passes) { return passes ? ~0u : 0u; };
  switch (image.type) {
    case dtype::bit: {
      const truth_rule truth = truth_rule::of(work.foreground);
      return bit_source{bytes, strides_of(image), {all_or_none(truth.zero), all_or_none(truth.one)}};
    }
    case dtype::boolean: {  // 0 or 1, whatever a byte holds besides 0
      const truth_rule truth = truth_rule::of(work.foreground);
      const pixel_range<u8> range =
          truth.zero == truth.one ? pixel_range<u8>{0, 255, truth.one} : pixel_range<u8>{0, 0, truth.zero};
      return byte_source{bytes, strides_of(image), range, has_dense_rows(image)};
    }
    case dtype::u8: return byte_source{bytes, strides_of(image), range_of<u8>(work.foreground), has_dense_rows(image)};
    case dtype::u16: return packed<u16>(work, bits, stream);
    case dtype::u32: return packed<u32>(work, bits, stream);
    case dtype::i16: return packed<std::int16_t>(work, bits, stream);
    case dtype::i32: return packed<i32>(work, bits, stream);
    case dtype::f32: return packed<float>(work, bits, stream);
    case dtype::f64: return packed<double>(work, bits, stream);
    case dtype::u64: break;
  }
  throw invalid_argument("image: dtype uint64 is not supported");
}

// ---- 2 local, 3 merge, 4 resolve ------------------------------------------------------------------

/// Blocks that fill the device, but not more than there is work for: a barrier of few blocks is faster.
template <class Shape>
u32 resolve_blocks(const tiling& grid, u32 at_once) {
  const u64 patches = Shape::rank == 2 ? u64((grid.tiles_y + patch_side - 1) / patch_side) *
                                             ((grid.tiles_x + patch_side - 1) / patch_side) * grid.depth
                                       : (grid.tiles + 1) / 2;
  const u64 useful = std::max<u64>(patches, (grid.units + 4095) / 4096);
  return static_cast<u32>(std::min<u64>({useful, at_once, most_blocks}));
}

template <class Shape, class Features>
void label_tiles(const launch<Shape>& on, const any_source& source) {
  const label_tables& t = on.tables.labels;
  if (Features::wanted && t.pool_used) check_cuda(cudaMemsetAsync(t.pool_used, 0, sizeof(u32), on.stream), "local");
  std::visit(
      [&](const auto& from) {
        check_cuda((launch_local<Shape, std::decay_t<decltype(from)>, Features>(on.grid, from, t, on.stream)), "local");
      },
      source);
  on.begin(stage::resolve);
  static std::atomic<u32> known[64];
  const u32 at_once = blocks_at_once(known, resolve_kernel<Shape, Features>);
  const job& work = on.work;
  const bool numbered = work.numbering == numbering::consecutive || work.offsets || work.rows || work.runs ||
                        work.run_offsets || work.overflow;
  check_cuda(
      (launch_resolve<Shape, Features>(on.grid, t, numbered, resolve_blocks<Shape>(on.grid, at_once), on.stream)),
      "resolve");
}

template <class Count, class Shape>
void number(const launch<Shape>& on, const Count& count, u32* rank, u64* offset) {
  static std::atomic<u32> known[64];
  const u64 useful = (on.grid.units + 4095) / 4096;
  const u64 blocks = std::min<u64>({useful, blocks_at_once(known, number_kernel<Count>), most_blocks});
  check_cuda(launch_together(static_cast<u32>(blocks), on.stream, number_kernel<Count>, on.grid.units,
                             units_of_frame<Shape>(on.grid), count, rank, offset, on.tables.labels.block_total),
             "resolve");
}

template <class Shape>
void keep_largest(const launch<Shape>& on, u32 blocks) {
  const select_tables& t = on.tables.select;
  const label_tables& labels = on.tables.labels;
  check_cuda(cudaMemsetAsync(t.histogram, 0, u64{on.frames()} * 256 * sizeof(u32), on.stream), "resolve");
  check_cuda(cudaMemsetAsync(t.tie_bits, 0, on.grid.units * tile_words * sizeof(u32), on.stream), "resolve");
  begin_search_kernel<<<(on.frames() + select_threads - 1) / select_threads, select_threads, 0, on.stream>>>(
      t.search, on.frames(), on.work.selection.largest);
  const u64 most = static_cast<u64>(on.work.image.size.pixels()) / on.frames();
  for (int shift = (std::bit_width(most) - 1) / 8 * 8; shift >= 0; shift -= 8) {
    count_digits_kernel<Shape><<<blocks, select_threads, 0, on.stream>>>(on.grid, labels, t, shift);
    choose_digit_kernel<<<on.frames(), select_threads, 0, on.stream>>>(t);
  }
  drop_smaller_kernel<Shape><<<blocks, select_threads, 0, on.stream>>>(on.grid, labels, t);
  number(on, bit_counts{t.tie_bits}, t.tie_rank, t.tie_offset);
  const auto unit_blocks = static_cast<u32>((on.grid.units + select_threads - 1) / select_threads);
  drop_ties_kernel<<<unit_blocks, select_threads, 0, on.stream>>>(on.grid.units, units_of_frame<Shape>(on.grid), labels,
                                                                  t);
}

template <class Shape>
void select(const launch<Shape>& on) {
  const selection& keep = on.work.selection;
  const label_tables& t = on.tables.labels;
  const u32 blocks = (on.grid.tiles + select_tiles - 1) / select_tiles;
  select_by_size_kernel<Shape>
      <<<blocks, select_threads, 0, on.stream>>>(on.grid, t, {keep.min_area, keep.max_area, keep.clear_border});
  if (keep.largest != 0) keep_largest(on, blocks);
  check_cuda(cudaGetLastError(), "resolve");
  number(on, bit_counts{t.root_bits}, t.root_rank, t.offset);
}

// ---- 5 measure ------------------------------------------------------------------------------------

template <class Shape, class Feature>
void sum(const launch<Shape>& on, const Feature& feature, typename Feature::row* rows) {
  const label_tables& t = on.tables.labels;
  empty_rows_kernel<<<1024, 256, 0, on.stream>>>(rows, t.offset + on.frames(), on.work.row_capacity);
  sum_kernel<Shape, Feature>
      <<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, t, feature, rows, on.work.row_capacity);
  check_cuda(cudaGetLastError(), "measure");
}

template <class Shape>
void measure(const launch<Shape>& on) {
  const job& work = on.work;
  const label_tables& t = on.tables.labels;
  if (work.rows) check_cuda((launch_measure<Shape>(on.grid, t, work.rows, work.row_capacity, on.stream)), "measure");
  if (work.moments) sum(on, moments_of_stretch{Shape::rank == 3}, work.moments);
  if (!work.intensities) return;
  double* const largest = on.tables.largest;
  const intensity_image image{static_cast<const char*>(work.intensity_image.data), strides_of(work.intensity_image),
                              work.intensity_image.type};
  if (largest) {
    check_cuda(cudaMemsetAsync(largest, 0, on.frames() * sizeof(double), on.stream), "measure");
    largest_magnitude_kernel<Shape><<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, t, image, largest);
  }
  if (work.scales)
    write_scales_kernel<<<(on.frames() + 255) / 256, 256, 0, on.stream>>>(largest, on.frames(), work.scales);
  sum(on, intensity_of_stretch{image, largest, {}}, work.intensities);
}

// ---- 6 emit ---------------------------------------------------------------------------------------

template <class Shape>
void emit_labels(const launch<Shape>& on) {
  const mutable_image& labels = on.work.labels;
  const source_strides step = strides_of(labels);
  const auto emit_as = [&]<class Label>(Label*) {
    const std::int64_t four = 4 * sizeof(Label), align = std::min<std::int64_t>(four, 16);
    const bool dense = step.x == sizeof(Label) && (step.y % align) == 0 && (step.z % align) == 0 &&
                       reinterpret_cast<std::uintptr_t>(labels.data) % align == 0;
    check_cuda((launch_emit<Shape, Label>(on.grid, on.tables.labels, {static_cast<char*>(labels.data), step, dense},
                                          on.work.numbering, on.stream)),
               "emit");
  };
  switch (labels.type) {
    case dtype::u8: return emit_as(static_cast<u8*>(nullptr));
    case dtype::u16: return emit_as(static_cast<u16*>(nullptr));
    case dtype::u32: return emit_as(static_cast<u32*>(nullptr));
    default: return emit_as(static_cast<u64*>(nullptr));
  }
}

template <class Shape>
void emit_runs(const launch<Shape>& on) {
  const job_tables& t = on.tables;
  count_runs_kernel<Shape><<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, t.labels, t.runs_before);
  check_cuda(cudaGetLastError(), "emit");
  number(on, given_counts{t.runs_before}, t.runs_before, t.run_offsets);
  if (on.work.runs == nullptr) return;
  write_runs_kernel<Shape><<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, t.labels, t.runs_before,
                                                                           on.work.runs, on.work.run_capacity);
  check_cuda(cudaGetLastError(), "emit");
}

__global__ void check_overflow_kernel(const u64* offset, u32 frames, u64 row_capacity, u64 most_labels,
                                      const u64* run_offset, u64 run_capacity, u32* overflow) {
  u32 found = offset != nullptr && offset[frames] > row_capacity ? rows_overflow : 0;
  if (run_offset != nullptr && run_offset[frames] > run_capacity) found |= runs_overflow;
  for (u32 frame = threadIdx.x; frame < frames; frame += 32)
    if (offset[frame + 1] - offset[frame] > most_labels) found |= labels_overflow;
  found = __reduce_or_sync(~0u, found);
  if (threadIdx.x == 0) *overflow = found;
}

template <class Shape>
void tell_overflow(const launch<Shape>& on) {
  const job& work = on.work;
  check_overflow_kernel<<<1, 32, 0, on.stream>>>(
      on.tables.labels.offset, on.frames(), work.rows ? work.row_capacity : ~u64{0}, largest_label(work),
      work.runs ? on.tables.run_offsets : nullptr, work.run_capacity, work.overflow);
  check_cuda(cudaGetLastError(), "emit");
}

// ---- one small frame in one kernel -----------------------------------------------------------------

template <class Shape>
bool is_small_frame(const job& work, const any_source& source) {
  const auto* bytes = std::get_if<byte_source>(&source);
  return (bytes == nullptr || bytes->step.x == 1) && takes_small_frame<Shape>(work);
}

// ---- the journey ----------------------------------------------------------------------------------

template <class Shape>
void run_stages(const launch<Shape>& on, const any_source& source) {
  const job& work = on.work;
  on.begin(stage::local);
  if (needs_features(work)) label_tiles<Shape, with_features>(on, source);
  else label_tiles<Shape, no_features>(on, source);
  if (selects(work.selection)) select(on);
  on.begin(stage::measure);
  measure(on);
  on.begin(stage::emit);
  if (work.labels.data) emit_labels(on);
  if (work.runs || work.run_offsets) emit_runs(on);
  if (work.overflow) tell_overflow(on);
}

// Labels the background, and keeps of it as holes what the border does not reach.
template <class Shape>
void fill_holes(const job& work, const any_source& source, const bit_rows& filled, pieces scratch,
                cudaStream_t stream) {
  using dual = tile_shape<dual_of(Shape::connectivity)>;
  job background;
  background.image = work.image;
  background.selection.clear_border = true;
  const tiling grid = tiling_of<dual>(work.image.size);
  const launch<dual> on{background, grid, lay_out_tables<dual>(scratch, grid, background), stream, nullptr};
  label_tiles<dual, with_features>(on,
                                   std::visit([](const auto& from) { return any_source(from.inverted()); }, source));
  select(on);
  emit_filled_kernel<dual><<<grid.tiles, label_threads, 0, stream>>>(grid, on.tables.labels, filled);
  check_cuda(cudaGetLastError(), "encode");
}

template <class Shape>
std::size_t scratch_for(const job& work) {
  pieces scratch(nullptr);
  if (is_packed_first(work.image.type) || work.selection.fill_holes) lay_out_bits(scratch, work.image.size);
  pieces holes = scratch, frame = scratch;
  lay_out_tables<Shape>(scratch, tiling_of<Shape>(work.image.size), work);
  lay_out_small_frame<Shape>(frame, work);
  const std::size_t needed = std::max(scratch.used(), frame.used());
  if (!work.selection.fill_holes) return needed;
  using dual = tile_shape<dual_of(Shape::connectivity)>;
  job background;
  background.selection.clear_border = true;
  lay_out_tables<dual>(holes, tiling_of<dual>(work.image.size), background);
  return std::max(needed, holes.used());
}

template <class Shape>
void run_job(const job& work, void* base, cudaStream_t stream, stage_marks* marks) {
  const tiling grid = tiling_of<Shape>(work.image.size);
  const u64 counts_bytes = (frames_in<Shape>(grid) + u64{1}) * sizeof(u64);
  if (grid.tiles == 0) {
    if (work.offsets) check_cuda(cudaMemsetAsync(work.offsets, 0, counts_bytes, stream), "encode");
    if (work.run_offsets) check_cuda(cudaMemsetAsync(work.run_offsets, 0, counts_bytes, stream), "encode");
    if (work.overflow) check_cuda(cudaMemsetAsync(work.overflow, 0, sizeof(u32), stream), "encode");
    return;
  }
  pieces scratch(base);
  bit_rows bits{};
  if (is_packed_first(work.image.type) || work.selection.fill_holes) bits = lay_out_bits(scratch, work.image.size);
  any_source source = encode(work, bits, stream);
  if (work.selection.fill_holes) {
    fill_holes<Shape>(work, source, bits, scratch, stream);
    source = source_of(bits);
  }
  if (is_small_frame<Shape>(work, source)) {
    if (marks != nullptr) marks->end_of_previous(stage::local);
    return std::visit([&](const auto& from) { label_small_frame<Shape>(work, from, scratch, stream); }, source);
  }
  run_stages<Shape>({work, grid, lay_out_tables<Shape>(scratch, grid, work), stream, marks}, source);
}

}  // namespace

std::size_t scratch_bytes(const job& work) {
  check_job(work);
  return with_shape(work.connectivity, [&](auto shape) { return scratch_for<decltype(shape)>(work); });
}

void enqueue(const job& work, void* scratch, std::size_t bytes, cudaStream_t stream) {
  enqueue(work, scratch, bytes, stream, nullptr);
}

void enqueue(const job& work, void* scratch, std::size_t bytes, cudaStream_t stream, stage_marks* marks) {
  check_job(work);
  with_shape(work.connectivity, [&](auto shape) {
    using Shape = decltype(shape);
    if (scratch == nullptr || reinterpret_cast<std::uintptr_t>(scratch) % 256 != 0)
      throw invalid_argument("scratch: must be device memory at a multiple of 256");
    if (const std::size_t needed = scratch_for<Shape>(work); needed > bytes)
      throw invalid_argument("scratch: " + std::to_string(bytes) + " bytes are fewer than the " +
                             std::to_string(needed) + " of scratch_bytes()");
    check_memory(work, scratch, bytes);
    run_job<Shape>(work, scratch, stream, marks);
  });
}

}  // namespace skerry::cuda

// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages: check, lay out the scratch, and enqueue the kernels.
#include <memory>
#include <variant>

#include "engine/cuda/prepared_work.hpp"
#include "label/cuda/by_pixel/by_pixel.hpp"
#include "label/cuda/checks/check_job.hpp"
#include "label/cuda/emit/counts.cuh"
#include "label/cuda/emit/filled.cuh"
#include "label/cuda/emit/labels.cuh"
#include "label/cuda/emit/packed.cuh"
#include "label/cuda/emit/runs.cuh"
#include "label/cuda/joins/joined.hpp"
#include "label/cuda/launch.cuh"
#include "label/cuda/measure/geometry.cuh"
#include "label/cuda/measure/plane_sums.cuh"
#include "label/cuda/measure/reals.cuh"
#include "label/cuda/measure/sums.cuh"
#include "label/cuda/resident/resident.hpp"
#include "label/cuda/resolve/kernel.cuh"
#include "label/cuda/resolve/select_launch.cuh"
#include "label/cuda/small_frame/launch.cuh"
#include "label/cuda/tiles/encode_source.cuh"
#include "label/cuda/tiles/kernel.cuh"

namespace skerry::cuda {
namespace {

using namespace label_stages::on_device;
using label_stages::dual_of, label_stages::selects;

// ---- 2 local, 3 merge, 4 resolve ------------------------------------------------------------------

/// How the borders of tiles are dealt out.
struct border_shares {
  u32 pixels, blocks;
};
/// A piece of a row border for each thread, and then one of a column border. Pieces are longer, up to eight pixels, where they would
/// need more than half of the blocks that the device runs at once: a barrier of few blocks is faster. What one block can do in a round of
/// pieces of four pixels needs no barrier of the grid at all.
template <class Shape>
border_shares shares_of(const tiling& grid, u32 at_once) {
  if (Shape::rank == 2 && tile_borders<Shape>(grid, 4).row_pieces() <= resolve_threads) return {4, 1};
  u32 pixels = 2;
  const auto blocks = [&] {
    return (tile_borders<Shape>(grid, pixels).row_pieces() + resolve_threads - 1) / resolve_threads;
  };
  while (Shape::rank == 2 && pixels < 8 && blocks() > at_once / 2) pixels *= 2;
  const u64 of_tiles = Shape::rank == 3 ? (grid.tiles + 1) / 2 : 0;
  const u64 useful = std::max<u64>({blocks(), of_tiles, (grid.units + units_at_once - 1) / units_at_once});
  return {pixels, static_cast<u32>(std::min<u64>({useful, at_once, most_blocks}))};
}

/// Whether every later reader of root_bits and root_rank looks only at units that hold a root. Selections and tables look at all of them,
/// and so do slabs, whose jobs have no label image.
bool reads_only_roots(const label_job& work) {
  return work.labels.data != nullptr && !work.rows && !selects(work.selection);
}

template <class Shape, class Features>
void label_tiles(const launch<Shape>& on, const any_source& source) {
  const label_tables& t = on.tables.labels;
  if (Features::wanted && t.pool_used) check_cuda(cudaMemsetAsync(t.pool_used, 0, sizeof(u32), on.stream), "local");
  std::visit(
      [&](const auto& from) {
        check_cuda(
            (launch_local<Shape, std::decay_t<decltype(from)>, Features>(on.grid, from, t, on.stream, on.device)),
            "local");
      },
      source);
  on.begin(stage::resolve);
  static resident_blocks known;
  const u32 at_once = known.of(resolve_kernel<Shape, Features>, on.device);
  const label_job& work = on.work;
  const bool numbered = work.numbering == numbering::consecutive || work.offsets || work.rows || work.runs ||
                        work.run_offsets || work.overflow || work.packed.bits;
  const border_shares shares = shares_of<Shape>(on.grid, at_once);
  check_cuda((launch_resolve<Shape, Features>(on.grid, t, numbered, reads_only_roots(work), shares.pixels,
                                              shares.blocks, on.stream)),
             "resolve");
}

// ---- 5 measure ------------------------------------------------------------------------------------

template <class Shape, class Feature>
void sum(const launch<Shape>& on, const Feature& feature, typename Feature::row* rows) {
  sum_kernel<Shape, Feature>
      <<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, on.tables.labels, feature, rows, on.work.row_capacity);
  check_cuda(cudaGetLastError(), "measure");
}

template <class Shape, class Feature>
void sum_in_plane(const launch<Shape>& on, const Feature& feature, typename Feature::row* rows) {
  plane_sum_kernel<Shape, Feature>
      <<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, on.tables.labels, feature, rows, on.work.row_capacity);
  check_cuda(cudaGetLastError(), "measure");
}

/// Whether any sum of products of two coordinates in a plane fits 64 bits.
bool sums_are_narrow(const tiling& grid) {
  const double side = std::max(grid.height, grid.width);
  return static_cast<double>(grid.height) * grid.width * side * side < 0x1p63;
}

template <class Shape, class Row>
void empty_rows(const launch<Shape>& on, Row* rows) {
  empty_rows_kernel<<<1024, 256, 0, on.stream>>>(rows, on.tables.labels.offset + on.frames(), on.work.row_capacity);
  check_cuda(cudaGetLastError(), "measure");
}

template <class Shape>
void measure_reals(const launch<Shape>& on, const intensity_image& image) {
  real_intensity* const rows = on.work.real_intensities;
  empty_rows(on, rows);
  sum(on, real_range_of_stretch{image}, rows);
  if (size_of(image.type) <= 4) sum(on, real_sums_of_stretch<true>{{image}}, rows);
  else sum(on, real_sums_of_stretch<false>{{image}}, rows);
}

template <class Shape>
void measure(const launch<Shape>& on) {
  const label_job& work = on.work;
  const label_tables& t = on.tables.labels;
  if (work.rows)
    check_cuda((launch_measure<Shape>(on.grid, t, work.rows, work.row_capacity,
                                      can_launch_early(measure_kernel<Shape>, on.device), on.stream)),
               "measure");
  if (work.moments) {
    empty_rows(on, work.moments);
    if constexpr (Shape::rank == 2) sum_in_plane(on, moments_of_mask{sums_are_narrow(on.grid)}, work.moments);
    else sum(on, moments_of_stretch{true}, work.moments);
  }
  if (work.intensity_image.data == nullptr) return;
  const intensity_image image{static_cast<const char*>(work.intensity_image.data), work.intensity_image.strides,
                              work.intensity_image.type};
  if (work.real_intensities) return measure_reals(on, image);
  empty_rows(on, work.intensities);
  if (image.type != dtype::u8 || image.step.x != 1) return sum(on, intensity_of_stretch{image}, work.intensities);
  const readable_bytes readable = readable_bytes::of(work.intensity_image);
  if constexpr (Shape::rank == 2) sum_in_plane(on, bytes_of_mask{image, readable}, work.intensities);
  else sum(on, intensity_of_bytes{image, readable}, work.intensities);
}

// ---- 6 emit ---------------------------------------------------------------------------------------

template <class Shape>
void emit_labels(const launch<Shape>& on) {
  const mutable_image& labels = on.work.labels;
  const bool is_last = !on.work.packed.bits && !on.work.runs && !on.work.run_offsets;
  const auto emit_as = [&]<class Label>(Label*) {
    check_cuda((launch_emit<Shape, Label>(on.grid, on.tables.labels, label_target<Label>::of(labels), on.work.numbering,
                                          is_last, can_launch_early(emit_kernel<Shape, Label, label_tables>, on.device),
                                          on.stream)),
               "emit");
  };
  switch (size_of(labels.type)) {
    case 1: return emit_as(static_cast<u8*>(nullptr));
    case 2: return emit_as(static_cast<u16*>(nullptr));
    case 4: return emit_as(static_cast<u32*>(nullptr));
    default: return emit_as(static_cast<u64*>(nullptr));
  }
}

template <class Shape>
void emit_runs(const launch<Shape>& on) {
  const job_tables& t = on.tables;
  const bool all_labelled = !selects(on.work.selection);
  count_runs_kernel<Shape>
      <<<on.grid.tiles, label_threads, 0, on.stream>>>(on.grid, t.labels, all_labelled, t.runs_before);
  check_cuda(cudaGetLastError(), "emit");
  unit_list::of(on).number(given_counts{t.runs_before}, t.runs_before, t.run_offsets);
  if (on.work.runs == nullptr) return;
  write_runs_kernel<Shape><<<on.grid.tiles, label_threads, 0, on.stream>>>(
      on.grid, t.labels, all_labelled, t.runs_before, on.work.runs, on.work.run_capacity);
  check_cuda(cudaGetLastError(), "emit");
}

// ---- one small frame in one kernel -----------------------------------------------------------------

template <class Shape>
bool is_small_frame(const label_job& work, const any_source& source, int device) {
  const auto* bytes = std::get_if<byte_source>(&source);
  return (bytes == nullptr || bytes->step.x == 1) && takes_small_frame<Shape>(work, device);
}

// ---- the journey ----------------------------------------------------------------------------------

template <class Shape>
void run_stages(const launch<Shape>& on, const any_source& source) {
  const label_job& work = on.work;
  on.begin(stage::local);
  if (needs_features(work)) label_tiles<Shape, with_features>(on, source);
  else label_tiles<Shape, no_features>(on, source);
  if (selects(work.selection)) select(on);
  on.begin(stage::measure);
  measure(on);
  on.begin(stage::emit);
  if (work.labels.data) emit_labels(on);
  if (work.packed.bits)
    check_cuda((launch_emit_packed<Shape>(on.grid, on.tables.labels, work.packed, on.stream)), "emit");
  if (work.runs || work.run_offsets) emit_runs(on);
  if (work.overflow) tell_overflow(work, on.frames(), on.tables.labels.offset, on.tables.run_offsets, on.stream);
}

// The background, whose components that the border does not reach are holes.
label_job background_of(const label_job& work) {
  label_job background;
  background.image = work.image;
  background.numbering = numbering::first_pixel;  // nothing is numbered
  return background;
}

// Labels the background, and writes the image with what the border does not reach of it.
template <class Shape>
void fill_holes(const label_job& work, const any_source& source, const bit_rows& filled, pieces scratch,
                cudaStream_t stream, int device) {
  using dual = tile_shape<dual_of(Shape::connectivity)>;
  const label_job background = background_of(work);
  const tiling grid = tiling_of<dual>(work.image.size);
  stage_progress unmarked(nullptr);  // to a profile all of it is stage 1
  const launch<dual> on{background, grid, lay_out_tables<dual>(scratch, grid, background), stream, unmarked, device};
  label_tiles<dual, no_features>(on, std::visit([](const auto& from) { return any_source(from.inverted()); }, source));
  drop_border(on);
  emit_filled_kernel<dual><<<grid.tiles, emit_filled_threads, 0, stream>>>(grid, on.tables.labels, filled);
  check_cuda(cudaGetLastError(), "encode");
}

template <class Shape>
std::size_t scratch_for(const label_job& work) {
  pieces scratch(nullptr);
  if (is_packed_first(work.image.type) || work.selection.fill_holes) lay_out_bits(scratch, work.image.size);
  pieces holes = scratch, frame = scratch, by_pixel = scratch;
  lay_out_tables<Shape>(scratch, tiling_of<Shape>(work.image.size), work);
  lay_out_small_frame<Shape>(frame, work);
  lay_out_frame_by_pixel(by_pixel, work);
  const std::size_t needed = std::max({scratch.used(), frame.used(), by_pixel.used()});
  if (!work.selection.fill_holes) return needed;
  using dual = tile_shape<dual_of(Shape::connectivity)>;
  lay_out_tables<dual>(holes, tiling_of<dual>(work.image.size), background_of(work));
  return std::max(needed, holes.used());
}

// A job whose tiles and scratch are known.
template <class Shape>
class prepared_label final : public prepared_work {
 public:
  explicit prepared_label(const label_job& work)
      : prepared_work(scratch_for<Shape>(work), work.early_launch), work_(work),
        grid_(tiling_of<Shape>(work.image.size)) {}

  void enqueue(void* base, cudaStream_t stream, stage_marks* marks) const override {
    if (grid_.tiles == 0) return write_nothing(work_, frames_in<Shape>(grid_), stream);
    stage_progress progress(marks);
    pieces scratch(base);
    bit_rows bits{};
    if (is_packed_first(work_.image.type) || work_.selection.fill_holes) bits = lay_out_bits(scratch, work_.image.size);
    progress.begin(stage::encode);
    any_source source = encode(work_, bits, stream);
    if (work_.selection.fill_holes) {
      fill_holes<Shape>(work_, source, bits, scratch, stream, device());
      source = source_of(bits);
    }
    if (takes_frame_by_pixel(work_, source, device())) {
      progress.begin(stage::local);
      return label_frame_by_pixel(work_, source, scratch, stream, device());
    }
    const bool is_small = is_small_frame<Shape>(work_, source, device());
    if (takes_resident_frame(work_, source, device(), is_small)) {
      progress.begin(stage::local);
      return label_resident_frame(work_, source, scratch, stream, device());
    }
    if (is_small) {
      progress.begin(stage::local);
      return std::visit([&](const auto& from) { label_small_frame<Shape>(work_, from, scratch, stream, device()); },
                        source);
    }
    run_stages<Shape>({work_, grid_, lay_out_tables<Shape>(scratch, grid_, work_), stream, progress, device()}, source);
  }

 private:
  label_job work_;
  tiling grid_;
};

std::shared_ptr<const prepared_work> prepared(const label_job& work) {
  check_job(work);
  check_memory(work);
  if (is_joined(work)) return prepared_joined(work);
  return with_shape(work.connectivity, [&](auto shape) -> std::shared_ptr<const prepared_work> {
    return std::make_shared<prepared_label<decltype(shape)>>(work);
  });
}

}  // namespace

std::size_t scratch_bytes(const label_job& work) {
  check_job(work);
  if (is_joined(work)) return scratch_for_joined(work);
  return with_shape(work.connectivity, [&](auto shape) { return scratch_for<decltype(shape)>(work); });
}

label_plan::label_plan(const label_job& work) : plan(prepared(work)) {}

}  // namespace skerry::cuda

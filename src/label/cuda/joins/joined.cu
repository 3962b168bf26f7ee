// SPDX-License-Identifier: Apache-2.0
// The driver of the CUDA stages where pixels join by value or axes are periodic: lays out the scratch, and enqueues the kernels.
#include "label/cuda/joins/joined.hpp"

#include "core/pixel_type.hpp"
#include "engine/cuda/stage_progress.cuh"
#include "label/cuda/emit/counts.cuh"
#include "label/cuda/joins/emit.cuh"
#include "label/cuda/joins/encode.cuh"
#include "label/cuda/joins/layout.cuh"
#include "label/cuda/joins/merge.cuh"
#include "label/cuda/joins/names.cuh"
#include "label/cuda/joins/select.cuh"
#include "label/cuda/joins/solve.cuh"
#include "label/cuda/launch.cuh"
#include "label/cuda/measure/reals.cuh"
#include "label/cuda/resolve/select_launch.cuh"
#include "label/cuda/tiles/encode_source.cuh"

namespace skerry::cuda {
namespace {

using namespace label_stages::on_device;
using label_stages::selects;

/// One job on its way to a stream.
class joined_run {
 public:
  joined_run(const label_job& work, const node_grid& grid, const joined_tables& tables, cudaStream_t stream, int device)
      : work_(work), grid_(grid), t_(tables), stream_(stream), device_(device) {}

  // ---- 1 encode -----------------------------------------------------------------------------------

  void encode() const {
    const image_view& image = work_.image;
    const auto* const data = static_cast<const char*>(image.data);
    if (image.type == dtype::bit || image.type == dtype::boolean)
      return encode_from(
          truth_source{data, strides_of(image), truth_rule::of(work_.foreground), image.type == dtype::bit});
    with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) {
      encode_from(value_source<Pixel>::of(image, strides_of(image), work_.foreground));
    });
  }

  // ---- 2 local, 3 merge, 4 resolve ----------------------------------------------------------------

  void solve() const { is_volume(work_) ? solve_rank<3>() : solve_rank<2>(); }

  /// Names that lead to first pixels are needed where these decide.
  void resolve() const {
    const bool by_first_pixel = work_.labels.data != nullptr && work_.numbering == numbering::first_pixel;
    if (!selects(work_.selection) && !by_first_pixel) {
      units().number(bit_counts{t_.nodes.root_bits}, t_.nodes.root_rank, t_.nodes.offset);
      return name<name_kind::label>();
    }
    name<name_kind::node>();
    if (selects(work_.selection)) select();
    units().number(bit_counts{t_.nodes.root_bits}, t_.nodes.root_rank, t_.nodes.offset);
    if (by_first_pixel) emit_labels(first_pixel_labels{t_.nodes.root_bits});
    rename_kernel<<<blocks_for(grid_.words(), 256), 256, 0, stream_>>>(grid_, t_.nodes);
    launched("resolve");
  }

  // ---- 5 measure ----------------------------------------------------------------------------------

  void measure() const {
    const bool volume = is_volume(work_);
    if (work_.rows != nullptr) sum(geometry_of_stretch{volume}, work_.rows);
    if (work_.moments != nullptr) sum(moments_of_stretch{volume}, work_.moments);
    if (work_.intensity_image.data == nullptr) return;
    const intensity_image image{static_cast<const char*>(work_.intensity_image.data), work_.intensity_image.strides,
                                work_.intensity_image.type};
    if (work_.intensities != nullptr) return sum(intensity_of_stretch{image}, work_.intensities);
    sum(real_range_of_stretch{image}, work_.real_intensities);
    if (size_of(image.type) <= 4) add(real_sums_of_stretch<true>{{image}}, work_.real_intensities, work_.row_capacity);
    else add(real_sums_of_stretch<false>{{image}}, work_.real_intensities, work_.row_capacity);
  }

  // ---- 6 emit -------------------------------------------------------------------------------------

  void emit() const {
    const consecutive_labels labels{t_.nodes.offset};
    if (work_.labels.data != nullptr && work_.numbering == numbering::consecutive) emit_labels(labels);
    if (work_.packed.bits != nullptr) {
      emit_packed_names_kernel<<<blocks_for(grid_.words(), emit_threads / 32), emit_threads, 0, stream_>>>(
          grid_, t_.pairs, t_.nodes, labels, work_.packed);
      launched("emit");
    }
    if (work_.runs != nullptr || work_.run_offsets != nullptr) emit_runs();
    if (work_.overflow != nullptr) tell_overflow(work_, grid_.frames, t_.nodes.offset, t_.run_offsets, stream_);
  }

 private:
  static void launched(const char* stage) { check_cuda(cudaGetLastError(), stage); }

  template <class Source>
  void encode_from(const Source& source) const {
    using value = typename Source::value;
    const auto joins = value_joining<value>::of(work_.joining);
    const u64 bands = u64{blocks_for(static_cast<u64>(grid_.height), pair_rows)} * static_cast<u64>(grid_.depth);
    const u32 blocks = blocks_for(bands * grid_.units_x * (tile_width / pair_pixels<value>), pair_threads);
    const bool diagonal = axes_of(work_.connectivity) > 1;
    const auto launch = [&](auto near) {
      constexpr bool is_near = decltype(near)::value;
      const auto kernel =
          is_volume(work_) ? encode_pairs_kernel<Source, true, is_near> : encode_pairs_kernel<Source, false, is_near>;
      kernel<<<blocks, pair_threads, 0, stream_>>>(grid_, source, joins, t_.pairs, diagonal);
    };
    if (sizeof(value) > 1 || joins.kind == value_joining<value>::rule::near) launch(std::true_type());
    else if constexpr (sizeof(value) == 1) launch(std::false_type());
    launched("encode");
  }

  template <int Rank>
  void solve_rank() const {
    solve_tiles_kernel<Rank><<<tiles(), solve_threads, 0, stream_>>>(grid_, t_.pairs, t_.nodes);
    launched("local");
    merge_tiles_kernel<Rank><<<blocks_for(grid_.words(), 256), 256, 0, stream_>>>(grid_, t_.pairs, t_.nodes);
    launched("merge");
  }

  /// Tiles of the image.
  [[nodiscard]] u32 tiles() const {
    return grid_.units_x * blocks_for(static_cast<u64>(grid_.height), 1u << grid_.height_bits) *
           blocks_for(static_cast<u64>(grid_.depth), 1u << grid_.depth_bits);
  }

  [[nodiscard]] unit_list units() const {
    return {grid_.units, grid_.units_of_frame(), grid_.frames, t_.nodes.block_total, stream_, device_};
  }

  template <name_kind Kind>
  void name() const {
    name_kernel<Kind><<<blocks_for(grid_.words(), 256), 256, 0, stream_>>>(grid_, t_.nodes);
    launched("resolve");
  }

  void select() const {
    const selection& keep = work_.selection;
    check_cuda(cudaMemsetAsync(t_.areas, 0, u64{grid_.units} * tile_width * sizeof(area_and_border), stream_),
               "resolve");
    add(area_of_stretch{grid_, is_volume(work_)}, t_.areas, ~u64{0});
    const u32 blocks = blocks_for(grid_.words(), select_threads);
    select_nodes_kernel<<<blocks, select_threads, 0, stream_>>>(grid_, t_.nodes, t_.areas,
                                                                {keep.min_area, keep.max_area, keep.clear_border});
    launched("resolve");
    if (keep.largest != 0) keep_largest(blocks);
  }

  void keep_largest(u32 blocks) const {
    const u32 frames = grid_.frames,
              counting = blocks_for(u64{grid_.units_of_frame()} * unit_words, select_words) * frames;
    const unit_list all = units();
    largest_search{all, t_.select, t_.nodes.root_bits, work_.selection.largest,
                   static_cast<u64>(work_.image.size.pixels()) / frames}
        .run(
            [&](u32 shift) {
              count_digits_of_nodes_kernel<<<counting, select_threads, 0, stream_>>>(grid_, t_.nodes, t_.areas,
                                                                                     t_.select, shift);
            },
            [&] {
              drop_smaller_nodes_kernel<<<blocks, select_threads, 0, stream_>>>(grid_, t_.nodes, t_.areas, t_.select);
            });
  }

  template <class Feature>
  void add(const Feature& feature, typename Feature::row* rows, u64 capacity) const {
    const u32 bands = blocks_for(static_cast<u64>(grid_.depth) * static_cast<u64>(grid_.height), tile_rows);
    sum_names_kernel<<<bands * grid_.units_x, label_threads, 0, stream_>>>(grid_, t_.pairs, t_.nodes, feature, rows,
                                                                           capacity);
    launched("measure");
  }
  template <class Feature>
  void sum(const Feature& feature, typename Feature::row* rows) const {
    empty_rows_kernel<<<1024, 256, 0, stream_>>>(rows, t_.nodes.offset + grid_.frames, work_.row_capacity);
    launched("measure");
    add(feature, rows, work_.row_capacity);
  }

  template <class Labels>
  void emit_labels(const Labels& labels) const {
    switch (size_of(work_.labels.type)) {
      case 1: return emit_labels_as<u8>(labels);
      case 2: return emit_labels_as<u16>(labels);
      case 4: return emit_labels_as<u32>(labels);
      default: return emit_labels_as<u64>(labels);
    }
  }
  template <class Label, class Labels>
  void emit_labels_as(const Labels& labels) const {
    const mutable_image& to = work_.labels;
    const auto kernel = is_volume(work_) ? emit_names_kernel<3, Label, Labels> : emit_names_kernel<2, Label, Labels>;
    kernel<<<tiles(), emit_threads, 0, stream_>>>(grid_, t_.pairs, t_.nodes, label_target<Label>::of(to), labels);
    launched("emit");
  }

  void emit_runs() const {
    const u32 blocks = blocks_for(grid_.units, emit_threads / 32);
    count_named_runs_kernel<<<blocks, emit_threads, 0, stream_>>>(grid_, t_.pairs, t_.nodes, t_.runs_before);
    launched("emit");
    units().number(given_counts{t_.runs_before}, t_.runs_before, t_.run_offsets);
    if (work_.runs == nullptr) return;
    write_named_runs_kernel<<<blocks, emit_threads, 0, stream_>>>(grid_, t_.pairs, t_.nodes,
                                                                  consecutive_labels{t_.nodes.offset}, t_.runs_before,
                                                                  run_target{work_.runs, work_.run_capacity});
    launched("emit");
  }

  const label_job& work_;
  const node_grid& grid_;
  const joined_tables& t_;
  cudaStream_t stream_;
  int device_;
};

class prepared_joined_work final : public prepared_work {
 public:
  explicit prepared_joined_work(const label_job& work)
      : prepared_work(scratch_for_joined(work)), work_(work), grid_(node_grid_of(work)) {}

  void enqueue(void* base, cudaStream_t stream, stage_marks* marks) const override {
    if (grid_.units == 0) return write_nothing(work_, grid_.frames, stream);
    stage_progress progress(marks);
    pieces scratch(base);
    const joined_tables tables = lay_out_joined(scratch, grid_, work_);
    const joined_run run(work_, grid_, tables, stream, device());
    progress.begin(stage::encode);
    run.encode();
    progress.begin(stage::local);
    run.solve();
    progress.begin(stage::resolve);
    run.resolve();
    progress.begin(stage::measure);
    run.measure();
    progress.begin(stage::emit);
    run.emit();
  }

 private:
  label_job work_;
  node_grid grid_;
};

}  // namespace

std::shared_ptr<const prepared_work> prepared_joined(const label_job& work) {
  return std::make_shared<prepared_joined_work>(work);
}

std::size_t scratch_for_joined(const label_job& work) {
  const node_grid grid = node_grid_of(work);
  pieces scratch(nullptr);
  lay_out_joined(scratch, grid, work);
  return scratch.used();
}

}  // namespace skerry::cuda

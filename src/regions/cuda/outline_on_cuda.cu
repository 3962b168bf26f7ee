// SPDX-License-Identifier: Apache-2.0
// Outlines: components, their sides, nodes of rings, rings in order, vertices. The host waits for each count before it reserves memory.
#include <algorithm>
#include <bit>
#include <optional>

#include "engine/cuda/stage_marks.cuh"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/cuda/outline_rings.cuh"
#include "regions/cuda/scratch.cuh"

namespace skerry::regions {
namespace {

using namespace on_device;  // NOLINT: this is their driver

// What the host waits for.
struct outline_counts {
  number_counts regions, sides, nodes, heads, polygons;
  u64 vertices;
  u32 unsorted, changed[most_rounds];
};

u32 blocks_for(u64 items) { return blocks_of((items + list_threads - 1) / list_threads); }

// A call on its way.
class outlining {
 public:
  outlining(engine::state& on, const outline_request& asked)
      : on_(on), asked_(asked), scratch_(scratch_in(on.region_scratch)),
        labels_(launch_of(scratch_, asked.labels, asked.background)), stream_(labels_.stream) {}

  // False where there are none.
  bool find(part_finder find_parts) {
    if (!find_components(find_parts)) return false;
    if (on_.clock.on()) marks_.emplace(stream_);
    begin(stage::local);
    find_sides();
    begin(stage::merge);
    find_nodes();
    begin(stage::resolve);
    find_rings();
    begin(stage::emit);
    write();
    if (marks_) marks_->finish(on_.clock);
    return true;
  }

  void give(outline_table& table) {
    std::vector<list_to_host> lists;
    each_list(table,
              [&](auto& list, const auto* from, u64 count) { lists.push_back(room_for_list(list, from, count)); });
    copy_to_host(on_, scratch_.copies, lists, stream_);
  }

 private:
  template <class Kernel, class... Arguments>
  void each_of(u64 items, Kernel kernel, const Arguments&... arguments) const {
    kernel<<<blocks_for(items), list_threads, 0, stream_>>>(arguments...);
    check_cuda(cudaGetLastError(), "resolve");
  }
  [[nodiscard]] outline_counts counted() const {
    stop_point();
    outline_counts counts{};
    check_cuda(cudaMemcpyAsync(&counts, counts_, sizeof counts, cudaMemcpyDeviceToHost, stream_), "resolve");
    check_cuda(cudaStreamSynchronize(stream_), "resolve");
    return counts;
  }
  template <class Visit>
  void each_list(outline_table& table, Visit visit) const {
    visit(table.labels, lists_.labels, lists_.regions);
    visit(table.region_offsets, lists_.region_offsets, lists_.regions + 1);
    visit(table.polygon_offsets, lists_.polygon_offsets, lists_.polygons + 1);
    visit(table.ring_offsets, lists_.ring_offsets, lists_.rings + 1);
    visit(table.vertices, lists_.corners, lists_.vertices);
  }
  static void clear(const dense_numbers& numbers, cudaStream_t stream) {
    check_cuda(cudaMemsetAsync(numbers.bits, 0, numbers.keys / 8, stream), "resolve");
  }

  void begin(stage next) {
    if (marks_) marks_->end_of_previous(next);
  }

  // Whether there are any.
  bool find_components(part_finder find) {
    const extent& size = labels_.labels.size;
    auto* const pixels = room_for<u32>(scratch_.out, static_cast<u64>(size.pixels()), "the components");
    work_.image = {pixels, size.height, size.width};
    check_cuda(cudaStreamSynchronize(stream_), "encode");  // labels of the host have arrived
    components_ = find(labels_.labels, mutable_image(pixels, size, residence::device(on_.device)));
    return components_ != 0;
  }

  void find_sides() {
    const extent& size = labels_.labels.size;
    counts_ = room_for<outline_counts>(scratch_.counts, 1, "the counts");
    check_cuda(cudaMemsetAsync(counts_, 0, sizeof(outline_counts), stream_), "local");
    labels_.counts = &counts_->regions;
    work_.sides = side_bits::of(size);
    work_.keeps_all = asked_.keep_collinear;
    dense_numbers& bits = work_.sides.numbers;
    lay_out_in(scratch_.places, "where rows have sides", [&](pieces& memory) { bits.lay_out(memory); });
    clear(bits, stream_);
    const bool in_fours = size.width % 4 == 0;
    find_sides_kernel<<<blocks_of(static_cast<u64>(size.height)), list_threads, 0, stream_>>>(work_.image, work_.sides,
                                                                                              in_fours);
    number_marks(bits, &counts_->sides, stream_);
    work_.count = static_cast<u32>(counted().sides.rows);
    work_.nodes = numbers_of_places(work_.count);
    lay_out_in(scratch_.rows, "the sides of outlines", [&](pieces& memory) {
      memory.take(work_.places, work_.count);
      memory.take(work_.next, work_.count);
      work_.nodes.lay_out(memory);
    });
    const u64 words = work_.sides.of_row / 32 * static_cast<u64>(size.height);
    each_of(words, list_sides_kernel, work_.sides, words, work_.places);
  }

  void find_nodes() {
    clear(work_.nodes, stream_);
    each_of(work_.count, join_sides_kernel, work_);
    number_marks(work_.nodes, &counts_->nodes, stream_);
    nodes_.count = static_cast<u32>(counted().nodes.rows);
    nodes_.heads = numbers_of_places(nodes_.count);
    nodes_.vertices = &counts_->vertices;
    nodes_.changed = counts_->changed;
    lay_out_in(scratch_.moments, "the nodes of rings", [&](pieces& memory) {
      memory.take(nodes_.sides, nodes_.count);
      memory.take(nodes_.steps, nodes_.count);
      memory.take(nodes_.found[0], nodes_.count);
      memory.take(nodes_.found[1], nodes_.count);
      nodes_.heads.lay_out(memory);
    });
    each_of(work_.count, list_nodes_kernel, work_, nodes_.sides);
    each_of(nodes_.count, walk_to_nodes_kernel, work_, nodes_);
  }

  // Most rings need few rounds: six are enqueued at a time.
  outline_counts look_ahead() {
    constexpr u32 rounds_at_once = 6;
    const u32 most = std::max(1u, static_cast<u32>(std::bit_width(nodes_.count - 1)));
    outline_counts counts{};
    do {
      const u32 end = std::min(most, nodes_.rounds + rounds_at_once);
      for (; nodes_.rounds < end; ++nodes_.rounds) each_of(nodes_.count, look_ahead_kernel, nodes_, nodes_.rounds);
      clear(nodes_.heads, stream_);
      each_of(nodes_.count, mark_heads_kernel, nodes_);
      number_marks(nodes_.heads, &counts_->heads, stream_);
      counts = counted();
    } while (nodes_.rounds < most && counts.changed[nodes_.rounds - 1] != 0);
    return counts;
  }

  void find_rings() {
    const outline_counts counts = look_ahead();
    rings_.count = static_cast<u32>(counts.heads.rows);
    lists_.polygons = components_;
    lists_.rings = rings_.count;
    lists_.vertices = counts.vertices;
    first_rings_ = numbers_of_places(rings_.count);
    lay_out_in(scratch_.intensity_image, "the rings", [&](pieces& memory) {
      memory.take(rings_.labels, rings_.count);
      for (u32** const list : {&rings_.regions, &rings_.components, &rings_.vertices, &rings_.sides, &rings_.keys[0],
                               &rings_.keys[1], &rings_.order[0], &rings_.order[1]})
        memory.take(*list, rings_.count);
      memory.take(rings_.begins, rings_.count);
      first_rings_.lay_out(memory);
      sort_.emplace(memory, rings_.count);
    });
    labels_.with_labels([&]<class Label>(const background_test<Label>&) {
      each_of(nodes_.count, list_rings_kernel<Label>, work_, nodes_, labels_.source(), rings_);
    });
    find_regions();
  }

  // Labels are numbered by what rings have of them.
  void find_regions() {
    const auto find = [&] {
      each_of(rings_.count, find_labels_of_rings_kernel, rings_, labels_.numbers, labels_.counts);
    };
    const auto number = [&] {
      each_of(rings_.count, number_regions_kernel, rings_, labels_.numbers);
      each_of(rings_.count, look_at_order_kernel, rings_, &counts_->unsorted);
      return counted();
    };
    begin_numbers(labels_, scratch_, find);
    outline_counts counts = number();
    lists_.regions = number_others(labels_, scratch_, counts.regions, find);
    if (counts.regions.beyond != 0) counts = number();
    is_sorted_ = counts.unsorted == 0;
  }

  // Sorts rings by these numbers, of which each is at most `most`; those of one number stay in their order.
  const u32* sort_by(const u32* numbers, u64 most, const u32* order) {
    const u32 digits = std::max(1u, (static_cast<u32>(std::bit_width(most)) + digit_bits - 1) / digit_bits);
    digit_sort sort(*sort_, rings_.count, digits, stream_);
    const rings_by all{numbers, order};
    check_cuda(sort.count(all), "resolve");
    u32 side = order == rings_.order[0] ? 1 : 0;
    for (u32 digit = 0; digit < digits; ++digit, side = 1 - side) {
      const pairs_to_memory<u32> to{rings_.keys[side], rings_.order[side], 0};
      const u32 shift = digit * digit_bits;
      check_cuda(digit == 0 ? sort.pass(all, to, shift)
                            : sort.pass(pairs_in_memory<u32>{rings_.keys[1 - side], rings_.order[1 - side]}, to, shift),
                 "resolve");
    }
    return rings_.order[1 - side];
  }

  void write() {
    const u32* order = rings_.order[0];
    if (!is_sorted_)
      order = sort_by(rings_.regions, lists_.regions - 1, sort_by(rings_.components, components_, nullptr));
    lay_out_in(scratch_.patterns, "the outlines", [&](pieces& memory) { lists_.lay_out(memory); });
    write_labels(labels_, lists_.labels, lists_.regions);
    add_up_vertices_kernel<<<1, adding_threads, 0, stream_>>>(rings_, order);
    each_of(nodes_.count, write_vertices_kernel, work_, nodes_, rings_, lists_.corners);
    clear(first_rings_, stream_);
    each_of(rings_.count, mark_polygons_kernel, rings_, order, first_rings_);
    number_marks(first_rings_, &counts_->polygons, stream_);
    each_of(rings_.count, write_offsets_kernel, rings_, order, first_rings_, lists_);
  }

  engine::state& on_;
  const outline_request& asked_;
  region_scratch& scratch_;
  region_launch labels_;
  cudaStream_t stream_;
  outline_counts* counts_ = nullptr;
  u64 components_ = 0;
  ring_work work_{};
  node_lists nodes_{};
  ring_lists rings_{};
  dense_numbers first_rings_{};  // of polygons
  outline_lists lists_{};
  bool is_sorted_ = false;
  std::optional<sort_tables> sort_;
  std::optional<stage_marks> marks_;
};

}  // namespace

void outline_on_cuda(engine::state& on, const outline_request& asked, part_finder find_parts, outline_table& table) {
  const current_device here(on.device);
  constexpr i64 padded = 128, most = i64{1} << 31;
  const extent& size = asked.labels.size;
  if ((size.width + padded - 1) / padded * padded >= (most + size.height - 1) / size.height)
    refuse("labels: size " + text_of(size) +
           " is beyond the 2^31 pixels that outlines have on the cuda engine; use engine::cpu()");
  outlining work(on, asked);
  if (work.find(find_parts)) work.give(table);
  else table = {};
}

}  // namespace skerry::regions

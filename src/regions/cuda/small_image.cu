// SPDX-License-Identifier: Apache-2.0
#include "regions/cuda/small_image.hpp"

#include <optional>

#include "engine/cuda/stage_marks.cuh"
#include "regions/cuda/launch.cuh"
#include "regions/cuda/small_image.cuh"

namespace skerry::regions::on_device {
namespace {

template <class Label>
using small_kernel = kernel_together<measure_small_image_kernel<Label>, blocks_of_grid, square_threads, 0>;

void make_room(small_scratch& scratch, u32 capacity, cudaStream_t stream) {
  if (capacity <= scratch.empty_rows) return;
  scratch.empty_rows = 0;
  scratch.rows.reserve(capacity * sizeof(geometry), "the table of small images");
  scratch.turns.reserve(2 * sizeof(small_turn), "the counts");
  check_cuda(cudaMemsetAsync(scratch.turns.data(), 0, 2 * sizeof(small_turn), stream), "start");
  empty_region_rows_kernel<<<list_blocks, list_threads, 0, stream>>>(static_cast<geometry*>(scratch.rows.data()),
                                                                     u64{capacity}, empty_geometry(3));
  check_cuda(cudaGetLastError(), "start");
  scratch.empty_rows = capacity;
}

// In pinned memory. A row that is not short has two pixels at least.
small_table table_in(pinned_memory& memory, u32 capacity, const extent& size) {
  small_table table{};
  for (const bool counts : {true, false}) {
    pieces dealt(counts ? nullptr : memory.data());
    dealt.take(table.end, 1);
    dealt.take(table.words, capacity);
    dealt.take(table.list, static_cast<u64>(size.pixels()) / 2 + 1);
    if (counts) memory.reserve(dealt.used(), "tables on their way");
  }
  return table;
}

}  // namespace

bool measure_small_image(engine::state& on, small_scratch& scratch, const region_launch& image, region_table& table) {
  const extent& size = image.labels.size;
  const u32 capacity = small_labels_of(size, image.labels.type);
  const square_grid grid = square_grid::of(size);
  const small_table arrived = table_in(scratch.arrived, capacity, size);
  bool runs = false;
  std::optional<stage_marks> marks;
  if (on.clock.on()) marks.emplace(image.stream);
  image.with_labels([&]<class Label>(const background_test<Label>& is_background) {
    const u32 at_once = small_kernel<Label>::at_once(on.device);
    if (!(runs = at_once != 0)) return;
    make_room(scratch, capacity, image.stream);
    if (marks) marks->end_of_previous(stage::measure);
    auto* const turns = static_cast<small_turn*>(scratch.turns.data());
    const small_work work{
        static_cast<geometry*>(scratch.rows.data()), capacity,       turns + (scratch.is_second_turn ? 1 : 0),
        turns + (scratch.is_second_turn ? 0 : 1),    frame_of(size), arrived};
    small_kernel<Label>::enqueue(std::min(grid.squares, at_once), image.stream, image.source(), grid, is_background,
                                 work);
    scratch.is_second_turn = !scratch.is_second_turn;
  });
  if (!runs) return false;
  check_cuda(cudaStreamSynchronize(image.stream), "measure");
  if (marks) marks->finish(on.clock);
  if (*arrived.end > capacity) return false;
  take_rows(on, arrived, frame_of(size), table);
  return true;
}

}  // namespace skerry::regions::on_device

// SPDX-License-Identifier: Apache-2.0
// The way of a given label image to a published method on CUDA, and of its rows back.
#include <optional>

#include "published/cuda/canonical.hpp"
#include "published/device_room.hpp"
#include "published/on_cuda.hpp"

namespace skerry::published {
void measure_on_cuda(engine::state& on, std::string_view by, const given_labels& given, const method_options& how,
                     table_rows<geometry>& rows) {
  const current_device here(on.device);
  device_room& room = room_of(on);
  std::optional<phase_marks> marks;
  if (on.clock.on()) marks.emplace();
  room.of_method.begin();
  const u64 pixels = u64{given.width} * given.height;
  room.labels.reserve(pixels * sizeof(u32), "the labels");
  auto* const labels = static_cast<u32*>(room.labels.data());
  check_cuda(cudaMemcpyAsync(labels, given.labels, pixels * sizeof(u32), cudaMemcpyHostToDevice, room.stream), "upload");
  const device_task work{.image = {nullptr, 0, given.width, given.height},
                         .features = true,
                         .stream = room.stream,
                         .memory = room.of_method,
                         .marks = marks ? &*marks : nullptr,
                         .first_copy = how.first_copy};
  const device_answer answer = find_device_method(by).measure(work, labels);
  if (answer.fetch) {
    answer.fetch(rows);
  } else {
    u64 count = 0;
    const geometry* const found = number_rows(work, answer, count);
    rows.clear();
    rows.resize(count);
    if (count != 0)
      check_cuda(cudaMemcpyAsync(rows.data(), found, count * sizeof(geometry), cudaMemcpyDeviceToHost, room.stream),
                 "copy");
    check_cuda(cudaStreamSynchronize(room.stream), "copy");
  }
  if (marks)
    for (const phase_time& phase : marks->times()) on.clock.add_phase(phase);
}

}  // namespace skerry::published

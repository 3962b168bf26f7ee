// SPDX-License-Identifier: Apache-2.0
// The way from a caller's image to a published method of trees on CUDA, and from its image of parents back.
#include <optional>

#include "engine/cpu/buffer.hpp"
#include "engine/cuda/host_images.cuh"
#include "published/on_cuda.hpp"
#include "published/cuda/tree_task.hpp"

namespace skerry::published {
namespace {

struct tree_room final : job_scratch {
  cuda_stream stream;
  device_memory image, dense, parents;
  buffer<u32> host_parents;
  buffer<u8> host_levels;
  buffer<std::byte> packed_image;
  device_arena of_method;

  [[nodiscard]] std::size_t bytes() const override {
    return image.bytes() + dense.bytes() + parents.bytes() + host_parents.bytes() + host_levels.bytes() +
           packed_image.bytes() + of_method.bytes();
  }
};

tree_room& tree_room_of(engine::state& on) {
  if (on.published_tree_scratch == nullptr) on.published_tree_scratch = std::make_unique<tree_room>();
  return static_cast<tree_room&>(*on.published_tree_scratch);
}

__global__ void gather_rows(const u8* pixels, i64 stride_y, i64 stride_x, u32 width, u64 count, u8* dense) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i < count) dense[i] = pixels[static_cast<i64>(i / width) * stride_y + static_cast<i64>(i % width) * stride_x];
}

// The caller's own, or a copy in raster order.
const u8* levels_on_device(const image_view& image, tree_room& room) {
  const image_view there = on_device(image, room.stream, room.image, room.packed_image, "the image");
  if (is_dense(there)) return static_cast<const u8*>(there.data);
  const auto pixels = static_cast<u64>(image.size.pixels());
  room.dense.reserve(pixels, "the image");
  auto* const dense = static_cast<u8*>(room.dense.data());
  gather_rows<<<blocks_of(pixels, usual_threads), usual_threads, 0, room.stream>>>(
      static_cast<const u8*>(there.data), there.strides.y, there.strides.x, static_cast<u32>(image.size.width), pixels,
      dense);
  check_cuda(cudaGetLastError(), "upload");
  return dense;
}

template <class Item>
void download(const Item* from, std::size_t count, cudaStream_t stream, buffer<Item>& to) {
  to.reserve(count);
  check_cuda(cudaMemcpyAsync(to.data(), from, count * sizeof(Item), cudaMemcpyDeviceToHost, stream), "numbering");
}

}  // namespace

void build_on_cuda(engine::state& on, std::string_view by, const image_view& image, tree_parts& tree) {
  const current_device here(on.device);
  tree_room& room = tree_room_of(on);
  std::optional<phase_marks> marks;
  if (on.clock.on()) marks.emplace();
  const auto pixels = static_cast<std::size_t>(image.size.pixels());
  room.parents.reserve(pixels * sizeof(u32), "the tree");
  room.of_method.begin();
  const device_tree_task work{.levels = levels_on_device(image, room),
                              .width = static_cast<u32>(image.size.width),
                              .height = static_cast<u32>(image.size.height),
                              .parents = static_cast<u32*>(room.parents.data()),
                              .stream = room.stream,
                              .memory = room.of_method,
                              .marks = marks ? &*marks : nullptr};
  find_device_tree_method(by)(work);
  if (marks)
    for (const phase_time& phase : marks->times()) on.clock.add_phase(phase);
  download(work.parents, pixels, room.stream, room.host_parents);
  download(work.levels, pixels, room.stream, room.host_levels);
  check_cuda(cudaStreamSynchronize(room.stream), "numbering");
  on.clock.phase("numbering", [&] { number_nodes(room.host_parents.data(), room.host_levels.data(), tree); });
}

}  // namespace skerry::published

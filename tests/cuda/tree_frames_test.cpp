// SPDX-License-Identifier: Apache-2.0
// Streams of trees on a device: frames and outputs in every memory, more frames than slots, NaN, and streams that end early.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cuda/device_image.hpp"
#include "cuda/refused.hpp"
#include "skerry/tree_stream.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using by = frame_filter::kind;

enum class memory { host, pinned, device };

// Dense bytes in some memory.
class frame_bytes {
 public:
  frame_bytes(memory where, std::size_t bytes)
      : where_(where), bytes_(bytes), host_(where == memory::host ? bytes : 0) {
    if (where == memory::pinned) EXPECT_EQ(cudaMallocHost(&data_, bytes), cudaSuccess);
    if (where == memory::device) EXPECT_EQ(cudaMalloc(&data_, bytes), cudaSuccess);
    if (where == memory::host) data_ = host_.data();
  }
  frame_bytes(const frame_bytes&) = delete;
  frame_bytes& operator=(const frame_bytes&) = delete;
  ~frame_bytes() {
    if (where_ == memory::pinned) cudaFreeHost(data_);
    if (where_ == memory::device) cudaFree(data_);
  }
  [[nodiscard]] void* data() const { return data_; }
  void set(const void* from) const {
    EXPECT_EQ(cudaMemcpy(data_, from, bytes_, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  [[nodiscard]] std::vector<char> content() const {
    std::vector<char> copy(bytes_);
    EXPECT_EQ(cudaMemcpy(copy.data(), data_, bytes_, cudaMemcpyDefault), cudaSuccess);
    return copy;
  }

 private:
  memory where_;
  std::size_t bytes_;
  std::vector<char> host_;
  void* data_ = nullptr;
};

tree_stream_options options_of(const extent& size, dtype type) {
  tree_stream_options options;
  options.size = size;
  options.type = type;
  options.tree.connectivity = 4;
  return options;
}

frame_filter filter_of(int number, bool top_hat = false) {
  return {by::area, static_cast<double>(2 + 9 * (number % 5)), {}, {.top_hat = top_hat}};
}

void expect_film(dtype type, memory from, memory to, bool top_hat) {
  SCOPED_TRACE(std::string(name_of(type)) + ", from " + std::to_string(static_cast<int>(from)) + " to " +
               std::to_string(static_cast<int>(to)));
  const extent size(150, 211);
  const std::size_t bytes = static_cast<std::size_t>(size.pixels()) * size_of(type);
  const dtype written = top_hat ? top_hat_type(type) : type;
  engine gpu = engine::cuda(), cpu = engine::cpu(1);
  tree_stream there(gpu, options_of(size, type)), here(cpu, options_of(size, type));
  std::vector<std::unique_ptr<frame_bytes>> frames, outputs;
  std::vector<std::vector<char>> wanted;
  for (int number = 0; number < 10; ++number) {
    const placed_image image =
        random_grey(size, 2 + 25 * number, 1 + number % 3, static_cast<std::uint32_t>(number)).as(type);
    wanted.emplace_back(bytes);
    here.push(image.view());
    here.write(filter_of(number, top_hat), {wanted.back().data(), written, size});
    frames.push_back(std::make_unique<frame_bytes>(from, bytes));
    frames.back()->set(image.view().data);
    outputs.push_back(std::make_unique<frame_bytes>(to, bytes));
    const image_view frame(frames.back()->data(), type, size);
    const mutable_image output(outputs.back()->data(), written, size);
    ASSERT_EQ(there.start(frame, filter_of(number, top_hat), output), static_cast<std::uint64_t>(number));
    if (from == memory::host) std::memset(frames.back()->data(), 0, bytes);  // it may be used again at once
  }
  for (std::size_t number = 0; number < 10; ++number) {
    there.wait(number);
    EXPECT_TRUE(outputs[number]->content() == wanted[number]) << "frame " << number;
  }
  EXPECT_EQ(there.tree().nodes(), 0U);
}

TEST(cuda_tree_frames, in_every_memory) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const memory from : {memory::host, memory::pinned, memory::device})
    for (const memory to : {memory::host, memory::pinned, memory::device}) expect_film(dtype::u8, from, to, false);
}

TEST(cuda_tree_frames, of_every_type) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u16, dtype::i16, dtype::u32, dtype::f32})
    for (const memory where : {memory::host, memory::device}) expect_film(type, where, where, false);
  expect_film(dtype::u8, memory::host, memory::host, true);
  expect_film(dtype::i16, memory::pinned, memory::device, true);
}

TEST(cuda_tree_frames, nan_is_told_by_its_frame) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(20, 30);
  engine on = engine::cuda();
  tree_stream_options options = options_of(size, dtype::f32);
  options.in_flight = 2;
  tree_stream stream(on, options);
  std::vector<float> pixels(600, 1.0F), out(600);
  for (int frame = 0; frame < 5; ++frame) {
    pixels[65] = frame == 1 ? std::nanf("") : 3.0F;
    stream.start({pixels.data(), size}, {by::area, 2}, {out.data(), size});
  }
  for (const std::uint64_t frame : {4, 3, 2, 0}) EXPECT_NO_THROW(stream.wait(frame)) << frame;
  try {
    stream.wait(1);
    ADD_FAILURE() << "was not refused";
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()), "image: pixel (2, 5) is NaN");
  }
  EXPECT_EQ(out, std::vector<float>(600, 1.0F));
}

TEST(cuda_tree_frames, pushed_and_started_in_turn_and_ended_early) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(100, 100);
  engine on = engine::cuda(), cpu = engine::cpu(1);
  const placed_image image = random_grey(size, 60, 2, 7).as(dtype::u8);
  std::vector<std::uint8_t> out(10000), pushed(10000), wanted(10000);
  tree_stream here(cpu, options_of(size, dtype::u8));
  here.push(image.view());
  here.write({by::area, 30}, {wanted.data(), size});
  tree_stream stream(on, options_of(size, dtype::u8));
  expect_refused("output", [&] { stream.write({by::area, 30}, {out.data(), size}); });
  stream.start(image.view(), {by::area, 30}, {out.data(), size});
  expect_refused("output", [&] { stream.write({by::area, 30}, {pushed.data(), size}); });
  stream.push(image.view());
  stream.write({by::area, 30}, {pushed.data(), size});
  stream.wait(0);
  EXPECT_EQ(out, wanted);
  EXPECT_EQ(pushed, wanted);
  std::fill(out.begin(), out.end(), std::uint8_t{0});
  tree_stream moved = std::move(stream);
  EXPECT_EQ(moved.start(image.view(), {by::area, 30}, {out.data(), size}), 2U);
  moved.wait(2);
  EXPECT_EQ(out, wanted);
  for (int frame = 0; frame < 8; ++frame) moved.start(image.view(), {by::area, 5}, {out.data(), size});
}  // ends with frames on their way

}  // namespace
}  // namespace skerry::test

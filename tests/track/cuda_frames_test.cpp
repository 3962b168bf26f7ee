// SPDX-License-Identifier: Apache-2.0
// How frames come to a CUDA device and results from it, and a device that fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "cuda/device_image.hpp"
#include "on_gpu.hpp"

namespace skerry::test {
namespace {

// Results of a stream, and the pixels that it says it has seen.
struct seen_film {
  std::vector<seen_frame> frames;
  std::vector<std::vector<std::uint8_t>> images;

  tracker::callback keep() {
    return [this](const frame_result& result) {
      frames.push_back(copy_of(result));
      const auto* const bytes = static_cast<const std::uint8_t*>(result.image.data);
      const std::int64_t count = dense_strides(result.image.type, result.image.size).z;
      images.emplace_back(bytes, bytes == nullptr ? bytes : bytes + count);
    };
  }
};

// Pinned memory of the host with a copy of some bytes.
class pinned_bytes {
 public:
  explicit pinned_bytes(const std::vector<std::uint8_t>& content) {
    EXPECT_EQ(cudaMallocHost(&data_, content.size()), cudaSuccess);
    std::copy(content.begin(), content.end(), static_cast<std::uint8_t*>(data_));
  }
  pinned_bytes(const pinned_bytes&) = delete;
  pinned_bytes& operator=(const pinned_bytes&) = delete;
  ~pinned_bytes() { cudaFreeHost(data_); }
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// Some frames come from the host, pinned or not, so that a slot has all kinds.
void expect_frames_of_device_memory(const track_options& options, bool strided) {
  engine on = engine::cpu(1);
  const byte_strides dense = dense_strides(options.type, options.size);
  const std::int64_t gap = strided ? 11 * std::max<std::int64_t>(1, size_of(options.type)) : 0;
  const byte_strides step{0, dense.y + gap, dense.x};
  seen_film got, want;
  tracker on_gpu(gpu(), options, got.keep()), on_cpu(on, options, want.keep());
  std::mt19937 draw(3);
  for (int i = 0; i < 9; ++i) {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(step.y * options.size.height));
    for (std::uint8_t& each : bytes) each = draw() % 3 == 0 ? 0x3f : 0;
    const image_view frame(bytes.data(), options.type, options.size, step);
    on_cpu.push(frame);
    if (i % 4 == 2) {
      on_gpu.push(frame);
      continue;
    }
    if (i % 4 == 3) {
      const pinned_bytes copy(bytes);
      on_gpu.push({copy.data(), options.type, options.size, step});
      std::memset(copy.data(), 0xff, bytes.size());
      continue;
    }
    const device_bytes copy(bytes);
    on_gpu.push({copy.data<>(), options.type, options.size, step});
    ASSERT_EQ(cudaMemset(copy.data<>(), 0xff, bytes.size()), cudaSuccess);  // what was pushed may change, and go
  }
  on_gpu.stop();
  on_cpu.stop();
  const std::string name = std::string(name_of(options.type)) + (strided ? ", strided" : "");
  expect_same(got.frames, want.frames, name);
  EXPECT_EQ(got.images, want.images) << name;
  EXPECT_EQ(got.images[0].empty(), !options.images) << name;
}

TEST(track_cuda_frames, frames_in_device_memory_in_any_arrangement) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::bit, dtype::u8, dtype::u16, dtype::f32})
    for (const extent& size : {extent(21, 45), extent(16, 128)})  // the second is read in place
      for (const bool images : {false, true})
        for (const bool strided : {false, true}) {
          track_options options = options_for(empty_mask(size));
          options.type = type;
          options.slots = 3;
          options.intensities = false;
          options.images = images;
          expect_frames_of_device_memory(options, strided);
          if (type == dtype::bit) continue;
          options.intensities = true;
          expect_frames_of_device_memory(options, strided);
          options.threshold = frame_threshold::otsu();
          expect_frames_of_device_memory(options, strided);
          if (type == dtype::f32) continue;
          options.threshold = frame_threshold::background(1, frame_threshold::side::both);
          expect_frames_of_device_memory(options, strided);
        }
}

// Of these sizes dense frames in pinned memory are copied by the device; the first is read in place where it lies in the stream's memory.
TEST(track_cuda_frames, large_frames_in_pinned_memory) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(256, 512), extent(1028, 1024), extent(300, 501)})
    for (const bool images : {false, true})
      for (const bool strided : {false, true}) {
        track_options options = options_for(empty_mask(size));
        options.slots = 3;
        options.capacity = 100000;
        options.moments = options.intensities = options.labels = false;
        options.images = images;
        expect_frames_of_device_memory(options, strided);
      }
}

TEST(track_cuda_frames, bytes_that_were_transferred) {
  SKERRY_NEEDS_CUDA_DEVICE();
  using publishing = track_options::publishing;
  std::vector<mask> frames;
  for (const int n : {100, 100, 400, 10}) frames.push_back(dots(extent(64, 64), n));
  track_options options = options_for(frames[0], 4);
  options.moments = options.intensities = options.labels = false;
  options.margin = 0;
  std::vector<std::uint64_t> bytes[3];
  for (const publishing how : {publishing::mapped, publishing::predicted, publishing::whole}) {
    options.publish = how;
    tracker stream(gpu(), options);
    for (const mask& frame : frames) {
      stream.push(frame.view());
      bytes[static_cast<int>(how)].push_back(stream.wait()->transferred);
    }
  }
  const auto result = [](std::uint64_t objects, std::uint64_t links) {
    return 80 + objects * sizeof(geometry) + 16 * links;
  };
  EXPECT_EQ(bytes[0], (std::vector<std::uint64_t>{result(100, 0), result(100, 100), result(400, 100), result(10, 10)}));
  // What is more than the prediction comes in a second copy, what is less has come for nothing.
  EXPECT_EQ(bytes[1][0], bytes[0][0]);
  EXPECT_EQ(bytes[1][1], bytes[0][1]);
  EXPECT_EQ(bytes[1][2], bytes[0][2]);
  EXPECT_EQ(bytes[1][3], bytes[0][2] / 256 * 256 + 256);
  for (const std::uint64_t each : bytes[2]) EXPECT_EQ(each, bytes[2][0]);
  EXPECT_GT(bytes[2][0], bytes[0][2]);
}

// An address that is nobody's makes every later call of the process fail, so this has a process of its own, which says by its
// exit code whether the stream has ended with an error for each frame.
[[noreturn]] void break_the_device_in_a_stream() {
  const mask frame = dots(extent(64, 64), 20);
  std::vector<std::string> errors;
  {
    tracker stream(gpu(), options_for(frame), [&](const frame_result& result) { errors.push_back(result.error); });
    const device_bytes copy(frame.pixels);
    stream.push(frame.view());
    stream.flush();
    stream.push({copy.data<>(), dtype::u8, frame.size, {0, std::int64_t{1} << 40, 1}});
    for (int i = 0; i < 20; ++i) stream.push(frame.view());
    stream.stop();
  }
  const bool right = errors.size() == 22 && errors[0].empty() &&
                     std::none_of(errors.begin() + 1, errors.end(), [](const std::string& e) { return e.empty(); });
  std::_Exit(right ? 0 : 1);
}

TEST(track_cuda_frames_death_test, a_device_that_fails_is_an_error_of_each_frame) {
  SKERRY_NEEDS_CUDA_DEVICE();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(break_the_device_in_a_stream(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace skerry::test

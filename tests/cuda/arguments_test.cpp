// SPDX-License-Identifier: Apache-2.0
// What callers get wrong on the device: memory that is not there, that is too small, askew, or not to be had. Each is
// refused by name, and the engine and the CUDA context go on working.
#include <algorithm>
#include <memory>
#include <string>

#include "cuda/device_image.hpp"
#include "cuda/plans.hpp"
#include "cuda/refused.hpp"
#include "skerry/cuda.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/engines.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

const extent small(70, 300);

// A job that is right, to be made wrong in one place.
struct right_job {
  mask image = random_mask(small, 1, 40, 9);
  device_bytes pixels{image.pixels}, labels{image.pixels.size() * 4}, rows{10000 * sizeof(geometry)}, offsets{16};
  cuda::label_job work;
  device_bytes scratch{bytes()};

  std::size_t bytes() {
    work.image = {pixels.data(), dtype::u8, small};
    work.connectivity = 8;
    work.labels = {labels.data<std::uint32_t>(), small};
    work.rows = rows.data<geometry>();
    work.row_capacity = 10000;
    work.offsets = offsets.data<std::uint64_t>();
    return cuda::scratch_bytes(work);
  }
  static void enqueue(const cuda::label_job& job) {
    const device_bytes own(cuda::scratch_bytes(job));
    plan_of(job).enqueue(own.data(), nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  void expect_works() {
    const reference::answer want = expected_answer({.image = image.view(), .options = with_connectivity(8)});
    ASSERT_NO_THROW(enqueue(work));
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(offsets.copied<std::uint64_t>(2)[1], want.count);
    EXPECT_TRUE(std::ranges::equal(rows.copied<geometry>(want.count), want.table.components));
    const auto got = labels.copied<std::uint32_t>(image.pixels.size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), want.labels.begin(), want.labels.end()));
  }
};

TEST(cuda_arguments, host_memory_is_refused_by_name) {
  SKERRY_NEEDS_CUDA_DEVICE();
  SKERRY_NEEDS_MEMORY_APART();
  right_job right;
  std::vector<std::uint32_t> labels(right.image.pixels.size());
  std::vector<geometry> rows(10000);
  std::vector<std::uint64_t> offsets(2);
  cuda::label_job wrong = right.work;
  wrong.image.data = right.image.pixels.data();
  expect_refused("image", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.labels.data = labels.data();
  expect_refused("labels", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.rows = rows.data();
  expect_refused("rows", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.offsets = offsets.data();
  expect_refused("offsets", [&] { right.enqueue(wrong); });
  right.expect_works();
}

TEST(cuda_arguments, memory_that_the_device_can_use_is_accepted) {
  SKERRY_NEEDS_CUDA_DEVICE();
  right_job right;
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, right.image.pixels.size()), cudaSuccess);
  std::copy(right.image.pixels.begin(), right.image.pixels.end(), static_cast<std::uint8_t*>(pinned));
  right.work.image.data = pinned;
  const reference::answer want = expected_answer({.image = right.image.view(), .options = with_connectivity(8)});
  plan_of(right.work).enqueue(right.scratch.data(), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(right.offsets.copied<std::uint64_t>(2)[1], want.count);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST(cuda_arguments, arrays_that_end_too_early_or_lie_askew) {
  SKERRY_NEEDS_CUDA_DEVICE();
  right_job right;
  cuda::label_job wrong = right.work;
  wrong.row_capacity = std::uint64_t{1} << 36;  // so small an image needs no more scratch for it
  expect_refused("rows", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.labels.strides.y = std::int64_t{1} << 34;
  expect_refused("labels", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.labels = {};
  wrong.image.strides.y = std::int64_t{1} << 40;
  expect_refused("image", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.labels.data = right.labels.data<char>() + 2;
  expect_refused("labels", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.labels.strides.y += 2;
  expect_refused("labels", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.rows = reinterpret_cast<geometry*>(right.rows.data<char>() + 4);
  expect_refused("rows", [&] { right.enqueue(wrong); });
  wrong = right.work;
  wrong.offsets = reinterpret_cast<std::uint64_t*>(right.offsets.data<char>() + 4);
  expect_refused("offsets", [&] { right.enqueue(wrong); });
  right.expect_works();
}

TEST(cuda_arguments, scratch) {
  SKERRY_NEEDS_CUDA_DEVICE();
  right_job right;
  EXPECT_EQ(plan_of(right.work).scratch_bytes(), right.bytes());
  expect_refused("scratch", [&] { plan_of(right.work).enqueue(nullptr, nullptr); });
  expect_refused("scratch", [&] { plan_of(right.work).enqueue(right.scratch.data<char>() + 128, nullptr); });
  right.expect_works();
}

TEST(cuda_arguments, counts_and_tables_may_be_left_out) {
  SKERRY_NEEDS_CUDA_DEVICE();
  right_job right;
  right.work.offsets = nullptr;
  right.work.rows = nullptr;
  right.work.row_capacity = 0;
  const device_bytes scratch(cuda::scratch_bytes(right.work));
  plan_of(right.work).enqueue(scratch.data(), nullptr);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const reference::answer want = expected_answer({.image = right.image.view(), .options = with_connectivity(8)});
  const auto got = right.labels.copied<std::uint32_t>(right.image.pixels.size());
  EXPECT_TRUE(std::equal(got.begin(), got.end(), want.labels.begin(), want.labels.end()));
}

TEST(cuda_arguments, devices_that_are_not_there) {
  SKERRY_NEEDS_CUDA_DEVICE();
  int devices = 0;
  ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
  for (const int device : {-1, devices}) {
    try {
      (void)engine::cuda(device);
      ADD_FAILURE() << "device " << device << " was not refused";
    } catch (const device_error& error) {
      const std::string said = "no device " + std::to_string(device) + " among " + std::to_string(devices);
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
}

// ---- memory that is not to be had -----------------------------------------------------------------

void expect_engine_works(engine& on) {
  const mask image = random_mask(small, 2, 45, 21);
  const reference::answer want = expected_answer({.image = image.view(), .options = with_connectivity(4)});
  feature_table table;
  EXPECT_EQ(measure(on, image.view(), with_connectivity(4), {}, table), want.count);
  EXPECT_TRUE(same_table(table, want.table));
}

template <class Call>
void expect_no_memory(const std::string& what, Call call) {
  SCOPED_TRACE(what);
  try {
    call();
    ADD_FAILURE() << "there was enough memory";
  } catch (const out_of_memory& error) {
    EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
  }
}

// All memory of the device but about a gigabyte.
class held_memory {
 public:
  held_memory() {
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    constexpr std::size_t gigabyte = std::size_t{1} << 30;
    for (std::size_t bytes = free - std::min(free, gigabyte); bytes > gigabyte; bytes -= gigabyte / 4) {
      if (cudaMalloc(&data_, bytes) == cudaSuccess) return;
      data_ = nullptr;
      cudaGetLastError();
    }
  }
  held_memory(const held_memory&) = delete;
  held_memory& operator=(const held_memory&) = delete;
  ~held_memory() { cudaFree(data_); }

 private:
  void* data_ = nullptr;
};

TEST(cuda_arguments, scratch_larger_than_the_device) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes row(std::vector<std::uint8_t>(8192, 0x5a));  // three bars to a byte
  const image_view image(row.data(), dtype::bit, extent(1 << 15, 65536), {0, 0, 0});
  cuda::label_job work;
  work.image = image;
  work.connectivity = 8;
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  ASSERT_GT(cuda::scratch_bytes(work), std::size_t{2} << 30);
  if (free < cuda::scratch_bytes(work) + (std::size_t{1} << 30)) GTEST_SKIP() << "a small device";
  engine on = engine::cuda();
  expect_engine_works(on);
  {
    const held_memory most;
    for (int i = 0; i < 2; ++i) {
      expect_no_memory("scratch", [&] { count_components(on, image, with_connectivity(8)); });
      expect_engine_works(on);
    }
  }
  EXPECT_EQ(count_components(on, image, with_connectivity(8)), 3U * 8192);
}

TEST(cuda_arguments, an_image_larger_than_the_device) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const std::uint8_t one = 1;
  engine on = engine::cuda();
  expect_no_memory("image", [&] {
    count_components(on, {&one, dtype::u8, extent(std::int64_t{1} << 19, std::int64_t{1} << 19), {0, 0, 0}},
                     with_connectivity(8));
  });
  expect_engine_works(on);
}

TEST(cuda_arguments, more_pixels_than_can_be_numbered) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const device_bytes row(std::vector<std::uint8_t>(131072, 0x5a));
  const image_view image(row.data(), dtype::bit, extent(std::int64_t{1} << 20, std::int64_t{1} << 20), {0, 0, 0});
  engine on = engine::cuda();
  expect_refused("image", [&] { count_components(on, image, with_connectivity(8)); });
  expect_engine_works(on);
}

}  // namespace
}  // namespace skerry::test

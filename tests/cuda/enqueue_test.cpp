// SPDX-License-Identifier: Apache-2.0
// The calls that only enqueue: streams, graphs, batches, pitch, capacities.
#include <algorithm>
#include <cstring>

#include "cuda/captured_graph.hpp"
#include "cuda/device_image.hpp"
#include "cuda/plans.hpp"
#include "cuda/test_stream.hpp"
#include "skerry/cuda.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

// One job with memory of its own.
struct enqueued {
  mask image;
  device_bytes pixels, labels, rows, offsets;
  cuda::label_job work;
  device_bytes scratch;

  enqueued(const mask& from, int connectivity, std::uint64_t capacity)
      : image(from), pixels(from.pixels), labels(from.pixels.size() * 4), rows(capacity * sizeof(geometry)),
        offsets((static_cast<std::size_t>(from.size.depth) + 1) * 8), work(job_for(connectivity, capacity)),
        scratch(cuda::scratch_bytes(work)) {}

  cuda::label_job job_for(int connectivity, std::uint64_t capacity) const {
    cuda::label_job made;
    made.image = image_view(pixels.data(), dtype::u8, image.size);
    made.connectivity = connectivity;
    made.labels = mutable_image(labels.data(), dtype::u32, image.size);
    made.rows = rows.data<geometry>();
    made.row_capacity = capacity;
    made.offsets = offsets.data<std::uint64_t>();
    return made;
  }

  void enqueue(cudaStream_t stream) const { plan_of(work).enqueue(scratch.data(), stream); }

  void expect_reference() const {
    const reference::answer want =
        expected_answer({.image = image.view(), .options = with_connectivity(work.connectivity)});
    EXPECT_EQ(offsets.copied<std::uint64_t>(2)[1], want.count);
    const auto got = labels.copied<std::uint32_t>(image.pixels.size());
    EXPECT_TRUE(std::equal(got.begin(), got.end(), want.labels.begin(), want.labels.end()));
    const auto got_rows = rows.copied<geometry>(want.count);
    EXPECT_TRUE(
        std::equal(got_rows.begin(), got_rows.end(), want.table.components.begin(), want.table.components.end()));
  }
};

TEST(cuda_enqueue, two_streams_at_once) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const enqueued a(random_mask(extent(500, 700), 1, 45, 1), 8, 200000),
      b(random_mask(extent(611, 333), 2, 60, 2), 4, 200000);
  const test_stream one, two;
  for (int i = 0; i < 20; ++i) {
    a.enqueue(one);
    b.enqueue(two);
  }
  one.wait();
  two.wait();
  a.expect_reference();
  b.expect_reference();
}

TEST(cuda_enqueue, graphs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8, 6, 18, 26}) {
    const bool volume = connectivity != 4 && connectivity != 8;
    const enqueued job(random_mask(volume ? extent(20, 50, 140) : extent(300, 500), 1, 30, 5), connectivity, 100000);
    const captured_graph graph([&](cudaStream_t stream) { job.enqueue(stream); });
    graph.launch(3);
    job.expect_reference();
  }
}

TEST(cuda_enqueue, batches_number_each_frame_on_its_own) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(9, 60, 130);  // slices are frames for connectivity 4 and 8
  const mask frames = random_mask(size, 1, 40, 3);
  for (const int connectivity : {4, 8}) {
    const enqueued job(frames, connectivity, 40000);
    const test_stream on;
    job.enqueue(on);
    on.wait();
    const auto offsets = job.offsets.copied<std::uint64_t>(10);
    const auto labels = job.labels.copied<std::uint32_t>(frames.pixels.size());
    EXPECT_EQ(offsets[0], 0u);
    const std::size_t pixels = 60 * 130;
    for (std::size_t f = 0; f < 9; ++f) {
      const reference::answer want = expected_answer(
          {.image = {frames.pixels.data() + f * pixels, extent(60, 130)}, .options = with_connectivity(connectivity)});
      EXPECT_EQ(offsets[f + 1] - offsets[f], want.count);
      EXPECT_TRUE(
          std::equal(want.labels.begin(), want.labels.end(), labels.begin() + static_cast<std::ptrdiff_t>(f * pixels)));
      const auto rows = job.rows.copied<geometry>(offsets[f + 1]);
      for (std::size_t i = 0; i < want.count; ++i) {
        geometry row = rows[offsets[f] + i];
        row.sum[0] = 0;  // a frame of a batch may know its number
        row.min[0] = row.max[0] = 0;
        EXPECT_EQ(row, want.table.components[i]);
      }
    }
  }
}

TEST(cuda_enqueue, too_few_rows_still_give_the_true_count) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(300, 300), 1, 30, 9);
  const enqueued job(image, 8, 100);
  const test_stream on;
  job.enqueue(on);
  on.wait();
  EXPECT_EQ(job.offsets.copied<std::uint64_t>(2)[1],
            expected_answer({.image = image.view(), .options = with_connectivity(8)}).count);
  EXPECT_EQ(job.rows.copied<std::uint8_t>(100 * sizeof(geometry) + 256).back(), 0xcd);  // nothing past the end
}

TEST(cuda_enqueue, bad_jobs_are_refused_before_anything_runs) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const enqueued job(random_mask(extent(30, 30), 1, 30, 9), 8, 1000);
  cuda::label_job wrong = job.work;
  wrong.connectivity = 5;
  EXPECT_THROW((void)cuda::scratch_bytes(wrong), invalid_argument);
  wrong = job.work;
  wrong.labels.type = dtype::f32;
  EXPECT_THROW((void)plan_of(wrong), invalid_argument);
  job.enqueue(nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  job.expect_reference();
}

// Larger images have no room in the scratch for what has no row: what is within the capacity is there all the same, and
// the same on every call.
TEST(cuda_enqueue, rows_within_the_capacity_are_right) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu();
  for (const int connectivity : {4, 8, 6, 18, 26}) {
    const bool volume = connectivity > 8 || connectivity == 6;
    const mask image = random_mask(volume ? extent(80, 330, 333) : extent(2100, 4300), 1, volume ? 7 : 30, 6);
    feature_table want;
    measure(cpu, image.view(), with_connectivity(connectivity), {}, want);
    for (const std::uint64_t capacity : {std::uint64_t{1}, std::uint64_t{1000}, want.size() / 2, want.size() - 1}) {
      SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", " << capacity << " of " << want.size());
      const enqueued job(image, connectivity, capacity);
      for (int i = 0; i < 3; ++i) {
        job.rows.forget();
        job.enqueue(nullptr);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(job.offsets.copied<std::uint64_t>(2)[1], want.size());
        const auto got = job.rows.copied<geometry>(capacity);
        EXPECT_TRUE(std::equal(got.begin(), got.end(), want.components.begin()));
        EXPECT_EQ(job.rows.copied<std::uint8_t>(capacity * sizeof(geometry) + 256).back(), 0xcd);
      }
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST(cuda_enqueue, images_without_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(0, 5), extent(5, 0), extent(0, 40, 50), extent(3, 0, 7), extent(4, 6, 0)})
    for (const int connectivity : size.rank == 2 ? std::vector<int>{4, 8} : std::vector<int>{4, 8, 6, 18, 26}) {
      SCOPED_TRACE(testing::Message() << size.depth << " x " << size.height << " x " << size.width << ", connectivity "
                                      << connectivity);
      enqueued job(mask{size, {}}, connectivity, 3);
      const device_bytes run_offsets(8 * 5), overflow(4);
      job.work.run_offsets = run_offsets.data<std::uint64_t>();
      job.work.overflow = overflow.data<std::uint32_t>();
      const device_bytes scratch(cuda::scratch_bytes(job.work));
      plan_of(job.work).enqueue(scratch.data(), nullptr);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      const std::size_t frames = connectivity == 4 || connectivity == 8 ? static_cast<std::size_t>(size.depth) : 1;
      std::vector<std::uint64_t> zeros(frames + 1, 0);
      EXPECT_EQ(job.offsets.copied<std::uint64_t>(frames + 1), zeros);
      EXPECT_EQ(run_offsets.copied<std::uint64_t>(frames + 1), zeros);
      EXPECT_EQ(overflow.copied<std::uint32_t>(1)[0], 0U);
      for (const device_bytes* untouched : {&job.rows, &job.labels})  // not an object, not a pixel
        EXPECT_EQ(untouched->copied<std::uint8_t>(256), std::vector<std::uint8_t>(256, 0xcd));
    }
}

}  // namespace
}  // namespace skerry::test

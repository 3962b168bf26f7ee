// SPDX-License-Identifier: Apache-2.0
// Plans with their scratch: the same results as plans, in streams, graphs and threads.
#include <algorithm>
#include <thread>

#include "cuda/captured_graph.hpp"
#include "cuda/device_nodes.hpp"
#include "cuda/full_job.hpp"
#include "cuda/plans.hpp"
#include "cuda/refused.hpp"
#include "cuda/test_stream.hpp"
#include "skerry/cuda.hpp"
#include "support/compare.hpp"
#include "support/grey.hpp"
#include "support/mask.hpp"

namespace skerry::test {
namespace {

void wait_for_all() { ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess); }

// A table of one frame: a job that one kernel does, or one by tiles.
class table_job {
 public:
  table_job(const extent& size, bool one_kernel)
      : size_(size), pixels_(static_cast<std::size_t>(size.pixels())), rows_(capacity * sizeof(geometry)),
        offsets_(16) {
    work.image = image_view(pixels_.data(), dtype::u8, size);
    work.connectivity = 8;
    work.offsets = offsets_.data<std::uint64_t>();
    work.rows = rows_.data<geometry>();
    work.row_capacity = capacity;
    work.one_kernel = one_kernel;
  }

  // Behind what is in the stream.
  void put(const mask& image, cudaStream_t stream) const {
    ASSERT_EQ(cudaMemcpyAsync(pixels_.data(), image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
  }
  void forget() const {
    rows_.forget();
    offsets_.forget();
  }
  void expect(const mask& image) const {
    const reference::answer want = expected_answer({.image = image.view(), .options = with_connectivity(8)});
    ASSERT_EQ(offsets_.copied<std::uint64_t>(2), (std::vector<std::uint64_t>{0, want.count}));
    EXPECT_TRUE(std::ranges::equal(rows_.copied<geometry>(want.count), want.table.components));
  }
  [[nodiscard]] mask random(std::uint32_t seed) const { return random_mask(size_, 2, 40, seed); }
  [[nodiscard]] std::size_t scratch_bytes() const { return std::max<std::size_t>(cuda::scratch_bytes(work), 1); }

  cuda::label_job work;

 private:
  static constexpr std::uint64_t capacity = 40000;
  extent size_;
  device_bytes pixels_, rows_, offsets_;
};

// ---- results ------------------------------------------------------------------------------------------------------

TEST(cuda_bound, results_are_those_of_the_reference) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const int connectivity : {4, 8, 6, 18, 26})
    for (const selection& keep :
         {selection{}, selection{.min_area = 3, .largest = 50}, selection{.fill_holes = true}}) {
      SCOPED_TRACE(testing::Message() << "connectivity " << connectivity << ", min_area " << keep.min_area);
      const bool volume = connectivity != 4 && connectivity != 8;
      const full_job job(random_mask(volume ? extent(11, 40, 140) : extent(3, 90, 200), 2, 40, 5), connectivity, keep);
      const device_bytes scratch(cuda::scratch_bytes(job.work));
      const cuda::bound_plan bound = plan_of(job.work).bind(scratch.data());
      const test_stream on;
      for (int i = 0; i < 2; ++i) {
        scratch.forget();
        job.forget();
        bound.enqueue(on);
        on.wait();
        job.expect_reference();
      }
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_bound, frames_in_the_same_place) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const bool one_kernel : {true, false})
    for (const bool early : {false, true}) {
      table_job job(extent(200, 300), one_kernel);
      job.work.early_launch = early;
      const device_bytes scratch(job.scratch_bytes());
      const cuda::bound_plan bound = plan_of(job.work).bind(scratch.data());
      const test_stream on;
      for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        const mask image = job.random(seed);
        job.forget();
        job.put(image, on);
        for (int i = 0; i < 3; ++i) bound.enqueue(on);
        on.wait();
        job.expect(image);
      }
    }
}

TEST(cuda_bound, images_without_pixels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job job(extent(0, 5), true);
  const device_bytes scratch(job.scratch_bytes());
  plan_of(job.work).bind(scratch.data()).enqueue(nullptr);
  wait_for_all();
  job.expect(mask{extent(0, 5), {}});
}

// Numbers, columns and an opening of a tree.
TEST(cuda_bound, trees) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine cpu = engine::cpu(1);
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(150, 170), 256, 1, 3).as(type);
    const right_nodes want(cpu, image.view(), {.connectivity = 8});
    const device_tree tree(image.view(), {.connectivity = 8});
    const std::size_t pixels = 150 * 170, bytes = pixels * size_of(type);
    const device_nodes got(tree, pixels);
    const device_bytes output(bytes), other(bytes);
    const cuda::tree_filter_job opening = tree.filter_job(20, output.data());
    const device_bytes of_nodes(cuda::scratch_bytes(got.job)), of_opening(cuda::scratch_bytes(opening));
    const cuda::bound_plan build = plan_of(tree.job()).bind(tree.scratch()),
                           number = plan_of(got.job).bind(of_nodes.data()),
                           open = plan_of(opening).bind(of_opening.data());
    const test_stream on;
    for (int i = 0; i < 2; ++i) {
      tree.spoil();
      got.spoil();
      output.forget();
      wait_for_all();
      for (const cuda::bound_plan* each : {&build, &number, &open}) each->enqueue(on);
      on.wait();
      got.expect(want);
    }
    plan_of(tree.filter_job(20, other.data())).enqueue(of_opening.data(), nullptr);
    wait_for_all();
    EXPECT_EQ(output.copied<std::uint8_t>(bytes), other.copied<std::uint8_t>(bytes));
  }
}

// ---- graphs, streams, threads -------------------------------------------------------------------------------------

TEST(cuda_bound, graphs_hold_the_kernels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const bool one_kernel : {true, false}) {
    const table_job job(extent(300, 400), one_kernel);
    const mask image = job.random(3);
    job.put(image, nullptr);
    const device_bytes scratch(job.scratch_bytes());
    const cuda::label_plan plan = plan_of(job.work);
    const cuda::bound_plan bound = plan.bind(scratch.data());
    const captured_graph of_plan([&](cudaStream_t on) { plan.enqueue(scratch.data(), on); });
    const captured_graph of_bound([&](cudaStream_t on) {
      for (int i = 0; i < 2; ++i) bound.enqueue(on);
    });
    EXPECT_EQ(of_bound.kernels(), 2 * of_plan.kernels());
    job.forget();
    of_bound.launch(3);
    job.expect(image);
  }
}

TEST(cuda_bound, two_streams_at_once) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job a(extent(500, 700), false), b(extent(333, 611), false);
  const mask image_a = a.random(1), image_b = b.random(2);
  const device_bytes scratch_a(a.scratch_bytes()), scratch_b(b.scratch_bytes());
  const cuda::bound_plan bound_a = plan_of(a.work).bind(scratch_a.data()),
                         bound_b = plan_of(b.work).bind(scratch_b.data());
  const test_stream one, two;
  a.put(image_a, one);
  b.put(image_b, two);
  for (int i = 0; i < 50; ++i) {
    bound_a.enqueue(one);
    bound_b.enqueue(two);
  }
  one.wait();
  two.wait();
  a.expect(image_a);
  b.expect(image_b);
}

// A stream that has the scratch after another one.
TEST(cuda_bound, one_stream_after_another) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job job(extent(500, 700), false);
  const mask image = job.random(1);
  const device_bytes scratch(job.scratch_bytes());
  const cuda::bound_plan bound = plan_of(job.work).bind(scratch.data());
  const test_stream streams[2];
  cudaEvent_t done = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
  job.put(image, streams[0]);
  for (int i = 0; i < 20; ++i) {
    bound.enqueue(streams[i % 2]);
    ASSERT_EQ(cudaEventRecord(done, streams[i % 2]), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(streams[(i + 1) % 2], done, 0), cudaSuccess);
  }
  for (const test_stream& each : streams) each.wait();
  job.expect(image);
  cudaEventDestroy(done);
}

TEST(cuda_bound, threads_that_enqueue_in_one_stream) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job job(extent(200, 300), false);
  const mask image = job.random(1);
  const device_bytes scratch(job.scratch_bytes());
  const cuda::bound_plan bound = plan_of(job.work).bind(scratch.data());
  const test_stream on;
  job.put(image, on);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&bound, &on] {
      for (int i = 0; i < 100; ++i) bound.enqueue(on);
    });
  for (std::thread& each : threads) each.join();
  on.wait();
  job.expect(image);
}

// ---- memory -------------------------------------------------------------------------------------------------------

// A program that the driver frees while it runs takes memory with it that its kernels need: without the wait they hang.
TEST(cuda_bound, a_plan_that_is_destroyed_waits_for_its_work) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job job(extent(1000, 1500), false);
  const mask image = random_mask(extent(1000, 1500), 16, 40, 1);
  const device_bytes scratch(job.scratch_bytes());
  const test_stream on;
  job.put(image, on);
  for (int i = 0; i < 10; ++i) plan_of(job.work).bind(scratch.data()).enqueue(on);
  on.wait();
  job.expect(image);
}

TEST(cuda_bound, enqueueing_takes_no_memory_of_the_device) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job job(extent(200, 300), false);
  const device_bytes scratch(job.scratch_bytes());
  const cuda::bound_plan bound = plan_of(job.work).bind(scratch.data());
  const test_stream on;
  const auto free_after = [&](int calls) {
    for (int i = 0; i < calls; ++i) bound.enqueue(on);
    EXPECT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    std::size_t free = 0, total = 0;
    EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    return free;
  };
  const std::size_t before = free_after(1);
  EXPECT_EQ(free_after(1000), before);
}

TEST(cuda_bound, wrong_scratch_is_refused) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const table_job job(extent(200, 300), false);
  const device_bytes scratch(job.scratch_bytes());
  const cuda::label_plan plan = plan_of(job.work);
  expect_refused("scratch", [&] { (void)plan.bind(nullptr); });
  expect_refused("scratch", [&] { (void)plan.bind(scratch.data<char>() + 128); });
}

}  // namespace
}  // namespace skerry::test

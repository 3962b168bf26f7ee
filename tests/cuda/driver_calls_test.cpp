// SPDX-License-Identifier: Apache-2.0
// What enqueueing asks of the driver: nothing but launches. CUPTI, a part of the CUDA toolkit, says which of the driver's
// functions were called.
#include <cupti.h>

#include <functional>
#include <map>
#include <string>

#include "cuda/device_nodes.hpp"
#include "cuda/full_job.hpp"
#include "cuda/plans.hpp"
#include "cuda/test_stream.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

using call_counts = std::map<std::string, int>;

void CUPTIAPI count_call(void* counts, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  const auto* const call = static_cast<const CUpti_CallbackData*>(data);
  if (call->callbackSite == CUPTI_API_ENTER) ++(*static_cast<call_counts*>(counts))[call->functionName];
}

// Empty where something else listens already, such as a profiler.
call_counts calls_of(const std::function<void()>& work) {
  call_counts counts;
  CUpti_SubscriberHandle listener = nullptr;
  if (cuptiSubscribe(&listener, count_call, &counts) != CUPTI_SUCCESS) return {};
  EXPECT_EQ(cuptiEnableDomain(1, listener, CUPTI_CB_DOMAIN_DRIVER_API), CUPTI_SUCCESS);
  work();
  EXPECT_EQ(cuptiUnsubscribe(listener), CUPTI_SUCCESS);
  return counts;
}

// Of the second call on, when kernels are loaded and facts about them are known.
void expect_launches(const std::string& name, const std::function<void()>& enqueue) {
  for (int i = 0; i < 2; ++i) enqueue();
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (const auto& [called, count] : calls_of(enqueue)) {
    const bool launches = called.starts_with("cuLaunch") || called.starts_with("cuGraphLaunch") ||
                          called.starts_with("cuMemset") || called.starts_with("cuStreamIsCapturing");
    EXPECT_TRUE(launches) << name << ": " << called << " x " << count;
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

void expect_launches_of_plan(const std::string& name, const cuda::plan& plan) {
  const device_bytes scratch(std::max<std::size_t>(plan.scratch_bytes(), 1));
  const test_stream stream;
  expect_launches(name, [&] { plan.enqueue(scratch.data(), stream); });
}

void expect_one_launch(const std::string& name, const cuda::plan& plan) {
  const device_bytes scratch(std::max<std::size_t>(plan.scratch_bytes(), 1));
  const test_stream stream;
  const cuda::bound_plan bound = plan.bind(scratch.data());
  const std::function<void()> enqueue = [&] { bound.enqueue(stream); };
  expect_launches("bound " + name, enqueue);
  int launches = 0;
  for (const auto& [called, count] : calls_of(enqueue))
    if (!called.starts_with("cuStreamIsCapturing")) launches += count;
  EXPECT_LE(launches, 1) << name;
  stream.wait();
}

void expect_both(const std::string& name, const cuda::plan& plan) {
  expect_launches_of_plan(name, plan);
  expect_one_launch(name, plan);
}

TEST(cuda_driver_calls, labels) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const full_job all(random_mask(extent(1, 300, 400), 2, 40, 5), 8, {});
  cuda::label_job table;
  table.image = all.work.image;
  table.image.size = extent(300, 400);
  table.connectivity = 8;
  table.offsets = all.work.offsets;
  table.rows = all.work.rows;
  table.row_capacity = all.work.row_capacity;
  expect_both("table in one kernel", plan_of(table));
  table.early_launch = true;
  expect_both("the same, launched early", plan_of(table));
  table.one_kernel = false;
  expect_both("table by tiles", plan_of(table));
  expect_both("everything", plan_of(all.work));
  for (const selection& keep : {selection{.min_area = 3, .largest = 50}, selection{.fill_holes = true}}) {
    const full_job job(all.image, 8, keep);
    expect_both(keep.fill_holes ? "filled holes" : "selected", plan_of(job.work));
  }
}

// Plans of trees that sort ask about the kernels of their sorts.
TEST(cuda_driver_calls, trees) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const placed_image image = random_grey(extent(150, 170), 256, 1, 3).as(type);
    const device_tree tree(image.view(), {.connectivity = 8});
    const device_nodes nodes(tree, 150 * 170);
    const device_bytes output(150 * 170 * size_of(type));
    expect_one_launch(std::string("tree of ") + name_of(type), plan_of(tree.job()));
    expect_one_launch(std::string("nodes of ") + name_of(type), plan_of(nodes.job));
    expect_both(std::string("opening of ") + name_of(type), plan_of(tree.filter_job(20, output.data())));
  }
}

}  // namespace
}  // namespace skerry::test

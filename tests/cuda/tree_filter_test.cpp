// SPDX-License-Identifier: Apache-2.0
// Filters of max-trees on the device, by decisions and by areas, next to those of the CPU engine.
#include <random>

#include "cuda/device_tree.hpp"
#include "cuda/plans.hpp"
#include "cuda/refused.hpp"
#include "support/grey.hpp"

namespace skerry::test {
namespace {

constexpr tree_kind both_kinds[] = {tree_kind::max, tree_kind::min};
constexpr filter_rule all_rules[] = {filter_rule::direct, filter_rule::min, filter_rule::max, filter_rule::subtractive};

TEST(cuda_tree, every_rule_with_decisions_at_random) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::mt19937 draw(17);
  for (const dtype type : device_tree_types)
    for (const extent& size : {extent(90, 130), extent(17, 18, 20)})
      for (const tree_kind kind : both_kinds) {
        const placed_image image = random_grey(size, 50, 2, 30).as(type);
        const tree_options options{size.rank == 2 ? 4 : 26, kind};
        const right_tree want(image.view(), options);
        const device_tree got(image.view(), options);
        got.build();
        std::vector<std::uint8_t> keep(want.tree.nodes());
        for (std::uint8_t& each : keep) each = draw() % 3 != 0 ? static_cast<std::uint8_t>(draw() % 255 + 1) : 0;
        for (const filter_rule rule : all_rules)
          for (const bool top_hat : {false, true}) {
            if (type == dtype::f32 && rule == filter_rule::subtractive) continue;  // refused, see below
            got.expect_filtered(want, keep, {rule, top_hat});
            ASSERT_FALSE(HasFailure()) << name_of(type) << ", rule " << static_cast<int>(rule) << ", kind "
                                       << static_cast<int>(kind) << ", top-hat " << top_hat;
          }
      }
}

TEST(cuda_tree, one_tree_is_filtered_by_many_areas) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const dtype type : device_tree_types)
    for (const grey& from : adversarial_greys(extent(66, 70)))
      for (const tree_kind kind : both_kinds) {
        const placed_image image = from.as(type);
        const right_tree want(image.view(), {8, kind});
        const device_tree got(image.view(), {8, kind});
        got.build();
        for (const std::uint64_t least : {0U, 1U, 2U, 9U, 100U, 4620U, 100000U}) {
          got.expect_area_filtered(want, least, least == 9);
          ASSERT_FALSE(HasFailure()) << name_of(type) << ", " << from.name << ", area " << least;
        }
      }
}

TEST(cuda_tree, wrong_arguments_of_a_filter) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const placed_image image = random_grey(extent(70, 90), 9, 1, 5).as(dtype::i16);
  const device_tree tree(image.view(), {.connectivity = 4});
  tree.build();
  const device_bytes output(70 * 90 * 2), scratch(70 * 90 * 3);
  cuda::tree_filter_job right = tree.filter_job(9, output.data());
  const auto refused = [&](const std::string& name, auto spoil) {
    cuda::tree_filter_job wrong = right;
    spoil(wrong);
    expect_refused(name, [&] { (void)plan_of(wrong); });
  };
  using job = cuda::tree_filter_job;
  refused("parent", [](job& j) { j.parent = nullptr; });
  refused("keep", [](job& j) { j.area = nullptr; });
  refused("keep", [](job& j) { j.keep = reinterpret_cast<const std::uint8_t*>(j.parent); });
  refused("rule", [](job& j) { j.rule = static_cast<filter_rule>(9); });
  refused("rule", [](job& j) {
    j.rule = filter_rule::subtractive;
    j.image.type = j.output.type = dtype::f32;
  });
  refused("output", [](job& j) { j.output.type = dtype::u16; });
  refused("output", [](job& j) { j.top_hat = true; });
  refused("output", [](job& j) { j.output.size.width -= 1; });
  refused("output", [](job& j) { j.output.data = nullptr; });
  tree.expect_area_filtered(right_tree(image.view(), {.connectivity = 4}), 9, false);
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Device memory on engines that cannot read it, by a driver that is not one (fake_driver.cpp).
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "skerry/error.hpp"
#include "skerry/label.hpp"
#include "skerry/max_tree.hpp"

extern "C" unsigned char memory_of_gpu_3[64];

namespace skerry::test {
namespace {

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(residence, memory_of_a_device_is_refused_by_name) {
  std::vector<std::uint8_t> pixels(12, 1), labels(12);
  const extent size(3, 4);
  const image_view here(pixels.data(), size), there(memory_of_gpu_3, dtype::u8, size);
  const std::string is_there = ": is in memory of GPU 3, which this engine cannot read";
  for (const bool slow : {true, false}) {
    engine on = slow ? engine::reference() : engine::cpu(1);
    EXPECT_EQ(refusal([&] { count_components(on, there, {.connectivity = 4}); }).rfind("image" + is_there, 0), 0u);
    const mutable_image out(memory_of_gpu_3, dtype::u8, size);
    EXPECT_EQ(refusal([&] { label(on, here, {.connectivity = 4}, out); }).rfind("labels" + is_there, 0), 0u);
    max_tree tree;
    EXPECT_EQ(refusal([&] { build(on, there, {.connectivity = 4}, tree); }).rfind("image" + is_there, 0), 0u);
    EXPECT_EQ(count_components(on, here, {.connectivity = 4}), 1u);
    EXPECT_EQ(on.last_choice().kind, on.kind());
  }
}

TEST(residence, what_the_driver_contradicts_is_refused) {
  const std::vector<std::uint8_t> pixels(12, 1);
  const extent size(3, 4);
  engine on = engine::cpu(1);
  const auto with = [&](const void* data, residence said) {
    return refusal([&] { count_components(on, {data, dtype::u8, size, said}, {.connectivity = 4}); });
  };
  EXPECT_EQ(with(pixels.data(), residence::host()), "nothing was refused");
  EXPECT_EQ(with(pixels.data(), residence::device(0)),
            "image: its residence is memory of GPU 0, but it is in host memory");
  EXPECT_EQ(with(memory_of_gpu_3, residence::host()),
            "image: its residence is host memory, but it is in memory of GPU 3");
  EXPECT_EQ(with(memory_of_gpu_3, residence::device(2)),
            "image: its residence is memory of GPU 2, but it is in memory of GPU 3");
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Images, intensities and label images that the blocking calls find in device memory, in every arrangement.
#include <algorithm>
#include <cstring>

#include "cuda/device_image.hpp"
#include "skerry/error.hpp"
#include "support/compare.hpp"
#include "support/grey.hpp"
#include "support/mask.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

engine& gpu() {
  static engine on = engine::cuda();
  return on;
}

// A placed image, moved to the device with the junk around it.
class image_there {
 public:
  image_there(dtype type, const extent& size, layout arrangement)
      : image_there(placed_image(type, size, arrangement)) {}
  image_there(dtype type, const extent& size, layout arrangement, const std::vector<double>& values)
      : image_there(placed_image(type, size, arrangement, values)) {}

  [[nodiscard]] mutable_image target() const {
    mutable_image there = here_.target();
    there.data = bytes_.data<char>() + here_.origin();
    return there;
  }
  [[nodiscard]] image_view view() const { return target(); }
  /// The same on the host, as the device has left it.
  [[nodiscard]] const placed_image& brought_back() const {
    const guarded_memory& memory = here_.memory();
    const auto now = bytes_.copied<std::byte>(memory.bytes());
    std::memcpy(memory.begin(), now.data(), now.size());
    return here_;
  }

 private:
  explicit image_there(placed_image here) : here_(std::move(here)), bytes_(here_.memory().bytes()) {
    bytes_.upload(here_.memory().begin(), here_.memory().bytes());
  }

  placed_image here_;
  device_bytes bytes_;
};

void expect_labels_there(const image_view& image, const question& asked, const reference::answer& want) {
  const image_there labels(asked.label_type, image.size, asked.label_layout);
  EXPECT_EQ(label(gpu(), image, asked.options, labels.target()), want.count);
  const placed_image& got = labels.brought_back();
  EXPECT_TRUE(same_labels(got.values(), want.labels, image.size));
  EXPECT_TRUE(got.surroundings_untouched());
}

TEST(cuda_device_memory, label_images_of_every_type_and_arrangement) {
  SKERRY_NEEDS_CUDA_DEVICE();
  for (const extent& size : {extent(37, 150), extent(5, 9, 70)})
    for (const dtype type : label_types)
      for (const layout arrangement : all_layouts) {
        const mask image = random_mask(size, 4, 30, 7);
        const device_bytes pixels(image.pixels);
        const question asked = {.image = image.view(),
                                .options = with_connectivity(size.rank == 3 ? 26 : 8),
                                .label_type = type,
                                .label_layout = arrangement};
        const reference::answer want = expected_answer(asked);
        ASSERT_LE(want.count, 255U);
        SCOPED_TRACE(testing::Message() << name_of(type) << ", " << name_of(arrangement) << ", rank " << size.rank);
        expect_labels_there({pixels.data(), dtype::u8, size}, asked, want);
        expect_labels_there(image.view(), asked, want);  // which is on the host
      }
}

TEST(cuda_device_memory, images_of_every_type_and_arrangement) {
  SKERRY_NEEDS_CUDA_DEVICE();
  std::uint32_t seed = 0;
  for (const dtype type : image_types)
    for (const layout arrangement : all_layouts) {
      const extent size = ++seed % 3 == 0 ? extent(5, 9, 70) : extent(37, 150);
      const std::vector<foreground> rules = edge_rules(type);
      const std::vector<double> values = random_values(edge_values(type), size, 2, seed);
      const dtype intensity_type = intensity_types[seed % std::size(intensity_types)];
      const layout intensity_layout = all_layouts[seed / 3 % std::size(all_layouts)];
      const std::vector<double> intensities = random_values(edge_values(intensity_type), size, 1, seed);
      const placed_image here(type, size, arrangement, values);
      const placed_image intensity_here(intensity_type, size, intensity_layout, intensities);
      const image_there there(type, size, arrangement, values);
      const image_there intensity_there(intensity_type, size, intensity_layout, intensities);
      question asked = {.image = here.view(),
                        .options = with_connectivity(size.rank == 3 ? 18 : 4, rules[seed % rules.size()]),
                        .features = {.moments = true, .intensity = intensity_here.view()}};
      const reference::answer want = expected_answer(asked);
      asked.image = there.view();
      asked.features.intensity = intensity_there.view();
      SCOPED_TRACE(testing::Message() << name_of(type) << ", " << name_of(arrangement) << ", intensities "
                                      << name_of(intensity_type) << ", " << name_of(intensity_layout));
      expect_measured(gpu(), asked, want);
      asked.features.intensity = intensity_here.view();  // one here, one there
      expect_measured(gpu(), asked, want);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(cuda_device_memory, labels_that_do_not_fit_leave_the_image_alone) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const mask image = random_mask(extent(64, 200), 1, 20, 3);
  for (const layout arrangement : all_layouts) {
    const image_there labels(dtype::u8, image.size, arrangement);
    EXPECT_THROW(label(gpu(), image.view(), with_connectivity(8), labels.target()), label_overflow);
    const std::vector<std::uint64_t> got = labels.brought_back().values();
    EXPECT_EQ(got, std::vector<std::uint64_t>(got.size(), 0xA5));
  }
}

// An image of the host that is not dense is made so in memory that the engine keeps.
TEST(cuda_device_memory, packing_belongs_to_the_scratch) {
  SKERRY_NEEDS_CUDA_DEVICE();
  const extent size(50, 60);
  const std::vector<double> values = random_values({0, 1}, size, 2, 1);
  const auto scratch_for = [&](layout of_image, layout of_labels) {
    engine on = engine::cuda();
    const placed_image image(dtype::u16, size, of_image, values), labels(dtype::u32, size, of_labels);
    label(on, image.view(), with_connectivity(8), labels.target());
    const std::size_t bytes = on.scratch_bytes();
    label(on, image.view(), with_connectivity(8), labels.target());
    EXPECT_EQ(on.scratch_bytes(), bytes);
    return bytes;
  };
  const std::size_t dense = scratch_for(layout::dense, layout::dense);
  EXPECT_EQ(scratch_for(layout::padded_rows, layout::dense), dense + 2 * 50 * 60);
  EXPECT_EQ(scratch_for(layout::dense, layout::backward), dense + 4 * 50 * 60);
  EXPECT_EQ(scratch_for(layout::transposed, layout::padded_rows), dense + 4 * 50 * 60);
}

TEST(cuda_device_memory, trees_of_images_in_every_arrangement) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine slow = engine::reference();
  for (const dtype type : device_tree_types)
    for (const layout arrangement : all_layouts) {
      const extent size(30, 41);
      const std::vector<double> values = random_values({0, 1, 3, 7, 100}, size, 2, 5);
      const placed_image here(type, size, arrangement, values);
      const image_there there(type, size, arrangement, values);
      max_tree want, got;
      build(slow, here.view(), {.connectivity = 4}, want);
      build(gpu(), there.view(), {.connectivity = 4}, got);
      EXPECT_TRUE(got == want) << name_of(type) << ", " << name_of(arrangement);
    }
}

}  // namespace
}  // namespace skerry::test

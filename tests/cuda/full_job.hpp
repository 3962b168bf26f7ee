// SPDX-License-Identifier: Apache-2.0
// An enqueued job with room for everything that it can be asked for.
#pragma once
#include <cstring>

#include "cuda/captured_graph.hpp"
#include "cuda/device_packed.hpp"
#include "cuda/plans.hpp"
#include "support/compare.hpp"
#include "support/mask.hpp"

namespace skerry::test {

template <class Item>
[[nodiscard]] device_bytes on_device(const std::vector<Item>& items) {
  std::vector<std::uint8_t> bytes(items.size() * sizeof(Item));
  std::memcpy(bytes.data(), items.data(), bytes.size());
  return device_bytes(bytes);
}

// A batch of frames, or one volume, with room for every result.
struct full_job {
  static constexpr std::uint64_t row_capacity = 20000, run_capacity = 60000;
  mask image;
  std::vector<float> values;
  std::size_t frames;
  device_bytes pixels, intensity_pixels, labels, rows, moments, intensities, runs, offsets, run_offsets, overflow;
  device_packed packed;
  cuda::label_job work;

  full_job(const mask& from, int connectivity, const selection& keep)
      : image(from), values(values_of(from)),
        frames(connectivity == 4 || connectivity == 8 ? static_cast<std::size_t>(from.size.depth) : 1),
        pixels(from.pixels), intensity_pixels(on_device(values)), labels(from.pixels.size() * 4),
        rows(row_capacity * sizeof(geometry)), moments(row_capacity * sizeof(second_moments)),
        intensities(row_capacity * sizeof(real_intensity)), runs(run_capacity * sizeof(labelled_run)),
        offsets((frames + 1) * 8), run_offsets((frames + 1) * 8), overflow(4), packed(from.size) {
    work.image = image_view(pixels.data(), dtype::u8, image.size);
    work.connectivity = connectivity;
    work.selection = keep;
    work.offsets = offsets.data<std::uint64_t>();
    work.labels = mutable_image(labels.data(), dtype::u32, image.size);
    work.packed = packed.view();
    work.row_capacity = row_capacity;
    work.rows = rows.data<geometry>();
    work.moments = moments.data<second_moments>();
    work.real_intensities = intensities.data<real_intensity>();
    work.intensity_image = image_view(intensity_pixels.data(), dtype::f32, image.size);
    work.run_capacity = run_capacity;
    work.runs = runs.data<labelled_run>();
    work.run_offsets = run_offsets.data<std::uint64_t>();
    work.overflow = overflow.data<std::uint32_t>();
  }

  void ask_for_no_table() {
    work.row_capacity = 0;
    work.rows = nullptr;
    work.moments = nullptr;
    work.real_intensities = nullptr;
    work.intensity_image = {};
  }

  // Values of all signs and sizes, largest in the first frame.
  static std::vector<float> values_of(const mask& from) {
    std::vector<float> values(from.pixels.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] =
          static_cast<float>(static_cast<int>(i * 2654435761u >> 20 & 0xfff) - 2000) / static_cast<float>(1 + i);
    return values;
  }

  void run() const {
    const std::size_t bytes = cuda::scratch_bytes(work);
    const device_bytes scratch(bytes);
    plan_of(work).enqueue(scratch.data(), nullptr);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }

  // Makes junk of all results.
  void forget() const {
    for (const device_bytes* out : {&labels, &rows, &moments, &intensities, &runs, &offsets, &run_offsets, &overflow})
      out->forget();
    packed.forget();
  }

  // Captured and launched twice, over junk.
  void run_in_graph() const {
    const std::size_t bytes = cuda::scratch_bytes(work);
    const device_bytes scratch(bytes);
    const captured_graph graph([&](cudaStream_t stream) { plan_of(work).enqueue(scratch.data(), stream); });
    for (int i = 0; i < 2; ++i) {
      scratch.forget();
      forget();
      graph.launch(1);
    }
  }

  [[nodiscard]] extent frame_size() const {
    return work.connectivity == 4 || work.connectivity == 8 ? extent(image.size.height, image.size.width) : image.size;
  }

  [[nodiscard]] reference::answer expected(std::size_t frame) const {
    const auto begin = frame * static_cast<std::size_t>(frame_size().pixels());
    return expected_answer({.image = {image.pixels.data() + begin, frame_size()},
                            .options = with_connectivity(work.connectivity, {}, work.selection),
                            .features = {.moments = true, .intensity = {values.data() + begin, frame_size()}}});
  }

  // The rows of one frame, as a table of its own.
  [[nodiscard]] feature_table table_of(std::uint64_t begin, std::uint64_t end) const {
    const auto cut = [&]<class Item>(const std::vector<Item>& all) {
      return table_rows<Item>(all.begin() + static_cast<std::ptrdiff_t>(begin),
                              all.begin() + static_cast<std::ptrdiff_t>(end));
    };
    feature_table table;
    table.rank = frame_size().rank;
    table.has_moments = table.has_intensities = true;
    table.components = cut(rows.copied<geometry>(end));
    table.moments = cut(moments.copied<second_moments>(end));
    table.real_intensities = cut(intensities.copied<real_intensity>(end));
    return table;
  }

  void expect_reference() const {
    const auto offset = offsets.copied<std::uint64_t>(frames + 1),
               run_offset = run_offsets.copied<std::uint64_t>(frames + 1);
    const auto label = labels.copied<std::uint32_t>(image.pixels.size());
    EXPECT_TRUE(packed.unpacked() == label);
    const auto run = runs.copied<labelled_run>(run_offset[frames]);
    EXPECT_EQ(overflow.copied<std::uint32_t>(1)[0], 0u);
    EXPECT_EQ(offset[0], 0u);
    EXPECT_EQ(run_offset[0], 0u);
    for (std::size_t f = 0; f < frames; ++f) {
      SCOPED_TRACE(testing::Message() << "frame " << f);
      const reference::answer want = expected(f);
      EXPECT_EQ(offset[f + 1] - offset[f], want.count);
      const auto first = label.begin() + static_cast<std::ptrdiff_t>(f * want.labels.size());
      EXPECT_TRUE(std::equal(want.labels.begin(), want.labels.end(), first));
      if (work.rows != nullptr) EXPECT_TRUE(same_table(table_of(offset[f], offset[f + 1]), want.table));
      EXPECT_TRUE(same_runs({run.begin() + static_cast<std::ptrdiff_t>(run_offset[f]),
                             run.begin() + static_cast<std::ptrdiff_t>(run_offset[f + 1])},
                            want.runs));
    }
  }
};

// Eight pixels to a byte; rows begin at whole bytes.
[[nodiscard]] inline std::vector<std::uint8_t> packed_bits(const mask& image) {
  const auto width = static_cast<std::size_t>(image.size.width), row_bytes = (width + 7) / 8;
  std::vector<std::uint8_t> bits(static_cast<std::size_t>(image.size.rows()) * row_bytes, 0);
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    if (image.pixels[i] != 0)
      bits[i / width * row_bytes + i % width / 8] |= static_cast<std::uint8_t>(1U << i % width % 8);
  return bits;
}

}  // namespace skerry::test

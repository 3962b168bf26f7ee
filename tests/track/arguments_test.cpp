// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <functional>
#include <limits>
#include <string>

#include "film.hpp"
#include "skerry/error.hpp"
#include "support/sanitized.hpp"

namespace skerry::test {
namespace {

track_options good() {
  track_options options;
  options.size = extent(4, 5);
  options.connectivity = 8;
  return options;
}

std::string refusal(const std::function<void(track_options&)>& spoil) {
  track_options options = good();
  spoil(options);
  engine on = engine::cpu(1);
  try {
    const tracker stream(on, options);
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST(track_arguments, each_is_refused_by_name) {
  using o = track_options;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal([](o&) {}), "none");
  EXPECT_EQ(refusal([](o& x) { x.connectivity = 6; }), "connectivity: 6 is not 4 or 8 (image of rank 2)");
  EXPECT_EQ(refusal([](o& x) { x.size = extent(-1, 5); }), "size: size -1 x 5 has a side that is not in 0…2^31 - 1");
  EXPECT_EQ(refusal([](o& x) { x.size = extent(1 << 16, 1 << 15); }),
            "size: 65536 x 32768 is not fewer than 2^31 pixels");
  for (const dtype type : {dtype::bit, dtype::u32, dtype::u64, dtype::i32, dtype::i64, dtype::f16, dtype::f32})
    EXPECT_EQ(refusal([&](o& x) { x.type = type, x.threshold = frame_threshold::background(1); }),
              std::string("threshold: a running background is not for frames of ") + name_of(type));
  EXPECT_EQ(refusal([](o& x) { x.type = static_cast<dtype>(99); }), "type: unknown dtype");
  EXPECT_EQ(refusal([](o& x) { x.threshold = frame_threshold::fixed(foreground::above(nan)); }),
            "foreground: low is NaN");
  EXPECT_EQ(refusal([](o& x) { x.selection.min_area = 5, x.selection.max_area = 4; }),
            "selection: min_area 5 is above max_area 4");
  EXPECT_EQ(refusal([](o& x) { x.type = dtype::bit, x.intensities = true; }), "intensity: dtype bit is not supported");
  EXPECT_EQ(refusal([](o& x) { x.type = dtype::bit, x.threshold = frame_threshold::otsu(); }),
            "threshold: Otsu's threshold is not for frames of bit");
  EXPECT_EQ(refusal([](o& x) { x.threshold = frame_threshold::otsu(frame_threshold::side::both); }),
            "threshold: Otsu's has two sides, choose one");
  EXPECT_EQ(refusal([](o& x) { x.type = dtype::f32, x.threshold = frame_threshold::background(1); }),
            "threshold: a running background is not for frames of float32");
  EXPECT_EQ(refusal([](o& x) { x.threshold = frame_threshold::background(-1); }), "difference: -1 is not in 0…65535");
  EXPECT_EQ(refusal([](o& x) { x.threshold = frame_threshold::background(nan); }), "difference: nan is not in 0…65535");
  EXPECT_EQ(refusal([](o& x) { x.threshold.kind = frame_threshold::policy::background, x.threshold.adaptation = 17; }),
            "adaptation: 17 is not in 0…16");
  EXPECT_EQ(refusal([](o& x) { x.threshold.kind = static_cast<frame_threshold::policy>(7); }),
            "threshold: unknown policy");
  EXPECT_EQ(refusal([](o& x) { x.threshold.where = static_cast<frame_threshold::side>(7); }),
            "threshold: unknown side");
  EXPECT_EQ(refusal([](o& x) { x.inherit.least_overlap = 0; }), "least_overlap: 0 is not at least 1");
  EXPECT_EQ(refusal([](o& x) { x.inherit.least_share = 1.5; }), "least_share: 1.5 is not in 0…1");
  EXPECT_EQ(refusal([](o& x) { x.inherit.least_share = nan; }), "least_share: nan is not in 0…1");
  EXPECT_EQ(refusal([](o& x) { x.inherit.by = static_cast<inherit_options::score>(3); }), "by: unknown score");
  EXPECT_EQ(refusal([](o& x) { x.inherit.first_id = 0; }), "first_id: 0 is background");
  EXPECT_EQ(refusal([](o& x) { x.capacity = 0; }), "capacity: 0 is not at least 1");
  EXPECT_EQ(refusal([](o& x) { x.slots = 1; }), "slots: 1 is not in 2…1024");
  EXPECT_EQ(refusal([](o& x) { x.publish = static_cast<o::publishing>(3); }), "publish: unknown policy");
  EXPECT_EQ(refusal([](o& x) { x.margin = -0.5; }), "margin: -0.5 is not in 0…16");
  EXPECT_EQ(refusal([](o& x) { x.margin = 16.5; }), "margin: 16.5 is not in 0…16");
  EXPECT_EQ(refusal([](o& x) { x.margin = nan; }), "margin: nan is not in 0…16");
  EXPECT_EQ(refusal([](o& x) { x.patience = std::chrono::microseconds(-1); }), "patience: -1 is not in 0…1000000");
  EXPECT_EQ(refusal([](o& x) { x.patience = std::chrono::microseconds(1000001); }),
            "patience: 1000001 is not in 0…1000000");
  EXPECT_EQ(refusal([](o& x) { x.margin = 16, x.patience = std::chrono::seconds(1); }), "none");
  EXPECT_EQ(refusal([](o& x) { x.full = static_cast<track_options::when_full>(2); }), "full: unknown policy");
}

TEST(track_arguments, frames_that_do_not_fit_are_refused_and_the_stream_goes_on) {
  engine on = engine::cpu(1);
  tracker stream(on, good());
  const mask right = empty_mask(extent(4, 5)), wrong = empty_mask(extent(5, 4));
  const auto refused = [&](const image_view& frame) {
    try {
      stream.push(frame);
    } catch (const invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refused(wrong.view()), "frame: size 5 x 4 is not that of the stream, 4 x 5");
  EXPECT_EQ(refused({right.pixels.data(), dtype::boolean, right.size}),
            "frame: dtype bool is not that of the stream, uint8");
  EXPECT_EQ(refused({nullptr, dtype::u8, right.size}), "frame: data is null for 4 x 5 pixels");
  EXPECT_EQ(stream.push(right.view()), 0U);
  EXPECT_EQ(stream.wait()->error, "");
}

TEST(track_arguments, slots_that_no_memory_holds_are_an_error) {
  track_options options = good();
  options.size = extent(46000, 46000);
  options.type = dtype::f64;
  options.slots = 1024;
  engine on = engine::cpu(1);
#ifdef SKERRY_TEST_SANITIZED
  GTEST_SKIP() << "the sanitizer ends the process";
#endif
  // Some systems promise more memory than they have, and end the process when it is touched.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit little = before;
  little.rlim_cur = rlim_t{1} << 33;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &little), 0);
  EXPECT_THROW(tracker(on, options), out_of_memory);
  EXPECT_EQ(setrlimit(RLIMIT_AS, &before), 0);
}

}  // namespace
}  // namespace skerry::test

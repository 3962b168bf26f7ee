// SPDX-License-Identifier: Apache-2.0
// The threshold policies of a stream, against their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "film.hpp"
#include "skerry/error.hpp"
#include "skerry/threshold.hpp"
#include "support/engines.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

using policy = frame_threshold::policy;
using side = frame_threshold::side;
const extent size(12, 20);

// Grey values on a slowly changing ground, with some pixels far from it.
std::vector<std::vector<double>> grey_film(double low, double high, int frames, std::uint32_t seed) {
  std::mt19937 draw(seed);
  std::vector<std::vector<double>> film;
  for (int i = 0; i < frames; ++i) {
    film.emplace_back();
    for (std::int64_t p = 0; p < size.pixels(); ++p) {
      const double ground = std::floor((low + high) / 2 + 3 * i), noise = static_cast<double>(draw() % 5);
      film.back().push_back(draw() % 6 == 0 ? (draw() % 2 == 0 ? low : high) : std::min(high, ground + noise));
    }
  }
  return film;
}

double brightest_of(dtype type) {
  return type == dtype::bit || type == dtype::boolean ? 1 : type == dtype::i8 ? 120 : 200;
}

std::vector<std::uint8_t> foreground_seen(engine& on, const track_options& options,
                                          const std::vector<std::vector<double>>& film, layout arrangement) {
  std::vector<std::uint8_t> seen;
  tracker stream(on, options, [&](const frame_result& result) {
    EXPECT_EQ(result.error, "");
    const auto* const ids = static_cast<const std::uint32_t*>(result.labels.data);
    for (std::int64_t p = 0; p < size.pixels(); ++p) seen.push_back(ids[p] != 0 ? 1 : 0);
  });
  for (const std::vector<double>& values : film)
    stream.push(placed_image(options.type, size, arrangement, values).view());
  stream.stop();
  return seen;
}

track_options with_threshold(const frame_threshold& how, dtype type) {
  track_options options;
  options.size = size;
  options.type = type;
  options.connectivity = 8;
  options.threshold = how;
  options.labels = true;
  return options;
}

TEST(track_threshold, fixed_rules_are_those_of_labelling) {
  engine on = engine::cpu(1);
  for (const dtype type : image_types) {
    const bool truth = type == dtype::bit || type == dtype::boolean;
    const double ground = brightest_of(type) / 2;
    const auto film = grey_film(0, brightest_of(type), 3, 1);
    const foreground rule = truth ? foreground::nonzero() : foreground::within(ground - 10, ground + 7);
    std::vector<std::uint8_t> want;
    for (const auto& frame : film)
      for (const double v : frame) want.push_back((truth ? v != 0 : v >= ground - 10 && v <= ground + 7) ? 1 : 0);
    for (const layout arrangement : all_layouts)
      EXPECT_EQ(foreground_seen(on, with_threshold(frame_threshold::fixed(rule), type), film, arrangement), want)
          << name_of(type) << ", " << name_of(arrangement);
  }
}

TEST(track_threshold, otsu_is_found_for_each_frame) {
  engine on = engine::cpu(1);
  for (const dtype type : otsu_types) {
    const auto film = grey_film(0, brightest_of(type), 4, 2);
    for (const side where : {side::bright, side::dark}) {
      std::vector<std::uint8_t> want;
      for (const auto& frame : film) {
        const double t = otsu_threshold(placed_image(type, size, layout::dense, frame).view());
        for (const double v : frame) want.push_back((v > t) == (where == side::bright) ? 1 : 0);
      }
      EXPECT_EQ(foreground_seen(on, with_threshold(frame_threshold::otsu(where), type), film, layout::transposed), want)
          << name_of(type);
    }
  }
}

TEST(track_threshold, otsu_does_not_depend_on_strides) {
  for (const dtype type : otsu_types) {
    const auto values = grey_film(0, brightest_of(type), 1, 3)[0];
    const double want = otsu_threshold(placed_image(type, size, layout::dense, values).view());
    for (const layout arrangement : all_layouts)
      EXPECT_EQ(otsu_threshold(placed_image(type, size, arrangement, values).view()), want) << name_of(arrangement);
  }
  const std::uint8_t pixel = 9;
  EXPECT_EQ(otsu_threshold(image_view(&pixel, extent(1, 1))), 9);
  EXPECT_THROW((void)otsu_threshold(image_view(&pixel, extent(0, 1))), invalid_argument);
  EXPECT_THROW((void)otsu_threshold(image_view(&pixel, dtype::bit, extent(1, 1))), invalid_argument);
  EXPECT_THROW((void)otsu_threshold(image_view()), invalid_argument);
}

// The definition, in whole numbers that nothing can round.
std::vector<std::uint8_t> background_definition(const std::vector<std::vector<double>>& film,
                                                const frame_threshold& how) {
  std::vector<std::uint8_t> foreground;
  std::vector<std::int64_t> mean;
  for (const auto& frame : film) {
    const bool first = mean.empty();
    for (std::size_t p = 0; p < frame.size(); ++p) {
      const std::int64_t value = 256 * static_cast<std::int64_t>(frame[p]);
      if (first) mean.push_back(value);
      const std::int64_t difference = value - mean[p];
      const bool brighter = static_cast<double>(difference) > 256 * how.difference;
      const bool darker = static_cast<double>(-difference) > 256 * how.difference;
      foreground.push_back((brighter && how.where != side::dark) || (darker && how.where != side::bright) ? 1 : 0);
      const std::int64_t divisor = std::int64_t{1} << how.adaptation;
      mean[p] += difference >= 0 ? difference / divisor : -((divisor - 1 - difference) / divisor);
    }
  }
  return foreground;
}

TEST(track_threshold, a_running_background_follows_its_definition) {
  struct range {
    dtype type;
    double low, high;
  };
  for (named_engine& each : each_engine())
    for (const range& of : {range{dtype::u8, 0, 255}, range{dtype::u16, 0, 65535}, range{dtype::i16, -32768, 32767},
                            range{dtype::i8, -128, 127}, range{dtype::boolean, 0, 1}}) {
      const auto film = grey_film(of.low, of.high, 12, 4);
      for (const frame_threshold& how :
           {frame_threshold::background(20), frame_threshold::background(0, side::both, 0),
            frame_threshold::background(2.5, side::dark, 3), frame_threshold::background(0.25, side::both, 16),
            frame_threshold::background(65535, side::both)})
        EXPECT_EQ(foreground_seen(each.on, with_threshold(how, of.type), film, layout::padded_rows),
                  background_definition(film, how))
            << each.name << ", " << name_of(of.type) << ", " << how.difference;
    }
}

TEST(track_threshold, a_frame_without_a_threshold_is_an_error_and_the_stream_goes_on) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> good = {0, 5, 0, 5}, bad(4, nan);
  track_options options = with_threshold(frame_threshold::otsu(), dtype::f32);
  options.size = extent(1, 4);
  for (named_engine& each : each_engine()) {
    std::vector<seen_frame> seen;
    tracker stream(each.on, options, [&](const frame_result& result) { seen.push_back({result, {}}); });
    for (const auto* const frame : {&good, &bad, &bad, &good}) stream.push(image_view(frame->data(), extent(1, 4)));
    stream.stop();
    EXPECT_EQ(text_of(seen),
              "1 2: birth 1, birth 2 | error image: no pixel is finite | error image: no pixel is finite | 1 2");
    EXPECT_EQ(seen[1].result.count, 0U);
    EXPECT_EQ(seen[1].result.table.size(), 0U);
    EXPECT_EQ(seen[3].result.age(0), 3U);
  }
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// What a result says of its frame, and frames that are none.
#include <gtest/gtest.h>

#include "each_engine.hpp"
#include "film.hpp"
#include "skerry/error.hpp"

namespace skerry::test {
namespace {

using track_frames = on_each_engine;
INSTANTIATE_TEST_SUITE_P(engines, track_frames, engine_numbers(), name_of_engine);

const mask one = picture("##......");

track_options small(const mask& frame) {
  track_options options = options_for(frame);
  options.slots = 3;
  return options;
}

TEST_P(track_frames, frames_that_their_source_cannot_deliver) {
  engine& on = here();
  tracker stream(on, small(one));
  EXPECT_EQ(stream.push_error("the lens is covered", 7), 0U);
  EXPECT_EQ(stream.push(one.view()), 1U);
  EXPECT_EQ(stream.push_error("again"), 2U);
  const frame_result* result = stream.wait();
  EXPECT_EQ(result->error, "the lens is covered");
  EXPECT_EQ(result->stamp, 7U);
  EXPECT_EQ(result->image.data, nullptr);
  EXPECT_EQ(result->image.size, one.size);
  result = stream.wait();
  EXPECT_EQ(result->error, "");
  EXPECT_EQ(events_of(*result), "birth 1");
  stream.push(one.view());
  EXPECT_EQ(stream.wait()->error, "again");
  result = stream.wait();
  EXPECT_EQ(events_of(*result), "");  // nothing has happened to it
  EXPECT_EQ(ids_of(*result), "1");
  EXPECT_THROW(stream.push_error(""), invalid_argument);
  stream.stop();
  EXPECT_THROW(stream.push_error("late"), invalid_argument);
}

TEST_P(track_frames, an_error_is_dropped_as_a_frame_is) {
  engine& on = here();
  track_options options = small(one);
  options.full = track_options::when_full::drop_oldest;
  tracker stream(on, options);
  for (int i = 0; i < 10; ++i) {
    stream.push_error("no frame");
    stream.flush();
    stream.push(one.view());
    stream.flush();
  }
  EXPECT_EQ(stream.dropped(), 17U);
  EXPECT_EQ(ids_of(*stream.poll()), "1");
  EXPECT_EQ(stream.poll()->error, "no frame");
  EXPECT_EQ(ids_of(*stream.poll()), "1");
}

// What a slot had of the frame before it does not show.
TEST_P(track_frames, an_error_after_an_overflow_has_none) {
  engine& on = here();
  const mask many = dots(extent(8, 40), 9);
  track_options options = options_for(many);
  options.slots = 2;
  options.capacity = 2;
  tracker stream(on, options);
  for (int i = 0; i < 12; ++i) {  // two of three overflow, so that errors meet each slot after an overflow
    if (i % 3 != 2) {
      stream.push(many.view());
      EXPECT_TRUE(stream.wait()->overflow) << i;
      continue;
    }
    stream.push_error("no frame");
    const frame_result* const error = stream.wait();
    EXPECT_FALSE(error->overflow) << i;
    EXPECT_EQ(error->count + error->happened + error->objects.size() + error->table.size(), 0U);
  }
}

// Volumes whose slices lie apart, with rows that do and do not touch.
TEST_P(track_frames, volumes_of_any_strides) {
  engine& on = here();
  const extent size(3, 4, 5);
  const mask volume = random_mask(size, 1, 50, 3);
  track_options options = options_for(volume, 26);
  engine oracle = engine::reference();
  const std::vector<seen_frame> want = track(oracle, options, {volume});
  for (const std::int64_t row : {5, 7})
    for (const std::int64_t gap : {0, 1, 64}) {
      const std::int64_t slice = 4 * row + gap;
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(3 * slice),
                                      1);  // foreground, where nothing is to be read
      for (std::int64_t z = 0; z < 3; ++z)
        for (std::int64_t y = 0; y < 4; ++y)
          for (std::int64_t x = 0; x < 5; ++x)
            bytes[static_cast<std::size_t>(z * slice + y * row + x)] =
                volume.pixels[static_cast<std::size_t>((z * 4 + y) * 5 + x)];
      tracker stream(on, options);
      stream.push({bytes.data(), options.type, size, {slice, row, 1}});
      const frame_result* const result = stream.wait();
      EXPECT_EQ(result->table.components, want[0].result.table.components) << row << ' ' << gap;
    }
}

TEST_P(track_frames, counts_that_rise_and_fall) {
  engine& on = here();
  std::vector<mask> frames;
  for (const int n : {0, 10, 5000, 5000, 300, 0, 4000, 1, 0}) frames.push_back(dots(extent(160, 160), n));
  track_options options = options_for(frames[0], 4);
  options.slots = 3;
  engine oracle = engine::reference();
  expect_same(track(on, options, frames), track(oracle, options, frames), "counts");
}

TEST_P(track_frames, images_that_nobody_wants) {
  engine& on = here();
  track_options options = small(one);
  options.images = false;
  options.intensities = true;
  tracker stream(on, options);
  stream.push(one.view());
  const frame_result* const result = stream.wait();
  EXPECT_EQ(result->image.data, nullptr);
  EXPECT_EQ(result->table.column("intensity_mean"), std::vector<double>{1});
}

TEST_P(track_frames, what_comes_from_a_device_is_counted_and_timed) {
  engine& on = here();
  const bool device = on.kind() == engine_kind::cuda;
  const mask frame = dots(extent(64, 64), 100);
  track_options options = options_for(frame);
  options.moments = options.intensities = options.labels = false;
  tracker stream(on, options);
  std::uint64_t last = 0;
  for (const std::uint64_t links : {0U, 100U, 100U}) {
    stream.push(frame.view());
    const frame_result* const result = stream.wait();
    ASSERT_EQ(result->count, 100U);
    // A header, a row for each object, and a link to the frame before.
    EXPECT_EQ(result->transferred, device ? 80 + 100 * sizeof(geometry) + 16 * links : 0U);
    EXPECT_EQ(result->on_device.labelled > last, device);
    EXPECT_EQ(result->on_device.published > result->on_device.labelled, device);
    last = result->on_device.published;
  }
}

}  // namespace
}  // namespace skerry::test

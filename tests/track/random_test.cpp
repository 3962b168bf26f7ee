// SPDX-License-Identifier: Apache-2.0
// The reference judges every engine on random films.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "film.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

// A random mask that drifts and changes little by little, or at times altogether.
std::vector<mask> random_film(const extent& size, std::mt19937& draw, int frames) {
  const int granularity = 1 + static_cast<int>(draw() % 4);
  const auto density = static_cast<double>(5 + draw() % 70);
  std::vector<mask> film = {random_mask(size, granularity, density, draw())};
  while (static_cast<int>(film.size()) < frames) {
    if (draw() % 8 == 0) {
      film.push_back(random_mask(size, granularity, density, draw()));
      continue;
    }
    mask next = empty_mask(size);
    const auto dy = static_cast<std::int64_t>(draw() % 2), dx = static_cast<std::int64_t>(draw() % 3) - 1;
    const unsigned changes = 1 + draw() % 20;
    for (std::int64_t z = 0; z < size.depth; ++z)
      for (std::int64_t y = 0; y < size.height; ++y)
        for (std::int64_t x = 0; x < size.width; ++x) {
          const std::int64_t from_y = y + dy, from_x = x + dx;
          if (from_y < size.height && from_x >= 0 && from_x < size.width)
            next.at(z, y, x) = film.back().at(z, from_y, from_x);
          if (draw() % 100 < changes) next.at(z, y, x) ^= 1;
        }
    film.push_back(std::move(next));
  }
  return film;
}

track_options random_options(const mask& frame, std::mt19937& draw) {
  const int plane[] = {4, 8}, volume[] = {6, 18, 26};
  track_options options = options_for(frame, frame.size.rank == 2 ? plane[draw() % 2] : volume[draw() % 3]);
  inherit_options& inherit = options.inherit;
  inherit.by = draw() % 2 == 0 ? inherit_options::score::overlap : inherit_options::score::iou;
  if (draw() % 3 == 0) inherit.least_overlap = 1 + draw() % 4;
  if (draw() % 3 == 0) inherit.least_share = static_cast<double>(draw() % 101) / 100;
  if (draw() % 2 == 0) inherit.keep_alive = draw() % 4;
  if (draw() % 2 == 0) inherit.memory = draw() % 4;
  options.selection.fill_holes = draw() % 4 == 0;
  if (draw() % 4 == 0) options.selection.min_area = 1 + draw() % 4;
  options.selection.clear_border = draw() % 8 == 0;
  if (draw() % 8 == 0) options.selection.largest = 1 + draw() % 5;
  if (draw() % 4 == 0) options.capacity = 1 + draw() % 30;
  options.slots = 2 + static_cast<int>(draw() % 5);
  return options;
}

TEST(track_random, every_engine_says_what_the_reference_says) {
  engine oracle = engine::reference();
  const extent sizes[] = {extent(20, 30), extent(1, 70), extent(40, 1), extent(33, 65), extent(6, 8, 10)};
  for (int i = 0; i < scaled(150); ++i) {
    std::mt19937 draw(static_cast<std::uint32_t>(i));
    const std::vector<mask> frames = random_film(sizes[draw() % 5], draw, 8);
    const track_options options = random_options(frames[0], draw);
    const std::vector<seen_frame> want = track(oracle, options, frames);
    for (named_engine& each : each_engine()) {
      if (each.name == "reference") continue;
      expect_same(track(each.on, options, frames), want, each.name + ", film " + std::to_string(i));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(track_random, results_do_not_depend_on_slots_or_on_who_takes_them) {
  std::mt19937 draw(7);
  const std::vector<mask> frames = random_film(extent(60, 80), draw, 60);
  track_options options = options_for(frames[0]);
  options.inherit.keep_alive = options.inherit.memory = 2;
  engine on = engine::cpu(2);
  const std::vector<seen_frame> want = track(on, options, frames);
  for (const int slots : {2, 3, 64}) {
    options.slots = slots;
    expect_same(track(on, options, frames), want, std::to_string(slots) + " slots");
    std::vector<seen_frame> polled;
    tracker stream(on, options);
    const auto take = [&](const frame_result* result) {
      if (result == nullptr) return false;
      const auto* const ids = static_cast<const std::uint32_t*>(result->labels.data);
      polled.push_back({*result, {ids, ids + result->labels.size.pixels()}});
      return true;
    };
    for (const mask& frame : frames)
      while (!stream.try_push(frame.view())) EXPECT_TRUE(take(stream.wait()));
    stream.stop();
    while (take(stream.poll())) {}
    expect_same(polled, want, "polled");
  }
}

}  // namespace
}  // namespace skerry::test

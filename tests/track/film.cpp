// SPDX-License-Identifier: Apache-2.0
#include "film.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/compare.hpp"
#include "support/engines.hpp"

namespace skerry::test {

track_options options_for(const mask& frame, int connectivity, const inherit_options& inherit) {
  track_options options;
  options.size = frame.size;
  options.connectivity = connectivity;
  options.inherit = inherit;
  options.moments = options.intensities = options.labels = true;
  return options;
}

seen_frame copy_of(const frame_result& result) {
  seen_frame copy{result, {}};
  if (result.labels.data != nullptr) {
    const auto* const ids = static_cast<const std::uint32_t*>(result.labels.data);
    copy.ids.assign(ids, ids + result.labels.size.pixels());
  }
  return copy;
}

std::vector<seen_frame> track(engine& on, const track_options& options, const std::vector<mask>& frames) {
  std::vector<seen_frame> seen;
  tracker stream(on, options, [&](const frame_result& result) { seen.push_back(copy_of(result)); });
  for (const mask& frame : frames) stream.push(frame.view());
  stream.stop();
  return seen;
}

std::vector<mask> film(std::string_view text) {
  std::vector<std::string> pictures;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    std::size_t i = 0;
    for (std::string part; parts >> part; ++i) {
      if (i == pictures.size()) pictures.emplace_back();
      pictures[i] += part + "\n";
    }
  }
  std::vector<mask> frames;
  frames.reserve(pictures.size());
  for (const std::string& each : pictures) frames.push_back(picture(each));
  return frames;
}

mask dots(const extent& size, int n) {
  mask frame = empty_mask(size);
  for (std::int64_t y = 0; y < size.height; y += 2)
    for (std::int64_t x = 0; x < size.width; x += 2)
      if (n-- > 0) frame.at(y, x) = 1;
  return frame;
}

std::string events_of(const frame_result& result) {
  std::string text;
  for (const track_event& event : result.events) {
    text += (text.empty() ? "" : ", ") + std::string(name_of(event.kind)) + " " + std::to_string(event.id);
    if (event.other == 0) continue;
    text += (event.kind == track_event_kind::merge ? " into " : " of ") + std::to_string(event.other);
  }
  return text;
}

std::string ids_of(const frame_result& result) {
  std::string text;
  for (const tracked_object& object : result.objects) text += (text.empty() ? "" : " ") + std::to_string(object.id);
  return text;
}

std::string text_of(const std::vector<seen_frame>& frames) {
  std::string text;
  for (const seen_frame& each : frames) {
    if (&each != frames.data()) text += " | ";
    const std::string events = events_of(each.result);
    text += each.result.error.empty() ? ids_of(each.result) : "error " + each.result.error;
    if (!events.empty()) text += ": " + events;
  }
  return text;
}

void expect_same(const std::vector<seen_frame>& got, const std::vector<seen_frame>& want, const std::string& name) {
  ASSERT_EQ(got.size(), want.size()) << name;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const frame_result &a = got[i].result, &b = want[i].result;
    const std::string where = name + ", frame " + std::to_string(i);
    ASSERT_EQ(a.frame, b.frame) << where;
    ASSERT_EQ(a.error, b.error) << where;
    ASSERT_EQ(events_of(a), events_of(b)) << where;
    ASSERT_EQ(a.objects, b.objects) << where << "\n" << ids_of(a) << "\n" << ids_of(b);
    ASSERT_EQ(a.events, b.events) << where;
    ASSERT_EQ(a.count, b.count) << where;
    ASSERT_EQ(a.happened, b.happened) << where;
    ASSERT_EQ(a.happened_by_kind, b.happened_by_kind) << where;
    ASSERT_EQ(a.overflow, b.overflow) << where;
    ASSERT_TRUE(same_table(a.table, b.table)) << where;
    ASSERT_EQ(got[i].ids, want[i].ids) << where;
  }
}

namespace {

// An event for each object that did not continue, its parent, and the id in each of its pixels.
void expect_consistent(const seen_frame& seen) {
  const frame_result& result = seen.result;
  EXPECT_EQ(result.objects.size(), result.count);
  EXPECT_EQ(result.table.size(), result.count);
  EXPECT_EQ(result.events.size(), result.happened);
  std::vector<track_event> expected;
  std::vector<std::uint64_t> area(result.objects.size());
  for (const std::uint32_t id : seen.ids)
    for (std::size_t i = 0; i < area.size(); ++i) area[i] += result.objects[i].id == id ? 1U : 0U;
  for (std::size_t i = 0; i < area.size(); ++i) {
    const tracked_object& object = result.objects[i];
    EXPECT_EQ(area[i], result.table.components[i].area);
    EXPECT_EQ(object.born + result.age(i), result.frame);
    if (object.event != track_event_kind::continuation) expected.push_back({object.event, object.id, object.parent});
  }
  ASSERT_LE(expected.size(), result.events.size());
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.events.begin()));
}

}  // namespace

void expect_story(std::string_view frames, const inherit_options& inherit, std::string_view story) {
  const std::vector<mask> pictures = film(frames);
  for (named_engine& each : each_engine()) {
    const std::vector<seen_frame> seen = track(each.on, options_for(pictures.front(), 4, inherit), pictures);
    EXPECT_EQ(text_of(seen), story) << each.name << "\n" << frames;
    for (const seen_frame& frame : seen) expect_consistent(frame);
  }
}

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

}  // namespace skerry::test

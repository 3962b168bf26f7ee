// SPDX-License-Identifier: Apache-2.0
#include "scenes/bubbles.hpp"

#include <algorithm>
#include <string>

#include "skerry/error.hpp"

namespace skerry::scenes {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

// Steele, Lea, Flood 2014 (SplitMix64).
u64 mixed(u64 key) {
  key += 0x9e3779b97f4a7c15;
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9;
  key = (key ^ key >> 27) * 0x94d049bb133111eb;
  return key ^ key >> 31;
}

// The half width of a disc at `distance` rows from its centre, or -1.
i64 half_width(i64 radius, i64 distance) {
  if (distance < -radius || distance > radius) return -1;
  i64 half = radius;
  while (half * half > radius * radius - distance * distance) --half;
  return half;
}

i64 floor_divided(i64 value, i64 by) { return value >= 0 ? value / by : -((by - 1 - value) / by); }

}  // namespace

// One bubble, or a pair: what happens is decided before it begins.
struct bubbles::act {
  enum class plot { passing, merging, splitting, bursting, appearing };
  i64 lane = 0, number = 0;
  plot what = plot::passing;
  i64 radius = 0, small_radius = 0;  // the second is 0 without a pair
  i64 far = 0, near = 0;             // distances of the centres of a pair
  i64 turn = 0;                      // pixels risen when it begins to happen
  i64 sway = 0;                      // where the sideways swing begins
  std::uint32_t body = 0;            // the small one of a pair has the next number
};

// An act in one frame.
struct bubbles::moment {
  i64 row = 0, column = 0;                  // centre of the large disc
  i64 apart = 0;                            // the small one is that much lower
  bool shown = false, small_shown = false;  // has a pixel in the frame
  bool joined = false;                      // the two are one object
};

bubbles::bubbles(const bubble_options& options)
    : options_(options), lanes_(options.lane > 0 ? options.width / options.lane : 0), spacing_(2 * i64{options.lane}) {
  const auto refuse = [](const std::string& text) { throw invalid_argument(text); };
  if (options.lane < 24 || options.lane > 1 << 16)
    refuse("lane: " + std::to_string(options.lane) + " is not in 24…65536 pixels");
  if (options.width < options.lane || options.width >= 1 << 20)
    refuse("width: " + std::to_string(options.width) + " is not in " + std::to_string(options.lane) +
           " to 1048575 pixels");
  if (options.height < 3 * i64{options.lane} || options.height >= 1 << 20)
    refuse("height: " + std::to_string(options.height) + " is not in " + std::to_string(3 * i64{options.lane}) +
           " to 1048575 pixels");
  if (options.slowness < 1 || options.slowness > 4096)
    refuse("slowness: " + std::to_string(options.slowness) + " is not in 1…4096 frames");
  for (i64 radius = options.lane / 4; radius <= options.lane / 4 + options.lane / 16; ++radius)
    for (const i64 each : {radius, radius / 2}) discs_.try_emplace(each, disc_of(each));
}

// Brighter towards the rim.
bubbles::disc bubbles::disc_of(i64 radius) {
  const i64 rim = std::max<i64>(1, radius * radius * radius * radius);
  disc made;
  for (i64 dy = -radius; dy <= radius; ++dy) {
    const i64 half = half_width(radius, dy);
    made.halves.push_back(half);
    for (i64 dx = -half; dx <= half; ++dx) {
      const i64 squared = dx * dx + dy * dy;
      made.shades.push_back(static_cast<std::uint8_t>(140 + 100 * squared * squared / rim));
    }
  }
  return made;
}

// How far a lane has moved up at a frame: 1 to 2.5 pixels per frame, unless the camera is faster.
i64 bubbles::risen(i64 lane, u64 frame) const {
  const u64 key = mixed(mixed(options_.seed) + static_cast<u64>(lane));
  const i64 speed = 256 + static_cast<i64>(key % 385),
            phase = static_cast<i64>((key >> 32) % static_cast<u64>(spacing_));
  return phase + speed * static_cast<i64>(frame) / (256 * i64{options_.slowness});
}

bubbles::act bubbles::act_of(i64 lane, i64 number) const {
  // Acts of frame 0 that began before have negative numbers.
  const i64 earliest = (options_.height + 2 * spacing_) / spacing_ + 1;
  u64 key = mixed(mixed(options_.seed + (u64{1} << 32)) + static_cast<u64>((number + earliest) * lanes_ + lane));
  const auto draw = [&](i64 count) {
    key = mixed(key);
    return static_cast<i64>(key % static_cast<u64>(count));
  };
  using plot = act::plot;
  constexpr plot plots[] = {plot::passing,   plot::passing,   plot::merging,  plot::merging,
                            plot::splitting, plot::splitting, plot::bursting, plot::appearing};
  act made;
  made.lane = lane;
  made.number = number;
  made.what = plots[draw(8)];
  made.radius = options_.lane / 4 + draw(options_.lane / 16 + 1);
  const bool pair = made.what == plot::merging || made.what == plot::splitting;
  made.small_radius = pair ? made.radius / 2 : 0;
  made.near = made.radius - made.small_radius - 1;
  made.far = made.radius + made.small_radius + options_.lane / 4;
  const i64 first = made.radius + made.far + made.small_radius + 1, last = options_.height - 2 * (made.far - made.near);
  made.turn = first + draw(last - first);
  made.sway = draw(1 << 10);
  made.body = 1 + 2 * static_cast<std::uint32_t>((number + earliest) * lanes_ + lane);
  return made;
}

bubbles::moment bubbles::moment_of(const act& of, u64 frame) const {
  using plot = act::plot;
  const i64 up = risen(of.lane, frame) - of.number * spacing_;
  moment at;
  at.row = options_.height + of.radius - up;
  const i64 swing = options_.lane / 16, step = (up / 8 + of.sway) % (4 * swing);
  at.column = of.lane * options_.lane + options_.lane / 2 + std::abs(step - 2 * swing) - swing;
  const i64 moved = floor_divided(up - of.turn, 2);
  at.apart = std::clamp(of.what == plot::merging ? of.far - moved : of.near + moved, of.near, of.far);
  const auto in_frame = [&](i64 row, i64 radius) { return row + radius >= 0 && row - radius < options_.height; };
  const bool large = is_there(of.body, frame), small = is_there(of.body + 1, frame);
  at.shown = large && in_frame(at.row, of.radius) && !(of.what == plot::bursting && up >= of.turn) &&
             !(of.what == plot::appearing && up < of.turn);
  at.small_shown = small && of.small_radius > 0 && in_frame(at.row + at.apart, of.small_radius);
  at.joined =
      large && small && of.small_radius > 0 && at.apart <= of.radius + of.small_radius + 1;  // rows that are neighbours
  return at;
}

// Calls visit(act) for each act that has begun and is not over.
template <class Visit>
void bubbles::each_act(u64 frame, Visit visit) const {
  for (i64 lane = 0; lane < lanes_; ++lane) {
    const i64 up = risen(lane, frame);
    const i64 first = floor_divided(up - options_.height - spacing_, spacing_), last = floor_divided(up, spacing_);
    for (i64 number = first; number <= last; ++number) visit(act_of(lane, number));
  }
}

void bubbles::draw_background(u64 frame, std::uint8_t* pixels) const {
  for (i64 y = 0; y < options_.height; ++y) {
    auto noise = static_cast<std::uint32_t>(mixed(mixed(options_.seed + frame) + static_cast<u64>(y)));
    const i64 ground = 40 + 24 * y / options_.height;
    if (!options_.noise) {
      pixels = std::fill_n(pixels, options_.width, static_cast<std::uint8_t>(ground));
      continue;
    }
    for (i64 x = 0; x < options_.width; ++x) {
      noise = noise * 1664525 + 1013904223;
      *pixels++ = static_cast<std::uint8_t>(ground + (noise >> 28));
    }
  }
}

// Where two discs overlap, a pixel is as inside as the one that is deeper there.
void bubbles::draw_disc(const moment& at, i64 row, i64 radius, std::uint8_t* pixels) const {
  const disc& drawn = discs_.at(radius);
  const std::uint8_t* shade = drawn.shades.data();
  for (i64 i = 0; i <= 2 * radius; ++i) {
    const i64 y = row - radius + i, half = drawn.halves[static_cast<std::size_t>(i)];
    const bool is_inside = y >= 0 && y < options_.height;
    std::uint8_t* const line = is_inside ? pixels + y * options_.width + at.column - half : nullptr;
    for (i64 x = 0; is_inside && x <= 2 * half; ++x)
      line[x] = line[x] > threshold ? std::min(line[x], shade[x]) : shade[x];
    shade += 2 * half + 1;
  }
}

void bubbles::draw(u64 frame, std::uint8_t* pixels) const {
  draw_background(frame, pixels);
  each_act(frame, [&](const act& each) {
    const moment at = moment_of(each, frame);
    if (at.shown) draw_disc(at, at.row, each.radius, pixels);
    const bool is_inside = at.joined && at.apart == each.near;
    if (at.small_shown && !is_inside) draw_disc(at, at.row + at.apart, each.small_radius, pixels);
  });
}

std::vector<bubble> bubbles::objects(u64 frame) const {
  std::vector<bubble> all;
  each_act(frame, [&](const act& each) {
    const moment at = moment_of(each, frame);
    bubble large{each.body, 0, std::clamp<i64>(at.row, 0, options_.height - 1), at.column};
    const i64 small_row = at.row + at.apart;
    bubble small{each.body + 1, 0, std::clamp<i64>(small_row, 0, options_.height - 1), at.column};
    for (i64 y = 0; y < options_.height; ++y) {
      const i64 width = at.shown ? 2 * half_width(each.radius, y - at.row) + 1 : 0;
      const i64 small_width = at.small_shown ? 2 * half_width(each.small_radius, y - small_row) + 1 : 0;
      large.area += std::max<i64>(0, at.joined ? std::max(width, small_width) : width);
      small.area += std::max<i64>(0, at.joined ? 0 : small_width);
    }
    if (large.area > 0) all.push_back(large);
    if (small.area > 0) all.push_back(small);
  });
  return all;
}

std::vector<track_event> bubbles::events(u64 frame) const {
  using kind = track_event_kind;
  std::vector<track_event> all;
  const auto compare = [&](const act& each, const moment& before, const moment& now) {
    const auto body = each.body, small = each.body + 1;
    const bool was_apart = before.small_shown && !before.joined, is_apart = now.small_shown && !now.joined;
    if (now.shown && !before.shown) all.push_back({kind::birth, body, 0});
    if (before.shown && !now.shown) all.push_back({kind::death, body, 0});
    if (is_apart && !was_apart && before.joined && before.shown) all.push_back({kind::split, small, body});
    else if (is_apart && !was_apart) all.push_back({kind::birth, small, 0});
    if (was_apart && now.joined) all.push_back({kind::merge, small, body});
    else if (was_apart && !is_apart) all.push_back({kind::death, small, 0});
  };
  each_act(frame, [&](const act& each) {
    compare(each, frame == 0 ? moment{} : moment_of(each, frame - 1), moment_of(each, frame));
  });
  return all;
}

bool bubbles::is_there(std::uint32_t body, u64 frame) const {
  const auto found = taken_out_.find(body);
  return found == taken_out_.end() || frame < found->second;
}

std::vector<std::uint32_t> bubbles::pulse(u64 frame, i64 row, i64 column) {
  std::vector<std::uint32_t> gone;
  each_act(frame, [&](const act& each) {
    const moment at = moment_of(each, frame);
    const auto covers = [&](bool is_shown, i64 centre, i64 radius) {
      return is_shown && std::abs(column - at.column) <= half_width(radius, row - centre);
    };
    const bool large = covers(at.shown, at.row, each.radius);
    const bool small = covers(at.small_shown, at.row + at.apart, each.small_radius);
    if (!large && !small) return;
    const bool both = at.joined || (frame > 0 && moment_of(each, frame - 1).joined);
    if (large || both) taken_out_.emplace(each.body, frame), gone.push_back(each.body);
    if (small || both) taken_out_.emplace(each.body + 1, frame);
    if (small && !both) gone.push_back(each.body + 1);
  });
  return gone;
}

}  // namespace skerry::scenes

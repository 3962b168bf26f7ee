// SPDX-License-Identifier: Apache-2.0
// Follows the sides of runs around each ring.
//
// Reads   runs, and which side follows which
// Writes  vertices, ring after ring
// Method  sides are looked at in the raster order of their upper ends: the first one of a ring that is met begins at the ring's
//         first vertex, and is a left side of outer rings and a right side of holes
#include "regions/outline_rings.hpp"

namespace skerry::regions {
namespace {

constexpr u64 followed = ~u64{0};

class ring_follower {
 public:
  ring_follower(const outline_runs& image, outline_sides& sides, bool keep_collinear)
      : image_(image), sides_(sides), keeps_all_(keep_collinear) {}

  outline_rings follow_all() {
    for (std::size_t group = 0; group < image_.groups(); ++group)
      for (u64 run = image_.firsts[group]; run + 1 < image_.firsts[group + 1]; ++run) {
        if (!image_.runs[run].is_region) continue;
        for (const u64 side : {left_side(run), right_side(run)})
          if (sides_.next[side] != followed) follow(side, group);
      }
    return std::move(found_);
  }

 private:
  void follow(u64 start, std::size_t group) {
    const std::size_t begin = found_.vertices.size();
    add(column_of(start), image_.tops[group]);
    u64 side = start;
    bool first = !is_right(start);  // then the ring begins where the side ends
    do {
      const i64 y = image_.tops[is_right(side) ? group + 1 : group];
      if (!first) go_along(side, group);
      const u64 next = sides_.next[side];
      sides_.next[side] = followed;
      const i64 from = column_of(side), to = column_of(next);
      const bool closes = next == start && is_right(start);
      if (!first && (from != to || keeps_all_)) add(from, y);
      go_across(from, to, y, closes);
      if (is_right(side) && is_right(next)) ++group;
      if (!is_right(side) && !is_right(next)) --group;
      side = next;
      first = false;
    } while (side != start);
    if (!is_right(start)) go_along(start, group);
    const u64 component = sides_.component[start / 2];
    found_.rings.push_back({image_.runs[component].order, component, begin, found_.vertices.size()});
  }

  // The corners of pixels along a side, between its ends.
  void go_along(u64 side, std::size_t group) {
    if (!keeps_all_) return;
    const i64 top = image_.tops[group], bottom = image_.tops[group + 1];
    for (i64 i = 1; i < bottom - top; ++i) add(column_of(side), is_right(side) ? top + i : bottom - i);
  }

  // The vertices behind `from` on a line, up to `to`, which is the first of the ring when it closes there.
  void go_across(i64 from, i64 to, i64 y, bool closes) {
    if (from == to) return;
    const i64 step = to < from ? -1 : 1;
    if (keeps_all_)
      for (i64 x = from + step; x != to; x += step) add(x, y);
    if (!closes) add(to, y);
  }

  [[nodiscard]] i64 column_of(u64 side) const { return image_.runs[(side + 1) / 2].begin; }

  void add(i64 x, i64 y) { found_.vertices.push_back({static_cast<i32>(x), static_cast<i32>(y)}); }

  const outline_runs& image_;
  outline_sides& sides_;
  bool keeps_all_;
  outline_rings found_;
};

}  // namespace

outline_rings follow_sides(const outline_runs& image, outline_sides& sides, bool keep_collinear) {
  return ring_follower(image, sides, keep_collinear).follow_all();
}

}  // namespace skerry::regions

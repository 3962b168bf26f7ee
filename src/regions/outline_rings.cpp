// SPDX-License-Identifier: Apache-2.0
// Follows the sides of runs around each ring.
//
// Reads   runs, and which side follows which
// Writes  vertices, ring after ring
// Method  sides are looked at in the raster order of their upper ends: the first one of a ring that is met begins at the ring's
//         first vertex, and is a left side of outer rings and a right side of holes
#include "regions/outline_rings.hpp"

#include "engine/stop.hpp"
#include "regions/outline_paths.hpp"

namespace skerry::regions {
namespace {

// What `next` is of a side that was followed: this bit, and when its ring was found.
constexpr u64 followed = u64{1} << 63;

template <class Path>
class ring_follower {
 public:
  ring_follower(const outline_runs& image, outline_sides& sides, bool keep_collinear, outline_rings& found)
      : image_(image), sides_(sides), found_(found), path_(found.vertices, keep_collinear) {
    found.rings.clear();
    found.vertices.clear();
  }

  void follow_all() {
    for (std::size_t group = 0; group < image_.groups(); ++group)
      for (u64 run = image_.firsts[group]; run + 1 < image_.firsts[group + 1]; ++run) {
        stop_point(run);
        if (!image_.runs[run].is_region) continue;
        for (const u64 side : {left_side(run), right_side(run)})
          if ((sides_.next[side] & followed) == 0) add_ring(side, group);
      }
  }

 private:
  void add_ring(u64 start, std::size_t group) {
    const u64 component = sides_.component[start / 2];
    const corner first{static_cast<i32>(column_of(start)), static_cast<i32>(image_.tops[group])};
    outline_ring ring{
        image_.runs[component].order, component, found_.vertices.size(), 0, found_.rings.size(), no_ring, first};
    ring.parent = is_right(start) ? ring_of(left_side(component)) : hole_around(start / 2, group);
    path_.begin(first);
    follow(start, group);
    path_.finish();
    ring.end = found_.vertices.size();
    push_back_stoppably(found_.rings, ring);
  }

  void follow(u64 start, std::size_t group) {
    u64 side = start;
    bool first = !is_right(start);  // then the ring begins where the side ends
    do {
      stop_point(side);
      const i64 y = image_.tops[is_right(side) ? group + 1 : group];
      const u64 next = sides_.next[side];
      sides_.next[side] = followed | found_.rings.size();
      const level_stretch line{column_of(side), column_of(next), y, next == start && is_right(start)};
      if (!first) {
        path_.go_along(stretch_of(side, group));
        path_.turn(line);
      }
      path_.go_across(line);
      if (is_right(side) && is_right(next)) ++group;
      if (!is_right(side) && !is_right(next)) --group;
      side = next;
      first = false;
    } while (side != start);
    if (!is_right(start)) path_.go_along(stretch_of(start, group));
  }

  // The hole that the polygon lies in whose first run this is, or no_ring.
  [[nodiscard]] u64 hole_around(u64 run, std::size_t group) const {
    do {
      if (run == image_.firsts[group]) return no_ring;
      --run;
    } while (!image_.runs[run].is_region);
    const u64 beside = ring_of(right_side(run));
    const bool is_outer = ring_of(left_side(sides_.component[run])) == beside;
    return is_outer ? found_.rings[beside].parent : beside;
  }

  // Of a side that was followed.
  [[nodiscard]] u64 ring_of(u64 side) const { return sides_.next[side] & ~followed; }

  [[nodiscard]] upright_stretch stretch_of(u64 side, std::size_t group) const {
    return {column_of(side), image_.tops[group], image_.tops[group + 1], is_right(side)};
  }
  [[nodiscard]] i64 column_of(u64 side) const { return image_.runs[(side + 1) / 2].begin; }

  const outline_runs& image_;
  outline_sides& sides_;
  outline_rings& found_;
  Path path_;
};

}  // namespace

void follow_sides(const outline_runs& image, outline_sides& sides, const outline_request& asked, outline_rings& found) {
  if (asked.through_centres) ring_follower<centre_path>(image, sides, asked.keep_collinear, found).follow_all();
  else ring_follower<corner_path>(image, sides, asked.keep_collinear, found).follow_all();
}

}  // namespace skerry::regions

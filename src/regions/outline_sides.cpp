// SPDX-License-Identifier: Apache-2.0
// Joins the sides of runs to outlines.
//
// Reads   runs of groups of rows, two neighbouring groups at a time
// Writes  a component for each run, by union-find; then for each side the side that follows
// Method  a sweep along the line between two groups stops at each corner where a run begins. There four runs meet, and each
//         outline that comes in goes out by the rule for its own region
#include "regions/outline_sides.hpp"

#include <algorithm>

#include "core/union_find.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "regions/outline_lines.hpp"

namespace skerry::regions {
namespace {

constexpr u64 no_side = ~u64{0};

using run_sets = union_find<u64, sharing::device>;

// Unites the runs above and below a line that belong to one polygon.
void unite_runs(const line_sweep& lines, std::size_t group, int connectivity, const run_sets& sets) {
  lines.each_corner(group, [&](u32, const meeting_runs& corner) {
    const auto unite = [&](int i, int j) {
      if (corner.same(i, j)) sets.unite(corner.at[i].number, corner.at[j].number);
    };
    unite(1, 2);
    if (connectivity == 4) return;
    unite(0, 2);
    unite(1, 3);
  });
}

// Writes what follows the sides that end at a line.
class side_joiner {
 public:
  explicit side_joiner(outline_sides& sides) : sides_(sides) {}

  void take(const meeting_runs& corner) {
    u64 to_the_right = no_side, from_the_right = no_side;
    const u64 coming[4] = {right_side(corner.at[0].number), no_side, left_side(corner.at[2].number), from_the_left_};
    const u64 going[4] = {left_side(corner.at[1].number), no_side, right_side(corner.at[3].number), to_the_left_};
    for (int way = 0; way < 4; ++way) {
      if (!corner.comes_in_by(way)) continue;
      const int out = way_out(corner, way);
      if (way == 1) from_the_right = going[out];
      else if (out == 1) to_the_right = coming[way];
      else sides_.next[coming[way]] = going[out];
    }
    to_the_left_ = from_the_right;
    from_the_left_ = to_the_right;
  }

 private:
  // Where two pixels of a polygon meet only in a corner, its outlines pass between the other two: turn left.
  [[nodiscard]] int way_out(const meeting_runs& corner, int way) const {
    const bool ahead_left = corner.same(way, way + 2);
    if (corner.same(way, way + 3)) return (way + (ahead_left ? 1 : 2)) & 3;
    const bool one_polygon =
        ahead_left && sides_.component[corner.at[way].number] == sides_.component[corner.at[(way + 2) & 3].number];
    return (way + (one_polygon ? 1 : 3)) & 3;
  }

  outline_sides& sides_;
  u64 from_the_left_ = no_side;  // the side from which an outline goes right along the line, towards the next corner
  u64 to_the_left_ = no_side;  // the side to which an outline goes that comes left along the line, from the next corner
};

// Calls work(group) for each line, the one below the last group included, in pieces that are worth a thread.
template <class Work>
void each_line(engine::state& on, const outline_runs& image, Work work) {
  const std::size_t lines = image.groups() + 1;
  const std::size_t worth = image.runs.size() / static_cast<std::size_t>(on.least_pixels_per_strip) + 1;
  const std::size_t pieces = std::min({lines, worth, 4 * static_cast<std::size_t>(on.threads)});
  for_each_in_parallel(on, pieces, [&](std::size_t i) {
    for (std::size_t line = lines * i / pieces; line < lines * (i + 1) / pieces; ++line) {
      stop_point();
      work(line);
    }
  });
}

}  // namespace

outline_sides join_sides(engine::state& on, const outline_runs& image, int connectivity) {
  outline_sides sides;
  renew_stoppably(sides.component, image.runs.size());
  for (u64 run = 0; run < image.runs.size(); ++run) {
    stop_point(run);
    sides.component[run] = run;
  }
  const line_sweep lines(image);
  const run_sets sets(sides.component.data());
  each_line(on, image, [&](std::size_t line) { unite_runs(lines, line, connectivity, sets); });
  for (std::size_t run = 0; run < sides.component.size(); ++run) {
    stop_point(run);
    sides.component[run] = sides.component[sides.component[run]];  // parents are smaller, and roots already
  }
  renew_stoppably(sides.next, 2 * image.runs.size(), no_side);
  each_line(on, image, [&](std::size_t line) {
    side_joiner joiner(sides);
    lines.each_corner(line, [&](u32, const meeting_runs& corner) { joiner.take(corner); });
  });
  return sides;
}

}  // namespace skerry::regions

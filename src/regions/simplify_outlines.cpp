// SPDX-License-Identifier: Apache-2.0
// Simplifies arcs, then takes back what would change how they lie to each other.
//
// Reads   runs, for junctions; rings
// Writes  the vertices of rings anew
// Method  [Douglas1973] on each arc, once for all regions beside it. Then rounds: a section that touches another one, or that has
//         passed a kept point, gets its farthest point back, and [Douglas1973] takes each of its parts: what a section leaves out may
//         be farther from the lines of parts than from its own. Sections that leave nothing out fail no test, so rounds come to an end
#include "regions/simplify_outlines.hpp"

#include <algorithm>
#include <cmath>

#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "regions/outline_arcs.hpp"
#include "regions/section_grid.hpp"
#include "regions/shortcuts.hpp"

namespace skerry::regions {
namespace {

// Part of an arc between two points that are kept and follow each other.
struct section {
  u64 first, last;  // points
  [[nodiscard]] bool is_shortcut() const { return last - first > 1; }
};

// The sections of an image, each in all cells that it passes.
struct placed_sections {
  std::vector<section> all;
  std::vector<u64> begin;   // cell i has listed[begin[i]] to listed[begin[i + 1]]
  std::vector<u64> listed;  // sections
};

class arc_simplifier {
 public:
  arc_simplifier(engine::state& on, const outline_arcs& arcs, double tolerance)
      : on_(on), arcs_(arcs), tolerance_(tolerance), kept_(arcs.points.size(), 0) {}

  std::vector<u8> simplify(i64 width, i64 height) {
    in_pieces(arcs_.size(), [&](std::size_t arc) { keep_far_points(arc_at(arc)); });
    const section_grid grid(width, height, sections().size());
    std::vector<u8> changed(grid.cells(), 1);
    while (true) {
      const placed_sections placed = place(grid);
      std::vector<u8> returns(placed.all.size(), 0);
      in_pieces(placed.all.size(), [&](std::size_t i) {
        if (placed.all[i].is_shortcut() && is_near(grid, placed.all[i], changed))
          returns[i] = changes_topology(grid, placed, i) ? 1 : 0;
      });
      std::fill(changed.begin(), changed.end(), u8{0});
      bool any = false;
      for (std::size_t i = 0; i < returns.size(); ++i)
        if (returns[i] != 0) {
          any = true;
          give_back(grid, placed.all[i], changed);
        }
      if (!any) return std::move(kept_);
    }
  }

 private:
  // Calls work(i) for i below count, many to a piece.
  template <class Work>
  void in_pieces(std::size_t count, Work work) {
    const std::size_t pieces = std::min<std::size_t>(count / 64 + 1, 16 * static_cast<std::size_t>(on_.threads));
    for_each_in_parallel(on_, pieces, [&](std::size_t piece) {
      for (std::size_t i = count * piece / pieces; i < count * (piece + 1) / pieces; ++i) {
        stop_point();
        work(i);
      }
    });
  }

  [[nodiscard]] const corner& point(u64 i) const { return arcs_.points[i]; }
  [[nodiscard]] std::span<const corner> points_of(const section& part) const {
    return std::span(arcs_.points).subspan(part.first, part.last - part.first + 1);
  }

  [[nodiscard]] section arc_at(std::size_t arc) const { return {arcs_.offsets[arc], arcs_.offsets[arc + 1] - 1}; }

  void keep_far_points(const section& whole) {
    std::vector<section> open = {whole};
    kept_[whole.first] = kept_[whole.last] = 1;
    while (!open.empty()) {
      const section part = open.back();
      open.pop_back();
      if (!part.is_shortcut()) continue;
      const farthest_point farthest = find_farthest(points_of(part));
      const bool closed = point(part.first) == point(part.last);
      if (!closed && farthest.squared_distance <= tolerance_ * tolerance_) continue;
      const u64 middle = part.first + farthest.index;
      kept_[middle] = 1;
      open.push_back({part.first, middle});
      open.push_back({middle, part.last});
    }
  }

  // Calls visit(section) for all between two kept points of an arc.
  template <class Visit>
  void each_section(const section& whole, Visit visit) const {
    u64 first = whole.first;
    for (u64 i = first + 1; i <= whole.last; ++i)
      if (kept_[i] != 0) {
        visit(section{first, i});
        first = i;
      }
  }

  [[nodiscard]] std::vector<section> sections() const {
    std::vector<section> all;
    for (std::size_t arc = 0; arc < arcs_.size(); ++arc)
      each_section(arc_at(arc), [&](const section& part) { all.push_back(part); });
    return all;
  }

  [[nodiscard]] placed_sections place(const section_grid& grid) const {
    placed_sections placed{sections(), std::vector<u64>(grid.cells() + 1, 0), {}};
    for (std::size_t i = 0; i < placed.all.size(); ++i) {
      stop_point(i);
      grid.each_cell(point(placed.all[i].first), point(placed.all[i].last), [&](u64 cell) { ++placed.begin[cell]; });
    }
    u64 sum = 0;
    for (u64& begin : placed.begin) sum += begin, begin = sum;
    placed.listed.resize(sum);
    for (std::size_t i = placed.all.size(); i-- > 0;) {
      stop_point(i);
      grid.each_cell(point(placed.all[i].first), point(placed.all[i].last),
                     [&](u64 cell) { placed.listed[--placed.begin[cell]] = i; });
    }
    return placed;
  }

  // Where the points are that a section leaves out, and all between them and its line.
  struct left_out {
    corner_box box;
    double margin;  // the largest distance from the line
  };

  [[nodiscard]] left_out left_out_by(const section& part) const {
    const corner& first = point(part.first);
    corner_box box{first.x, first.y, first.x, first.y};
    for (const corner& p : points_of(part))
      box = {std::min(box.left, p.x), std::min(box.top, p.y), std::max(box.right, p.x), std::max(box.bottom, p.y)};
    return {box, std::sqrt(find_farthest(points_of(part)).squared_distance)};
  }

  // Whether there is a new section that could touch this one, or have an end among what it left out.
  [[nodiscard]] bool is_near(const section_grid& grid, const section& part, const std::vector<u8>& changed) const {
    const left_out area = left_out_by(part);
    bool near = false;
    grid.each_cell_near(point(part.first), point(part.last), area.margin, area.box,
                        [&](u64 cell) { near = near || changed[cell] != 0; });
    return near;
  }

  [[nodiscard]] bool changes_topology(const section_grid& grid, const placed_sections& placed, std::size_t i) const {
    const section& part = placed.all[i];
    const corner &a = point(part.first), &b = point(part.last);
    const corner_box line{std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)};
    const left_out area = left_out_by(part);
    const std::span<const corner> points = points_of(part);
    const auto is_passed = [&](const corner& p) {
      return area.box.holds(p) && p != a && p != b && lies_between(p, points);
    };
    const auto touches = [&](const corner& c, const corner& d) {
      return line.meets({std::min(c.x, d.x), std::min(c.y, d.y), std::max(c.x, d.x), std::max(c.y, d.y)}) &&
             lines_touch(a, b, c, d);
    };
    bool found = false;
    grid.each_cell_near(a, b, area.margin, area.box, [&](u64 cell) {
      for (u64 at = placed.begin[cell]; at < placed.begin[cell + 1] && !found; ++at) {
        if (placed.listed[at] == i) continue;
        const section& other = placed.all[placed.listed[at]];
        const corner &c = point(other.first), &d = point(other.last);
        found = touches(c, d) || is_passed(c) || is_passed(d);
      }
    });
    return found;
  }

  void give_back(const section_grid& grid, const section& part, std::vector<u8>& changed) {
    const u64 middle = part.first + find_farthest(points_of(part)).index;
    keep_far_points({part.first, middle});
    keep_far_points({middle, part.last});
    each_section(part, [&](const section& one) {
      grid.each_cell(point(one.first), point(one.last), [&](u64 cell) { changed[cell] = 1; });
    });
  }

  engine::state& on_;
  const outline_arcs& arcs_;
  double tolerance_;
  std::vector<u8> kept_;  // of each point of the arcs
};

}  // namespace

void simplify_outlines(engine::state& on, const outline_runs& image, double tolerance, outline_rings& rings) {
  const outline_arcs arcs = cut_arcs(rings, find_junctions(image));
  join_arcs(arcs, arc_simplifier(on, arcs, tolerance).simplify(image.runs.back().begin, image.tops.back()), rings);
}

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
#include "regions/outline_arcs.hpp"

#include <algorithm>
#include <tuple>

#include "engine/stop.hpp"
#include "regions/outline_lines.hpp"

namespace skerry::regions {
namespace {

bool column_before(const corner& a, const corner& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; }

// Junctions by rows and by columns.
class junction_lists {
 public:
  explicit junction_lists(const std::vector<corner>& junctions) : by_row_(junctions), by_column_(junctions) {
    std::size_t compared = 0;
    std::sort(by_column_.begin(), by_column_.end(), with_stop_points(compared, column_before));
  }

  [[nodiscard]] bool holds(const corner& at) const {
    return std::binary_search(by_row_.begin(), by_row_.end(), at, raster_before);
  }

  // Calls visit(junction) for each one on the side from a to b, without its ends, in this order.
  template <class Visit>
  void each_between(const corner& a, const corner& b, Visit visit) const {
    if (a.y == b.y) visit_between(by_row_, a, b, raster_before, visit);
    else visit_between(by_column_, a, b, column_before, visit);
  }

 private:
  template <class Before, class Visit>
  static void visit_between(const std::vector<corner>& list, const corner& a, const corner& b, Before before,
                            Visit visit) {
    const bool forwards = before(a, b);
    const auto begin = std::upper_bound(list.begin(), list.end(), forwards ? a : b, before);
    auto end = begin;
    while (end != list.end() && before(*end, forwards ? b : a)) ++end;
    if (forwards) std::for_each(begin, end, visit);
    else std::for_each(std::make_reverse_iterator(end), std::make_reverse_iterator(begin), visit);
  }

  std::vector<corner> by_row_, by_column_;
};

// The first side of an arc: no two arcs begin with the same one, and an arc and its reverse have one each.
struct arc_start {
  corner at, towards;
  friend bool operator<(const arc_start& a, const arc_start& b) {
    return std::tie(a.at.y, a.at.x, a.towards.y, a.towards.x) < std::tie(b.at.y, b.at.x, b.towards.y, b.towards.x);
  }
  friend bool operator==(const arc_start&, const arc_start&) = default;
};

// One step from `at` towards a corner in its row or column.
arc_start start_of(const corner& at, const corner& next) {
  const auto sign = [](i32 from, i32 to) { return from < to ? 1 : from > to ? -1 : 0; };
  return {at, {at.x + sign(at.x, next.x), at.y + sign(at.y, next.y)}};
}

// An arc of a ring, before those of neighbours are found to be the same.
struct ring_piece {
  arc_start name;  // the smaller of the starts of the arc and its reverse
  bool reversed;   // it is that of the reverse
  u64 begin, end;  // points
  u64 place;       // in `passed`
};

class arc_cutter {
 public:
  arc_cutter(const outline_rings& rings, const std::vector<corner>& junctions) : rings_(rings), lists_(junctions) {}

  outline_arcs cut() {
    for (const outline_ring& ring : rings_.rings) cut_ring(ring);
    std::size_t compared = 0;
    const auto below = [](const ring_piece& a, const ring_piece& b) {
      return a.name == b.name ? a.place < b.place : a.name < b.name;
    };
    std::sort(pieces_.begin(), pieces_.end(), with_stop_points(compared, below));
    arcs_.passed.resize(pieces_.size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      stop_point(i);
      const ring_piece& piece = pieces_[i];
      if (i == 0 || !(piece.name == pieces_[i - 1].name)) add_arc(piece);
      arcs_.passed[piece.place] = {arcs_.size() - 1, piece.reversed};
    }
    return std::move(arcs_);
  }

 private:
  void cut_ring(const outline_ring& ring) {
    walk_.clear();
    is_junction_.clear();
    const auto count = ring.end - ring.begin;
    for (std::size_t i = 0; i < count; ++i) {
      stop_point(ring.begin + i);
      const corner &a = rings_.vertices[ring.begin + i], &b = rings_.vertices[ring.begin + (i + 1) % count];
      walk_.push_back(a);
      is_junction_.push_back(lists_.holds(a) ? 1 : 0);
      lists_.each_between(a, b, [&](const corner& junction) {
        walk_.push_back(junction);
        is_junction_.push_back(1);
      });
    }
    const auto first =
        static_cast<std::size_t>(std::find(is_junction_.begin(), is_junction_.end(), 1) - is_junction_.begin());
    const std::size_t start = first == walk_.size() ? 0 : first;
    for (std::size_t from = 0; from < walk_.size();) from = add_piece(start, from);
    arcs_.ring_offsets.push_back(pieces_.size());
  }

  // The piece that begins `from` steps behind the start of the walk; returns where it ends.
  std::size_t add_piece(std::size_t start, std::size_t from) {
    const auto at = [&](std::size_t step) { return (start + step) % walk_.size(); };
    const u64 begin = points_.size();
    points_.push_back(walk_[at(from)]);
    std::size_t to = from + 1;
    for (; to < walk_.size() && is_junction_[at(to)] == 0; ++to) points_.push_back(walk_[at(to)]);
    points_.push_back(walk_[at(to)]);
    const arc_start forwards = start_of(points_[begin], points_[begin + 1]);
    const arc_start backwards = start_of(points_.back(), points_[points_.size() - 2]);
    const bool reversed = backwards < forwards;
    pieces_.push_back({reversed ? backwards : forwards, reversed, begin, points_.size(), pieces_.size()});
    return to;
  }

  void add_arc(const ring_piece& piece) {
    const auto begin = points_.begin() + static_cast<std::ptrdiff_t>(piece.begin);
    const auto end = points_.begin() + static_cast<std::ptrdiff_t>(piece.end);
    arcs_.points.insert(arcs_.points.end(), begin, end);
    if (piece.reversed)
      std::reverse(arcs_.points.begin() + static_cast<std::ptrdiff_t>(arcs_.offsets.back()), arcs_.points.end());
    arcs_.offsets.push_back(arcs_.points.size());
  }

  const outline_rings& rings_;
  junction_lists lists_;
  std::vector<corner> walk_;     // a ring with its junctions
  std::vector<u8> is_junction_;  // of each of its corners
  std::vector<corner> points_;
  std::vector<ring_piece> pieces_;
  outline_arcs arcs_;
};

void turn_to_first(std::vector<corner>& vertices, std::size_t begin) {
  const std::size_t count = vertices.size() - begin;
  const corner* const ring = vertices.data() + begin;
  std::size_t first = 0;
  for (std::size_t i = 1; i < count; ++i) {
    const bool again = ring[i] == ring[first];
    if (again ? raster_before(ring[(i + 1) % count], ring[first + 1]) : raster_before(ring[i], ring[first])) first = i;
  }
  const auto at = vertices.begin() + static_cast<std::ptrdiff_t>(begin);
  std::rotate(at, at + static_cast<std::ptrdiff_t>(first), vertices.end());
}

}  // namespace

std::vector<corner> find_junctions(const outline_runs& image) {
  std::vector<corner> junctions;
  const line_sweep lines(image);
  for (std::size_t group = 0; group <= image.groups(); ++group) {
    stop_point();
    lines.each_corner(group, [&](u32 x, const meeting_runs& corner) {
      int sides = 0;
      for (int way = 0; way < 4; ++way) {
        const bool inside = corner.at[way].run->is_region || corner.at[(way + 1) & 3].run->is_region;
        if (inside && !corner.same(way, way + 1)) ++sides;
      }
      if (sides > 2) junctions.push_back({static_cast<i32>(x), static_cast<i32>(image.tops[group])});
    });
  }
  return junctions;
}

outline_arcs cut_arcs(const outline_rings& rings, const std::vector<corner>& junctions) {
  return arc_cutter(rings, junctions).cut();
}

void join_arcs(const outline_arcs& arcs, const std::vector<u8>& kept, outline_rings& rings) {
  rings.vertices.clear();
  for (std::size_t r = 0; r < rings.rings.size(); ++r) {
    stop_point(r);
    outline_ring& ring = rings.rings[r];
    ring.begin = rings.vertices.size();
    for (u64 i = arcs.ring_offsets[r]; i < arcs.ring_offsets[r + 1]; ++i) {
      const auto& [arc, reversed] = arcs.passed[i];
      const u64 first = arcs.offsets[arc], last = arcs.offsets[arc + 1] - 1;
      for (u64 step = 0; step < last - first; ++step) {  // the last point is the first of the next arc
        const u64 point = reversed ? last - step : first + step;
        if (kept[point] != 0) rings.vertices.push_back(arcs.points[point]);
      }
    }
    turn_to_first(rings.vertices, ring.begin);
    ring.end = rings.vertices.size();
  }
}

}  // namespace skerry::regions

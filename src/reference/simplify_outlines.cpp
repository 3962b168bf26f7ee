// SPDX-License-Identifier: Apache-2.0
// Simplified outlines from their definition: every arc with every other, in plain loops.
#include "reference/simplify_outlines.hpp"

#include <algorithm>
#include <map>

#include "reference/given_labels.hpp"

namespace skerry::reference {
namespace {

__extension__ using unsigned_wide = unsigned __int128;

// Ordered as pixels are.
struct arc_point {
  i64 y, x;
  friend auto operator<=>(const arc_point&, const arc_point&) = default;  // NOLINT: it has no pointer
};
using arc = std::vector<arc_point>;

struct kept_part {
  const arc* of;
  std::size_t first, last;
};

class arc_map {
 public:
  arc_map(const std::vector<std::size_t>& owner, const extent& size) : owner_(owner), size_(size) {}

  // A ring as arcs between junctions, each from the end that has the smaller list of points; keeps all it has met.
  std::vector<std::pair<arc, bool>> cut(const std::vector<arc_point>& ring) {
    std::vector<arc_point> walk;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const arc_point a = ring[i], b = ring[(i + 1) % ring.size()];
      const i64 steps = std::max(std::abs(a.x - b.x), std::abs(a.y - b.y));
      for (i64 step = 0; step < steps; ++step) {
        const arc_point at{a.y + (b.y - a.y) / steps * step, a.x + (b.x - a.x) / steps * step};
        if (step == 0 || is_junction(at)) walk.push_back(at);
      }
    }
    const auto first = std::find_if(walk.begin(), walk.end(), [&](const arc_point& p) { return is_junction(p); });
    if (first != walk.end()) std::rotate(walk.begin(), first, walk.end());
    else std::rotate(walk.begin(), std::min_element(walk.begin(), walk.end()), walk.end());
    walk.push_back(walk.front());
    std::vector<std::pair<arc, bool>> arcs;
    arc open = {walk[0]};
    for (std::size_t i = 1; i < walk.size(); ++i) {
      open.push_back(walk[i]);
      if (i + 1 < walk.size() && !is_junction(walk[i])) continue;
      const arc back(open.rbegin(), open.rend());
      arcs.emplace_back(std::min(open, back), back < open);
      kept.try_emplace(arcs.back().first, std::vector<bool>(open.size(), false));
      open = {walk[i]};
    }
    return arcs;
  }

  std::map<arc, std::vector<bool>> kept;  // which points of each arc stay

 private:
  [[nodiscard]] std::size_t at(i64 y, i64 x) const {
    if (y < 0 || x < 0 || y >= size_.height || x >= size_.width) return 0;
    return owner_[static_cast<std::size_t>(y * size_.width + x)];
  }
  [[nodiscard]] bool is_junction(const arc_point& p) const {
    const std::size_t around[4] = {at(p.y - 1, p.x - 1), at(p.y - 1, p.x), at(p.y, p.x), at(p.y, p.x - 1)};
    int sides = 0;
    for (int i = 0; i < 4; ++i) sides += around[i] != around[(i + 1) % 4] ? 1 : 0;
    return sides > 2;
  }

  const std::vector<std::size_t>& owner_;
  extent size_;
};

i64 squared(const arc_point& a, const arc_point& b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); }

wide cross(const arc_point& a, const arc_point& b, const arc_point& p) {
  return wide{b.x - a.x} * (p.y - a.y) - wide{b.y - a.y} * (p.x - a.x);
}

// Squared distance of p from the line a b, times the square of its length (or 1).
unsigned_wide scaled_distance(const arc_point& a, const arc_point& b, const arc_point& p) {
  if (a == b) return static_cast<unsigned_wide>(squared(a, p));
  const wide length = squared(a, b);
  const wide along = wide{p.x - a.x} * (b.x - a.x) + wide{p.y - a.y} * (b.y - a.y);
  if (along > 0 && along < length) {
    const wide area = cross(a, b, p);
    const auto positive = static_cast<unsigned_wide>(area < 0 ? -area : area);
    return positive * positive;
  }
  return static_cast<unsigned_wide>(std::min(squared(a, p), squared(b, p))) * static_cast<unsigned_wide>(length);
}

std::size_t farthest(const kept_part& part) {
  const arc& points = *part.of;
  std::size_t best = part.first + 1;
  for (std::size_t i = best; i < part.last; ++i) {
    const unsigned_wide distance = scaled_distance(points[part.first], points[part.last], points[i]);
    const unsigned_wide most = scaled_distance(points[part.first], points[part.last], points[best]);
    if (distance > most || (distance == most && points[i] < points[best])) best = i;
  }
  return best;
}

void keep_far_points(const kept_part& part, double tolerance, std::vector<bool>& kept) {
  kept[part.first] = kept[part.last] = true;
  if (part.last - part.first < 2) return;
  const arc_point a = (*part.of)[part.first], b = (*part.of)[part.last];
  const std::size_t middle = farthest(part);
  const auto length = static_cast<double>(a == b ? 1 : squared(a, b));
  const double distance = static_cast<double>(scaled_distance(a, b, (*part.of)[middle])) / length;
  if (a != b && distance <= tolerance * tolerance) return;
  keep_far_points({part.of, part.first, middle}, tolerance, kept);
  keep_far_points({part.of, middle, part.last}, tolerance, kept);
}

std::vector<kept_part> parts_of(const std::map<arc, std::vector<bool>>& kept) {
  std::vector<kept_part> parts;
  for (const auto& [points, stays] : kept)
    for (std::size_t first = 0, i = 1; i < points.size(); ++i)
      if (stays[i]) {
        parts.push_back({&points, first, i});
        first = i;
      }
  return parts;
}

bool on_line(const arc_point& a, const arc_point& b, const arc_point& p) {
  return cross(a, b, p) == 0 && p.x >= std::min(a.x, b.x) && p.x <= std::max(a.x, b.x) && p.y >= std::min(a.y, b.y) &&
         p.y <= std::max(a.y, b.y);
}

// They share a point that is not an end of both.
bool touch(const arc_point& a, const arc_point& b, const arc_point& c, const arc_point& d) {
  for (const arc_point& end : {c, d})
    if (on_line(a, b, end) && end != a && end != b) return true;
  for (const arc_point& end : {a, b})
    if (on_line(c, d, end) && end != c && end != d) return true;
  if (std::minmax(a, b) == std::minmax(c, d)) return true;
  const auto apart = [](const wide& one, const wide& other) {
    return (one < 0 && other > 0) || (one > 0 && other < 0);
  };
  return apart(cross(a, b, c), cross(a, b, d)) && apart(cross(c, d, a), cross(c, d, b));
}

// Inside the loop of a part's points, by the even-odd rule: lines that p's way to the right crosses.
bool is_passed(const kept_part& part, const arc_point& p) {
  int crossed = 0;
  for (std::size_t i = part.first; i <= part.last; ++i) {
    arc_point a = (*part.of)[i], b = (*part.of)[i == part.last ? part.first : i + 1];
    if (a.y > b.y) std::swap(a, b);
    if (a.y <= p.y && p.y < b.y && cross(a, b, p) > 0) ++crossed;
  }
  return crossed % 2 != 0;
}

bool changes_topology(const kept_part& part, const kept_part& other) {
  const arc_point a = (*part.of)[part.first], b = (*part.of)[part.last];
  const arc_point c = (*other.of)[other.first], d = (*other.of)[other.last];
  if (touch(a, b, c, d)) return true;
  for (const arc_point& end : {c, d})
    if (end != a && end != b && is_passed(part, end)) return true;
  return false;
}

bool give_points_back(double tolerance, std::map<arc, std::vector<bool>>& kept) {
  const std::vector<kept_part> parts = parts_of(kept);
  bool any = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bool wrong = false;
    if (parts[i].last - parts[i].first > 1)
      for (std::size_t j = 0; j < parts.size(); ++j) wrong = wrong || (i != j && changes_topology(parts[i], parts[j]));
    any = any || wrong;
    if (!wrong) continue;
    const std::size_t middle = farthest(parts[i]);
    std::vector<bool>& stays = kept[*parts[i].of];
    keep_far_points({parts[i].of, parts[i].first, middle}, tolerance, stays);
    keep_far_points({parts[i].of, middle, parts[i].last}, tolerance, stays);
  }
  return any;
}

std::vector<skerry::corner> joined(const std::vector<std::pair<arc, bool>>& ring,
                                   const std::map<arc, std::vector<bool>>& kept) {
  std::vector<arc_point> points;
  for (const auto& [way, reversed] : ring) {
    const std::vector<bool>& stays = kept.at(way);
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      const std::size_t at = reversed ? way.size() - 1 - i : i;
      if (stays[at]) points.push_back(way[at]);
    }
  }
  std::size_t first = 0;
  const auto pair_at = [&](std::size_t i) { return std::pair(points[i], points[(i + 1) % points.size()]); };
  for (std::size_t i = 1; i < points.size(); ++i)
    if (pair_at(i) < pair_at(first)) first = i;
  std::rotate(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(first), points.end());
  std::vector<skerry::corner> ring_points;
  ring_points.reserve(points.size());
  for (const arc_point& p : points) ring_points.push_back({static_cast<i32>(p.x), static_cast<i32>(p.y)});
  return ring_points;
}

}  // namespace

void simplify_outlines(const std::vector<std::size_t>& owner, const extent& size, double tolerance,
                       outline_table& table) {
  arc_map arcs(owner, size);
  std::vector<std::vector<std::pair<arc, bool>>> rings;
  for (std::size_t i = 0; i < table.rings(); ++i) {
    std::vector<arc_point> ring;
    for (const skerry::corner& vertex : table.ring(i)) ring.push_back({vertex.y, vertex.x});
    rings.push_back(arcs.cut(ring));
  }
  for (auto& [points, stays] : arcs.kept) keep_far_points({&points, 0, points.size() - 1}, tolerance, stays);
  while (give_points_back(tolerance, arcs.kept)) {}
  table.vertices.clear();
  table.ring_offsets = {0};
  for (const auto& ring : rings) {
    const std::vector<skerry::corner> vertices = joined(ring, arcs.kept);
    table.vertices.insert(table.vertices.end(), vertices.begin(), vertices.end());
    table.ring_offsets.push_back(static_cast<i64>(table.vertices.size()));
  }
}

}  // namespace skerry::reference

// SPDX-License-Identifier: Apache-2.0
// Outlines from their definition: the edges of the pixels of one component that face others, as arrows from corner to corner with
// the component on their right hand, chained to rings.
#include "reference/outline.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "reference/given_labels.hpp"
#include "reference/simplify_outlines.hpp"
#include "reference/steps.hpp"

namespace skerry::reference {
namespace {

struct heading {
  int x, y;
};
// Right, down, left, up: each is a right turn of the one before.
constexpr heading headings[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

struct ring_corner {
  i64 y, x;
  friend auto operator<=>(const ring_corner&, const ring_corner&) = default;  // NOLINT: it has no pointer
};

// The headings of the arrows that begin at each corner.
using arrows = std::map<ring_corner, std::set<int>>;

arrows arrows_of(const std::vector<u64>& components, u64 component, const extent& size) {
  const auto inside = [&](i64 y, i64 x) {
    return y >= 0 && y < size.height && x >= 0 && x < size.width &&
           components[static_cast<std::size_t>(y * size.width + x)] == component;
  };
  arrows all;
  for (i64 y = 0; y < size.height; ++y)
    for (i64 x = 0; x < size.width; ++x) {
      if (!inside(y, x)) continue;
      if (!inside(y - 1, x)) all[{y, x}].insert(0);
      if (!inside(y, x + 1)) all[{y, x + 1}].insert(1);
      if (!inside(y + 1, x)) all[{y + 1, x + 1}].insert(2);
      if (!inside(y, x - 1)) all[{y + 1, x}].insert(3);
    }
  return all;
}

using arrow = std::pair<ring_corner, int>;  // where it begins, and its heading

// Takes the ring of the first arrow away, and turns left where there is a choice.
std::vector<arrow> take_ring(arrows& all) {
  std::vector<arrow> ring;
  ring_corner at = all.begin()->first;
  int heading = *all.begin()->second.begin();
  while (true) {
    const auto here = all.find(at);
    if (here == all.end()) return ring;
    std::set<int>& from_here = here->second;
    if (!ring.empty()) {
      const int left = (heading + 3) % 4, right = (heading + 1) % 4;
      const int turned = from_here.contains(left) ? left : from_here.contains(heading) ? heading : right;
      if (!from_here.contains(turned)) return ring;
      heading = turned;
    }
    from_here.erase(heading);
    if (from_here.empty()) all.erase(here);
    ring.emplace_back(at, heading);
    at.x += headings[heading].x, at.y += headings[heading].y;
  }
}

corner to_corner(const ring_corner& at) { return {static_cast<i32>(at.x), static_cast<i32>(at.y)}; }

// Corners where a ring turns, or all of them.
std::vector<corner> corners_of(const std::vector<arrow>& ring, bool keep_collinear) {
  std::vector<corner> vertices;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const int before = ring[i == 0 ? ring.size() - 1 : i - 1].second;
    if (keep_collinear || before != ring[i].second) vertices.push_back(to_corner(ring[i].first));
  }
  return vertices;
}

// The pixels on the right hand of each arrow, behind the first the other way round.
std::vector<corner> centres_of(std::vector<arrow> ring, bool keep_collinear) {
  std::reverse(ring.begin() + 1, ring.end());
  std::vector<corner> pixels;
  for (const auto& [at, heading] : ring) {
    const i64 left = heading == 1 || heading == 2 ? 1 : 0, up = heading == 2 || heading == 3 ? 1 : 0;
    const corner pixel = to_corner({at.y - up, at.x - left});
    if (pixels.empty() || pixels.back() != pixel) pixels.push_back(pixel);
  }
  while (pixels.size() > 1 && pixels.back() == pixels.front()) pixels.pop_back();
  const std::size_t n = pixels.size();
  if (keep_collinear || n == 1) return pixels;
  std::vector<corner> turns;
  for (std::size_t i = 0; i < n; ++i) {
    const corner &a = pixels[(i + n - 1) % n], &b = pixels[i], &c = pixels[(i + 1) % n];
    if (b.x - a.x != c.x - b.x || b.y - a.y != c.y - b.y) turns.push_back(b);
  }
  return turns;
}

// Turns round the outer ring are one more to the right than to the left for each quarter: its signed area is positive.
bool is_outer(const std::vector<arrow>& ring) {
  i64 sum = 0;
  for (const auto& [at, heading] : ring) sum += at.x * headings[heading].y - at.y * headings[heading].x;
  return sum > 0;
}

// Each begins at its first corner in raster order; the outer one comes first.
std::vector<std::vector<arrow>> rings_of(const std::vector<u64>& components, u64 component, const extent& size) {
  std::vector<std::vector<arrow>> rings;
  for (arrows all = arrows_of(components, component, size); !all.empty();) {
    rings.push_back(take_ring(all));
    std::rotate(rings.back().begin(), std::min_element(rings.back().begin(), rings.back().end()), rings.back().end());
  }
  std::sort(rings.begin(), rings.end(), [](const std::vector<arrow>& a, const std::vector<arrow>& b) {
    return is_outer(a) != is_outer(b) ? is_outer(a) : a.front() < b.front();
  });
  return rings;
}

void add_polygon(const std::vector<std::vector<arrow>>& rings, const outline_request& asked, outline_table& to) {
  for (const std::vector<arrow>& ring : rings) {
    const std::vector<corner> vertices =
        asked.through_centres ? centres_of(ring, asked.keep_collinear) : corners_of(ring, asked.keep_collinear);
    to.vertices.insert(to.vertices.end(), vertices.begin(), vertices.end());
    to.ring_offsets.push_back(static_cast<i64>(to.vertices.size()));
  }
  to.polygon_offsets.push_back(static_cast<i64>(to.ring_offsets.size() - 1));
}

// Which ring is around each ring of a table; `owner` as for simplify_outlines().
class ring_parents {
 public:
  ring_parents(const std::vector<std::size_t>& owner, i64 width, const std::vector<std::vector<arrow>>& rings,
               const outline_table& table)
      : owner_(owner), width_(width), rings_(rings) {
    for (std::size_t i = 0; i < rings.size(); ++i)
      for (const arrow& each : rings[i]) ring_of_[each] = i;
    for (std::size_t polygon = 0; polygon < table.polygons(); ++polygon)
      for (i64 ring = table.polygon_offsets[polygon]; ring < table.polygon_offsets[polygon + 1]; ++ring)
        outer_.push_back(table.polygon_offsets[polygon]);
  }

  [[nodiscard]] i64 parent_of(i64 ring) const {
    const i64 outer = outer_[static_cast<std::size_t>(ring)];
    if (outer != ring) return outer;
    const ring_corner first = rings_[static_cast<std::size_t>(ring)].front().first;
    for (i64 x = first.x - 1; x >= 0; --x) {
      if (owner_[static_cast<std::size_t>(first.y * width_ + x)] == 0) continue;
      const auto beside = static_cast<i64>(ring_of_.at({{first.y, x + 1}, 1}));
      return outer_[static_cast<std::size_t>(beside)] == beside ? parent_of(beside) : beside;
    }
    return -1;
  }

 private:
  const std::vector<std::size_t>& owner_;
  i64 width_;
  const std::vector<std::vector<arrow>>& rings_;
  std::map<arrow, std::size_t> ring_of_;
  std::vector<i64> outer_;  // the outer ring of the polygon of each ring
};

}  // namespace

outline_table outline(const outline_request& asked) {
  const dtype type = asked.labels.type;
  const std::vector<wide> labels = labels_of(asked.labels);
  outline_table table;
  table.signed_labels = is_signed(type);
  std::vector<std::size_t> owner(labels.size(), 0);
  std::vector<std::vector<arrow>> all_rings;
  for (const wide label : std::set<wide>(labels.begin(), labels.end())) {
    if (is_background(label, asked.background)) continue;
    std::vector<u8> mask(labels.size());
    std::transform(labels.begin(), labels.end(), mask.begin(), [&](wide each) { return each == label ? 1 : 0; });
    std::vector<u64> components;
    const u64 count = reference::label(image_view(mask.data(), asked.labels.size), mask,
                                       {.connectivity = asked.connectivity}, components);
    for (u64 c = 1; c <= count; ++c) {
      const std::vector<std::vector<arrow>> rings = rings_of(components, c, asked.labels.size);
      add_polygon(rings, asked, table);
      all_rings.insert(all_rings.end(), rings.begin(), rings.end());
    }
    table.labels.push_back(static_cast<label_bits>(label));
    table.region_offsets.push_back(static_cast<i64>(table.polygon_offsets.size() - 1));
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (mask[i] != 0) owner[i] = table.labels.size();
  }
  if (asked.nesting) {
    const ring_parents parents(owner, asked.labels.size.width, all_rings, table);
    for (std::size_t i = 0; i < all_rings.size(); ++i)
      table.nesting.push_back({parents.parent_of(static_cast<i64>(i)), to_corner(all_rings[i].front().first)});
  }
  if (asked.simplify > 0) simplify_outlines(owner, asked.labels.size, asked.simplify, table);
  return table;
}

}  // namespace skerry::reference

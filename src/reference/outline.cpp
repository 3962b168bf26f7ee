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

// Takes the ring of the first arrow away, and turns left where there is a choice. A heading comes with each corner.
std::vector<std::pair<ring_corner, int>> take_ring(arrows& all) {
  std::vector<std::pair<ring_corner, int>> ring;
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

// A ring that begins at its first corner in raster order, with corners where it turns, or with all of them.
std::vector<corner> vertices_of(std::vector<std::pair<ring_corner, int>> ring, bool keep_collinear) {
  std::rotate(ring.begin(), std::min_element(ring.begin(), ring.end()), ring.end());
  std::vector<corner> vertices;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const int before = ring[i == 0 ? ring.size() - 1 : i - 1].second;
    if (keep_collinear || before != ring[i].second)
      vertices.push_back({static_cast<i32>(ring[i].first.x), static_cast<i32>(ring[i].first.y)});
  }
  return vertices;
}

// Turns round the outer ring are one more to the right than to the left for each quarter: its signed area is positive.
bool is_outer(const std::vector<corner>& ring) {
  i64 sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const corner &a = ring[i], &b = ring[(i + 1) % ring.size()];
    sum += i64{a.x} * b.y - i64{b.x} * a.y;
  }
  return sum > 0;
}

void add_polygon(const std::vector<u64>& components, u64 component, const outline_request& asked, outline_table& to) {
  std::vector<std::vector<corner>> rings;
  for (arrows all = arrows_of(components, component, asked.labels.size); !all.empty();)
    rings.push_back(vertices_of(take_ring(all), asked.keep_collinear));
  std::sort(rings.begin(), rings.end(), [](const std::vector<corner>& a, const std::vector<corner>& b) {
    if (is_outer(a) != is_outer(b)) return is_outer(a);
    return std::pair(a.front().y, a.front().x) < std::pair(b.front().y, b.front().x);
  });
  for (const std::vector<corner>& ring : rings) {
    to.vertices.insert(to.vertices.end(), ring.begin(), ring.end());
    to.ring_offsets.push_back(static_cast<i64>(to.vertices.size()));
  }
  to.polygon_offsets.push_back(static_cast<i64>(to.ring_offsets.size() - 1));
}

}  // namespace

outline_table outline(const outline_request& asked) {
  const dtype type = asked.labels.type;
  const std::vector<wide> labels = labels_of(asked.labels);
  outline_table table;
  table.signed_labels = is_signed(type);
  std::vector<std::size_t> owner(labels.size(), 0);
  for (const wide label : std::set<wide>(labels.begin(), labels.end())) {
    if (is_background(label, asked.background)) continue;
    std::vector<u8> mask(labels.size());
    std::transform(labels.begin(), labels.end(), mask.begin(), [&](wide each) { return each == label ? 1 : 0; });
    std::vector<u64> components;
    const u64 count = reference::label(image_view(mask.data(), asked.labels.size), mask,
                                       {.connectivity = asked.connectivity}, components);
    for (u64 c = 1; c <= count; ++c) add_polygon(components, c, asked, table);
    table.labels.push_back(static_cast<label_bits>(label));
    table.region_offsets.push_back(static_cast<i64>(table.polygon_offsets.size() - 1));
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (mask[i] != 0) owner[i] = table.labels.size();
  }
  if (asked.simplify > 0) simplify_outlines(owner, asked.labels.size, asked.simplify, table);
  return table;
}

}  // namespace skerry::reference

// SPDX-License-Identifier: Apache-2.0
// Exact in integers. The points are the octahedra of the corners of each slice's own hull, by monotone chains [Andrew1979]. They
// are added one after the other to the octahedron of the first: the facets that a point sees go, and it is joined to the edges
// around them. A point in the plane of a facet does not see it, so that flat sides may be cut into several triangles.
#include "features/solid_hull.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/exact_number.hpp"
#include "engine/stop.hpp"

namespace skerry::features {
namespace {

// ---- points -----------------------------------------------------------------------------------------------------------

// Appends the corners of the hull of the pixels of one slice.
void append_corners(std::span<const solid_row> slice, std::vector<solid_point>& corners) {
  const auto turns = [](const solid_point& a, const solid_point& b, const solid_point& c) {
    return wide{b.y - a.y} * (c.x - a.x) - wide{b.x - a.x} * (c.y - a.y);
  };
  const auto chain = [&](i64 sign, auto x_of) {
    const std::size_t first = corners.size();
    for (const solid_row& row : slice) {
      const solid_point next = {2 * row.z, 2 * row.y, x_of(row)};
      while (corners.size() >= first + 2 && sign * turns(corners.end()[-2], corners.back(), next) >= 0)
        corners.pop_back();
      corners.push_back(next);
    }
  };
  chain(-1, [](const solid_row& row) { return 2 * row.begin; });
  chain(1, [](const solid_row& row) { return 2 * (row.end - 1); });
}

constexpr int octahedron_corners = 6;

solid_point corner_of_octahedron(const solid_point& middle, int k) {
  const i64 step = k % 2 == 0 ? -1 : 1;
  solid_point corner = middle;
  (k < 2 ? corner.z : k < 4 ? corner.y : corner.x) += step;
  return corner;
}

// The rows of each slice: the outermost slices first, then those between by halves. In raster order each slice of a prism would
// leave its corners on the hull.
std::vector<std::span<const solid_row>> slices_of(std::span<const solid_row> rows) {
  std::vector<std::span<const solid_row>> all, ordered;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].z == rows[begin].z) ++end;
    all.push_back(rows.subspan(begin, end - begin));
  }
  ordered.reserve(all.size() + 1);
  ordered.push_back(all.front());
  ordered.push_back(all.back());
  for (std::size_t step = std::bit_floor(all.size()); step != 0; step /= 2)
    for (std::size_t slice = step; slice < all.size(); slice += 2 * step) ordered.push_back(all[slice]);
  return ordered;
}

// Those of whole octahedra, one after the other.
std::vector<solid_point> points_of(std::span<const solid_row> rows) {
  std::vector<solid_point> corners;
  for (const std::span<const solid_row>& slice : slices_of(rows)) append_corners(slice, corners);
  std::vector<solid_point> points;
  points.reserve(corners.size() * octahedron_corners);
  for (const solid_point& corner : corners)
    for (int k = 0; k < octahedron_corners; ++k) points.push_back(corner_of_octahedron(corner, k));
  return points;
}

// ---- hull ---------------------------------------------------------------------------------------------------------------

// The plane normal · point = offset; points with more are outside.
template <class Integer>
struct facet {
  u32 corners[3];
  Integer normal[3], offset;
};

struct directed_edge {
  u32 from, to;
  friend bool operator==(const directed_edge&, const directed_edge&) = default;
  friend bool operator<(const directed_edge& a, const directed_edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  }
};

template <class Integer>
class solid_hull {
 public:
  explicit solid_hull(std::vector<solid_point> points) : points_(std::move(points)) {
    // Corners 0 and 1 of an octahedron lie along z, 2 and 3 along y, 4 and 5 along x.
    for (u32 z = 0; z < 2; ++z)
      for (u32 y = 2; y < 4; ++y)
        for (u32 x = 4; x < 6; ++x) {
          const bool turned = ((z + y + x) & 1U) != 0;
          add_facet(z, turned ? y : x, turned ? x : y);
        }
    for (u32 point = octahedron_corners; point < points_.size(); ++point) {
      stop_point(point);
      add(point);
    }
  }

  [[nodiscard]] const std::vector<facet<Integer>>& facets() const { return facets_; }
  [[nodiscard]] const solid_point& point(u32 index) const { return points_[index]; }

  // The points that are corners of facets.
  [[nodiscard]] std::vector<solid_point> corners() const {
    std::vector<u32> used;
    for (const facet<Integer>& each : facets_) used.insert(used.end(), each.corners, each.corners + 3);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    std::vector<solid_point> corners;
    corners.reserve(used.size());
    for (const u32 index : used) corners.push_back(points_[index]);
    return corners;
  }

 private:
  static Integer above(const facet<Integer>& plane, const solid_point& p) {
    return plane.normal[0] * p.z + plane.normal[1] * p.y + plane.normal[2] * p.x - plane.offset;
  }

  // With corners in the order that turns the normal outwards.
  void add_facet(u32 a, u32 b, u32 c) {
    const solid_point &p = points_[a], &q = points_[b], &r = points_[c];
    const Integer qz = q.z - p.z, qy = q.y - p.y, qx = q.x - p.x, rz = r.z - p.z, ry = r.y - p.y, rx = r.x - p.x;
    facet<Integer> made = {{a, b, c}, {qy * rx - qx * ry, qx * rz - qz * rx, qz * ry - qy * rz}, 0};
    made.offset = above(made, p);
    facets_.push_back(made);
  }

  void add(u32 point) {
    edges_.clear();
    std::size_t kept = 0;
    for (std::size_t f = 0; f < facets_.size(); ++f) {
      const facet<Integer>& each = facets_[f];
      if (above(each, points_[point]) <= 0) {
        facets_[kept++] = each;
        continue;
      }
      for (int k = 0; k < 3; ++k) edges_.push_back({each.corners[k], each.corners[(k + 1) % 3]});
    }
    if (edges_.empty()) return;
    facets_.resize(kept);
    std::sort(edges_.begin(), edges_.end());
    for (const directed_edge& edge : edges_)
      if (!std::binary_search(edges_.begin(), edges_.end(), directed_edge{edge.to, edge.from}))
        add_facet(edge.from, edge.to, point);
  }

  std::vector<solid_point> points_;
  std::vector<facet<Integer>> facets_;
  std::vector<directed_edge> edges_;  // of the facets that a point sees
};

// ---- pixels in the hull -------------------------------------------------------------------------------------------------

template <class Integer>
Integer divided_down(Integer value, Integer divisor) {
  const Integer quotient = value / divisor;
  return quotient - ((value % divisor != 0) && ((value < 0) != (divisor < 0)) ? 1 : 0);
}

// Facets that reach a slice. The slice of a hull is bounded by them alone: no corner lies at an even z beyond which the hull ends.
template <class Integer>
std::vector<facet<Integer>> facets_at(const solid_hull<Integer>& hull, i64 z) {
  std::vector<facet<Integer>> reaching;
  for (const facet<Integer>& each : hull.facets()) {
    const auto [low, high] =
        std::minmax({hull.point(each.corners[0]).z, hull.point(each.corners[1]).z, hull.point(each.corners[2]).z});
    if (low <= 2 * z && 2 * z <= high) reaching.push_back(each);
  }
  return reaching;
}

// Pixels of row (z, y) on the inner side of all facets; begin >= end where there are none.
template <class Integer>
solid_row row_in(const std::vector<facet<Integer>>& facets, i64 z, i64 y, solid_row within) {
  Integer low = within.begin, high = within.end - 1;
  for (const facet<Integer>& each : facets) {
    const Integer left = each.offset - each.normal[0] * (2 * z) - each.normal[1] * (2 * y), step = 2 * each.normal[2];
    if (step > 0) high = std::min(high, divided_down<Integer>(left, step));
    else if (step < 0) low = std::max(low, -divided_down<Integer>(left, -step));
    else if (left < 0) return {z, y, 0, 0};
  }
  return {z, y, static_cast<i64>(low), static_cast<i64>(high) + 1};
}

template <class Integer>
std::vector<solid_row> rows_in(const solid_hull<Integer>& hull, const solid_row& low, const solid_row& high) {
  std::vector<solid_row> inside;
  for (i64 z = low.z; z <= high.z; ++z) {
    const std::vector<facet<Integer>> facets = facets_at(hull, z);
    stop_point();
    for (i64 y = low.y; y <= high.y; ++y) {
      const solid_row row = row_in(facets, z, y, {z, y, low.begin, high.end});
      if (row.begin < row.end) inside.push_back(row);
    }
  }
  return inside;
}

double largest_distance(const std::vector<solid_point>& corners, const double (&spacing)[3]) {
  double most = 0;
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double z = static_cast<double>(corners[i].z - corners[j].z) / 2 * spacing[0];
      const double y = static_cast<double>(corners[i].y - corners[j].y) / 2 * spacing[1];
      const double x = static_cast<double>(corners[i].x - corners[j].x) / 2 * spacing[2];
      most = std::max(most, z * z + y * y + x * x);
    }
  return std::sqrt(most);
}

template <class Integer>
solid_measures measured(std::span<const solid_row> rows, const solid_row& low, const solid_row& high,
                        const double (&spacing)[3]) {
  const std::vector<solid_row> convex = rows_in(solid_hull<Integer>(points_of(rows)), low, high);
  solid_measures found;
  for (const solid_row& row : convex) found.pixels += row.end - row.begin;
  found.widest = largest_distance(solid_hull<Integer>(points_of(convex)).corners(), spacing);
  return found;
}

}  // namespace

solid_measures measures_of(std::span<const solid_row> rows, const double (&spacing)[3]) {
  const solid_row corner = rows.front();
  solid_row low = corner, high = corner;
  for (const solid_row& row : rows) {
    low = {std::min(low.z, row.z), std::min(low.y, row.y), std::min(low.begin, row.begin), 0};
    high = {std::max(high.z, row.z), std::max(high.y, row.y), 0, std::max(high.end, row.end)};
  }
  // About the corner of the box. Up to this side twice a distance has 19 bits, a normal 40, and their product 61.
  constexpr i64 short_side = i64{1} << 17;
  std::vector<solid_row> moved;
  moved.reserve(rows.size());
  for (const solid_row& row : rows)
    moved.push_back({row.z - low.z, row.y - low.y, row.begin - low.begin, row.end - low.begin});
  const solid_row end = {high.z - low.z, high.y - low.y, 0, high.end - low.begin};
  const bool is_short = std::max({end.z, end.y, end.end}) < short_side;
  return is_short ? measured<i64>(moved, {0, 0, 0, 0}, end, spacing)
                  : measured<wide>(moved, {0, 0, 0, 0}, end, spacing);
}

}  // namespace skerry::features

// SPDX-License-Identifier: Apache-2.0
// Outlines of regions: every engine against the reference, the reference against polygons written by hand, and both against the
// pixels that they must enclose.
#include "skerry/outline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "core/portable.hpp"
#include "regions/given.hpp"
#include "regions/outlines.hpp"
#include "skerry/error.hpp"
#include "support/adversarial.hpp"
#include "support/mask.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

// The labels that even-odd filling of the rings of each region gives, which must leave no pixel with two.
std::vector<u64> filled(const outline_table& table, const extent& size) {
  std::vector<u64> labels(static_cast<std::size_t>(size.pixels()), 0);
  for (std::size_t region = 0; region < table.regions(); ++region) {
    std::vector<u8> toggled(labels.size(), 0);  // at each upright edge, for the pixels from there to the right
    const std::int64_t first = table.polygon_offsets[static_cast<std::size_t>(table.region_offsets[region])];
    const std::int64_t last = table.polygon_offsets[static_cast<std::size_t>(table.region_offsets[region + 1])];
    for (std::int64_t ring = first; ring < last; ++ring) {
      const std::vector<corner> v = ring_of(table, static_cast<std::size_t>(ring));
      for (std::size_t i = 0; i < v.size(); ++i) {
        const corner &a = v[i], &b = v[(i + 1) % v.size()];
        for (i64 y = std::min(a.y, b.y); y < std::max(a.y, b.y); ++y)
          if (a.x < size.width) toggled[static_cast<std::size_t>(y * size.width + a.x)] ^= 1;
      }
    }
    for (std::size_t i = 0, inside = 0; i < labels.size(); ++i) {
      if (i % static_cast<std::size_t>(size.width) == 0) inside = 0;
      inside ^= toggled[i];
      if (inside == 0) continue;
      EXPECT_EQ(labels[i], 0u);
      labels[i] = table.labels[region];
    }
  }
  return labels;
}

void expect_rings_well_formed(const outline_table& table, bool keeps_collinear) {
  for (std::size_t ring = 0; ring < table.rings(); ++ring) {
    const std::vector<corner> v = ring_of(table, ring);
    ASSERT_GE(v.size(), 4u);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const corner &a = v[i], &b = v[(i + 1) % v.size()], &c = v[(i + 2) % v.size()];
      EXPECT_NE(a.x == b.x, a.y == b.y);
      if (!keeps_collinear) {
        EXPECT_NE(a.x == b.x, b.x == c.x);
      }
      EXPECT_LE(std::pair(v[0].y, v[0].x), std::pair(a.y, a.x));
    }
  }
  for (std::size_t polygon = 0; polygon < table.polygons(); ++polygon)
    for (auto ring = table.polygon_offsets[polygon]; ring < table.polygon_offsets[polygon + 1]; ++ring)
      EXPECT_EQ(table.twice_area(static_cast<std::size_t>(ring)) > 0, ring == table.polygon_offsets[polygon]);
}

// Rings of one polygon of 4 neighbours pass each corner once.
void expect_simple(const outline_table& table) {
  for (std::size_t ring = 0; ring < table.rings(); ++ring) {
    std::set<std::pair<i32, i32>> met;
    for (const corner& vertex : table.ring(ring)) EXPECT_TRUE(met.insert({vertex.x, vertex.y}).second);
  }
}

// Areas and filled rings are those of the pixels; `labels` are dense, 0 is background.
void expect_encloses(const outline_table& table, const std::vector<u64>& labels, const extent& size) {
  std::map<u64, i64> area, enclosed;
  for (const u64 label : labels)
    if (label != 0) ++area[label];
  for (std::size_t region = 0; region < table.regions(); ++region)
    for (auto p = table.region_offsets[region]; p < table.region_offsets[region + 1]; ++p)
      for (auto ring = table.polygon_offsets[static_cast<std::size_t>(p)];
           ring < table.polygon_offsets[static_cast<std::size_t>(p) + 1]; ++ring)
        enclosed[table.labels[region]] += table.twice_area(static_cast<std::size_t>(ring));
  for (auto& [label, twice] : enclosed) twice /= 2;
  EXPECT_EQ(enclosed, area);
  EXPECT_EQ(filled(table, size), labels);
}

void expect_outlines(const std::vector<u64>& labels, const extent& size) {
  for (const int connectivity : {4, 8})
    for (const bool keeps_collinear : {false, true}) {
      const outline_table table = expect_outline_everywhere(
          {.labels = image_view(labels.data(), size), .connectivity = connectivity, .keep_collinear = keeps_collinear});
      expect_rings_well_formed(table, keeps_collinear);
      expect_encloses(table, labels, size);
      if (connectivity == 4) expect_simple(table);
    }
}

TEST(outline, of_a_region_with_a_hole_that_holds_another) {
  const std::vector<u64> labels = picture_of_labels(R"(
    .5555
    .5..5
    25.35
    .5555)");
  const outline_table table =
      expect_outline_everywhere({.labels = image_view(labels.data(), {4, 5}), .connectivity = 4});
  EXPECT_EQ(table.labels, (std::vector<label_bits>{2, 3, 5}));
  EXPECT_EQ(table.region_offsets, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(table.polygon_offsets, (std::vector<std::int64_t>{0, 1, 2, 4}));
  EXPECT_EQ(table.ring_offsets, (std::vector<std::int64_t>{0, 4, 8, 12, 16}));
  EXPECT_EQ(ring_of(table, 0), (std::vector<corner>{{0, 2}, {1, 2}, {1, 3}, {0, 3}}));
  EXPECT_EQ(ring_of(table, 1), (std::vector<corner>{{3, 2}, {4, 2}, {4, 3}, {3, 3}}));
  EXPECT_EQ(ring_of(table, 2), (std::vector<corner>{{1, 0}, {5, 0}, {5, 4}, {1, 4}}));
  EXPECT_EQ(ring_of(table, 3), (std::vector<corner>{{2, 1}, {2, 3}, {4, 3}, {4, 1}}));
  EXPECT_EQ(table.twice_area(2), 32);
  EXPECT_EQ(table.twice_area(3), -8);
}

TEST(outline, keeps_the_corners_between_turns_if_asked) {
  const std::vector<u64> labels = {1, 1, 1, 0};
  const outline_table table = expect_outline_everywhere(
      {.labels = image_view(labels.data(), {2, 2}), .connectivity = 4, .keep_collinear = true});
  EXPECT_EQ(table.vertices, (std::vector<corner>{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 1}}));
}

TEST(outline, of_pixels_that_meet_in_a_corner) {
  const std::vector<u64> labels = {1, 0,  //
                                   0, 1};
  outline_request asked{.labels = image_view(labels.data(), {2, 2}), .connectivity = 4};
  outline_table table = expect_outline_everywhere(asked);
  EXPECT_EQ(table.polygon_offsets, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(ring_of(table, 1), (std::vector<corner>{{1, 1}, {2, 1}, {2, 2}, {1, 2}}));
  asked.connectivity = 8;
  table = expect_outline_everywhere(asked);
  EXPECT_EQ(table.polygon_offsets, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(table.vertices, (std::vector<corner>{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {1, 2}, {1, 1}, {0, 1}}));
}

TEST(outline, has_a_hole_that_touches_the_outer_ring_in_a_corner) {
  const std::vector<u64> labels = picture_of_labels(R"(
    .11
    1.1
    111)");
  const outline_table table =
      expect_outline_everywhere({.labels = image_view(labels.data(), {3, 3}), .connectivity = 4});
  EXPECT_EQ(table.polygon_offsets, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(ring_of(table, 0), (std::vector<corner>{{1, 0}, {3, 0}, {3, 3}, {0, 3}, {0, 1}, {1, 1}}));
  EXPECT_EQ(ring_of(table, 1), (std::vector<corner>{{1, 1}, {1, 2}, {2, 2}, {2, 1}}));
}

TEST(outline, of_adversarial_masks) {
  for (const extent& size : {extent(13, 17), extent(8, 64)})
    for (const named_mask& each : adversarial_planes(size.height, size.width)) {
      SCOPED_TRACE(each.name);
      expect_outlines({each.image.pixels.begin(), each.image.pixels.end()}, each.image.size);
      ASSERT_FALSE(HasFailure());
    }
}

TEST(outline, of_random_labels) {
  std::mt19937 random(3);
  for (int i = 0; i < scaled(150); ++i) {
    const extent size(1 + random() % 14, 1 + random() % 18);
    const unsigned most = 1 + random() % 4;
    const int granularity = 1 + i % 3;
    std::vector<double> choices;
    for (unsigned label = 0; label <= most; ++label) choices.push_back(label);
    const std::vector<double> values = random_values(choices, size, granularity, static_cast<std::uint32_t>(i));
    expect_outlines({values.begin(), values.end()}, size);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(outline, of_every_type_layout_and_size) {
  std::uint32_t seed = 0;
  for (const dtype type : given_types)
    for (const layout arrangement : all_layouts)
      for (const extent& size :
           {extent(6, 20), extent(1, 1), extent(30, 1), extent(1, 40), extent(0, 5), extent(5, 0)}) {
        ++seed;
        SCOPED_TRACE(std::string(name_of(type)) + ", " + name_of(arrangement) + ", " + std::to_string(seed));
        const placed_image labels(type, size, arrangement, random_values(edge_values(type), size, 1 + seed % 3, seed));
        outline_request asked{.labels = labels.view(), .connectivity = seed % 2 == 0 ? 4 : 8};
        if (seed % 3 != 0) asked.background = seed % 3 == 1 ? background::none() : background::equal_to(1);
        expect_outline_everywhere(asked);
        ASSERT_FALSE(HasFailure());
      }
}

// What simplified outlines promise, besides the reference's answer: rings in their places, and no line that touches another.
bool lines_share_more_than_ends(const corner& a, const corner& b, const corner& c, const corner& d) {
  const auto side = [](const corner& p, const corner& q, const corner& r) {
    const i64 turn = i64{q.x - p.x} * (r.y - p.y) - i64{q.y - p.y} * (r.x - p.x);
    return turn > 0 ? 1 : turn < 0 ? -1 : 0;
  };
  const auto holds = [&](const corner& p, const corner& q, const corner& r) {
    return side(p, q, r) == 0 && r != p && r != q && std::min(p.x, q.x) <= r.x && r.x <= std::max(p.x, q.x) &&
           std::min(p.y, q.y) <= r.y && r.y <= std::max(p.y, q.y);
  };
  return side(a, b, c) * side(a, b, d) < 0 ? side(c, d, a) * side(c, d, b) < 0
                                           : holds(a, b, c) || holds(a, b, d) || holds(c, d, a) || holds(c, d, b);
}

void expect_lines_apart(const outline_table& table) {
  std::set<std::pair<std::pair<i32, i32>, std::pair<i32, i32>>> lines;  // those of two neighbours once
  for (std::size_t ring = 0; ring < table.rings(); ++ring) {
    const std::vector<corner> v = ring_of(table, ring);
    for (std::size_t i = 0; i < v.size(); ++i) {
      const std::pair a(v[i].x, v[i].y), b(v[(i + 1) % v.size()].x, v[(i + 1) % v.size()].y);
      EXPECT_NE(a, b);
      lines.insert(std::minmax(a, b));
    }
  }
  const auto at = [](const std::pair<i32, i32>& place) { return corner{place.first, place.second}; };
  for (auto one = lines.begin(); one != lines.end(); ++one)
    for (auto other = std::next(one); other != lines.end(); ++other)
      EXPECT_FALSE(lines_share_more_than_ends(at(one->first), at(one->second), at(other->first), at(other->second)));
}

double squared_distance(const corner& p, const corner& a, const corner& b) {
  const double x = b.x - a.x, y = b.y - a.y, length = x * x + y * y;
  const double at = length == 0 ? 0 : std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / length, 0.0, 1.0);
  return std::pow(p.x - a.x - at * x, 2) + std::pow(p.y - a.y - at * y, 2);
}

// Whether a ring that begins at walk[start] leaves out nothing that is farther than the tolerance from the line that replaces it.
bool is_within(double tolerance, const std::vector<corner>& ring, const std::vector<corner>& walk, std::size_t start) {
  std::size_t line = 0;
  std::vector<corner> left_out;
  for (std::size_t i = 1; i <= walk.size(); ++i) {
    const corner& p = walk[(start + i) % walk.size()];
    const corner &from = ring[line], &to = ring[(line + 1) % ring.size()];
    if (p != to) {
      left_out.push_back(p);
      continue;
    }
    for (const corner& each : left_out)
      if (squared_distance(each, from, to) > tolerance * tolerance * (1 + 1e-12)) return false;
    left_out.clear();
    if (++line == ring.size()) return i == walk.size();
  }
  return false;
}

// `walks` has all corners that the rings pass; a ring may begin at a corner that it passes twice.
void expect_within(double tolerance, const outline_table& table, const outline_table& walks) {
  ASSERT_EQ(table.rings(), walks.rings());
  for (std::size_t number = 0; number < table.rings(); ++number) {
    const std::vector<corner> ring = ring_of(table, number), walk = ring_of(walks, number);
    bool found = false;
    for (std::size_t start = 0; start < walk.size(); ++start)
      found = found || (walk[start] == ring[0] && is_within(tolerance, ring, walk, start));
    EXPECT_TRUE(found) << "ring " << number << " is farther than " << tolerance << " from what it was";
  }
}

void expect_simplified(const std::vector<u64>& labels, const extent& size) {
  for (const int connectivity : {4, 8})
    for (const double tolerance : {0.3, 0.75, 1.0, 2.5, 1e9}) {
      outline_request asked{.labels = image_view(labels.data(), size), .connectivity = connectivity};
      const outline_table all = expect_outline_everywhere(asked);
      asked.keep_collinear = true;
      outline_table walks;
      outline(each_engine().front().on, asked, walks);
      asked.keep_collinear = false;
      asked.simplify = tolerance;
      const outline_table table = expect_outline_everywhere(asked);
      ASSERT_EQ(table.polygon_offsets, all.polygon_offsets);
      ASSERT_EQ(table.region_offsets, all.region_offsets);
      for (std::size_t ring = 0; ring < table.rings(); ++ring) {
        ASSERT_GE(table.ring(ring).size(), 3u);
        EXPECT_EQ(table.twice_area(ring) > 0, all.twice_area(ring) > 0);
      }
      expect_lines_apart(table);
      expect_within(tolerance, table, walks);
    }
}

TEST(simplified_outlines, share_the_line_between_neighbours) {
  const std::vector<u64> labels = picture_of_labels(R"(
    11122
    11222
    12223)");
  const outline_table table =
      expect_outline_everywhere({.labels = image_view(labels.data(), {3, 5}), .connectivity = 4, .simplify = 1});
  EXPECT_EQ(ring_of(table, 0), (std::vector<corner>{{0, 0}, {3, 0}, {1, 3}}));
  EXPECT_EQ(ring_of(table, 1), (std::vector<corner>{{3, 0}, {5, 0}, {5, 2}, {4, 2}, {4, 3}, {1, 3}}));
  EXPECT_EQ(ring_of(table, 2), (std::vector<corner>{{4, 2}, {5, 2}, {5, 3}, {4, 3}}));
}

TEST(simplified_outlines, leave_no_island_behind) {
  const std::vector<u64> labels = picture_of_labels(R"(
    111111111
    111...111
    111.2.111
    111111111)");
  expect_simplified(labels, {4, 9});
  const std::vector<u64> bay = picture_of_labels(R"(
    11.......11
    111.....111
    1111.2.1111
    11111111111)");
  expect_simplified(bay, {4, 11});
}

// Corner (3, 3) is 1 from the line (3, 2) to (1, 2), which would pass an island; its parts are farther away.
TEST(simplified_outlines, stay_within_the_tolerance_where_points_come_back) {
  const std::vector<u64> labels = picture_of_labels(R"(
    ..2222
    .22..2
    2.2.2.)");
  expect_simplified(labels, {3, 6});
}

TEST(simplified_outlines, of_adversarial_masks) {
  for (const named_mask& each : adversarial_planes(11, 13)) {
    SCOPED_TRACE(each.name);
    expect_simplified({each.image.pixels.begin(), each.image.pixels.end()}, each.image.size);
    ASSERT_FALSE(HasFailure());
  }
}

TEST(simplified_outlines, of_random_labels) {
  std::mt19937 random(5);
  for (int i = 0; i < scaled(60); ++i) {
    const extent size(1 + random() % 12, 1 + random() % 14);
    const std::vector<double> values = random_values({0, 1, 2, 3}, size, 1 + i % 4, static_cast<std::uint32_t>(i));
    expect_simplified({values.begin(), values.end()}, size);
    ASSERT_FALSE(HasFailure());
  }
}

std::string refusal(engine& on, const outline_request& asked) {
  outline_table table;
  try {
    outline(on, asked, table);
  } catch (const invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(outline, refuses_what_it_cannot_do) {
  const std::vector<float> pixels(8);
  ask_each_engine([&](engine& on) {
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), {2, 4}), .connectivity = 4}),
              "labels: dtype is float32; give integers of 8 to 64 bits or bool");
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), dtype::u8, {1, 2, 4}), .connectivity = 4}),
              "labels: rank 3 has no outlines; give slices of rank 2");
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), dtype::u8, extent(8)), .connectivity = 4}),
              "labels: rank 1 has no outlines, which need 2 axes");
    EXPECT_EQ(refusal(on, {.labels = image_view(pixels.data(), dtype::u8, {2, 4})}),
              "connectivity: 0 is not 4 or 8 (image of rank 2); it has no default");
    for (const double wrong : {-1.0, std::nan(""), HUGE_VAL})
      EXPECT_EQ(
          refusal(on, {.labels = image_view(pixels.data(), dtype::u8, {2, 4}), .connectivity = 4, .simplify = wrong}),
          "simplify: not a distance; give pixels, 0 or more");
  });
}

}  // namespace
}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// What tests of outlines share.
#pragma once
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "regions/given.hpp"
#include "skerry/outline.hpp"

namespace skerry {

// What GoogleTest prints of values that differ.
inline void PrintTo(const corner& vertex, std::ostream* to) { *to << vertex.x << ',' << vertex.y; }
inline void PrintTo(const ring_nesting& ring, std::ostream* to) {
  *to << "in " << ring.parent << " from " << ring.first.x << ',' << ring.first.y;
}

}  // namespace skerry

namespace skerry::test {

// The reference's answer, which is that of all engines, with a table that has been used before.
inline outline_table expect_outline_everywhere(const outline_request& asked) {
  outline_table want;
  outline(each_engine().front().on, asked, want);
  static outline_table got;
  ask_every_engine([&](engine& on) {
    EXPECT_EQ(outline(on, asked, got), want.polygons());
    EXPECT_EQ(got.labels, want.labels);
    EXPECT_EQ(got.ring_offsets, want.ring_offsets);
    EXPECT_EQ(got.vertices, want.vertices);
    EXPECT_EQ(got.nesting, want.nesting);
    EXPECT_TRUE(got == want);
  });
  return want;
}

inline std::vector<corner> ring_of(const outline_table& table, std::size_t ring) {
  const std::span<const corner> vertices = table.ring(ring);
  return {vertices.begin(), vertices.end()};
}

}  // namespace skerry::test

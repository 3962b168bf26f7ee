// SPDX-License-Identifier: Apache-2.0
// Outlines as well-known binary [OGC 06-103r4, 8.2].
#include <bit>

#include "core/portable.hpp"
#include "engine/image_checks.hpp"
#include "skerry/outline.hpp"

namespace skerry::regions {
namespace {

constexpr u32 wkb_polygon = 3, wkb_several_polygons = 6;

// Appends numbers, their lowest byte first.
class wkb_writer {
 public:
  explicit wkb_writer(std::vector<std::byte>& to) : to_(to) {}

  template <class Whole>
  void add(Whole value) {
    for (std::size_t i = 0; i < sizeof value; ++i) to_.push_back(static_cast<std::byte>(value >> (8 * i) & 0xFF));
  }
  void add_head(u32 geometry, std::size_t parts) {
    add(u8{1});  // the lowest byte comes first
    add(geometry);
    add(static_cast<u32>(parts));
  }
  void add_point(const corner& point) {
    add(std::bit_cast<u64>(static_cast<double>(point.x)));
    add(std::bit_cast<u64>(static_cast<double>(point.y)));
  }

 private:
  std::vector<std::byte>& to_;
};

std::size_t place(const std::vector<std::int64_t>& offsets, std::size_t i) {
  return static_cast<std::size_t>(offsets[i]);
}

void append_polygon(const outline_table& table, std::size_t polygon, wkb_writer& to) {
  const std::size_t begin = place(table.polygon_offsets, polygon), end = place(table.polygon_offsets, polygon + 1);
  to.add_head(wkb_polygon, end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const std::vector<corner> ring = table.closed_ring(i);
    if (ring.size() > 0xFFFFFFFF) refuse("table: a ring of 2^32 - 1 vertices or more does not fit well-known binary");
    to.add(static_cast<u32>(ring.size()));
    for (const corner& vertex : ring) to.add_point(vertex);
  }
}

}  // namespace
}  // namespace skerry::regions

namespace skerry {

void append_wkb(const outline_table& table, std::size_t region, std::vector<std::byte>& to) {
  regions::wkb_writer writer(to);
  const std::size_t begin = regions::place(table.region_offsets, region);
  const std::size_t end = regions::place(table.region_offsets, region + 1);
  if (end - begin != 1) writer.add_head(regions::wkb_several_polygons, end - begin);
  for (std::size_t polygon = begin; polygon < end; ++polygon) regions::append_polygon(table, polygon, writer);
}

}  // namespace skerry

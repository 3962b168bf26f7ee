// SPDX-License-Identifier: Apache-2.0
// The driver of outline(): check, read runs, join their sides, follow the rings, and put them in order.
#include "skerry/outline.hpp"

#include <algorithm>
#include <new>

#include "core/label_type.hpp"
#include "engine/begin_call.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "reference/outline.hpp"
#include "regions/check.hpp"
#include "regions/label_slots.hpp"
#include "regions/outline_rings.hpp"
#include "regions/simplify_outlines.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {
namespace {

bool by_polygon(const outline_ring& a, const outline_ring& b) {
  return a.order != b.order ? a.order < b.order : a.component < b.component;
}

// Components are numbered in the raster order of their first pixels, so that their order is that of polygons.
void sort_rings(std::vector<outline_ring>& rings) {
  if (!std::is_sorted(rings.begin(), rings.end(), by_polygon)) std::stable_sort(rings.begin(), rings.end(), by_polygon);
}

// Of rings in the order of the table. Parents are known by when they were found.
void add_nesting(const std::vector<outline_ring>& rings, outline_table& table) {
  std::vector<std::int64_t> place(rings.size());
  for (std::size_t i = 0; i < rings.size(); ++i) place[rings[i].found] = static_cast<std::int64_t>(i);
  table.nesting.reserve(rings.size());
  for (const outline_ring& ring : rings)
    table.nesting.push_back({ring.parent == no_ring ? -1 : place[ring.parent], ring.first});
}

void make_table(const outline_rings& found, outline_table& table) {
  const auto offset = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  table.vertices.reserve(found.vertices.size());
  const outline_ring* before = nullptr;
  for (const outline_ring& ring : found.rings) {
    stop_point(table.ring_offsets.size());
    const bool new_region = before == nullptr || before->order != ring.order;
    if (new_region) {
      if (before != nullptr) table.region_offsets.push_back(offset(table.polygon_offsets.size()));
      table.labels.push_back(order_of_label(ring.order, table.signed_labels));
    }
    if (before != nullptr && by_polygon(*before, ring)) table.polygon_offsets.push_back(offset(table.rings()));
    const auto vertex = found.vertices.begin();
    table.vertices.insert(table.vertices.end(), vertex + offset(ring.begin), vertex + offset(ring.end));
    table.ring_offsets.push_back(offset(table.vertices.size()));
    before = &ring;
  }
  if (before == nullptr) return;
  table.polygon_offsets.push_back(offset(table.rings()));
  table.region_offsets.push_back(offset(table.polygons()));
}

template <class Work>
void in_stage(engine::state& on, stage which, Work work) {
  stage_timer time(on.clock, which, stage_timer::by::one_thread);
  time.run(work);
}

void find_outline(engine::state& on, const outline_request& asked, outline_table& table) {
  table = {};
  if (on.kind == engine_kind::reference) {
    table = reference::outline(asked);
    return;
  }
  table.signed_labels = is_signed_label_type(asked.labels.type);
  if (asked.labels.size.pixels() == 0) return;
  outline_rings found;
  {
    outline_runs image;
    outline_sides sides;
    in_stage(on, stage::encode, [&] { image = read_runs(on, asked); });
    in_stage(on, stage::merge, [&] { sides = join_sides(on, image, asked.connectivity); });
    in_stage(on, stage::resolve, [&] {
      found = follow_sides(image, sides, asked);
      sides = {};
      if (asked.simplify > 0) simplify_outlines(on, image, asked.simplify, found);
    });
  }
  in_stage(on, stage::emit, [&] {
    sort_rings(found.rings);
    make_table(found, table);
    if (asked.nesting) add_nesting(found.rings, table);
  });
}

}  // namespace
}  // namespace skerry::regions

namespace skerry {

std::span<const corner> outline_table::ring(std::size_t i) const {
  const auto at = [](std::int64_t offset) { return static_cast<std::size_t>(offset); };
  return std::span(vertices).subspan(at(ring_offsets[i]), at(ring_offsets[i + 1] - ring_offsets[i]));
}

std::vector<corner> outline_table::closed_ring(std::size_t i) const {
  const std::span<const corner> open = ring(i);
  std::vector<corner> closed(open.begin(), open.end());
  while (closed.size() < 3) closed.push_back(open.back());
  closed.push_back(open.front());
  return closed;
}

std::int64_t outline_table::twice_area(std::size_t i) const {
  const std::span<const corner> points = ring(i);
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < points.size(); ++v) {
    const corner &a = points[v], &b = points[v + 1 == points.size() ? 0 : v + 1];
    sum += std::int64_t{a.x} * b.y - std::int64_t{b.x} * a.y;
  }
  return sum;
}

std::uint64_t outline(engine& on, const outline_request& asked, outline_table& table) {
  regions::check_outline(on, asked);
  const running_call call(on, {{"labels", asked.labels}});
  engine::state& inside = call.state();
  try {
    regions::find_outline(inside, asked, table);
  } catch (const std::bad_alloc&) {
    table = {};
    throw out_of_memory("out of memory: the outlines do not fit");
  } catch (const cancelled&) {
    table = {};
    throw;
  }
  return table.polygons();
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// The driver of outline(): check, read runs, join their sides, follow the rings, and put them in order.
#include "skerry/outline.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/label_type.hpp"
#include "engine/begin_call.hpp"
#include "engine/image_checks.hpp"
#include "engine/stop.hpp"
#include "reference/outline.hpp"
#include "regions/check.hpp"
#include "regions/cuda/on_cuda.hpp"
#include "regions/label_slots.hpp"
#include "regions/outline_rings.hpp"
#include "regions/region_components.hpp"
#include "regions/simplify_outlines.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {
namespace {

bool by_polygon(const outline_ring& a, const outline_ring& b) {
  return a.order != b.order ? a.order < b.order : a.component < b.component;
}

// Components are numbered in the raster order of their first pixels, so that their order is that of polygons.
void sort_rings(std::vector<outline_ring>& rings) {
  if (std::is_sorted(rings.begin(), rings.end(), by_polygon)) return;
  std::size_t compared = 0;
  std::stable_sort(rings.begin(), rings.end(), with_stop_points(compared, by_polygon));
}

// Of rings in the order of the table. Parents are known by when they were found.
void add_nesting(const std::vector<outline_ring>& rings, outline_table& table) {
  std::vector<std::int64_t> place(rings.size());
  for (std::size_t i = 0; i < rings.size(); ++i) {
    stop_point(i);
    place[rings[i].found] = static_cast<std::int64_t>(i);
  }
  table.nesting.reserve(rings.size());
  for (const outline_ring& ring : rings)
    table.nesting.push_back({ring.parent == no_ring ? -1 : place[ring.parent], ring.first});
}

// Of rings in the order of the table, whose vertices may be in another one.
void add_vertices(outline_rings& found, outline_table& table) {
  const std::vector<outline_ring>& rings = found.rings;
  const bool in_order = std::is_sorted(rings.begin(), rings.end(),
                                       [](const outline_ring& a, const outline_ring& b) { return a.begin < b.begin; });
  if (in_order) {
    table.vertices = std::move(found.vertices);
    return;
  }
  table.vertices.reserve(found.vertices.size());
  const auto vertex = [&](std::size_t i) { return found.vertices.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t i = 0; i < rings.size(); ++i) {
    stop_point(i);
    table.vertices.insert(table.vertices.end(), vertex(rings[i].begin), vertex(rings[i].end));
  }
}

void make_table(outline_rings& found, outline_table& table) {
  const auto offset = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  table.ring_offsets.reserve(found.rings.size() + 1);
  const outline_ring* before = nullptr;
  for (const outline_ring& ring : found.rings) {
    stop_point(table.ring_offsets.size());
    const bool new_region = before == nullptr || before->order != ring.order;
    if (new_region) {
      if (before != nullptr) table.region_offsets.push_back(offset(table.polygon_offsets.size()));
      table.labels.push_back(order_of_label(ring.order, table.signed_labels));
    }
    if (before != nullptr && by_polygon(*before, ring)) table.polygon_offsets.push_back(offset(table.rings()));
    table.ring_offsets.push_back(table.ring_offsets.back() + offset(ring.end - ring.begin));
    before = &ring;
  }
  add_vertices(found, table);
  if (before == nullptr) return;
  table.polygon_offsets.push_back(offset(table.rings()));
  table.region_offsets.push_back(offset(table.polygons()));
}

template <class Work>
void in_stage(engine::state& on, stage which, Work work) {
  stage_timer time(on.clock, which, stage_timer::by::one_thread);
  time.run(work);
}

void follow_runs(engine::state& on, const outline_request& asked, outline_rings& found) {
  outline_runs image;
  outline_sides sides;
  in_stage(on, stage::encode,
           [&] { image = on.kind == engine_kind::cuda ? find_outline_runs_on_cuda(on, asked) : read_runs(on, asked); });
  in_stage(on, stage::merge, [&] { sides = join_sides(on, image, asked.connectivity); });
  in_stage(on, stage::resolve, [&] {
    follow_sides(image, sides, asked, found);
    sides = {};
    if (asked.simplify > 0) simplify_outlines(on, image, asked.simplify, found);
  });
  in_stage(on, stage::emit, [&] { sort_rings(found.rings); });
}

// Whether the device does everything.
bool is_on_device(const engine::state& on, const outline_request& asked) {
  return on.kind == engine_kind::cuda && asked.simplify == 0 && !asked.through_centres && !asked.nesting;
}

void find_outline(engine& chooses, engine::state& on, const outline_request& asked, outline_table& table) {
  if (on.kind == engine_kind::reference) {
    table = reference::outline(asked);
    return;
  }
  const bool is_signed = is_signed_label_type(asked.labels.type);
  if (asked.labels.size.pixels() != 0 && is_on_device(on, asked)) {
    const auto find_parts = [&](const image_view& labels, const mutable_image& parts) {
      call_choice& choice = chooses.inside().choice;
      const call_choice of_outline = choice;  // label() makes its own
      const std::uint64_t count = label_parts(chooses, labels, asked.background, asked.connectivity, parts);
      choice = of_outline;
      return count;
    };
    outline_on_cuda(on, asked, find_parts, table);
    table.nesting.clear();
    table.signed_labels = is_signed;
  } else {
    outline_rings found;
    std::swap(found.vertices, table.vertices);  // reuses their memory
    table = {};
    table.signed_labels = is_signed;
    if (asked.labels.size.pixels() != 0) {
      follow_runs(on, asked, found);
      in_stage(on, stage::emit, [&] { make_table(found, table); });
      if (asked.nesting) add_nesting(found.rings, table);
    }
  }
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
  regions::check_outline(asked);
  engine::state& inside = engine_for(on, {{"labels", asked.labels}});
  const running_call call(inside);
  try {
    regions::find_outline(on, inside, asked, table);
  } catch (const out_of_memory&) {
    table = {};
    throw;
  } catch (const std::bad_alloc&) {
    table = {};
    throw out_of_memory("out of memory: the outlines do not fit");
  } catch (...) {
    table = {};
    throw;
  }
  return table.polygons();
}

}  // namespace skerry

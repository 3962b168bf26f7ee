// SPDX-License-Identifier: Apache-2.0
// The driver of contacts(): check, turn an image in Fortran order, count shares of rows on threads, join them, and make the
// tables.
#include "skerry/contacts.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/label_type.hpp"
#include "engine/begin_call.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/image_checks.hpp"
#include "engine/line.hpp"
#include "engine/spacing_check.hpp"
#include "engine/stop.hpp"
#include "label/axis_order.hpp"
#include "reference/contacts.hpp"
#include "regions/check.hpp"
#include "regions/count_contacts.hpp"
#include "regions/label_slots.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {
namespace {

// The counts of faces, whose axes may have been turned.
face_counts faces_of(const pair_count& row, const axis_order& order) {
  u64 along[3];
  for (int axis = 0; axis < 3; ++axis) along[order.axis_of(axis)] = row.counts[static_cast<std::size_t>(axis)];
  return {along[0], along[1], along[2]};
}

void add_faces(face_counts& to, const face_counts& from) { to.z += from.z, to.y += from.y, to.x += from.x; }

// The faces of one region of a pair.
struct face_of_region {
  u64 order;  // of its label
  neighbour kind;
  face_counts faces;
};

std::vector<face_of_region> all_faces(const std::vector<pair_count>& pairs, const axis_order& order) {
  std::vector<face_of_region> all;
  for (const pair_count& row : pairs) {
    stop_point(all.size());
    const face_counts faces = faces_of(row, order);
    push_back_stoppably(all, face_of_region{row.pair.first, row.pair.kind, faces});
    if (row.pair.kind == neighbour::region)
      push_back_stoppably(all, face_of_region{row.pair.second, row.pair.kind, faces});
  }
  std::size_t compared = 0;
  std::sort(all.begin(), all.end(),
            with_stop_points(compared, [](const auto& a, const auto& b) { return a.order < b.order; }));
  return all;
}

void make_surfaces(const std::vector<pair_count>& pairs, const axis_order& order, contact_table& table) {
  for (const face_of_region& part : all_faces(pairs, order)) {
    stop_point(table.surfaces.size());
    const label_bits label = order_of_label(part.order, table.signed_labels);
    if (table.surfaces.empty() || table.surfaces.back().label != label) table.surfaces.push_back({label, {}, {}, {}});
    region_surface& row = table.surfaces.back();
    add_faces(part.kind == neighbour::region       ? row.to_regions
              : part.kind == neighbour::background ? row.to_background
                                                   : row.to_outside,
              part.faces);
  }
}

std::vector<pair_count> count_all(engine::state& on, const contact_request& asked) {
  const std::vector<row_range> shares = split_rows(on, asked.labels.size);
  std::vector<std::vector<pair_count>> counted(shares.size());
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    stage_timer time(on.clock, stage::measure, stage_timer::by::all_threads);
    time.run([&] { counted[s] = count_contacts(asked, shares[s]); });
  });
  return join_sorted(std::move(counted));
}

void find_contacts(engine::state& on, const contact_request& asked, contact_table& table) {
  table = {};
  if (on.kind == engine_kind::reference) {
    table = reference::contacts(asked);
    return;
  }
  table.signed_labels = is_signed_label_type(asked.labels.type);
  if (asked.labels.size.pixels() == 0) return;
  const axis_order order = axis_order::stored(asked.labels);
  contact_request turned = asked;
  turned.labels = order.turned(asked.labels);
  const std::vector<pair_count> pairs = count_all(on, turned);
  stage_timer time(on.clock, stage::merge, stage_timer::by::one_thread);
  time.run([&] {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      stop_point(i);
      const pair_count& row = pairs[i];
      if (row.pair.kind == neighbour::region)
        push_back_stoppably(table.contacts,
                            contact{order_of_label(row.pair.first, table.signed_labels),
                                    order_of_label(row.pair.second, table.signed_labels), faces_of(row, order),
                                    row.of(meeting::edge), row.of(meeting::corner)});
    }
    if (asked.surfaces) make_surfaces(pairs, order, table);
  });
}

// The sides of the only row of a plane are not those of a line.
std::uint64_t contacts_in_line(engine& on, const contact_request& asked, contact_table& table) {
  contact_request in_plane = asked;
  in_plane.labels = as_plane("labels", asked.labels);
  in_plane.connectivity = connectivity_in_plane(asked.connectivity);
  const std::uint64_t rows = contacts(on, in_plane, table);
  for (region_surface& surface : table.surfaces) surface.to_outside.y = 0;
  return rows;
}

}  // namespace
}  // namespace skerry::regions

namespace skerry {

double area_of(const face_counts& faces, int rank, const pixel_spacing& spacing) {
  check_spacing(spacing, rank);
  if (rank == 1) return static_cast<double>(faces.x);
  const double z = rank == 3 ? spacing.z : 1;
  return static_cast<double>(faces.z) * (spacing.y * spacing.x) + static_cast<double>(faces.y) * (z * spacing.x) +
         static_cast<double>(faces.x) * (z * spacing.y);
}

face_counts region_surface::all() const {
  face_counts sum = to_regions;
  regions::add_faces(sum, to_background);
  regions::add_faces(sum, to_outside);
  return sum;
}

std::uint64_t contacts(engine& on, const contact_request& asked, contact_table& table) {
  if (is_line(asked.labels.size)) return regions::contacts_in_line(on, asked, table);
  regions::check_engine(on, "contacts");
  regions::check_label_image("labels", asked.labels);
  check_connectivity(asked.connectivity, asked.labels.size.rank);
  regions::check_background(asked.background);
  const running_call call(on, {{"labels", asked.labels}});
  engine::state& inside = call.state();
  try {
    regions::find_contacts(inside, asked, table);
  } catch (const std::bad_alloc&) {
    table = {};
    throw out_of_memory("out of memory: the table of contacts does not fit");
  } catch (const cancelled&) {
    table = {};
    throw;
  }
  return table.contacts.size();
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#include "skerry/contacts.hpp"

#include <nanobind/nanobind.h>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/engine.hpp"
#include "bind/given_labels.hpp"
#include "bind/long_call.hpp"
#include "bind/table.hpp"

namespace skerry::python {
namespace {

template <class Item, class Part>
nb::object numbers(const std::vector<Item>& items, Part part) {
  std::vector<std::int64_t> all;
  all.reserve(items.size());
  for (const Item& item : items) all.push_back(static_cast<std::int64_t>(part(item)));
  return array_of(std::move(all));
}

template <class Item, class Part>
nb::object labels_of(const std::vector<Item>& items, bool are_signed, Part part) {
  std::vector<label_bits> all;
  all.reserve(items.size());
  for (const Item& item : items) all.push_back(part(item));
  return array_of_labels(std::move(all), are_signed);
}

// Columns "prefix-0"… of faces, in the order of the image's axes.
template <class Item, class Part>
void add_faces(nb::dict& columns, const std::string& prefix, int rank, const std::vector<Item>& items, Part part) {
  constexpr std::uint64_t face_counts::*axes[] = {&face_counts::z, &face_counts::y, &face_counts::x};
  for (int axis = 0; axis < rank; ++axis) {
    const auto along = axes[3 - rank + axis];
    columns[nb::str((prefix + "-" + std::to_string(axis)).c_str())] =
        numbers(items, [&](const Item& item) { return part(item).*along; });
  }
}

// The area of faces in units of the spacing, where there is one.
template <class Item, class Part>
void add_area(nb::dict& columns, const std::optional<pixel_spacing>& spacing, int rank, const std::vector<Item>& items,
              Part part) {
  if (!spacing) return;
  std::vector<double> areas;
  areas.reserve(items.size());
  for (const Item& item : items) areas.push_back(area_of(part(item), rank, *spacing));
  columns["area"] = array_of(std::move(areas));
}

nb::dict contact_columns(const contact_table& table, int rank, const std::optional<pixel_spacing>& spacing) {
  const auto& items = table.contacts;
  nb::dict columns;
  columns["label-0"] = labels_of(items, table.signed_labels, [](const contact& each) { return each.first; });
  columns["label-1"] = labels_of(items, table.signed_labels, [](const contact& each) { return each.second; });
  add_faces(columns, "faces", rank, items, [](const contact& each) { return each.faces; });
  columns["edges"] = numbers(items, [](const contact& each) { return each.edges; });
  if (rank == 3) columns["corners"] = numbers(items, [](const contact& each) { return each.corners; });
  add_area(columns, spacing, rank, items, [](const contact& each) { return each.faces; });
  return columns;
}

nb::dict surface_columns(const contact_table& table, int rank, const std::optional<pixel_spacing>& spacing) {
  const auto& items = table.surfaces;
  nb::dict columns;
  columns["label"] = labels_of(items, table.signed_labels, [](const region_surface& each) { return each.label; });
  add_faces(columns, "to_regions", rank, items, [](const region_surface& each) { return each.to_regions; });
  add_faces(columns, "to_background", rank, items, [](const region_surface& each) { return each.to_background; });
  add_faces(columns, "to_outside", rank, items, [](const region_surface& each) { return each.to_outside; });
  add_area(columns, spacing, rank, items, [](const region_surface& each) { return each.all(); });
  return columns;
}

nb::object find_contacts(nb::handle labels, nb::handle connectivity, nb::handle background, bool surfaces,
                         nb::handle spacing, nb::handle threads) {
  const held_image held(labels, "labels");
  const int rank = held.size().rank;
  contact_request asked{held.view(), all_neighbours(rank), background_from(background), surfaces};
  if (!connectivity.is_none()) asked.connectivity = static_cast<int>(whole_number(connectivity, "connectivity", 1, 26));
  const std::optional<pixel_spacing> sides = spacing_from(spacing, nb::str(""), rank);
  engine& on = engine_of_thread(threads);
  contact_table table;
  run_unlocked(on, {held.size().pixels(), pace::outlines}, [&] { contacts(on, asked, table); });
  return nb::make_tuple(contact_columns(table, rank, sides), surface_columns(table, rank, sides));
}

}  // namespace

void bind_contacts(nb::module_& module) {
  module.def("contacts", &find_contacts, nb::arg("labels").none(), nb::arg("connectivity").none(),
             nb::arg("background").none(), nb::arg("surfaces"), nb::arg("spacing").none(), nb::arg("threads").none());
}

}  // namespace skerry::python

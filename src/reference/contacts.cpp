// SPDX-License-Identifier: Apache-2.0
// Contacts from their definition: every pixel looks at all its neighbours, so each pair is met twice, once from either side.
#include "reference/contacts.hpp"

#include <cstdlib>
#include <map>
#include <utility>

#include "reference/given_labels.hpp"

namespace skerry::reference {
namespace {

struct step {
  int z, y, x;
  [[nodiscard]] int axes() const { return std::abs(z) + std::abs(y) + std::abs(x); }
};

std::vector<step> all_steps() {
  std::vector<step> steps;
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (z != 0 || y != 0 || x != 0) steps.push_back({z, y, x});
  return steps;
}

void add_face(face_counts& faces, const step& s) { ++(s.z != 0 ? faces.z : s.y != 0 ? faces.y : faces.x); }

bool touches(int connectivity, const step& s) {
  return s.axes() == 1 || (s.axes() == 2 && connectivity != 4 && connectivity != 6) || connectivity == 26;
}

struct contact_tables {
  std::map<std::pair<wide, wide>, contact> contacts;
  std::map<wide, region_surface> surfaces;
};

// Looks from a pixel of a region in one direction.
void look(const contact_request& asked, const std::vector<wide>& labels, i64 pixel, const step& s, contact_tables& to) {
  const extent& size = asked.labels.size;
  const i64 x = pixel % size.width, y = pixel / size.width % size.height, z = pixel / size.width / size.height;
  if (size.rank == 2 && s.z != 0) return;
  const wide label = labels[static_cast<std::size_t>(pixel)];
  region_surface& surface = to.surfaces[label];
  surface.label = static_cast<label_bits>(label);
  if (z + s.z < 0 || z + s.z >= size.depth || y + s.y < 0 || y + s.y >= size.height || x + s.x < 0 ||
      x + s.x >= size.width) {
    if (s.axes() == 1) add_face(surface.to_outside, s);
    return;
  }
  const wide other = labels[static_cast<std::size_t>(pixel + (s.z * size.height + s.y) * size.width + s.x)];
  if (other == label) return;
  const bool to_background = is_background(other, asked.background);
  if (s.axes() == 1) add_face(to_background ? surface.to_background : surface.to_regions, s);
  if (to_background || label > other || !touches(asked.connectivity, s)) return;
  contact& row = to.contacts[{label, other}];
  row.first = static_cast<label_bits>(label);
  row.second = static_cast<label_bits>(other);
  if (s.axes() == 1) add_face(row.faces, s);
  else ++(s.axes() == 2 ? row.edges : row.corners);
}

}  // namespace

contact_table contacts(const contact_request& asked) {
  const std::vector<wide> labels = labels_of(asked.labels);
  contact_tables found;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (!is_background(labels[i], asked.background))
      for (const step& s : all_steps()) look(asked, labels, static_cast<i64>(i), s, found);
  contact_table table;
  table.signed_labels = is_signed(asked.labels.type);
  for (const auto& [pair, row] : found.contacts) table.contacts.push_back(row);
  if (asked.surfaces)
    for (const auto& [label, row] : found.surfaces) table.surfaces.push_back(row);
  return table;
}

}  // namespace skerry::reference

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <iterator>
#include <tuple>

#include "blocks/joined.hpp"
#include "blocks/outline_state.hpp"
#include "regions/check.hpp"
#include "regions/label_slots.hpp"

namespace skerry {
namespace {

using namespace blocks;

void piece_part(const piece& of, byte_writer& parts) { parts.list(of.to_bytes()); }
void piece_part(piece& of, byte_reader& parts) {
  std::vector<std::byte> bytes;
  parts.list(bytes);
  of = piece_from_bytes(bytes);
}

void check_chains(const chain_list& list) {
  u64 vertices = 0;
  for (const outline_chain& chain : list.chains) {
    if (chain.vertices > list.vertices.size()) refuse_bytes("a chain ends early");
    vertices += chain.vertices;
  }
  if (vertices != list.vertices.size()) refuse_bytes("vertices are of no chain");
}

void append(chain_list& to, const chain_list& from) {
  to.chains.insert(to.chains.end(), from.chains.begin(), from.chains.end());
  to.vertices.insert(to.vertices.end(), from.vertices.begin(), from.vertices.end());
}

// A ring on its way to the table.
struct placed_ring {
  u64 order, component;
  corner first;
  u64 begin, count;  // of its vertices

  friend bool operator<(const placed_ring& a, const placed_ring& b) {
    return std::tie(a.order, a.component, a.first.y, a.first.x) < std::tie(b.order, b.component, b.first.y, b.first.x);
  }
};

// The component of the whole image, by the first pixel of one of its parts.
u64 component_of(u64 first, const block_labels& components) {
  const auto at = std::lower_bound(components.first.begin(), components.first.end(), first);
  if (at == components.first.end() || *at != first)
    refuse("pieces: an outline is around no component; blocks and halos are of one image");
  return components.label[static_cast<std::size_t>(at - components.first.begin())];
}

// Says where each chain goes on that waits at a corner.
void settle_meetings(const std::vector<meeting>& meetings, const block_labels& components, chain_list& chains) {
  const auto component_at = [&](u64 pixel) {
    const auto at = std::lower_bound(meetings.begin(), meetings.end(), meeting{pixel, 0});
    if (at == meetings.end() || at->pixel != pixel) refuse("pieces: blocks and halos are of different images");
    return component_of(at->component, components);
  };
  for (outline_chain& chain : chains.chains) {
    if ((chain.end & outline_chain::arriving) == 0) continue;
    const u64 pixel = chain.end & ~outline_chain::arriving, at_corner = pixel - pixel % 4;
    const u64 other = at_corner + (pixel + 2) % 4;
    const bool are_one = component_at(pixel) == component_at(other);
    chain.end = outline_chain::leaving | (at_corner + (pixel + (are_one ? 3 : 1)) % 4);
  }
}

// All rings of a complete piece.
chain_list rings_of(const outline_state& all, const block_labels& components) {
  chain_list rings, waiting, open;
  u64 begin = 0;
  for (const outline_chain& chain : all.closed.chains) {
    (chain.is_ring() ? rings : waiting).add(chain, all.closed.vertices.data() + begin);
    begin += chain.vertices;
  }
  settle_meetings(all.meetings, components, waiting);
  connect(waiting, open, rings);
  if (!open.chains.empty()) refuse("pieces: outlines do not close; blocks and halos are of one image");
  return rings;
}

std::vector<placed_ring> rings_in_order(const chain_list& rings, const block_labels& components) {
  std::vector<placed_ring> placed;
  placed.reserve(rings.chains.size());
  u64 begin = 0;
  for (const outline_chain& ring : rings.chains) {
    const u64 component = component_of(ring.component, components);
    placed.push_back({ring.order, component, rings.vertices[begin], begin, ring.vertices});
    begin += ring.vertices;
  }
  std::sort(placed.begin(), placed.end());
  return placed;
}

outline_table table_of_rings(const std::vector<placed_ring>& rings, const std::vector<corner>& vertices,
                             bool signed_labels) {
  const auto offset = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  outline_table table;
  table.signed_labels = signed_labels;
  table.vertices.reserve(vertices.size());
  for (std::size_t i = 0; i < rings.size(); ++i) {
    const placed_ring& ring = rings[i];
    const bool new_region = i == 0 || rings[i - 1].order != ring.order;
    if (i > 0 && (new_region || rings[i - 1].component != ring.component)) table.polygon_offsets.push_back(offset(i));
    if (i > 0 && new_region) table.region_offsets.push_back(offset(table.polygons()));
    if (new_region) table.labels.push_back(regions::order_of_label(ring.order, signed_labels));
    const auto first = vertices.begin() + offset(ring.begin);
    table.vertices.insert(table.vertices.end(), first, first + offset(ring.count));
    table.ring_offsets.push_back(offset(table.vertices.size()));
  }
  if (rings.empty()) return table;
  table.polygon_offsets.push_back(offset(rings.size()));
  table.region_offsets.push_back(offset(table.polygons()));
  return table;
}

}  // namespace

template <class Self, class Parts>
void outline_state::each_part(Self& of, Parts& parts) {
  piece_part(of.components, parts);
  auto& asked = of.asked;
  parts.number(asked.connectivity), parts.number(asked.keep_collinear), parts.number(asked.signed_labels);
  parts.number(asked.background), parts.number(asked.background_label), parts.number(asked.negative_background);
  for (auto* list : {&of.open, &of.closed}) parts.list(list->chains), parts.list(list->vertices);
  parts.list(of.meetings);
}

void outline_state::check() const {
  check_chains(open);
  check_chains(closed);
  check_sorted(meetings, "pixels that meet", std::less<>());
  check_sorted(open.chains, "chains", [](const outline_chain& a, const outline_chain& b) { return a.begin < b.begin; });
  for (const outline_chain& chain : closed.chains)
    if (chain.vertices == 0) refuse_bytes("an outline has no vertices");
}

template class block_piece<outline_state>;

std::uint64_t outline_piece::open_chains() const { return inside().open.chains.size(); }

std::uint64_t outline_piece::closed_chains() const { return inside().closed.chains.size(); }

outline_piece outline_piece::take_closed() {
  outline_piece taken;
  taken.inside().components = inside().components.take_closed();
  taken.inside().asked = inside().asked;
  taken.inside().closed = std::exchange(inside().closed, {});
  taken.inside().meetings = std::exchange(inside().meetings, {});
  return taken;
}

outline_piece outline_piece_from_bytes(std::span<const std::byte> bytes) {
  return piece_of_bytes<outline_piece>(bytes);
}

outline_piece join(const outline_piece& a, const outline_piece& b) {
  const outline_state &left = a.inside(), &right = b.inside();
  if (left.is_blank()) return b;
  if (right.is_blank()) return a;
  check_same(left, right,
             "were outlined with different connectivity, background or keep_collinear, or of other labels");
  return regions::with_memory([&] {
    outline_piece made;
    outline_state& to = made.inside();
    to.components = join(left.components, right.components);
    to.asked = left.asked;
    chain_list parts = left.open;
    append(parts, right.open);
    to.closed = left.closed;
    append(to.closed, right.closed);
    connect(parts, to.open, to.closed);
    sort_chains(to.closed);
    std::merge(left.meetings.begin(), left.meetings.end(), right.meetings.begin(), right.meetings.end(),
               std::back_inserter(to.meetings));
    return made;
  });
}

outline_table outline_of(std::span<const outline_piece> pieces) {
  return regions::with_memory([&] {
    const outline_piece whole = joined_whole(pieces, "label image");
    const outline_state& all = whole.inside();
    if (!all.open.chains.empty()) refuse("pieces: outlines do not close; blocks and halos are of one image");
    const numbering components = number({&all.components, 1});
    const chain_list rings = rings_of(all, components.labels);
    return table_of_rings(rings_in_order(rings, components.labels), rings.vertices, all.asked.signed_labels != 0);
  });
}

}  // namespace skerry

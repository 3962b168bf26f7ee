// SPDX-License-Identifier: Apache-2.0
// Pieces as bytes: the numbers and lists of piece_state, in the order in which they stand there.
#include <algorithm>
#include <functional>

#include "blocks/piece_state.hpp"
#include "core/feature_groups.hpp"

namespace skerry {

using namespace blocks;

template <class Self, class Parts>
void piece_state::each_part(Self& of, Parts& parts) {
  each_side(of.whole, parts);
  auto& asked = of.asked;
  parts.number(asked.connectivity), parts.number(asked.foreground), parts.number(asked.low), parts.number(asked.high);
  parts.number(asked.delta), parts.number(asked.type), parts.number(asked.flags);
  parts.list(of.boxes);
  for (auto* components : {&of.open, &of.closed}) {
    parts.list(components->first);
    each_feature_group([&](auto group) { parts.list(components->rows.*group.rows); });
  }
  parts.list(of.border);
  parts.list(of.open_aliases);
  parts.list(of.closed_aliases);
}

namespace {

void check_components(const component_list& list, const question& asked) {
  check_sorted(list.first, "components", std::less<>());
  check_rows(list.rows, list.size(), asked.flags);
}

}  // namespace

// Nothing that is read later can lead out of a list.
void piece_state::check() const {
  check_boxes(boxes, whole);
  check_components(open, asked);
  check_components(closed, asked);
  for (const border_run& run : border)
    if (run.component >= open.size() || run.row < 0 || run.row >= whole.rows() || run.begin < 0 ||
        run.begin >= run.end || run.end > whole.width)
      refuse_bytes("a run at a face is of no component, or not within the image");
  check_sorted(border, "runs at faces", [](const border_run& a, const border_run& b) {
    return a.row != b.row ? a.row < b.row : a.end <= b.begin;
  });
  const auto earlier = [](const alias& a, const alias& b) { return a.first < b.first; };
  check_sorted(open_aliases, "open aliases", earlier);
  check_sorted(closed_aliases, "closed aliases", earlier);
  for (const alias& part : open_aliases)
    if (part.owner >= open.size()) refuse_bytes("an alias is of no component");
  for (const alias& part : closed_aliases)
    if (!std::binary_search(closed.first.begin(), closed.first.end(), part.owner))
      refuse_bytes("an alias is of no component");
}

template class block_piece<piece_state>;

piece piece_from_bytes(std::span<const std::byte> bytes) { return piece_of_bytes<piece>(bytes); }

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Pieces as bytes: the numbers and lists of piece::state, in the order in which they stand there.
#include <algorithm>
#include <functional>
#include <string>

#include "blocks/check.hpp"
#include "blocks/framed_bytes.hpp"
#include "core/feature_groups.hpp"

namespace skerry {
namespace {

using namespace blocks;

constexpr u64 header = bytes_header(0, 3);

// Calls visit(number) and visit_list(list) for all that a piece holds.
template <class State, class Visit, class VisitList>
void each_part(State& state, Visit visit, VisitList visit_list) {
  auto& [rank, depth, height, width] = state.whole;
  visit(rank), visit(depth), visit(height), visit(width);
  auto& asked = state.asked;
  visit(asked.connectivity), visit(asked.foreground), visit(asked.low), visit(asked.high), visit(asked.delta);
  visit(asked.type), visit(asked.flags);
  visit_list(state.boxes);
  for (auto* components : {&state.open, &state.closed}) {
    visit_list(components->first);
    each_feature_group([&](auto group) { visit_list(components->rows.*group.rows); });
  }
  visit_list(state.border);
  visit_list(state.open_aliases);
  visit_list(state.closed_aliases);
}

void check_components(const component_list& list, const question& asked) {
  check_sorted(list.first, "components", std::less<>());
  check_rows(list.rows, list.size(), asked.flags);
}

// Nothing that is read later can lead out of a list.
void check_state(const piece::state& state) {
  check_boxes(state.boxes, state.whole);
  check_components(state.open, state.asked);
  check_components(state.closed, state.asked);
  for (const border_run& run : state.border)
    if (run.component >= state.open.size() || run.row < 0 || run.row >= state.whole.rows() || run.begin < 0 ||
        run.begin >= run.end || run.end > state.whole.width)
      refuse_bytes("a run at a face is of no component, or not within the image");
  check_sorted(state.border, "runs at faces", [](const border_run& a, const border_run& b) {
    return a.row != b.row ? a.row < b.row : a.end <= b.begin;
  });
  const auto earlier = [](const alias& a, const alias& b) { return a.first < b.first; };
  check_sorted(state.open_aliases, "open aliases", earlier);
  check_sorted(state.closed_aliases, "closed aliases", earlier);
  for (const alias& part : state.open_aliases)
    if (part.owner >= state.open.size()) refuse_bytes("an alias is of no component");
  const std::vector<u64>& closed = state.closed.first;
  for (const alias& part : state.closed_aliases)
    if (!std::binary_search(closed.begin(), closed.end(), part.owner)) refuse_bytes("an alias is of no component");
}

}  // namespace

std::vector<std::byte> piece::to_bytes() const {
  byte_writer parts(header);
  each_part(
      *state_, [&](const auto& number) { parts.put(number); }, [&](const auto& list) { parts.put_list(list); });
  return parts.finish();
}

piece piece_from_bytes(std::span<const std::byte> bytes) {
  piece made;
  piece::state& state = made.inside();
  byte_reader parts(bytes, header);
  each_part(
      state, [&](auto& number) { parts.get(number); }, [&](auto& list) { parts.get_list(list); });
  parts.finish();
  check_state(state);
  return made;
}

}  // namespace skerry

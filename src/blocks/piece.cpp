// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "blocks/piece_state.hpp"
#include "core/feature_groups.hpp"

namespace skerry {

namespace blocks {
namespace {

// Calls visit(rows, rows of the other) for each group that the other has.
template <class Visit>
void each_group(feature_table& table, const feature_table& other, Visit visit) {
  each_feature_group([&](auto group) {
    if (!(other.*group.rows).empty()) visit(table.*group.rows, other.*group.rows);
  });
}

}  // namespace

void add_row(feature_table& to, const feature_table& from, std::size_t i) {
  each_group(to, from, [&](auto& own, const auto& list) { own.push_back(list[i]); });
}

void join_row(feature_table& to, std::size_t row, const feature_table& from, std::size_t i) {
  each_group(to, from, [&](auto& own, const auto& list) { join(own[row], list[i], join_alone()); });
}

u64 bytes_of(const feature_table& rows) {
  u64 sum = 0;
  each_feature_group([&](auto group) { sum += bytes_of(rows.*group.rows); });
  return sum;
}

void component_list::add(const component_list& from, std::size_t i) {
  first.push_back(from.first[i]);
  add_row(rows, from.rows, i);
}

void component_list::join_row(std::size_t to, const component_list& from, std::size_t i) {
  blocks::join_row(rows, to, from.rows, i);
}

void component_list::reserve(std::size_t count, const component_list& like) {
  first.reserve(count);
  each_group(rows, like.rows, [&](auto& to, const auto&) { to.reserve(count); });
}

u16 feature_flags(const measure_options& features) {
  u16 flags = 0;
  each_feature_group([&](auto group) { flags |= group.is_wanted(features) ? group.flag : 0; });
  return flags;
}

component_list merged(const component_list& a, const component_list& b) {
  if (a.size() == 0) return b;
  if (b.size() == 0) return a;
  component_list all;
  all.reserve(a.size() + b.size(), a);
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a.first[i] < b.first[j])) all.add(a, i++);
    else all.add(b, j++);
  }
  return all;
}

}  // namespace blocks

u64 piece_state::memory() const {
  u64 sum = blocks::bytes_of(boxes) + blocks::bytes_of(border) + blocks::bytes_of(open_aliases) +
            blocks::bytes_of(closed_aliases);
  for (const blocks::component_list* list : {&open, &closed})
    sum += blocks::bytes_of(list->first) + blocks::bytes_of(list->rows);
  return sum;
}

std::uint64_t piece::open_components() const { return inside().open.size(); }

std::uint64_t piece::closed_components() const { return inside().closed.size(); }

piece piece::take_closed() {
  piece taken;
  state &own = inside(), &to = taken.inside();
  to.whole = own.whole;
  to.asked = own.asked;
  to.closed = std::exchange(own.closed, {});
  to.closed_aliases = std::exchange(own.closed_aliases, {});
  return taken;
}

}  // namespace skerry

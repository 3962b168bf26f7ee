// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <utility>

#include "blocks/piece_state.hpp"
#include "core/feature_groups.hpp"

namespace skerry {

namespace blocks {
namespace {

void join_rows(geometry& to, const geometry& from) { join<3>(to, from, join_alone()); }
void join_rows(second_moments& to, const second_moments& from) { join<3>(to, from, join_alone()); }
void join_rows(intensity& to, const intensity& from) { join(to, from, join_alone()); }
void join_rows(real_intensity& to, const real_intensity& from) { join(to, from, join_alone()); }

// Calls visit(rows, rows of the other) for each group that the other has.
template <class Visit>
void each_group(feature_table& table, const feature_table& other, Visit visit) {
  each_feature_group([&](auto group) {
    if (!(other.*group.rows).empty()) visit(table.*group.rows, other.*group.rows);
  });
}

}  // namespace

void component_list::add(const component_list& from, std::size_t i) {
  first.push_back(from.first[i]);
  each_group(rows, from.rows, [&](auto& to, const auto& list) { to.push_back(list[i]); });
}

void component_list::join_row(std::size_t to, const component_list& from, std::size_t i) {
  each_group(rows, from.rows, [&](auto& own, const auto& list) { join_rows(own[to], list[i]); });
}

void component_list::reserve(std::size_t count, const component_list& like) {
  first.reserve(count);
  each_group(rows, like.rows, [&](auto& to, const auto&) { to.reserve(count); });
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

piece::piece() : state_(std::make_unique<state>()) {}
piece::piece(const piece& other) : state_(std::make_unique<state>(*other.state_)) {}
piece& piece::operator=(const piece& other) {
  if (this != &other) state_ = std::make_unique<state>(*other.state_);
  return *this;
}
piece::piece(piece&&) noexcept = default;
piece& piece::operator=(piece&&) noexcept = default;
piece::~piece() = default;

extent piece::whole() const { return state_->whole; }

std::uint64_t piece::pixels() const {
  u64 sum = 0;
  for (const blocks::box& b : state_->boxes) sum += b.pixels();
  return sum;
}

bool piece::is_complete() const { return pixels() == static_cast<u64>(state_->whole.pixels()); }

std::uint64_t piece::open_components() const { return state_->open.size(); }

std::uint64_t piece::closed_components() const { return state_->closed.size(); }

std::uint64_t piece::memory() const {
  const state& all = *state_;
  const auto bytes_of = [](const auto& list) {
    return list.capacity() * sizeof(typename std::decay_t<decltype(list)>::value_type);
  };
  u64 sum = sizeof all + bytes_of(all.boxes) + bytes_of(all.border) + bytes_of(all.open_aliases) +
            bytes_of(all.closed_aliases);
  for (const blocks::component_list* list : {&all.open, &all.closed}) {
    sum += bytes_of(list->first);
    each_feature_group([&](auto group) { sum += bytes_of(list->rows.*group.rows); });
  }
  return sum;
}

piece piece::take_closed() {
  piece taken;
  taken.state_->whole = state_->whole;
  taken.state_->asked = state_->asked;
  taken.state_->closed = std::exchange(state_->closed, {});
  taken.state_->closed_aliases = std::exchange(state_->closed_aliases, {});
  return taken;
}

}  // namespace skerry

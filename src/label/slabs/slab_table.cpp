// SPDX-License-Identifier: Apache-2.0
#include "label/slabs/slab_table.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include "core/feature_groups.hpp"
#include "core/moved_rows.hpp"
#include "core/streaming_stores.hpp"

namespace skerry::label_stages {
namespace {

void join_groups(geometry& to, const geometry& from) { join<3>(to, from, join_alone()); }
void join_groups(second_moments& to, const second_moments& from) { join<3>(to, from, join_alone()); }
void join_groups(intensity& to, const intensity& from) { join(to, from, join_alone()); }
void join_groups(real_intensity& to, const real_intensity& from) { join(to, from, join_alone()); }

// Past the caches.
template <class Row>
void stream_row(const Row& row, Row& to) {
  static_assert(std::is_trivially_copyable_v<Row> && sizeof(Row) % sizeof(u64) == 0);
  u64 words[sizeof(Row) / sizeof(u64)];
  std::memcpy(words, &row, sizeof(Row));
  auto* out = static_cast<u64*>(static_cast<void*>(&to));
  for (const u64 word : words) stream_word(word, out++);
}

// Two halves of a word, as they lie in memory.
u64 word_of(i32 first, i32 second) {
  const auto low = static_cast<u32>(first), high = static_cast<u32>(second);
  return std::endian::native == std::endian::little ? low | u64{high} << 32 : u64{low} << 32 | high;
}

// The same as for other rows, without a copy in memory between the halves and the words.
[[gnu::always_inline]] inline void stream_row(const geometry& row, geometry& to) {
  static_assert(offsetof(geometry, sum) == 8 && offsetof(geometry, min) == 32 && offsetof(geometry, max) == 44);
  auto* const out = static_cast<u64*>(static_cast<void*>(&to));
  stream_word(row.area, out);
  stream_word(row.sum[0], out + 1);
  stream_word(row.sum[1], out + 2);
  stream_word(row.sum[2], out + 3);
  stream_word(word_of(row.min[0], row.min[1]), out + 4);
  stream_word(word_of(row.min[2], row.max[0]), out + 5);
  stream_word(word_of(row.max[1], row.max[2]), out + 6);
}

template <class Row>
[[gnu::always_inline]] inline void put_row(const Row& row, Row& to, bool streams) {
  if (streams) stream_row(row, to);
  else to = row;
}

// A row of a slab, in coordinates of the whole image. `shape()` is its geometry in the slab.
template <class Group, class Row, class Shape>
void move_group(Row& row, const i64 (&by)[3], Shape shape) {
  if constexpr (std::is_same_v<Group, moments_group>) move(row, shape(), by);
  if constexpr (std::is_same_v<Group, geometry_group>) move(row, by);
}

}  // namespace

void slab_table::begin(std::span<const slab_findings> slabs, slab_numbering& numbers, feature_table& table,
                       u64 least_streamed) {
  slabs_ = slabs;
  numbers_ = &numbers;
  table_ = &table;
  least_streamed_ = least_streamed;
  left_.assign(slabs.size(), 0);
  placing_ = placed_ = joining_ = numbered_ = 0;
  next_row_ = room_ = told_ = 0;
  is_sized_ = is_full_ = is_stopped_ = is_asking_ = false;
}

void slab_table::news() {
  const std::lock_guard alone(lock_);
  tell();
}

void slab_table::stop() {
  const std::lock_guard alone(lock_);
  is_stopped_ = true;
  tell();
}

void slab_table::help() {
  for (task one = take(); one.what != task::kind::none; one = take()) {
    if (one.what == task::kind::place) place_rows(one);
    else join_parts(one.slab);
    done(one);
  }
}

bool slab_table::fit() {
  numbered_ = slabs_.size();
  resize(numbers_->count());
  room_ = numbers_->count();
  is_sized_ = true;
  is_full_ = false;
  return joining_ < slabs_.size();
}

// ---- tasks ----------------------------------------------------------------------------------------

void slab_table::tell() {
  ++told_;
  news_.notify_all();
}

slab_table::task slab_table::take() {
  std::unique_lock alone(lock_);
  for (;;) {
    if (is_stopped_ || joining_ == slabs_.size()) return {};
    const task one = next();
    if (one.what != task::kind::none) return one;
    if (is_full_) return one;
    if (is_asking_) news_.wait(alone);
    else ask(alone);
  }
}

// Has slabs numbered while others go on, or waits where there are none to be numbered.
void slab_table::ask(std::unique_lock<std::mutex>& held) {
  is_asking_ = true;
  const u64 told = told_;
  held.unlock();
  const std::size_t numbered = numbers_->number_final();
  held.lock();
  is_asking_ = false;
  if (numbered != numbered_) {
    numbered_ = numbered;
    tell();
  } else if (told == told_) {
    news_.wait(held);
  }
}

// Parts are joined to rows of earlier slabs, which are there by then.
slab_table::task slab_table::next() {
  constexpr u64 rows_of_task = 1 << 13;
  if (joining_ < placed_) return {task::kind::join, joining_++};
  if (is_full_ || placing_ == numbered_) return {};
  if (next_row_ == 0 && !has_room(numbers_->labels_before(placing_ + 1))) {
    is_full_ = true;
    tell();
    return {};
  }
  const u64 rows = slabs_[placing_].count;
  if (next_row_ == 0) left_[placing_] = rows;
  const bool streams = room_ * sizeof(geometry) >= least_streamed_;
  task one{task::kind::place, placing_, next_row_, std::min(rows, next_row_ + rows_of_task), streams};
  next_row_ = one.end;
  if (next_row_ == rows) ++placing_, next_row_ = 0;
  return one;
}

void slab_table::done(const task& one) {
  const std::lock_guard alone(lock_);
  if (one.what == task::kind::place) left_[one.slab] -= one.end - one.begin;
  const std::size_t before = placed_;
  while (placed_ < placing_ && left_[placed_] == 0) ++placed_;
  if (placed_ != before || joining_ == slabs_.size()) tell();
}

// ---- memory ---------------------------------------------------------------------------------------

// In the groups that slabs have.
void slab_table::resize(u64 rows) {
  each_feature_group([&]<class Group>(Group group) {
    const bool is_there = std::any_of(slabs_.begin(), slabs_.begin() + static_cast<std::ptrdiff_t>(numbered_),
                                      [](const slab_findings& slab) { return slab.rows.has<typename Group::row>(); });
    if (!is_sized_) (table_->*group.rows).clear();  // rows of another image, not to be moved
    (table_->*group.rows).resize(is_there ? rows : 0);
  });
}

// For so many rows. As many as all slabs will have if the others have as many as these: memory that is not written costs nothing.
// Where it is not enough, rows wait for fit().
bool slab_table::has_room(u64 rows) {
  if (!is_sized_ && rows != 0) {
    u64 known = 0;
    for (std::size_t slab = 0; slab < numbered_; ++slab) known += slabs_[slab].count;
    const u64 expected = known * slabs_.size() / std::max<u64>(numbered_, 1), there = table_->components.capacity();
    const u64 room = std::max(rows, there >= expected ? there : expected + expected / 8);
    try {
      resize(room);
      room_ = room;
    } catch (const std::bad_alloc&) {  // too much for this machine: then as many as there are, later
      each_feature_group([&](auto group) { std::decay_t<decltype(table_->*group.rows)>().swap(table_->*group.rows); });
      room_ = 0;
    }
    is_sized_ = true;
  }
  return rows <= room_;
}

// ---- rows -----------------------------------------------------------------------------------------

// Calls place(component, its row in the table) for those of the task's components that begin in the slab.
template <class Place>
void slab_table::each_own(const task& one, Place place) const {
  const auto parts = numbers_->given_up(one.slab);
  auto next = first_not_before(parts, one.begin);
  u64 to = numbers_->labels_before(one.slab) + one.begin - static_cast<u64>(next - parts.begin());
  for (u64 from = one.begin; from < one.end; ++from) {
    if (next != parts.end() && next->component == from) ++next;
    else place(from, to++);
  }
}

// One group after the other.
void slab_table::place_rows(const task& one) {
  const slab_rows& from = slabs_[one.slab].rows;
  each_feature_group([&]<class Group>(Group group) {
    using row_of_group = typename Group::row;
    if (!from.has<row_of_group>()) return;
    auto* to = (table_->*group.rows).data();
    if constexpr (std::is_same_v<Group, geometry_group>) {
      if (from.frame.rank == 2) place_shapes<2>(one, to);
      else place_shapes<3>(one, to);
    } else {
      each_own(one, [&](u64 component, u64 row) {
        auto moved = from.row<row_of_group>(component);
        move_group<Group>(moved, from.first, [&] { return from.row<geometry>(component); });
        put_row(moved, to[row], one.streams);
      });
    }
  });
  if (one.streams) finish_streaming();
}

// Short rows stay in registers on their way: a branch for each of them that leads to one row in memory would take longer than the rest.
template <int Rank>
void slab_table::place_shapes(const task& one, geometry* to) {
  const slab_rows& from = slabs_[one.slab].rows;
  each_own(one, [&](u64 component, u64 row) {
    const u64 word = from.shapes[component];
    if (is_listed(word)) {
      geometry moved = from.large[place_in_list(word)];
      move(moved, from.first);
      return put_row(moved, to[row], one.streams);
    }
    geometry shape = geometry_of<Rank>(word, from.frame);
    move(shape, from.first);
    put_row(shape, to[row], one.streams);
  });
}

// What a slab has given up, to the rows of the owners. Nearly all of it belongs to a few: it is joined before a lock is taken.
void slab_table::join_parts(std::size_t slab) {
  const auto given_up = numbers_->given_up(slab);
  std::vector<given_up_component> parts(given_up.begin(), given_up.end());
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.owner < b.owner; });
  for (auto begin = parts.begin(), end = begin; begin != parts.end(); begin = end) {
    end = std::find_if(begin, parts.end(), [&](const auto& part) { return part.owner != begin->owner; });
    const slab_rows& rows = slabs_[slab].rows;
    const auto joined = [&]<class Row>() {
      Row all = rows.row<Row>(begin->component);
      for (auto part = begin + 1; part != end; ++part) join_groups(all, rows.row<Row>(part->component));
      return all;
    };
    const std::size_t row = numbers_->label_of(slab_component(begin->owner)) - 1;
    const auto g = joined.template operator()<geometry>();
    const std::lock_guard alone(row_locks_[row % row_locks_.size()]);
    each_feature_group([&]<class Group>(Group group) {
      using row_of_group = typename Group::row;
      if (!rows.has<row_of_group>()) return;
      auto own = joined.template operator()<row_of_group>();
      move_group<Group>(own, rows.first, [&] { return g; });
      join_groups((table_->*group.rows)[row], own);
    });
  }
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
// The tables of slabs become one, while other slabs are still copied: rows of slabs whose labels are final are placed, and those of
// components that slabs give up are joined to the rows of their owners. When the last slab is there, little is left to do.
#pragma once
#include <array>
#include <condition_variable>
#include <mutex>
#include <span>
#include <vector>

#include "label/slabs/number.hpp"
#include "skerry/measure.hpp"

namespace skerry::label_stages {

class slab_table {
 public:
  /// Of another image. The contents of `table` are unspecified until fit() returns false, or the help() after it returns.
  /// One of as many bytes as `least_streamed` is written past the caches.
  void begin(std::span<const slab_findings> slabs, slab_numbering& numbers, feature_table& table,
             u64 least_streamed = u64{64} << 20);

  // ---- by any thread

  /// The numbering has been told something.
  void news();
  /// Nothing more will come: whoever helps returns.
  void stop();
  /// Places and joins rows as they come, together with others that do; returns when there are none left, or no room for them.
  void help();

  // ---- then by one

  /// Gives the table, which has been numbered to the end, as many rows as there are components. Returns whether some are left to
  /// be placed, by more help.
  [[nodiscard]] bool fit();

  /// Memory that it keeps, without the table.
  [[nodiscard]] std::size_t bytes() const { return left_.capacity() * sizeof(u64); }

 private:
  // Rows of a slab to be placed, or, without rows, parts of it to be joined; or nothing.
  struct task {
    enum class kind { place, join, none } what = kind::none;
    std::size_t slab = 0;
    u64 begin = 0, end = 0;
    bool streams = false;  // past the caches
  };

  [[nodiscard]] task take();
  [[nodiscard]] task next();
  void tell();
  void ask(std::unique_lock<std::mutex>& held);
  void done(const task& one);
  [[nodiscard]] bool has_room(u64 rows);
  void resize(u64 rows);
  template <class Place>
  void each_own(const task& one, Place place) const;
  void place_rows(const task& one);
  template <int Rank>
  void place_shapes(const task& one, geometry* to);
  void join_parts(std::size_t slab);

  std::span<const slab_findings> slabs_;
  slab_numbering* numbers_ = nullptr;
  feature_table* table_ = nullptr;
  u64 least_streamed_ = 0;

  std::mutex lock_;  // of what follows
  std::condition_variable news_;
  std::vector<u64> left_;     // of each slab: rows that are not placed
  std::size_t placing_ = 0;   // rows of the slabs before it are dealt out,
  u64 next_row_ = 0;          // and its rows before this one
  std::size_t placed_ = 0;    // slabs that have all rows in their places, from the first on
  std::size_t joining_ = 0;   // slabs whose parts are dealt out
  std::size_t numbered_ = 0;  // slabs that have numbers
  u64 told_ = 0;              // how often there were news
  bool is_asking_ = false;    // somebody has the slabs numbered
  bool is_sized_ = false, is_full_ = false, is_stopped_ = false;
  u64 room_ = 0;

  std::array<std::mutex, 64> row_locks_;
};

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
// The tables of slabs become one, while other slabs are still on their way: rows of slabs whose labels are certain are placed, and
// those that slabs give up are joined to the rows of their owners. When the last slab is there, little is left to do.
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
  /// Of another image. `table` is of no use until fit() says that nothing is left.
  void begin(std::span<const slab_findings> slabs, slab_numbering& numbers, feature_table& table);

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

 private:
  // Rows of a slab to be placed, or, without rows, parts of it to be joined; or nothing.
  struct task {
    enum class kind { place, join, none } what = kind::none;
    std::size_t slab = 0;
    u64 begin = 0, end = 0;
  };

  [[nodiscard]] task take();
  [[nodiscard]] task next();
  void tell();
  void ask(std::unique_lock<std::mutex>& held);
  void done(const task& one);
  [[nodiscard]] bool has_room(u64 rows);
  void resize(u64 rows);
  void place_rows(std::size_t slab, u64 begin, u64 end);
  void join_parts(std::size_t slab);

  std::span<const slab_findings> slabs_;
  slab_numbering* numbers_ = nullptr;
  feature_table* table_ = nullptr;

  std::mutex lock_;  // of what follows
  std::condition_variable news_;
  std::vector<u64> left_;    // of each slab: rows that are not placed
  std::size_t placing_ = 0;  // slabs before it are dealt out, and of it the rows before
  u64 next_row_ = 0;         // this one
  std::size_t placed_ = 0;   // slabs, from the first on
  std::size_t joining_ = 0;  // the same for parts
  std::size_t numbered_ = 0;
  u64 told_ = 0;            // how often there were news
  bool is_asking_ = false;  // somebody has the slabs numbered
  bool is_sized_ = false, is_full_ = false, is_stopped_ = false;
  u64 room_ = 0;

  std::array<std::mutex, 64> row_locks_;
};

}  // namespace skerry::label_stages

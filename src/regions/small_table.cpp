// SPDX-License-Identifier: Apache-2.0
#include "regions/small_table.hpp"

#include <algorithm>
#include <vector>

#include "engine/cpu/new_memory.hpp"
#include "engine/cpu/parallel.hpp"

namespace skerry::regions {
namespace {

constexpr u64 labels_of_piece = 1 << 12;
constexpr u64 least_shared_rows = 1 << 14;  // of fewer, one thread is done before others have woken up

template <int Rank>
void take_piece(const small_table& from, const row_frame& frame, u64 begin, u64 end, label_bits* labels,
                geometry* rows) {
  for (u64 label = begin; label < end; ++label) {
    const u64 word = from.words[label];
    if (word == no_short_row) continue;
    *labels++ = label;
    *rows++ = is_listed(word) ? from.list[place_in_list(word)] : geometry_of<Rank>(word, frame);
  }
}

}  // namespace

void take_rows(engine::state& on, const small_table& from, const row_frame& frame, region_table& table) {
  const u64 end = *from.end, pieces = (end + labels_of_piece - 1) / labels_of_piece;
  const auto end_of = [&](u64 piece) { return std::min(end, (piece + 1) * labels_of_piece); };
  std::vector<u64> rows_before(pieces + 1);
  for (u64 piece = 0; piece < pieces; ++piece)
    rows_before[piece + 1] = rows_before[piece] + static_cast<u64>(std::count_if(
                                                      from.words + piece * labels_of_piece, from.words + end_of(piece),
                                                      [](u64 word) { return word != no_short_row; }));
  const u64 rows = rows_before[pieces];
  resize_in_large_pages(table.labels, rows);
  resize_in_large_pages(table.features.components, rows);
  const auto take = [&](u64 piece) {
    const u64 row = rows_before[piece];
    const auto take_ranked = frame.rank == 2 ? take_piece<2> : take_piece<3>;
    take_ranked(from, frame, piece * labels_of_piece, end_of(piece), table.labels.data() + row,
                table.features.components.data() + row);
  };
  if (rows >= least_shared_rows) return for_each_in_parallel(on, pieces, take);
  for (u64 piece = 0; piece < pieces; ++piece) take(piece);
}

}  // namespace skerry::regions

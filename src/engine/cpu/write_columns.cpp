// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/write_columns.hpp"

#include <algorithm>

#include "engine/choose.hpp"
#include "engine/cpu/parallel.hpp"

namespace skerry {
namespace {

// 3.5 KB of geometry, 6 KB of moments. While its last columns are written the processor reads the next block; of larger ones less
// is read ahead, and of smaller ones calls take longer (docs/decisions/0117).
constexpr std::size_t rows_of_block = 64;
constexpr std::size_t rows_of_piece = std::size_t{1} << 15;

void write_piece(std::span<const written_column> columns, std::size_t begin, std::size_t end) {
  for (std::size_t first = begin; first < end; first += rows_of_block) {
    const std::size_t last = std::min(end, first + rows_of_block);
    for (const written_column& column : columns) column.write_rows(first, last, static_cast<u64*>(column.to) + first);
  }
}

}  // namespace

void write_in_blocks(std::span<const written_column> columns, std::size_t rows) { write_piece(columns, 0, rows); }

void write_in_blocks(engine& on, std::span<const written_column> columns, std::size_t rows) {
  engine::state& host = engine_on_host(on, {});
  for_each_in_parallel(host, (rows + rows_of_piece - 1) / rows_of_piece, [&](std::size_t piece) {
    const std::size_t begin = piece * rows_of_piece;
    write_piece(columns, begin, std::min(rows, begin + rows_of_piece));
  });
}

}  // namespace skerry

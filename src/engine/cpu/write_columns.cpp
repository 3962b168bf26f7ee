// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu/write_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/streaming_stores.hpp"
#include "engine/choose.hpp"
#include "engine/cpu/parallel.hpp"

namespace skerry {
namespace {

// 3.5 KB of geometry, 6 KB of moments. While its last columns are written the processor reads the next block; of larger ones less
// is read ahead, and of smaller ones calls take longer (docs/decisions/0117).
constexpr std::size_t rows_of_block = 64;
constexpr std::size_t rows_of_piece = std::size_t{1} << 15;
constexpr std::size_t bytes_of_line = streamed_words * sizeof(u64);

// One column alone is written faster into the caches, where the system has just cleared its page; pages of several push each other
// out. Rows take as much of the caches as seven columns (docs/decisions/0117).
bool go_past_caches(const engine::state& on, std::size_t columns, std::size_t rows) {
  return columns > 1 && static_cast<i64>(columns * rows * sizeof(u64)) >= 2 * on.least_streamed_bytes;
}

// A block waits in the first cache until whole lines of it go to memory, which caches would read before they are written.
void stream_rows(const written_column& column, std::size_t begin, std::size_t end) {
  alignas(bytes_of_line) std::byte block[rows_of_block * sizeof(u64)];
  column.write_rows(begin, end, block);
  const auto* const values = static_cast<const u64*>(static_cast<const void*>(block));
  u64* const to = static_cast<u64*>(column.to) + begin;
  const std::size_t rows = end - begin, in_lines = rows / streamed_words * streamed_words;
  for (std::size_t row = 0; row < in_lines; row += streamed_words) stream_line(values + row, to + row);
  std::memcpy(to + in_lines, values + in_lines, (rows - in_lines) * sizeof(u64));
}

bool begins_a_line(const written_column& column) {
  return reinterpret_cast<std::uintptr_t>(column.to) % bytes_of_line == 0;
}

void write_piece(std::span<const written_column> columns, std::size_t begin, std::size_t end, bool past_caches) {
  for (std::size_t first = begin; first < end; first += rows_of_block) {
    const std::size_t last = std::min(end, first + rows_of_block);
    for (const written_column& column : columns) {
      if (past_caches && begins_a_line(column)) stream_rows(column, first, last);
      else column.write_rows(first, last, static_cast<u64*>(column.to) + first);
    }
  }
  if (past_caches) finish_streaming();
}

}  // namespace

void write_in_blocks(std::span<const written_column> columns, std::size_t rows) {
  write_piece(columns, 0, rows, false);
}

void write_in_blocks(engine& on, std::span<const written_column> columns, std::size_t rows) {
  engine::state& host = engine_on_host(on, {});
  const bool past_caches = go_past_caches(host, columns.size(), rows);
  for_each_in_parallel(host, (rows + rows_of_piece - 1) / rows_of_piece, [&](std::size_t piece) {
    const std::size_t begin = piece * rows_of_piece;
    write_piece(columns, begin, std::min(rows, begin + rows_of_piece), past_caches);
  });
}

}  // namespace skerry

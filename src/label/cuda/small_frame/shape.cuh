// SPDX-License-Identifier: Apache-2.0
// One small frame at once, CUDA: how it is cut, and what each block keeps in shared memory.
//
// A frame is cut into strips of rows, one for each block of one cluster, so that every phase of the journey is a barrier
// apart from the next and not a launch. A thread owns one word of one group of rows, as in stage 2: 64 pixels, or 32
// (with_frame_shape in launch.cuh). What stage 2 calls a run is a node here; node k of the t-th word has the number
// t * nodes_of_word + k, so that nothing has to be counted before nodes can be linked.
#pragma once
#include "label/cuda/tiles/encode.cuh"
#include "label/cuda/tiles/rows.cuh"

namespace skerry::label_stages::on_device {

inline constexpr u32 frame_most_threads = 1024, frame_most_blocks = 16;
inline constexpr i32 frame_most_side = 8192;  // sums of coordinates of 2^20 pixels then fit in 32 bits

template <int Connectivity, class Word>
struct frame_shape {
  static constexpr int connectivity = Connectivity;
  static constexpr int axes = axes_of(Connectivity);
  static constexpr int group_height = axes, group_rows = group_height;
  static constexpr int group_depth = 1;
  using word = Word;
  static constexpr int word_bits = 8 * sizeof(word);
  static constexpr u32 halves = sizeof(word) / 4;                // 32-bit words in a word; 0 in one of 16
  using edge_word = std::conditional_t<halves == 0, u32, word>;  // as other blocks write it
  static constexpr u32 columns_at_once = halves == 0 ? 2 : 1;    // rows are whole words of 32 bits
  // One more than runs can start in a word: odd, so that the nodes of neighbouring words lie in different banks.
  static constexpr u32 nodes_of_word = word_bits / 2 + 1;
};

struct frame_plan {
  i32 height, width;
  u32 columns;  // words in a row
  u32 groups;   // groups of rows in each block
  u32 blocks, threads;
  u32 capacity;         // components of a block that its shared memory holds
  u32 overflow;         // components of a block that its shared memory may not hold: they live in device memory,
  u32 words_in_device;  // with their link and first pixel, or with all of a record
  divisor by_columns;
  bool rows_end_in_warps;
};

/// What is kept of a component while it is put together: one address reaches all of it.
struct frame_record {
  u32 link;   // block << 16 | slot of the component that it belongs to: its own when it is a root
  u32 first;  // pixel in raster order: row << 13 | x
  u32 area, y, x;
  u32 least_x, most_x, most_y;
};

/// In shared memory one word more: an odd number, so that equal words of neighbouring records lie in different banks.
struct padded_record : frame_record {
  u32 unused;
};

/// The edges of two strips that meet: the last group of the strip above and the first one of this.
template <class Shape>
struct frame_edge {
  typename Shape::edge_word *starts, *row;  // of the group; `row` is the one that touches the other strip
  u32* entering;                            // the node that goes on into each word from the left
};

template <class Shape>
struct frame_memory {
  using word = typename Shape::word;
  u32* parent;             // [threads * nodes_of_word]
  word* bits;              // [rows][columns]
  u32* first_bits;         // [rows][columns * halves] a bit at the first pixel of each component
  u32* rank;               // [threads] components of the block before each pair of words of first_bits
  padded_record* records;  // [capacity]
  frame_edge<Shape> above, top;

  /// Deals the pieces of one allocation; with a null base it only counts.
  __host__ __device__ static std::size_t lay_out(char* base, const frame_plan& plan, frame_memory& m) {
    const u32 threads = plan.threads, columns = plan.columns;
    std::size_t used = 0;
    const auto take = [&]<class T>(T*& piece, std::size_t count) {
      piece = reinterpret_cast<T*>(base + used);
      used += count * sizeof(T);
    };
    take(m.bits, threads * Shape::group_rows);
    take(m.above.starts, columns);
    take(m.above.row, columns);
    take(m.top.starts, columns);
    take(m.top.row, columns);
    take(m.first_bits, threads * 2);
    take(m.rank, threads);
    take(m.parent, threads * Shape::nodes_of_word);
    take(m.records, plan.capacity);
    take(m.above.entering, columns);
    take(m.top.entering, columns);
    return used;
  }
};

/// Words of a group of rows in shared memory; `column` and `group` may be any of the block.
template <class Shape>
__device__ group_word<Shape> frame_word(const typename Shape::word* bits, u32 columns, u32 group, u32 column) {
  group_word<Shape> g;
#pragma unroll
  for (int k = 0; k < Shape::group_rows; ++k) {
    const typename Shape::word* from = bits + (group * Shape::group_rows + k) * columns + column;
    g.row[k] = from[0];
    g.left[k] = column > 0 ? from[-1] : 0;
  }
  return g;
}

}  // namespace skerry::label_stages::on_device

// SPDX-License-Identifier: Apache-2.0
// Rows of regions: geometry, second moments, and intensities of integers of up to 32 bits.
//
//   thread  the pixels of one label in its patch, whose sums are counts of the bits of a mask
//   block   block_table.cuh
//   grid    the rows of a tile join those of the image by atomics; sums of integers know no order
//
// Reads   the label image, and intensities under the regions; rows of labels
// Writes  rows, which are empty before
#pragma once
#include "engine/cuda/empty_rows.cuh"
#include "engine/cuda/patch_bytes.cuh"
#include "regions/cuda/block_table.cuh"

namespace skerry::regions::on_device {

// Where rows are; those that nobody wants are null.
struct region_rows {
  geometry* components;
  second_moments* moments;
  intensity* intensities;
  u64 capacity;  // rows from this on are left out
  bool is_volume;
};

// ---- thread -------------------------------------------------------------------------------------------------------

__device__ inline u32 lowest(u32 bits) { return static_cast<u32>(__ffs(static_cast<int>(bits)) - 1); }
__device__ inline u32 highest(u32 bits) { return 31 - static_cast<u32>(__clz(static_cast<int>(bits))); }

// The geometry of some pixels of a patch, relative to the tile.
template <u32 Words>
__device__ void add_geometry(tile_part<Words>& to, u32 mask) {
  const u32 x0 = patch_x(), y0 = patch_y();
  const tile_moments m = tile_moments::of_places(mask, x0, y0);
  to.words[word::area] = m.area, to.words[word::sum_x] = m.x, to.words[word::sum_y] = m.y;
  u32 columns = mask | mask >> 16;
  columns |= columns >> 8;
  columns = (columns | columns >> 4) & 0xf;
  to.words[word::min_x] = x0 + lowest(columns);
  to.words[word::max_x] = x0 + highest(columns);
  to.words[word::min_y] = y0 + lowest(mask) / patch_width;
  to.words[word::max_y] = y0 + highest(mask) / patch_width;
}

// The sums of a part that moments follow from.
__device__ inline tile_moments moments_of(const tile_part<word::words_of_all>& part) {
  const u32* const w = part.words;
  return {w[word::area], w[word::sum_x], w[word::sum_y], w[word::xx], w[word::xy], w[word::yy]};
}

// Their second moments; after the geometry.
__device__ inline void add_moments(tile_part<word::words_of_all>& to, u32 mask) {
  tile_moments m = moments_of(to);
  m.xx = m.xy = m.yy = 0;
  m.add_products(mask, patch_x(), patch_y());
  to.words[word::xx] = m.xx, to.words[word::xy] = m.xy, to.words[word::yy] = m.yy;
}

// Intensities as unsigned integers of the same order: `moved` more than they are.
struct moved_intensities {
  intensity_image image;
  u32 moved;
  i64 width;
  bool in_fours;  // bytes, of which four that begin where a patch does can be loaded at once

  [[nodiscard]] static moved_intensities of(const image_view& view) {
    const bool is_signed = view.type == dtype::i8 || view.type == dtype::i16 || view.type == dtype::i32;
    const auto places = reinterpret_cast<u64>(view.data) | static_cast<u64>(view.strides.y | view.strides.z);
    return {{static_cast<const char*>(view.data), view.strides, view.type},
            is_signed ? u32{1} << (8 * size_of(view.type) - 1) : 0,
            view.size.width,
            view.type == dtype::u8 && view.strides.x == 1 && places % patch_width == 0};
  }
  [[nodiscard]] __device__ u32 at(const pixel_place& pixel) const {
    const char* const from = image.place(pixel.z, pixel.y, pixel.x);
    switch (image.type) {
      case dtype::boolean: return *from != 0 ? 1 : 0;
      case dtype::u16: return intensity_image::read<u16>(from);
      case dtype::u32: return intensity_image::read<u32>(from);
      case dtype::i8: return static_cast<u32>(static_cast<i32>(static_cast<signed char>(*from)) + 128);
      case dtype::i16: return intensity_image::read<u16>(from) ^ moved;
      case dtype::i32: return intensity_image::read<u32>(from) ^ moved;
      default: return intensity_image::read<u8>(from);
    }
  }
};

// Bytes under a patch that begins at `first`, four at a time.
__device__ inline void add_bytes(tile_part<word::words_of_all>& to, u32 mask, const pixel_place& first,
                                 const moved_intensities& from) {
  patch_bytes bytes;
  const char* const row = from.image.place(first.z, first.y, first.x);
#pragma unroll
  for (u32 k = 0; k < patch_height; ++k) {
    const bool is_wanted = (mask >> patch_width * k & 0xf) != 0;
    bytes.rows[k] = is_wanted ? __ldg(reinterpret_cast<const u32*>(row + k * from.image.step.y)) : 0;
  }
  const byte_sums sums = byte_sums::of(bytes, mask);
  to.words[word::least] = 255 - sums.missing;
  to.words[word::most] = sums.most;
  to.words[word::sum_0] = sums.sum;
  to.words[word::square_0] = sums.squares;
}

// Intensities under a patch that begins at `first`.
__device__ inline void add_intensities(tile_part<word::words_of_all>& to, u32 mask, const pixel_place& first,
                                       const moved_intensities& from) {
  if (from.in_fours && first.x + patch_width <= from.width) return add_bytes(to, mask, first, from);
  u64 sum = 0;
  wide_integer squares;
  u32 least = ~0u, most = 0;
  each_bit(mask, [&](int k) {
    const u32 value =
        from.at({first.z, first.y + k / static_cast<int>(patch_width), first.x + k % static_cast<int>(patch_width)});
    least = min(least, value), most = max(most, value);
    sum += value;
    add(squares, {u64{value} * value, 0});
  });
  constexpr u32 digit = (1u << digit_of_sum) - 1;
  to.words[word::least] = least;
  to.words[word::most] = most;
  to.words[word::sum_0] = static_cast<u32>(sum) & digit;
  to.words[word::sum_1] = static_cast<u32>(sum >> digit_of_sum);
  to.words[word::square_0] = static_cast<u32>(squares.low) & digit;
  to.words[word::square_1] = static_cast<u32>(squares.low >> digit_of_sum) & digit;
  to.words[word::square_2] =
      static_cast<u32>(squares.low >> 2 * digit_of_sum | squares.high << (64 - 2 * digit_of_sum));
}

// ---- grid ---------------------------------------------------------------------------------------------------------

template <u32 Words>
__device__ void join_geometry(const region_rows& to, u32 row, const tile_part<Words>& part, const pixel_place& tile) {
  const u32* const w = part.words;
  geometry g;
  g.area = w[word::area];
  g.sum[0] = g.area * static_cast<u64>(tile.z);
  g.sum[1] = g.area * static_cast<u64>(tile.y) + w[word::sum_y];
  g.sum[2] = g.area * static_cast<u64>(tile.x) + w[word::sum_x];
  g.min[0] = g.max[0] = static_cast<i32>(tile.z);
  g.min[1] = static_cast<i32>(tile.y + w[word::min_y]), g.max[1] = static_cast<i32>(tile.y + w[word::max_y]);
  g.min[2] = static_cast<i32>(tile.x + w[word::min_x]), g.max[2] = static_cast<i32>(tile.x + w[word::max_x]);
  geometry& joined = to.components[row];
  const join_to_row<geometry> with(joined);
  if (to.is_volume) join<3>(joined, g, with);
  else join<2>(joined, g, with);
}

__device__ inline void join_moments(const region_rows& to, u32 row, const tile_part<word::words_of_all>& part,
                                    const pixel_place& tile) {
  const second_moments m =
      moments_of(part).placed(static_cast<u64>(tile.z), static_cast<u64>(tile.y), static_cast<u64>(tile.x));
  if (to.is_volume) join<3>(to.moments[row], m, join_at_once());
  else join<2>(to.moments[row], m, join_at_once());
}

__device__ inline void join_intensities(const region_rows& to, u32 row, const tile_part<word::words_of_all>& part,
                                        u32 moved) {
  const u32* const w = part.words;
  const u64 n = w[word::area], sum = w[word::sum_0] + (u64{w[word::sum_1]} << digit_of_sum);
  intensity i;
  i.min = static_cast<double>(i64{w[word::least]} - i64{moved});
  i.max = static_cast<double>(i64{w[word::most]} - i64{moved});
  i.sum = wide_from(static_cast<i64>(sum - n * moved));
  // With v = u - m: the sum of v·v is that of u·u, less 2 m Σ u, and n m·m.
  i.squares = {w[word::square_0] + (u64{w[word::square_1]} << digit_of_sum), 0};
  add(i.squares, {u64{w[word::square_2]} << 2 * digit_of_sum, u64{w[word::square_2]} >> (64 - 2 * digit_of_sum)});
  add(i.squares, wide_product(n * moved, moved));
  const wide_integer less = wide_product(2 * u64{moved}, sum);
  add(i.squares, {~less.low, ~less.high});  // and one more makes it the negative
  add(i.squares, {1, 0});
  join(to.intensities[row], i, join_at_once());
}

// `Words`: those of geometry, or all.
template <class Label, u32 Words>
__global__ void __launch_bounds__(tile_threads)
    measure_regions_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                           const label_numbers numbers, const moved_intensities intensities, const region_rows to) {
  constexpr bool is_all = Words == word::words_of_all;
  __shared__ block_table<Words> table;
  table.clear();
  __syncthreads();
  each_patch<Label>(from, grid, is_background, [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
    const auto write = [&](u32 row, const tile_part<Words>& part) {
      join_geometry(to, row, part, tile);
      if constexpr (is_all) {
        if (to.moments != nullptr) join_moments(to, row, part, tile);
        if (to.intensities != nullptr) join_intensities(to, row, part, intensities.moved);
      }
    };
    each_piece(patch, left, [&](Label label, u32 mask) {
      u32 row = mask == 0 ? no_row : numbers.row_of(label);
      if (row >= to.capacity) row = no_row;
      tile_part<Words> part;
      if (row != no_row) {
        add_geometry(part, mask);
        if constexpr (is_all) {
          if (to.moments != nullptr) add_moments(part, mask);
          if (to.intensities != nullptr)
            add_intensities(part, mask, {tile.z, tile.y + patch_y(), tile.x + patch_x()}, intensities);
        }
      }
      __syncwarp();
      join_by_warp(table, row, part, write);
    });
    __syncthreads();
    table.empty(write);
    __syncthreads();
  });
}

template <class Row>
__global__ void empty_region_rows_kernel(Row* rows, const u64 count, const Row nothing) {
  write_empty_rows(rows, count, nothing);
}

}  // namespace skerry::regions::on_device

// SPDX-License-Identifier: Apache-2.0
// Other labels for regions: their order by first pixels, and the image with new labels.
//
//   thread  the pixels of one label in its patch
//   grid    all tiles; of regions, one after the other
//
// Reads   the label image; rows of labels; a new label for each row
// Writes  the first pixel of each row; new labels of rows; the image. A thread has read its patch when it writes there, so that the
//         image may be that of the old labels
// Method  first pixels are bits of an image, and the ones before each word number them, as dense keys are numbered
#pragma once
#include "regions/cuda/numbers.cuh"

namespace skerry::regions::on_device {

// ---- order --------------------------------------------------------------------------------------------------------

// `first` of each row is the largest number before, and in the end the raster index of its first pixel.
template <class Label>
__global__ void __launch_bounds__(tile_threads)
    find_first_pixels_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                             const label_numbers numbers, u64* first) {
  each_patch<Label>(from, grid, is_background, [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
    each_piece(patch, left, [&](Label label, u32 mask) {
      if (mask == 0) return;
      const u32 k = static_cast<u32>(__ffs(static_cast<int>(mask)) - 1);
      const i64 y = tile.y + patch_y() + k / patch_width, x = tile.x + patch_x() + k % patch_width;
      const u64 place = static_cast<u64>((tile.z * from.height + y) * from.width + x);
      u64* const seen = first + numbers.row_of(label);
      if (atomic_ref<u64, sharing::device>(*seen).load(relaxed) > place)
        atomicMin(reinterpret_cast<unsigned long long*>(seen), static_cast<unsigned long long>(place));
    });
  });
}

template <class Visit>
__device__ void each_row_of(u64 rows, Visit visit) {
  for (u64 row = u64{blockIdx.x} * blockDim.x + threadIdx.x; row < rows; row += u64{gridDim.x} * blockDim.x) visit(row);
}

__global__ inline void mark_first_pixels_kernel(const dense_numbers places, const u64* first, u64 rows) {
  each_row_of(rows, [&](u64 row) { (void)places.add(first[row]); });
}

// New labels are 1 + the number of a row's first pixel among those of all rows.
__global__ inline void number_by_first_pixels_kernel(const dense_numbers places, const u64* first,
                                                     const label_bits* labels, u64 rows, label_bits* new_labels,
                                                     label_bits* originals) {
  each_row_of(rows, [&](u64 row) {
    const u32 number = places.row_of(first[row]);
    new_labels[row] = u64{number} + 1;
    originals[number] = labels[row];
  });
}

__global__ inline void number_by_rows_kernel(u64 rows, label_bits* new_labels) {
  each_row_of(rows, [&](u64 row) { new_labels[row] = row + 1; });
}

// ---- image --------------------------------------------------------------------------------------------------------

// Where labels of so many bytes are written.
template <class Label>
struct new_label_target {
  char* data;
  byte_strides step;
  i64 height, width;
  bool in_fours;  // as in label_source

  [[nodiscard]] static new_label_target of(const mutable_image& image) {
    const label_source as_source = label_source::of({image.data, image.type, image.size, image.strides});
    return {static_cast<char*>(image.data), image.strides, image.size.height, image.size.width, as_source.in_fours};
  }
  // Four pixels of a row, or as many as it has.
  __device__ void store(i64 z, i64 y, i64 x, const Label (&labels)[4]) const {
    char* const to = data + z * step.z + y * step.y + x * step.x;
    if (in_fours && x + 4 <= width) return store_four(to, labels);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (x + k < width) store_one(to + k * step.x, labels[k]);
  }

 private:
  __device__ static void store_four(char* to, const Label (&labels)[4]) {
    if constexpr (sizeof(Label) == 1) {
      *reinterpret_cast<uchar4*>(to) = make_uchar4(labels[0], labels[1], labels[2], labels[3]);
    } else if constexpr (sizeof(Label) == 2) {
      *reinterpret_cast<ushort4*>(to) = make_ushort4(labels[0], labels[1], labels[2], labels[3]);
    } else if constexpr (sizeof(Label) == 4) {
      *reinterpret_cast<uint4*>(to) = make_uint4(labels[0], labels[1], labels[2], labels[3]);
    } else {
      reinterpret_cast<ulonglong2*>(to)[0] = make_ulonglong2(labels[0], labels[1]);
      reinterpret_cast<ulonglong2*>(to)[1] = make_ulonglong2(labels[2], labels[3]);
    }
  }
  __device__ static void store_one(char* to, Label label) {
    if (reinterpret_cast<u64>(to) % sizeof(Label) == 0) *reinterpret_cast<Label*>(to) = label;
    else
      for (u32 byte = 0; byte < sizeof(Label); ++byte) to[byte] = reinterpret_cast<const char*>(&label)[byte];
  }
};

// Background becomes 0.
template <class Label, class NewLabel>
__global__ void __launch_bounds__(tile_threads)
    write_new_labels_kernel(const label_source from, const tile_grid grid, const background_test<Label> is_background,
                            const label_numbers numbers, const label_bits* new_labels,
                            const new_label_target<NewLabel> to) {
  each_patch<Label>(from, grid, is_background, [&](const pixel_place& tile, const label_patch<Label>& patch, u32 left) {
    NewLabel written[patch_height][patch_width] = {};
    each_piece(patch, left, [&](Label label, u32 mask) {
      if (mask == 0) return;
      const auto value = static_cast<NewLabel>(__ldg(new_labels + numbers.row_of(label)));
#pragma unroll
      for (u32 k = 0; k < patch_pixels; ++k)
        if ((mask >> k & 1) != 0) written[k / patch_width][k % patch_width] = value;
    });
    const i64 y = tile.y + patch_y(), x = tile.x + patch_x();
    if (x >= to.width) return;
#pragma unroll
    for (u32 row = 0; row < patch_height; ++row)
      if (y + row < to.height) to.store(tile.z, y + row, x, written[row]);
  });
}

}  // namespace skerry::regions::on_device

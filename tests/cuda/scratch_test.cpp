// SPDX-License-Identifier: Apache-2.0
// The scratch of a job is what the table in skerry/cuda.hpp says. It is counted on the host: no device is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "skerry/cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::test {
namespace {

constexpr int connectivities[] = {4, 8, 6, 18, 26};
constexpr std::size_t fixed_bytes = 20 << 10;  // whatever the image

struct table_row {
  const char* what;
  double bytes_per_pixel[5];  // 0: such jobs are not asked for
  std::function<void(cuda::label_job&)> ask;
};

// Nobody looks at addresses when scratch is counted.
template <class Item>
Item* somewhere() {
  return reinterpret_cast<Item*>(256);
}

void ask_for_rows(cuda::label_job& work, std::uint64_t capacity) {
  work.rows = somewhere<geometry>();
  work.row_capacity = capacity;
}

// As many components as there can be.
std::uint64_t most_components(const cuda::label_job& work) {
  const bool isolated = work.connectivity == 4 || work.connectivity == 6;
  return static_cast<std::uint64_t>(work.image.size.pixels()) / (isolated ? 2 : work.connectivity == 26 ? 8 : 4);
}

const table_row rows_of_table[] = {
    {"labels, counts", {2.5, 1.5, 3.5, 2.4, 1.4}, [](cuda::label_job&) {}},
    {"and runs",
     {2.54, 1.54, 3.54, 2.44, 1.44},
     [](cuda::label_job& w) { w.run_offsets = somewhere<std::uint64_t>(); }},
    {"and pixels of several bytes",
     {2.63, 1.63, 3.63, 2.53, 1.53},
     [](cuda::label_job& w) { w.image.type = dtype::f32; }},
    {"features, room for every row",
     {11.8, 6.8, 27.2, 20.4, 10.4},
     [](cuda::label_job& w) { ask_for_rows(w, most_components(w)); }},
    {"features, room for few", {3.8, 2.8, 19.2, 16.4, 8.4}, [](cuda::label_job& w) { ask_for_rows(w, 1); }},
    {"selections", {12.0, 7.0, 27.4, 20.6, 10.6}, [](cuda::label_job& w) { w.selection.largest = 7; }},
    {"components at the border cleared, without rows",
     {2.5, 1.5, 3.5, 2.4, 1.4},
     [](cuda::label_job& w) { w.selection.clear_border = true; }},
    {"and holes filled",
     {2.6, 2.6, 3.6, 3.6, 3.6},
     [](cuda::label_job& w) { w.selection.fill_holes = w.selection.clear_border = true; }},
    {"filled holes", {2.6, 2.6, 3.6, 3.6, 3.6}, [](cuda::label_job& w) { w.selection.fill_holes = true; }},
    {"filled holes, and another selection",
     {12.1, 7.1, 27.6, 20.7, 10.7},
     [](cuda::label_job& w) { w.selection.fill_holes = true, w.selection.largest = 7; }},
};

const table_row &all_rows = rows_of_table[3], &few_rows = rows_of_table[4];

cuda::label_job job_for(const extent& plane, const extent& volume, int connectivity) {
  cuda::label_job work;
  work.connectivity = connectivity;
  work.one_kernel = false;
  work.image = image_view(somewhere<std::uint8_t>(), connectivity == 4 || connectivity == 8 ? plane : volume);
  return work;
}

TEST(cuda_scratch, images_of_whole_tiles) {
  for (const table_row& row : rows_of_table)
    for (int k = 0; k < 5; ++k) {
      cuda::label_job work = job_for(extent(8192, 8192), extent(512, 512, 512), connectivities[k]);
      row.ask(work);
      const double got = static_cast<double>(cuda::scratch_bytes(work)) / static_cast<double>(work.image.size.pixels());
      EXPECT_LE(got, row.bytes_per_pixel[k] + 0.005) << row.what << ", connectivity " << connectivities[k];
      EXPECT_GT(got, row.bytes_per_pixel[k] - 0.15) << row.what << ", connectivity " << connectivities[k];
    }
}

// Sides are rounded up to whole tiles, however many pixels that adds.
TEST(cuda_scratch, images_of_any_size) {
  const auto up = [](std::int64_t side, std::int64_t tile) { return (side + tile - 1) / tile * tile; };
  for (const extent& plane : {extent(65, 129), extent(1, 1), extent(1, 100000), extent(100000, 1), extent(3000, 7001),
                              extent(70, 60, 300)})  // frames
    for (const extent& volume : {extent(9, 9, 129), extent(1, 1, 1), extent(1, 1, 50000), extent(50000, 1, 1)})
      for (const table_row& row : rows_of_table)
        for (int k = 0; k < 5; ++k) {
          cuda::label_job work = job_for(plane, volume, connectivities[k]);
          row.ask(work);
          const extent& size = work.image.size;
          const bool is_plane = k < 2;
          const auto of_frames = static_cast<double>(1080 * (is_plane ? size.depth : 1));
          const auto whole = static_cast<double>(up(size.depth, is_plane ? 1 : 8) * up(size.height, is_plane ? 64 : 8) *
                                                 up(size.width, 128));
          const double most = (&row == &few_rows ? all_rows : row).bytes_per_pixel[k];  // there are few tiles
          EXPECT_LE(static_cast<double>(cuda::scratch_bytes(work)), most * whole + of_frames + fixed_bytes)
              << row.what << ", connectivity " << connectivities[k] << ", " << size.depth << " x " << size.height
              << " x " << size.width;
        }
}

// What one kernel may need, where it needs more. 16 blocks share the rows of all but the smallest frames: exactly, where
// sides are powers of two.
TEST(cuda_scratch, small_frames) {
  constexpr double labels_and_features[2][2] = {{4.5, 15.2}, {4.5, 6.3}};  // of 4, 8
  for (const std::int64_t height : {1, 64, 128, 256, 333, 512, 960, 1000, 1024})
    for (const std::int64_t width : {1, 70, 128, 256, 512, 896, 1024})
      for (int k = 0; k < 2; ++k)
        for (const bool features : {false, true}) {
          cuda::label_job work = job_for(extent(height, width), {}, connectivities[k]);
          if (features) ask_for_rows(work, 1);
          const std::size_t tiles = cuda::scratch_bytes(work);
          work.one_kernel = true;
          const bool even = std::has_single_bit(static_cast<std::uint64_t>(height)) && height >= 256 &&
                            std::has_single_bit(static_cast<std::uint64_t>(width)) && width >= 128;
          const auto pixels = static_cast<double>(height * width), per_pixel = labels_and_features[k][features ? 1 : 0];
          const std::size_t frame = static_cast<std::size_t>(std::ceil(per_pixel * pixels)) + fixed_bytes;
          const std::size_t uneven = even ? 0 : std::size_t{5} << 19;
          EXPECT_LE(cuda::scratch_bytes(work), std::max(tiles, frame + uneven))
              << height << " x " << width << ", connectivity " << connectivities[k];
          if (even && height * width == 1024 * 1024 && features) {
            EXPECT_GT(static_cast<double>(cuda::scratch_bytes(work)), (per_pixel - 0.2) * pixels);
          }
        }
}

// The limits that skerry/cuda.hpp names, on both sides.
TEST(cuda_scratch, the_largest_images) {
  const auto expect_limit = [](int connectivity, const selection& keep, extent most) {
    cuda::label_job work;
    work.connectivity = connectivity;
    work.selection = keep;
    work.image = image_view(somewhere<std::uint8_t>(), most);
    EXPECT_GT(cuda::scratch_bytes(work), 0U);
    ++(most.rank == 2 ? most.height : most.depth);
    work.image = image_view(somewhere<std::uint8_t>(), most);
    EXPECT_THROW((void)cuda::scratch_bytes(work), invalid_argument) << connectivity;
  };
  for (const int connectivity : {4, 8}) expect_limit(connectivity, {}, extent(22369621LL * 64, 1));
  expect_limit(6, {}, extent(1864135LL * 8, 1, 1));
  expect_limit(18, {}, extent(2097151LL * 8, 1, 1));
  expect_limit(26, {}, extent(4194303LL * 8, 1, 1));
  expect_limit(4, {.largest = 1}, extent(1048575LL * 64, 1));
  expect_limit(6, {.largest = 1}, extent(1048575LL * 8, 1, 1));
  expect_limit(8, {}, extent(1LL << 16, (1LL << 17) - 1));  // pixels: 2^33 - 2^16, and 2^17 more
}

}  // namespace
}  // namespace skerry::test

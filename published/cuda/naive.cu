// SPDX-License-Identifier: Apache-2.0
// Labels of pixels by merging on the device, and one vote of each pixel.
//
//   initialise            each pixel is its own label
//   merge                 each pixel with its neighbours before it                     (algorithm 5)
//   transitive closure    each pixel takes its root
//   features              each pixel votes for its root: seven atomic operations       (algorithm 6)
//   relabelling           labels of pixels
//
// Method  [Lemaitre2021], the naive one
#include "published/cuda/methods.hpp"
#include "published/cuda/votes.cuh"

namespace skerry::published {
namespace {

__device__ bool is_pixel(const device_image& image, u32 i) { return i < image.size(); }

__global__ void initialise(device_image image, label_table table) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (is_pixel(image, i)) table.parents[i] = i;
}

__global__ void merge_pixels(device_image image, label_table table, bool diagonal) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (!is_pixel(image, i)) return;
  const i64 y = i / image.width, x = i % image.width;
  if (!image.at(y, x)) return;
  if (image.at(y, x - 1)) table.merge(i, i - 1);
  if (image.at(y - 1, x)) table.merge(i, i - image.width);
  if (!diagonal) return;
  if (image.at(y - 1, x - 1)) table.merge(i, i - image.width - 1);
  if (image.at(y - 1, x + 1)) table.merge(i, i - image.width + 1);
}

// Roots get features that are empty.
__global__ void close_pixels(device_image image, label_table table, feature_arrays features) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (!is_pixel(image, i) || !image.at(i / image.width, i % image.width)) return;
  if (table.close(i) == i && features.area != nullptr) features.clear(i);
}

template <bool Counting>
__global__ void vote_by_pixels(device_image image, label_table table, voter<Counting> votes) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (!is_pixel(image, i)) return;
  const u32 y = i / image.width, x = i % image.width;
  if (image.at(y, x)) votes.cast(table.parent(i), vote_of(y, x, x + 1));
}

__global__ void relabel(device_image image, label_table table, u32* labels) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (!is_pixel(image, i)) return;
  labels[i] = image.at(i / image.width, i % image.width) ? table.parent(i) + 1 : 0;
}

__global__ void mark_roots(device_image image, label_table table, u32* is_component) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (is_pixel(image, i) && image.at(i / image.width, i % image.width) && table.parent(i) == i) is_component[i] = 1;
}

__global__ void vote_by_labels(device_image image, const u32* labels, voter<false> votes) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (!is_pixel(image, i) || labels[i] == 0) return;
  const u32 y = i / image.width, x = i % image.width;
  votes.cast(labels[i] - 1, vote_of(y, x, x + 1));
}

__global__ void write_all_rows(feature_arrays features, u64 slots, geometry* rows) {
  const u64 slot = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (slot < slots) rows[slot] = features.row(static_cast<u32>(slot));
}

}  // namespace

device_answer naive(const device_task& work) {
  const device_image& image = work.image;
  const u64 pixels = image.size();
  const u32 blocks = blocks_of(pixels, usual_threads);
  const label_table table{work.memory.take<u32>(pixels, "the equivalences")};
  feature_arrays features;
  vote_counts counts;
  device_answer answer{.label_slots = pixels};
  if (work.features) {
    features = feature_arrays::in(work.memory, pixels);
    counts = counts_of(work, answer, pixels);
    answer_with(answer, features, pixels, work.stream);
  }
  work.phase("initialise", [&] { initialise<<<blocks, usual_threads, 0, work.stream>>>(image, table); });
  work.phase("merge", [&] { merge_pixels<<<blocks, usual_threads, 0, work.stream>>>(image, table, work.connectivity == 8); });
  work.phase("transitive closure", [&] { close_pixels<<<blocks, usual_threads, 0, work.stream>>>(image, table, features); });
  if (work.features)
    work.phase("features", [&] {
      if (work.counting)
        vote_by_pixels<true><<<blocks, usual_threads, 0, work.stream>>>(image, table, {features, counts});
      else vote_by_pixels<false><<<blocks, usual_threads, 0, work.stream>>>(image, table, {features, {}});
    });
  if (work.labels != nullptr)
    work.phase("relabelling", [&] { relabel<<<blocks, usual_threads, 0, work.stream>>>(image, table, work.labels); });
  answer.mark = [=, stream = work.stream](u32* is_component) {
    mark_roots<<<blocks, usual_threads, 0, stream>>>(image, table, is_component);
  };
  return answer;
}

void vote_on_labels(const device_task& work, const u32* labels, u64 components, geometry* rows) {
  const feature_arrays features = feature_arrays::in(work.memory, components);
  work.phase("votes of pixels", [&] {
    if (components == 0) return;
    clear_slots<><<<blocks_of(components, usual_threads), usual_threads, 0, work.stream>>>(features, components);
    vote_by_labels<<<blocks_of(work.image.size(), usual_threads), usual_threads, 0, work.stream>>>(work.image, labels,
                                                                                       {features, {}});
    write_all_rows<<<blocks_of(components, usual_threads), usual_threads, 0, work.stream>>>(features, components, rows);
  });
}

}  // namespace skerry::published

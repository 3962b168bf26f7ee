// SPDX-License-Identifier: Apache-2.0
// Six phases, of which the last four are repeated by the host until nothing is left to be linked.
//
//   Init        each pixel of an object gets its own index, others the background's value
//   Scan        each pixel takes the least label of its neighbours before it
//   Analysis    each pixel takes its representative label: the one that is its own
//   Link        where neighbours have lower representatives, the representative takes the lowest by atomicMin
//   Label       each pixel takes its representative label again
//   Rescan      a flag is set where neighbours still differ
//
// Method  [Jung2010], for N4 and N8
#include "published/cuda/equivalences.cuh"
#include "published/cuda/methods.hpp"

namespace skerry::published {
namespace {

constexpr u32 threads = 256;
constexpr u32 background = ~0u;

// A pixel, its neighbours, and their labels.
struct pixel_site {
  const device_image& image;
  const device_words labels;
  u32 i;
  i64 y, x;

  // background where there is no pixel of an object.
  __device__ u32 label(i64 dy, i64 dx) const {
    if (!image.at(y + dy, x + dx)) return background;
    return labels.load(static_cast<u64>(i64{i} + dy * image.width + dx));
  }
};

template <class Work>
__device__ void each_object_pixel(const device_image& image, u32* labels, Work work) {
  const u32 i = blockIdx.x * threads + threadIdx.x;
  if (i >= image.size()) return;
  const pixel_site site{image, {labels}, i, i / image.width, i % image.width};
  if (image.at(site.y, site.x)) work(site);
}

__global__ void init(device_image image, u32* labels) {
  const u32 i = blockIdx.x * threads + threadIdx.x;
  if (i < image.size()) labels[i] = image.at(i / image.width, i % image.width) ? i : background;
}

// Indices of neighbours are their labels of Init: read from the image, so that no thread sees what another has written.
__global__ void scan(device_image image, u32* labels, bool diagonal) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    u32 least = at.i;
    const auto look = [&](i64 dy, i64 dx) {
      if (image.at(at.y + dy, at.x + dx)) least = min(least, static_cast<u32>(i64{at.i} + dy * image.width + dx));
    };
    look(-1, 0);
    look(0, -1);
    if (diagonal) {
      look(-1, -1);
      look(-1, 1);
    }
    labels[at.i] = least;
  });
}

__global__ void find_representatives(device_image image, u32* labels) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    const label_table table{labels};
    table.set(at.i, table.close(at.i));
  });
}

__global__ void link(device_image image, u32* labels, bool diagonal) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    const u32 own = at.label(0, 0);
    u32 lowest = min(at.label(0, -1), at.label(0, 1));
    if (diagonal) lowest = min(lowest, min(at.label(-1, 1), at.label(1, -1)));
    if (lowest < own) atomicMin(labels + own, lowest);
  });
}

// Neighbours that follow a pixel see it from their side.
__global__ void rescan(device_image image, u32* labels, bool diagonal, u32* is_incomplete) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    const u32 own = at.label(0, 0);
    const auto differs = [&](i64 dy, i64 dx) {
      const u32 other = at.label(dy, dx);
      return other != background && other != own;
    };
    bool any = differs(-1, 0) || differs(0, -1);
    if (diagonal) any = any || differs(-1, -1) || differs(-1, 1);
    if (any) device_words{is_incomplete}.store(0, 1);
  });
}

// The label of the background is 0 here.
__global__ void shift(u32* labels, u64 pixels) {
  const u64 i = u64{blockIdx.x} * threads + threadIdx.x;
  if (i < pixels) labels[i] = labels[i] == background ? 0 : labels[i] + 1;
}

}  // namespace

device_answer jung(const device_task& work) {
  const device_image& image = work.image;
  const u32 blocks = blocks_of(image.size(), threads);
  const cudaStream_t stream = work.stream;
  const bool diagonal = work.connectivity == 8;
  u32* const labels = work.labels;
  u32* const flag = work.memory.take<u32>(1, "the flag");
  device_answer answer{.label_slots = image.size()};
  work.phase("Init", [&] { init<<<blocks, threads, 0, stream>>>(image, labels); });
  work.phase("Scan", [&] { scan<<<blocks, threads, 0, stream>>>(image, labels, diagonal); });
  for (u32 is_incomplete = 1; is_incomplete != 0; ++answer.iterations) {
    work.phase("Analysis", [&] { find_representatives<<<blocks, threads, 0, stream>>>(image, labels); });
    work.phase("Link", [&] { link<<<blocks, threads, 0, stream>>>(image, labels, diagonal); });
    work.phase("Label", [&] { find_representatives<<<blocks, threads, 0, stream>>>(image, labels); });
    work.phase("Rescan", [&] {
      check_cuda(cudaMemsetAsync(flag, 0, sizeof(u32), stream), "Rescan");
      rescan<<<blocks, threads, 0, stream>>>(image, labels, diagonal, flag);
      check_cuda(cudaMemcpyAsync(&is_incomplete, flag, sizeof(u32), cudaMemcpyDeviceToHost, stream), "Rescan");
    });
    check_cuda(cudaStreamSynchronize(stream), "Rescan");
  }
  work.phase("shift", [&] { shift<<<blocks, threads, 0, stream>>>(labels, image.size()); });
  return answer;
}

}  // namespace skerry::published

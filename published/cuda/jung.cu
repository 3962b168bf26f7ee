// SPDX-License-Identifier: Apache-2.0
// Six phases, of which the last four are repeated by the host until nothing is left to be linked.
//
//   Init        each pixel of an object gets its own label, its index and 1, others that of the background, 0
//   Scan        each pixel takes the least label of its neighbours before it
//   Analysis    each pixel takes its representative label: the one that is its own
//   Link        where neighbours have lower representatives, the representative takes the lowest by atomicMin
//   Label       each pixel takes its representative label again
//   Rescan      a flag of the host is set where neighbours still differ
//
// Method  [Jung2010], for N4 and N8
#include "published/cuda/equivalences.cuh"
#include "published/cuda/methods.hpp"

namespace skerry::published {
namespace {

constexpr u32 background = 0, no_label = ~0u;

// A pixel, its neighbours, and their labels.
struct pixel_site {
  const device_image& image;
  const device_words labels;
  u32 i;
  i64 y, x;

  // no_label where there is no pixel of an object.
  __device__ u32 label(i64 dy, i64 dx) const {
    if (!image.at(y + dy, x + dx)) return no_label;
    return labels.load(static_cast<u64>(i64{i} + dy * image.width + dx));
  }
};

template <class Work>
__device__ void each_object_pixel(const device_image& image, u32* labels, Work work) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (i >= image.size()) return;
  const pixel_site site{image, {labels}, i, i / image.width, i % image.width};
  if (image.at(site.y, site.x)) work(site);
}

__global__ void init(device_image image, u32* labels) {
  const u32 i = blockIdx.x * usual_threads + threadIdx.x;
  if (i < image.size()) labels[i] = image.at(i / image.width, i % image.width) ? i + 1 : background;
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
    labels[at.i] = least + 1;
  });
}

__global__ void find_representatives(device_image image, u32* labels) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    const label_table table{labels - 1};  // label 1 is that of the first pixel
    table.set(at.i + 1, table.close(at.i + 1));
  });
}

__global__ void link(device_image image, u32* labels, bool diagonal) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    const u32 own = at.label(0, 0);
    u32 lowest = min(at.label(0, -1), at.label(0, 1));
    if (diagonal) lowest = min(lowest, min(at.label(-1, 1), at.label(1, -1)));
    if (lowest < own) atomicMin(labels + own - 1, lowest);
  });
}

// Where the host hears of an iteration: its number in pinned memory, written by the first who comes.
struct iteration_flag {
  u32 *on_device, *on_host;

  __device__ void raise(u32 iteration) const {
    if (device_words{on_device}.load(0) == iteration || atomicExch(on_device, iteration) == iteration) return;
    *on_host = iteration;
  }
};

// Neighbours that follow a pixel see it from their side.
__global__ void rescan(device_image image, u32* labels, bool diagonal, iteration_flag flag, u32 iteration) {
  each_object_pixel(image, labels, [&](const pixel_site& at) {
    const u32 own = at.label(0, 0);
    const auto differs = [&](i64 dy, i64 dx) {
      const u32 other = at.label(dy, dx);
      return other != no_label && other != own;
    };
    bool any = differs(-1, 0) || differs(0, -1);
    if (diagonal) any = any || differs(-1, -1) || differs(-1, 1);
    if (any) flag.raise(iteration);
  });
}

}  // namespace

device_answer jung(const device_task& work) {
  const device_image& image = work.image;
  const u32 blocks = blocks_of(image.size(), usual_threads);
  const cudaStream_t stream = work.stream;
  const bool diagonal = work.connectivity == 8;
  u32* const labels = work.labels;
  work.memory.host.reserve(sizeof(u32), "the flag");
  const iteration_flag flag{work.memory.take<u32>(1, "the flag"), static_cast<u32*>(work.memory.host.data())};
  *flag.on_host = 0;
  device_answer answer{.label_slots = image.size()};
  work.phase("Init", [&] {
    check_cuda(cudaMemsetAsync(flag.on_device, 0, sizeof(u32), stream), "Init");
    init<<<blocks, usual_threads, 0, stream>>>(image, labels);
  });
  work.phase("Scan", [&] { scan<<<blocks, usual_threads, 0, stream>>>(image, labels, diagonal); });
  do {
    const u32 iteration = ++answer.iterations;
    work.phase("Analysis", [&] { find_representatives<<<blocks, usual_threads, 0, stream>>>(image, labels); });
    work.phase("Link", [&] { link<<<blocks, usual_threads, 0, stream>>>(image, labels, diagonal); });
    work.phase("Label", [&] { find_representatives<<<blocks, usual_threads, 0, stream>>>(image, labels); });
    work.phase("Rescan",
               [&] { rescan<<<blocks, usual_threads, 0, stream>>>(image, labels, diagonal, flag, iteration); });
    check_cuda(cudaStreamSynchronize(stream), "Rescan");
  } while (*static_cast<volatile u32*>(flag.on_host) == answer.iterations);
  return answer;
}

}  // namespace skerry::published

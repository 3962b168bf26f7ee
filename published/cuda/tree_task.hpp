// SPDX-License-Identifier: Apache-2.0
// What a published method of max-trees on CUDA gets, and what it gives: an image of parents in device memory. A method is
// one function that enqueues its work, in named phases, and waits for nothing.
#pragma once
#include "published/cuda/device_task.hpp"
#include "published/tree_nodes.hpp"

namespace skerry::published {

struct device_tree_task {
  const u8* levels = nullptr;  // the image, dense, with pixels
  u32 width = 0, height = 0;
  u32* parents = nullptr;  // out, by raster index: what number_nodes() reads
  cudaStream_t stream = nullptr;
  device_arena& memory;
  phase_marks* marks = nullptr;

  template <class Work>
  void phase(const char* name, Work work) const {
    run_phase(marks, stream, name, work);
  }
};

// Besides the parents.
struct device_tree_answer {
  const u32* border_nodes = nullptr;  // of each column of tiles; of a method that has border max-trees
  u32 columns = 0;
  u64 tiles = 0;
};

using device_tree_function = device_tree_answer (*)(const device_tree_task&);

device_tree_answer blin(const device_tree_task& work);
device_tree_answer blin_border(const device_tree_task& work);

/// The method of this name; null when there is none on CUDA.
[[nodiscard]] device_tree_function find_device_tree_method(std::string_view name);

}  // namespace skerry::published

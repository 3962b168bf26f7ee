// SPDX-License-Identifier: Apache-2.0
// The steps of a slab on its device. A plan labels the slab alone; its scratch then holds what these steps read.
#pragma once
#include <cuda_runtime_api.h>

#include "label/slabs/number.hpp"
#include "skerry/cuda.hpp"

namespace skerry::label_stages::on_device {

/// A slab that a plan has labelled, without a label image; one_kernel is false. `scratch` is still as the plan left it.
struct solved_slab {
  cuda::label_job work;
  void* scratch;
  cudaStream_t stream;
  bool kept = false;  // until the second pass
};

/// Writes the labels of the first or the last layer, of the slab alone.
void publish_layer(const solved_slab& slab, bool last, u32* labels);

/// Short rows of all components that the plan has rows of; all in device memory.
struct shortened_rows {
  u64* words;      // room for as many as there is for rows
  geometry* list;  // the same
  u64* listed;     // how many are in the list
};

void shorten_rows(const solved_slab& slab, const shortened_rows& to);

/// Two successive layers of slabs, by their labels in their slabs.
struct layer_pair {
  const u32 *before, *here;
  extent size;  // of the slab
  int connectivity;
};

/// Where pairs go, in any order: the first of them to pinned memory of the host, which needs no copy after the kernel.
struct found_pairs {
  u64* count;                    // pinned: how many there are
  touching_labels *told, *more;  // pinned; in device memory, those beyond
  u64 told_capacity, capacity;   // of `told`, and in all
  u64* counters;                 // two in device memory, 0 before and after
};

/// Lists the pairs of components that touch; those beyond the capacity are counted only.
void find_pairs(const layer_pair& layers, const found_pairs& to, cudaStream_t stream);

/// Of slab_labels; all in device memory.
struct device_labels {
  const u32 *given_up, *label;
  u64* places;  // scratch, one for each
  u32 count;
  u32 base;
};

/// Makes the labels of the slab those of the image, once.
void renumber(const solved_slab& slab, const device_labels& labels);

// After renumber():

void emit_labels(const solved_slab& slab, const device_labels& given, const mutable_image& labels);
/// Runs before each unit of 128 pixels of a row, and in total_of_runs[1] all of them.
void count_runs(const solved_slab& slab, const device_labels& given, u32* runs_before, u64* total_of_runs);
void write_runs(const solved_slab& slab, const device_labels& given, const u32* runs_before, labelled_run* runs,
                u64 count);

/// Units of an image.
[[nodiscard]] u64 units_of(const extent& size);

}  // namespace skerry::label_stages::on_device

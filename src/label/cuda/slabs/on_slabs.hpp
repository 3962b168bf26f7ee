// SPDX-License-Identifier: Apache-2.0
// The blocking calls on an engine of several CUDA devices, or on images that lie in slabs.
#pragma once
#include <functional>
#include <vector>

#include "engine/engine_state.hpp"
#include "label/slabs/slab.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// What is asked of an image in slabs.
struct slab_question {
  const label_options& options;  // row-major; without joining by value, periodic axes and filled holes
  const measure_options& features;
  extent whole;
  std::vector<label_stages::slab_images> slabs;  // in order; together the whole image
  bool one_image = false;                        // they were one: refusals do not speak of slabs
};

/// Where results go, besides the label images of the slabs.
struct slab_results {
  std::vector<labelled_run>* runs = nullptr;
  feature_table* table = nullptr;
  dtype labels = dtype::u32;  // type of label images, where there are some
  bool has_labels = false;
  /// The labels of the whole image where they depend on the number of components; may be empty.
  std::function<mutable_image(u64 count)> labels_for;
};

/// Labels and measures. Each slab is labelled on the device whose memory it is in, or on any when it is in host memory.
/// Throws invalid_argument for images in memory of other devices; label_overflow; out_of_memory; device_error.
u64 run_on_slabs(engine::state& on, const slab_question& asked, const slab_results& out);

}  // namespace skerry

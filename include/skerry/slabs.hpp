// SPDX-License-Identifier: Apache-2.0
// Images in slabs: parts of one image in several memories, such as those of several GPUs, labelled as the image that they are.
#pragma once
#include <cstdint>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// What is asked of an image in slabs: successive rows of an image of rank 2, slices of one of rank 3, in order.
struct slab_request {
  std::vector<image_view> images = {};  // of one type and rank; sides but the one that is cut are equal
  label_options options = {};  // as in label(); row-major, without joining by value, periodic axes and filled holes
  bool moments = false;        // as in measure_options
  std::vector<image_view> intensities = {};  // one for each slab, of one type, or none
};

/// Where the results go; each may be left out.
struct slab_outputs {
  std::vector<mutable_image> labels = {};     // one for each slab, of one type, or none; must not overlap each other
  std::vector<labelled_run>* runs = nullptr;  // replaced; rows are those of the whole image
  feature_table* table = nullptr;             // replaced; coordinates are those of the whole image
};

/// Labels and measures an image in slabs: the bits that label() gives for the whole image in one memory.
///
///   on       engine::cuda(), of one device or of several. A slab in memory of a GPU is labelled there, with its label image
///            and intensities; one in host memory on any of the engine's devices. Devices work at the same time
///   asked    up to 2^40 pixels in all; a slab may have any number of rows or slices, and none
///   outputs  a label image may also be in host memory where its slab is on a GPU
///
/// Returns the number of components.
/// Throws as label(); invalid_argument also names the slab. Work that writes images in device memory must be complete.
/// Scratch and cost: as label() on engine::cuda() of several devices.
std::uint64_t label_slabs(engine& on, const slab_request& asked, const slab_outputs& outputs);

}  // namespace skerry

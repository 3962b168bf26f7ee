// SPDX-License-Identifier: Apache-2.0
// Images of slabs on their way to and from the device of a lane.
#pragma once
#include <string>

#include "engine/cuda/host_images.cuh"
#include "engine/image_checks.hpp"
#include "label/cuda/emit/caller_labels.cuh"
#include "label/cuda/slabs/lane.cuh"

namespace skerry::label_stages::on_device {

/// Whose memory it is: a device's number, or on_host.
inline constexpr int on_host = -1;
inline int owner_of(const void* data, int device) {
  const auto found = attributes_of(data);
  if (!found) return on_host;
  if (found->type == cudaMemoryTypeManaged) return device;
  return found->type == cudaMemoryTypeDevice ? found->device : on_host;
}

/// The image in memory of the device. A copy of what is dense elsewhere is on its way in the stream, others are waited for.
inline image_view uploaded(const image_view& image, slab_slot& slot, device_memory& copy, const char* what,
                           int device) {
  const int owner = owner_of(image.data, device);
  if (owner == device) return image;
  if (!is_dense(image) && owner == on_host) return skerry::on_device(image, slot.stream, copy, slot.packed, what);
  if (!is_dense(image))
    refuse(std::string(what) + " is in memory of GPU " + std::to_string(owner) +
           ", and not dense; make it dense, or give the engine that GPU");
  const std::size_t bytes = dense_bytes(image);
  copy.reserve(bytes, what);
  check_cuda(cudaMemcpyAsync(copy.data(), image.data, bytes, cudaMemcpyDefault, slot.stream), "upload");
  return {copy.data(), image.type, image.size};
}

/// Whether kernels of the device write these labels where they are.
inline bool is_written_directly(const mutable_image& labels, int device) {
  return owner_of(labels.data, device) == device && is_aligned(labels);
}

/// From the slot's dense copy to the caller. Copies to dense memory are on their way in the stream, others are waited for.
inline void deliver(const mutable_image& labels, slab_slot& slot, int device) {
  const int owner = owner_of(labels.data, device);
  if (is_dense(labels))
    return check_cuda(
        cudaMemcpyAsync(labels.data, slot.labels.data(), dense_bytes(labels), cudaMemcpyDefault, slot.stream), "emit");
  if (owner == device) return spread_labels(slot.labels, labels, slot.stream);
  if (owner != on_host)
    refuse("labels: are in memory of GPU " + std::to_string(owner) +
           ", and not dense; make them dense, or give the engine that GPU");
  copy_from_dense(slot.labels, labels, slot.stream, slot.packed);
}

}  // namespace skerry::label_stages::on_device

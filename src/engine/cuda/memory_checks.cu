// SPDX-License-Identifier: Apache-2.0
#include "engine/cuda/memory_checks.hpp"

#include <cstdlib>
#include <string>

#include "engine/cuda/device_memory.cuh"
#include "engine/image_checks.hpp"

namespace skerry::cuda {
namespace {

// Some machines let the device read any memory of the host.
bool reads_host_memory() {
  int device = 0, reads = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  return cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccess, device) == cudaSuccess && reads != 0;
}

bool device_reaches(const void* address) {
  const auto found = attributes_of(address);
  if (!found) return false;
  if (found->type == cudaMemoryTypeUnregistered) return reads_host_memory();
  return found->devicePointer == address;
}

}  // namespace

void check_range(const char* name, const void* begin, std::int64_t first, std::int64_t last) {
  const auto* bytes = static_cast<const char*>(begin);
  if (is_device_memory(bytes + first) != is_device_memory(bytes + last))
    refuse(std::string(name) + ": ends behind its memory");
  if (!device_reaches(bytes + first)) refuse(std::string(name) + ": is not memory that the device can use");
  if (!device_reaches(bytes + last)) refuse(std::string(name) + ": ends behind its memory");
}

void check_alignment(const char* name, const void* data, std::size_t alignment) {
  if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    refuse(std::string(name) + ": address is not at a multiple of " + std::to_string(alignment));
}

void check_pixels(const char* name, const image_view& image, access how) {
  if (image.data == nullptr || image.size.pixels() == 0) return;
  const auto pixel = static_cast<std::int64_t>(size_of(image.type));
  const std::int64_t width = image.type == dtype::bit ? (image.size.width + 7) / 8 : image.size.width;
  const std::int64_t counts[] = {image.size.depth, image.size.height, width};
  const std::int64_t steps[] = {image.strides.z, image.strides.y, image.type == dtype::bit ? 1 : image.strides.x};
  std::int64_t first = 0, last = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (how == access::written && counts[axis] > 1 && steps[axis] % pixel != 0)
      refuse(std::string(name) + ": strides are not multiples of a pixel's " + std::to_string(pixel) + " bytes");
    (steps[axis] < 0 ? first : last) += (counts[axis] - 1) * steps[axis];
  }
  if (how == access::written) check_alignment(name, image.data, static_cast<std::size_t>(pixel));
  check_range(name, image.data, first, last + (pixel > 1 ? pixel - 1 : 0));
}

}  // namespace skerry::cuda

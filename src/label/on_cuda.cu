// SPDX-License-Identifier: Apache-2.0
#include "label/on_cuda.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "engine/cuda/device_memory.cuh"
#include "label/check.hpp"
#include "skerry/cuda.hpp"

namespace skerry {
namespace {

// What the CUDA engine keeps from call to call.
struct cuda_scratch final : job_scratch {
  cuda_stream stream;
  device_memory image, labels, rows, work, offsets;
  std::uint64_t row_capacity = 1 << 16;

  [[nodiscard]] std::size_t bytes() const override {
    return image.bytes() + labels.bytes() + rows.bytes() + work.bytes() + offsets.bytes();
  }
};

cuda_scratch& scratch_in(std::unique_ptr<job_scratch>& slot) {
  if (slot == nullptr) slot = std::make_unique<cuda_scratch>();
  return static_cast<cuda_scratch&>(*slot);
}

std::int64_t row_bytes(dtype type, const extent& size) { return dense_strides(type, size).y; }

// Calls copy(row in the image, row in dense memory) for each row.
template <class Image, class Copy>
void each_row(const Image& image, std::byte* dense, Copy copy) {
  for (std::int64_t z = 0; z < image.size.depth; ++z)
    for (std::int64_t y = 0; y < image.size.height; ++y)
      copy(static_cast<char*>(const_cast<void*>(static_cast<const void*>(image.data))) + z * image.strides.z +
               y * image.strides.y,
           reinterpret_cast<char*>(dense) + (z * image.size.height + y) * row_bytes(image.type, image.size));
}

template <class Image>
bool is_dense(const Image& image) {
  const byte_strides dense = dense_strides(image.type, image.size);
  return (image.type == dtype::bit || image.strides.x == dense.x) && image.strides.y == dense.y &&
         (image.strides.z == dense.z || image.size.depth == 1);
}

// The image in device memory; a copy if it is on the host.
image_view on_device(const image_view& image, cuda_scratch& scratch) {
  if (is_device_memory(image.data)) return image;
  const auto bytes = static_cast<std::size_t>(row_bytes(image.type, image.size) * image.size.rows());
  scratch.image.reserve(bytes, "the image");
  std::vector<std::byte> packed;
  const void* source = image.data;
  if (!is_dense(image)) {
    packed.resize(bytes);
    const auto pixel = static_cast<std::int64_t>(size_of(image.type));
    each_row(image, packed.data(), [&](const char* from, char* to) {
      if (image.type == dtype::bit) std::memcpy(to, from, static_cast<std::size_t>(row_bytes(image.type, image.size)));
      else
        for (std::int64_t x = 0; x < image.size.width; ++x)
          std::memcpy(to + x * pixel, from + x * image.strides.x, static_cast<std::size_t>(pixel));
    });
    source = packed.data();
  }
  check_cuda(cudaMemcpyAsync(scratch.image.data(), source, bytes, cudaMemcpyHostToDevice, scratch.stream), "upload");
  check_cuda(cudaStreamSynchronize(scratch.stream), "upload");  // `packed` goes
  return {scratch.image.data(), image.type, image.size};
}

void copy_labels(const cuda_scratch& scratch, const mutable_image& labels) {
  const auto bytes = static_cast<std::size_t>(row_bytes(labels.type, labels.size) * labels.size.rows());
  if (is_dense(labels)) {
    check_cuda(cudaMemcpyAsync(labels.data, scratch.labels.data(), bytes, cudaMemcpyDefault, scratch.stream), "emit");
    check_cuda(cudaStreamSynchronize(scratch.stream), "emit");
    return;
  }
  std::vector<std::byte> dense(bytes);
  check_cuda(cudaMemcpyAsync(dense.data(), scratch.labels.data(), bytes, cudaMemcpyDeviceToHost, scratch.stream),
             "emit");
  check_cuda(cudaStreamSynchronize(scratch.stream), "emit");
  const auto pixel = static_cast<std::int64_t>(size_of(labels.type));
  each_row(labels, dense.data(), [&](char* to, const char* from) {
    for (std::int64_t x = 0; x < labels.size.width; ++x)
      std::memcpy(to + x * labels.strides.x, from + x * pixel, static_cast<std::size_t>(pixel));
  });
}

// Enqueues the job and waits for the number of components.
std::uint64_t run(const cuda::job& work, cuda_scratch& scratch) {
  const std::size_t bytes = cuda::scratch_bytes(work);
  scratch.work.reserve(bytes, "scratch");
  cuda::enqueue(work, scratch.work.data(), bytes, scratch.stream);
  std::uint64_t offsets[2] = {};
  check_cuda(cudaMemcpyAsync(offsets, work.offsets, sizeof offsets, cudaMemcpyDeviceToHost, scratch.stream), "resolve");
  check_cuda(cudaStreamSynchronize(scratch.stream), "resolve");
  return offsets[1];
}

void copy_rows(std::uint64_t count, cuda_scratch& scratch, feature_table& table) {
  table.components.resize(count);
  table.moments.clear();
  table.intensities.clear();
  table.sum_exponent = table.square_exponent = 0;
  check_cuda(cudaMemcpyAsync(table.components.data(), scratch.rows.data(), count * sizeof(geometry),
                             cudaMemcpyDeviceToHost, scratch.stream),
             "measure");
  check_cuda(cudaStreamSynchronize(scratch.stream), "measure");
}

}  // namespace

std::uint64_t run_on_cuda(std::unique_ptr<job_scratch>& slot, int device, const image_view& image,
                          const label_options& options, const mutable_image& labels, feature_table* table) {
  const current_device here(device);
  cuda_scratch& scratch = scratch_in(slot);
  scratch.offsets.reserve(2 * sizeof(std::uint64_t), "the count");
  cuda::job work;
  work.image = on_device(image, scratch);
  work.connectivity = options.connectivity;
  work.foreground = options.foreground;
  work.offsets = static_cast<std::uint64_t*>(scratch.offsets.data());
  // Labels go to the caller directly when they cannot overflow there, and over a dense copy otherwise.
  const bool direct = labels.data != nullptr && is_device_memory(labels.data) && size_of(labels.type) >= 4;
  if (direct) {
    work.labels = labels;
  } else if (labels.data != nullptr) {
    scratch.labels.reserve(static_cast<std::size_t>(row_bytes(labels.type, labels.size) * labels.size.rows()),
                           "the labels");
    work.labels = {scratch.labels.data(), labels.type, labels.size};
  }
  const auto make_rows = [&](std::uint64_t capacity) {
    scratch.row_capacity = std::max(scratch.row_capacity, capacity);
    scratch.rows.reserve(scratch.row_capacity * sizeof(geometry), "the table");
    work.rows = static_cast<geometry*>(scratch.rows.data());
    work.row_capacity = scratch.row_capacity;
  };
  if (table != nullptr) make_rows(0);
  std::uint64_t count = run(work, scratch);
  if (table != nullptr && count > work.row_capacity) {  // now the number is known
    make_rows(count);
    count = run(work, scratch);
  }
  if (labels.data != nullptr) check_count(count, labels.type);
  if (labels.data != nullptr && !direct) copy_labels(scratch, labels);
  if (table != nullptr) copy_rows(count, scratch, *table);
  return count;
}

}  // namespace skerry

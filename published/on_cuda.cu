// SPDX-License-Identifier: Apache-2.0
// The way from a caller's image to a published method on CUDA and back: what published.cpp is on the CPU.
#include "published/on_cuda.hpp"

#include <cstring>
#include <optional>

#include "core/pixel_range.hpp"
#include "label/check.hpp"
#include "published/binary.hpp"
#include "published/cuda/canonical.hpp"
#include "published/device_room.hpp"
#include "published/label_image.hpp"

namespace skerry::published {
namespace {

// ---- the caller's image ---------------------------------------------------------------------------------------------

// Where pixels of an image in device memory are.
struct placed_pixels {
  const std::byte* data;
  i64 stride_y, stride_x;
  u32 width;
  u64 pixels;
};

template <class Pixel>
__global__ void write_binary(placed_pixels from, pixel_range<Pixel> range, u8* out) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i >= from.pixels) return;
  const std::byte* const at =
      from.data + static_cast<i64>(i / from.width) * from.stride_y + static_cast<i64>(i % from.width) * from.stride_x;
  Pixel value;
  memcpy(&value, at, sizeof value);
  out[i] = range.holds(value) ? 1 : 0;
}

// Pixels that can only be 0 or 1.
__global__ void write_truth(placed_pixels from, bool is_bits, truth_rule truth, u8* out) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i >= from.pixels) return;
  const std::byte* const row = from.data + static_cast<i64>(i / from.width) * from.stride_y;
  const u32 x = static_cast<u32>(i % from.width);
  const u32 byte = static_cast<u32>(is_bits ? row[x / 8] : row[x * from.stride_x]);
  const bool is_one = (is_bits ? byte >> x % 8 & 1 : byte) != 0;
  out[i] = (is_one ? truth.one : truth.zero) ? 1 : 0;
}

void make_binary(const image_view& image, const foreground& rule, u8* out, cudaStream_t stream) {
  const placed_pixels from{static_cast<const std::byte*>(image.data), image.strides.y, image.strides.x,
                           static_cast<u32>(image.size.width), static_cast<u64>(image.size.pixels())};
  const u32 blocks = blocks_of(from.pixels, usual_threads);
  const auto by_range = [&](auto pixel) {
    using Pixel = decltype(pixel);
    write_binary<Pixel><<<blocks, usual_threads, 0, stream>>>(from, range_of<Pixel>(rule), out);
  };
  switch (image.type) {
    case dtype::bit:
    case dtype::boolean:
      write_truth<<<blocks, usual_threads, 0, stream>>>(from, image.type == dtype::bit, truth_rule::of(rule), out);
      break;
    case dtype::u8: by_range(u8{}); break;
    case dtype::u16: by_range(u16{}); break;
    case dtype::u32: by_range(u32{}); break;
    case dtype::u64: by_range(u64{}); break;
    case dtype::i8: by_range(std::int8_t{}); break;
    case dtype::i16: by_range(std::int16_t{}); break;
    case dtype::i32: by_range(i32{}); break;
    case dtype::i64: by_range(i64{}); break;
    case dtype::f16: by_range(f16{}); break;
    case dtype::f32: by_range(float{}); break;
    case dtype::f64: by_range(double{}); break;
  }
}

void upload(const binary_rows& image, u8* to, cudaStream_t stream) {
  const auto width = static_cast<std::size_t>(image.width);
  check_cuda(cudaMemcpy2DAsync(to, width, image.data, static_cast<std::size_t>(image.row_bytes), width,
                               static_cast<std::size_t>(image.height), cudaMemcpyHostToDevice, stream),
             "upload");
  check_cuda(cudaStreamSynchronize(stream), "upload");
}

image_view plane_of(image_view image, i64 z) {
  image.data = static_cast<const std::byte*>(image.data) + z * image.strides.z;
  image.size = extent(image.size.height, image.size.width);
  return image;
}
mutable_image plane_of(mutable_image image, i64 z) {
  image.data = static_cast<std::byte*>(image.data) + z * image.strides.z;
  image.size = extent(image.size.height, image.size.width);
  return image;
}

// A volume, always a copy: planes follow each other.
device_image volume_on_device(engine::state& on, const image_view& image, const foreground& rule, device_room& room) {
  const i64 plane = image.size.height * image.size.width;
  room.image.reserve(static_cast<std::size_t>(image.size.pixels()), "the image");
  auto* const pixels = static_cast<u8*>(room.image.data());
  for (i64 z = 0; z < image.size.depth; ++z) {
    const image_view from = plane_of(image, z);
    if (is_device_memory(image.data)) {
      make_binary(from, rule, pixels + z * plane, room.stream);
      check_cuda(cudaGetLastError(), "threshold");
    } else {
      binary_rows rows;
      on.clock.phase("threshold", [&] { rows = binary_of(from, rule, room.binary); });
      upload(rows, pixels + z * plane, room.stream);
    }
  }
  return {pixels, image.size.width, static_cast<u32>(image.size.width), static_cast<u32>(image.size.rows())};
}

// The image of the papers in device memory: the caller's own, or a copy.
device_image binary_on_device(engine::state& on, const image_view& image, const foreground& rule, device_room& room,
                              phase_marks* marks) {
  if (image.size.rank == 3) return volume_on_device(on, image, rule, room);
  const bool binary = is_binary(image, rule);
  device_image result{nullptr, image.size.width, static_cast<u32>(image.size.width),
                      static_cast<u32>(image.size.height)};
  if (is_device_memory(image.data) && binary) {
    result.pixels = static_cast<const u8*>(image.data);
    result.row_bytes = image.strides.y;
    return result;
  }
  room.image.reserve(static_cast<std::size_t>(image.size.pixels()), "the image");
  auto* const pixels = static_cast<u8*>(room.image.data());
  result.pixels = pixels;
  if (is_device_memory(image.data)) {
    if (marks != nullptr) marks->begin("threshold", room.stream);
    make_binary(image, rule, pixels, room.stream);
    check_cuda(cudaGetLastError(), "threshold");
    if (marks != nullptr) marks->end(room.stream);
  } else if (binary && image.strides.y >= image.size.width) {
    upload(rows_of(image), pixels, room.stream);
  } else {
    binary_rows rows;
    on.clock.phase("threshold", [&] { rows = binary_of(image, rule, room.binary); });
    upload(rows, pixels, room.stream);
  }
  return result;
}

// ---- the caller's label image ---------------------------------------------------------------------------------------

__global__ void write_labels(const u32* labels, u32 width, u64 pixels, std::byte* out, i64 stride_y, i64 stride_x,
                             u32 bytes) {
  const u64 i = u64{blockIdx.x} * usual_threads + threadIdx.x;
  if (i >= pixels) return;
  std::byte* const at = out + static_cast<i64>(i / width) * stride_y + static_cast<i64>(i % width) * stride_x;
  const u64 label = labels[i];
  for (u32 k = 0; k < bytes; ++k) at[k] = static_cast<std::byte>(label >> 8 * k);
}

// Labels of the device, dense, as rows in host memory.
label_rows download_labels(const u32* labels, const extent& size, device_room& room) {
  const auto pixels = static_cast<std::size_t>(size.pixels());
  room.host_labels.reserve(pixels);
  check_cuda(
      cudaMemcpyAsync(room.host_labels.data(), labels, pixels * sizeof(u32), cudaMemcpyDeviceToHost, room.stream),
      "copy");
  check_cuda(cudaStreamSynchronize(room.stream), "copy");
  return {reinterpret_cast<std::byte*>(room.host_labels.data()), size.width * static_cast<i64>(sizeof(u32))};
}

void give_labels(engine::state& on, const u32* labels, const extent& size, const label_outputs& out, device_room& room) {
  const bool is_on_device = out.labels.data != nullptr && is_device_memory(out.labels.data);
  const i64 plane = size.height * size.width;
  if (is_on_device) {
    for (i64 z = 0; z < size.depth; ++z) {
      const mutable_image to = plane_of(out.labels, z);
      write_labels<<<blocks_of(static_cast<u64>(plane), usual_threads), usual_threads, 0, room.stream>>>(
          labels + z * plane, static_cast<u32>(size.width), static_cast<u64>(plane), static_cast<std::byte*>(to.data),
          to.strides.y, to.strides.x, static_cast<u32>(size_of(to.type)));
      check_cuda(cudaGetLastError(), "copy");
    }
    check_cuda(cudaStreamSynchronize(room.stream), "copy");
  }
  const bool copies = out.labels.data != nullptr && !is_on_device;
  if (!copies && out.runs == nullptr) return;
  const label_rows rows = download_labels(labels, size, room);
  if (copies)
    on.clock.phase("copy", [&] {
      for (i64 z = 0; z < size.depth; ++z)
        copy_labels({rows.data + z * size.height * rows.row_bytes, rows.row_bytes}, plane_of(out.labels, z));
    });
  if (out.runs != nullptr)
    on.clock.phase("runs", [&] { list_runs(rows, extent(size.rows(), size.width), *out.runs); });
}

// ---- the table ------------------------------------------------------------------------------------------------------

// Rows of a method that measures by itself, of one that fetches them, or votes on the labels of one that only labels.
u64 give_rows(const device_task& work, const device_answer& answer, const u32* labels, u64 components,
              table_rows<geometry>& rows) {
  if (answer.fetch) {
    answer.fetch(rows);
    return rows.size();
  }
  geometry* on_device = nullptr;
  if (answer.write_rows) {
    on_device = number_rows(work, answer, components);
  } else {
    on_device = work.memory.take<geometry>(components, "the table");
    vote_on_labels(work, labels, components, on_device);
  }
  rows.clear();
  rows.resize(components);
  if (components != 0)
    check_cuda(
        cudaMemcpyAsync(rows.data(), on_device, components * sizeof(geometry), cudaMemcpyDeviceToHost, work.stream),
        "features");
  check_cuda(cudaStreamSynchronize(work.stream), "features");
  return components;
}

}  // namespace

u64 run_on_cuda(engine::state& on, std::string_view by, const label_request& asked, const label_outputs& out,
                const method_options& how) {
  const image_view& image = asked.image;
  const current_device here(on.device);
  device_room& room = room_of(on);
  const device_method method = find_device_method(by);
  std::optional<phase_marks> marks;
  if (on.clock.on()) marks.emplace();
  phase_marks* const marked = marks ? &*marks : nullptr;
  room.of_method.begin();
  device_task work{.image = binary_on_device(on, image, asked.options.foreground, room, marked),
                   .connectivity = asked.options.connectivity,
                   .planes = static_cast<u32>(image.size.depth),
                   .stream = room.stream,
                   .memory = room.of_method,
                   .marks = marked,
                   .first_copy = how.first_copy};
  if (out.labels.data != nullptr || out.runs != nullptr || !method.has_features) {
    room.labels.reserve(static_cast<std::size_t>(image.size.pixels()) * sizeof(u32), "the labels");
    work.labels = static_cast<u32*>(room.labels.data());
  }
  work.features = method.has_features && (out.table != nullptr || work.labels == nullptr);

  const device_answer answer = method.solve(work);
  u64 count = 0;
  if (work.labels != nullptr) count = number_labels(work, answer, work.labels);
  table_rows<geometry> uncounted;
  if (out.table != nullptr) count = give_rows(work, answer, work.labels, count, out.table->components);
  else if (work.labels == nullptr) count = give_rows(work, answer, nullptr, 0, uncounted);
  if (marks)
    for (const phase_time& phase : marks->times()) on.clock.add_phase(phase);
  if (out.labels.data != nullptr) check_count(count, out.labels.type);
  if (work.labels != nullptr) give_labels(on, work.labels, image.size, out, room);
  return count;
}

}  // namespace skerry::published

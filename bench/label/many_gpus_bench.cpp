// SPDX-License-Identifier: Apache-2.0
// Several GPUs of a host as one engine, beside one of them: labels of images in their memory, tables of images in pinned host
// memory. Every output is checked: tables against the CPU engine, labels against one GPU.
//
//   skerry_many_gpus [--side 65536] [--devices 2] [--volume 2048] [--repetitions 7] [--granularity 1 (of planes; or all)]
//   skerry_many_gpus --side 0 --volume 4096 --repetitions 3    pins 64 GiB; the CPU engine takes 20 GiB more for a while
//
// --side 0 leaves planes out, --volume 0 volumes. --devices 0 names device 0 twice: it shows that all is in order where there is one device, and no speed.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/streaming_stores.hpp"
#include "data/random_image.hpp"
#include "skerry/skerry.hpp"
#include "skerry/slabs.hpp"
#include "support/cuda_compare.hpp"
#include "support/cuda_floor.hpp"
#include "support/cuda_memory.hpp"
#include "support/repetitions.hpp"

namespace skerry::bench {
namespace {

struct choice {
  std::int64_t side = 65536, volume = 2048;
  std::vector<int> devices = {0, 1};
  int repetitions = 7, granularity = 0;  // 0: all
};

double milliseconds(int repetitions, const std::function<void()>& call) {
  std::vector<double> times;
  for (int k = 0; k < repetitions + 2; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
    if (k >= 2) times.push_back(spent.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Before what takes long and is not measured.
void tell(const char* next) {
  static const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
  std::fprintf(stderr, "%.1f s: %s\n", since.count(), next);
}

void on_device(int device) { require(cudaSetDevice(device), "cudaSetDevice"); }

void require_same(const std::string& what, bool same) {
  if (!same) throw std::runtime_error(what + ": not the right answer");
}

// ---- floors ---------------------------------------------------------------------------------------

// Copies of an image as the engine could make them: each device its part, all at the same time.
class pixel_copies {
 public:
  pixel_copies(const std::vector<int>& devices, const std::uint8_t* image, std::size_t bytes)
      : devices_(devices), image_(image), part_(bytes / devices.size()) {
    for (const int device : devices) {
      on_device(device);
      pieces_.emplace_back(piece);
    }
  }
  void start() const {
    for (std::size_t done = 0; done < part_; done += piece)
      for (std::size_t k = 0; k < devices_.size(); ++k) {
        on_device(devices_[k]);
        require(cudaMemcpyAsync(pieces_[k].data(), image_ + k * part_ + done, std::min(piece, part_ - done),
                                cudaMemcpyHostToDevice, cudaStreamPerThread),
                "copy");
      }
  }
  void finish() const {
    for (const int device : devices_) {
      on_device(device);
      require(cudaStreamSynchronize(cudaStreamPerThread), "copy");
    }
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 27;
  const std::vector<int>& devices_;
  const std::uint8_t* image_;
  std::size_t part_;
  std::vector<device_buffer> pieces_;
};

double copy_milliseconds(const std::vector<int>& devices, const std::uint8_t* image, std::size_t bytes,
                         int repetitions) {
  const pixel_copies pixels(devices, image, bytes);
  return milliseconds(repetitions, [&] {
    pixels.start();
    pixels.finish();
  });
}

// The same copies, while threads of the host write as many bytes as the table has, past the caches: what no engine can do without.
// And the writing alone, with no copies beside it.
struct table_floor {
  double all = 0, writing = 0;  // milliseconds
};

void write_by_threads(std::size_t threads, std::uint64_t* to, std::size_t lines) {
  std::vector<std::thread> writers;
  for (std::size_t k = 0; k < threads; ++k)
    writers.emplace_back([=] {
      alignas(64) const std::uint64_t line[streamed_words] = {};
      for (std::size_t i = lines * k / threads; i < lines * (k + 1) / threads; ++i)
        stream_line(line, to + i * streamed_words);
      finish_streaming();
    });
  for (std::thread& writer : writers) writer.join();
}

table_floor floor_of_table(const std::vector<int>& devices, const std::uint8_t* image, std::size_t bytes,
                           std::size_t table_bytes, int repetitions) {
  constexpr std::size_t line_bytes = streamed_words * sizeof(std::uint64_t);
  const pixel_copies pixels(devices, image, bytes);
  const std::size_t lines = table_bytes / line_bytes;
  const std::unique_ptr<std::uint64_t[], void (*)(void*)> table(
      static_cast<std::uint64_t*>(std::aligned_alloc(line_bytes, (lines + 1) * line_bytes)), std::free);
  const auto write = [&] { write_by_threads(8 * devices.size(), table.get(), lines); };
  table_floor spent;
  spent.writing = milliseconds(repetitions, write);
  spent.all = milliseconds(repetitions, [&] {
    pixels.start();
    write();
    pixels.finish();
  });
  return spent;
}

// What a label image would take from one device to another.
void print_peer_copy(const choice& what) {
  const std::size_t bytes = std::size_t{1} << 30;
  on_device(what.devices.front());
  const device_buffer to(bytes);
  if (what.devices.front() != what.devices.back()) {
    static_cast<void>(cudaDeviceEnablePeerAccess(what.devices.back(), 0));  // where the link has it
    cudaGetLastError();
  }
  on_device(what.devices.back());
  const device_buffer from(bytes);
  const double spent = milliseconds(what.repetitions, [&] {
    require(cudaMemcpyPeer(to.data(), what.devices.front(), from.data(), what.devices.back(), bytes), "copy");
    require(cudaDeviceSynchronize(), "copy");
  });
  std::printf("from device %d to %d: %.1f GB/s\n", what.devices.back(), what.devices.front(),
              static_cast<double>(bytes) / spent / 1e6);
}

// ---- images in device memory ----------------------------------------------------------------------

struct resident_image {
  std::vector<device_buffer> pixels, labels;
  slab_request asked;
  slab_outputs outputs;
};

resident_image resident(const std::vector<int>& devices, const std::uint8_t* image, const extent& size) {
  resident_image made;
  made.asked.options.connectivity = 8;
  const auto count = static_cast<std::int64_t>(devices.size());
  for (std::int64_t k = 0; k < count; ++k) {
    on_device(devices[static_cast<std::size_t>(k)]);
    const std::int64_t begin = size.height * k / count, rows = size.height * (k + 1) / count - begin;
    const auto pixels = static_cast<std::size_t>(rows * size.width);
    made.pixels.emplace_back(pixels);
    made.labels.emplace_back(4 * pixels);
    made.pixels.back().upload(image + begin * size.width, pixels);
    made.asked.images.emplace_back(made.pixels.back().data(), dtype::u8, extent(rows, size.width));
    made.outputs.labels.emplace_back(made.labels.back().data(), dtype::u32, extent(rows, size.width));
  }
  return made;
}

// Reads each pixel and writes its label, on one device.
double floor_milliseconds(const resident_image& image, const extent& size, int repetitions) {
  on_device(0);
  return milliseconds(repetitions, [&] {
    cuda_floors::widen(image.pixels[0].data<std::uint8_t>(), image.labels[0].data<std::uint32_t>(),
                       static_cast<std::size_t>(size.pixels()), nullptr);
    require(cudaDeviceSynchronize(), "floor");
  });
}

void require_same_labels(const std::vector<int>& devices, const resident_image& given, const resident_image& right) {
  const auto* want = right.labels[0].data<std::uint8_t>();
  for (std::size_t k = 0; k < devices.size(); ++k) {
    on_device(0);
    const std::size_t bytes = given.labels[k].bytes(), piece = std::min(bytes, std::size_t{1} << 30);
    const device_buffer copy(piece);
    for (std::size_t done = 0; done < bytes; done += piece) {
      const std::size_t now = std::min(piece, bytes - done);
      require(cudaMemcpyPeer(copy.data(), 0, given.labels[k].data<std::uint8_t>() + done, devices[k], now), "compare");
      require_same_device_items("labels", "labels", copy.data(), want + done, now / 4, 4);
    }
    want += bytes;
  }
}

void bench_resident(const choice& what, const std::uint8_t* image, const extent& size, const std::string& name) {
  on_device(0);
  resident_image whole = resident({0}, image, size), parts = resident(what.devices, image, size);
  engine one = engine::cuda(0), all = engine::cuda(what.devices);
  const label_options options{8};
  std::uint64_t count = 0, count_of_all = 0;
  const double alone = milliseconds(
      what.repetitions, [&] { count = label(one, whole.asked.images[0], options, whole.outputs.labels[0]); });
  const double together =
      milliseconds(what.repetitions, [&] { count_of_all = label_slabs(all, parts.asked, parts.outputs); });
  require_same("count", count == count_of_all);
  require_same_labels(what.devices, parts, whole);
  std::printf("%-22s%12.2f ms%12.2f ms%9.2f x%12.2f ms   %llu components, the same labels\n",
              (name + " resident, labels").c_str(), alone, together, alone / together,
              floor_milliseconds(whole, size, what.repetitions), static_cast<unsigned long long>(count));
  std::fflush(stdout);
}

// ---- images in host memory ------------------------------------------------------------------------

void bench_table(const choice& what, const std::uint8_t* image, const extent& size, const std::string& name) {
  engine cpu = engine::cpu(), plain = engine::cuda(0), one = engine::cuda(std::vector<int>{0}),
         all = engine::cuda(what.devices);
  const label_options options{size.rank == 3 ? 26 : 8};
  const image_view view(image, size);
  feature_table want, table;
  tell("the table of the CPU");
  const std::uint64_t count = measure(cpu, view, options, {}, want);
  cpu.release_scratch();
  tell("tables of the GPUs");
  const auto time = [&](engine& on) {
    const double spent = milliseconds(what.repetitions, [&] { measure(on, view, options, {}, table); });
    require_same("table", table.components == want.components);
    return spent;
  };
  const bool fits = size.pixels() < (std::int64_t{1} << 33) - 3;
  const double whole = fits ? time(plain) : 0, alone = time(one), together = time(all);
  const auto bytes = static_cast<std::size_t>(size.pixels());
  const double copy = copy_milliseconds(what.devices, image, bytes, what.repetitions);
  const double copy_of_one = copy_milliseconds({0}, image, bytes, what.repetitions);
  const std::size_t table_bytes = want.components.size() * sizeof(want.components[0]);
  const table_floor floor_of_one = floor_of_table({0}, image, bytes, table_bytes, what.repetitions),
                    floor = floor_of_table(what.devices, image, bytes, table_bytes, what.repetitions);
  std::printf(
      "%-22s%12.2f ms%12.2f ms%9.2f x%12.2f ms   %llu components, the same table; one copy, then the work: %.2f ms; "
      "copies: one %.1f GB/s, all %.1f GB/s, of which %.0f %% are kept busy; copies while as many "
      "bytes are written as the table has: one %.2f ms, all %.2f ms; these written alone: %.2f ms\n",
      (name + " pinned, table").c_str(), alone, together, alone / together, copy,
      static_cast<unsigned long long>(count), whole, static_cast<double>(bytes) / copy_of_one / 1e6,
      static_cast<double>(bytes) / copy / 1e6, 100 * copy / together, floor_of_one.all, floor.all, floor.writing);
  std::fflush(stdout);
}

// Labels of the host, where there is room for them.
void bench_host_labels(const choice& what, const std::uint8_t* image, const extent& size, const std::string& name) {
  engine cpu = engine::cpu(), one = engine::cuda(std::vector<int>{0}), all = engine::cuda(what.devices);
  const label_options options{size.rank == 3 ? 26 : 8};
  const auto pixels = static_cast<std::size_t>(size.pixels());
  const pinned_buffer want(4 * pixels), labels(4 * pixels);
  label(cpu, image_view(image, size), options, mutable_image(want.data<std::uint32_t>(), size));
  const auto time = [&](engine& on) {
    const double spent = milliseconds(what.repetitions, [&] {
      label(on, image_view(image, size), options, mutable_image(labels.data<std::uint32_t>(), size));
    });
    require_same("labels", std::memcmp(labels.data<void>(), want.data<void>(), 4 * pixels) == 0);
    return spent;
  };
  const double alone = time(one), together = time(all);
  std::printf("%-22s%12.2f ms%12.2f ms%9.2f x                  the same labels\n", (name + " pinned, labels").c_str(),
              alone, together, alone / together);
  std::fflush(stdout);
}

void bench_planes(const choice& what) {
  const extent plane(what.side, what.side);
  const pinned_buffer image(static_cast<std::size_t>(plane.pixels()));
  auto* const pixels = image.data<std::uint8_t>();
  for (const int granularity : {16, 4, 1}) {
    if (what.granularity != 0 && granularity != what.granularity) continue;
    const std::string name = "g" + std::to_string(granularity);
    fill_with_random(pixels, plane, {granularity, 50, 1});
    for (const std::int64_t side : {what.side / 32, what.side / 16, what.side / 4, what.side})
      bench_resident(what, pixels, extent(side, side), name + " " + std::to_string(side));
    bench_table(what, pixels, plane, name);
  }
  bench_host_labels(what, pixels, extent(what.side / 4, what.side), "quarter");
}

void run(const choice& what) {
  std::printf("medians of %d calls, from call to return\n%-22s%15s%15s%11s%15s\n", what.repetitions, "", "one GPU",
              (std::to_string(what.devices.size()) + " lanes").c_str(), "", "floor");
  print_peer_copy(what);
  if (what.side != 0) bench_planes(what);
  if (what.volume == 0) return;
  const extent volume(what.volume, what.volume, what.volume);
  tell("memory for the volume");
  const pinned_buffer image(static_cast<std::size_t>(volume.pixels()));
  for (const int granularity : {4, 1}) {
    if (granularity == 1 && what.volume > 2048) continue;  // the CPU engine needs 4 bytes for each of its 10^10 runs
    tell("the volume");
    fill_with_random(image.data<std::uint8_t>(), volume, {granularity, 30, 1});
    bench_table(what, image.data<std::uint8_t>(), volume, "volume g" + std::to_string(granularity));
  }
}

choice chosen(int count, char** arguments) {
  choice what;
  for (int k = 1; k + 1 < count; k += 2) {
    const std::string name = arguments[k];
    const long long value = std::atoll(arguments[k + 1]);
    if (name == "--side") what.side = value;
    else if (name == "--volume") what.volume = value;
    else if (name == "--granularity") what.granularity = static_cast<int>(value);
    else if (name == "--repetitions") what.repetitions = enough_repetitions(static_cast<int>(value), name);
    else if (name == "--devices" && value == 0) what.devices = {0, 0};
    else if (name == "--devices") {
      what.devices.clear();
      for (int device = 0; device < value; ++device) what.devices.push_back(device);
    } else throw std::invalid_argument(name + ": unknown option; see the top of many_gpus_bench.cpp");
  }
  return what;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  try {
    skerry::bench::run(skerry::bench::chosen(count, arguments));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skerry_many_gpus: %s\n", error.what());
    return 1;
  }
}

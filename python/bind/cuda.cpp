// SPDX-License-Identifier: Apache-2.0
// Work on arrays of a GPU. Only a build with CUDA has this file; another one has no_cuda.cpp.
#include "skerry/cuda.hpp"

#include <dlfcn.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "bind/arguments.hpp"
#include "bind/array.hpp"
#include "bind/cuda.hpp"
#include "bind/device.hpp"
#include "bind/label.hpp"
#include "bind/without_gil.hpp"
#include "skerry/error.hpp"

namespace skerry::python {
namespace {

void require(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // the next call does not report it again
  throw device_error(std::string(what) + ": " + cudaGetErrorString(result));
}

cudaStream_t stream_of(stream_handle handle) {
  return reinterpret_cast<cudaStream_t>(handle);  // NOLINT: libraries of Python hand streams around as integers
}

// Makes a GPU the current one of the thread for a while.
class current_device {
 public:
  explicit current_device(int device) {
    require(cudaGetDevice(&before_), "cudaGetDevice");
    if (device != before_) require(cudaSetDevice(device), "cudaSetDevice");
  }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() { static_cast<void>(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

// Memory for libraries that lend none. Freeing waits, on the device, for the streams that were let read it.
class device_memory {
 public:
  device_memory(std::size_t bytes, stream_handle stream, int device) : device_(device), stream_(stream_of(stream)) {
    const current_device on(device_);
    require(cudaMallocAsync(&data_, std::max<std::size_t>(bytes, 1), stream_), "cudaMallocAsync");
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() {
    try {
      const current_device on(device_);
      for (const cudaStream_t reader : readers_) order(reader, stream_);
      static_cast<void>(cudaFreeAsync(data_, stream_));
    } catch (const device_error&) {  // the process is ending, and with it the memory
    }
  }

  // Makes `reader` wait for what was enqueued on the stream of this memory.
  void let_read(stream_handle reader) {
    const current_device on(device_);
    const cudaStream_t other = stream_of(reader);
    if (other == stream_) return;
    order(stream_, other);
    if (std::find(readers_.begin(), readers_.end(), other) == readers_.end()) readers_.push_back(other);
  }

  void copy_to(nb::ndarray<nb::c_contig, nb::device::cpu> array) const {
    const without_gil unlocked;
    const current_device on(device_);
    require(cudaMemcpyAsync(array.data(), data_, array.nbytes(), cudaMemcpyDeviceToHost, stream_), "cudaMemcpyAsync");
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  [[nodiscard]] std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data_); }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] int device() const { return device_; }

 private:
  static void order(cudaStream_t first, cudaStream_t second) {
    cudaEvent_t done = nullptr;
    require(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "cudaEventCreate");
    const cudaError_t recorded = cudaEventRecord(done, first);
    const cudaError_t waits = recorded == cudaSuccess ? cudaStreamWaitEvent(second, done) : recorded;
    static_cast<void>(cudaEventDestroy(done));  // it lives until it was reached
    require(waits, "cudaStreamWaitEvent");
  }

  int device_;
  cudaStream_t stream_;
  void* data_ = nullptr;
  std::vector<cudaStream_t> readers_;
};

// A capsule of DLPack, for an array at the beginning of the memory.
nb::object exported(const nb::object& self, const std::string& kind, int bits, const std::vector<std::size_t>& shape) {
  const auto& memory = nb::cast<const device_memory&>(self);
  nb::dlpack::dtype type;
  type.code = static_cast<std::uint8_t>(kind == "i" ? nb::dlpack::dtype_code::Int : nb::dlpack::dtype_code::UInt);
  type.bits = static_cast<std::uint8_t>(bits);
  type.lanes = 1;
  return nb::cast(nb::ndarray<nb::device::cuda>(memory.data(), shape.size(), shape.data(), self, nullptr, type,
                                                nb::device::cuda::value, memory.device()));
}

// Labels of an image on a GPU, enqueued; arrays as described_pixels_of() takes them. `offsets` is the address of two integers of 64
// bits there: 0 and the number of
// components. `allocate(bytes)` gives the address of scratch that stays until the work on the stream is done.
void enqueue_label(nb::handle image, const component_choice& chosen, nb::handle out, std::uintptr_t offsets,
                   stream_handle stream, const nb::callable& allocate) {
  check_choice(chosen, true);
  const device_pixels pixels = described_pixels_of(image, "image", stream);
  if (pixels.image.size.rank == 1)
    bad_value("image", "1 dimension has no labels on a GPU; give image[None], a plane of one row");
  const device_pixels labels = described_pixels_of(out, "out", stream);
  if (labels.read_only) bad_value("out", "is read-only");
  check_out(labels.image, pixels.image);
  const label_options options = chosen.options_for(pixels.image);
  if ((pixels.image.size.rank == 2) != (options.connectivity == 4 || options.connectivity == 8))
    bad_value("connectivity",
              std::to_string(options.connectivity) + " is not 4 or 8 for an image, or 6, 18 or 26 for a volume");
  cuda::label_job work;
  work.image = pixels.image;
  work.connectivity = options.connectivity;
  work.foreground = options.foreground;
  work.selection = options.selection;
  work.joining = options.joining;
  work.periodic = options.periodic;
  work.labels = labels.image;
  work.offsets = reinterpret_cast<std::uint64_t*>(offsets);  // NOLINT: an address of a library of Python
  const current_device on(device_of(pixels.image));
  const cuda::label_plan plan(work);
  const std::size_t bytes = plan.scratch_bytes();
  const auto scratch = bytes == 0 ? 0 : nb::cast<std::uintptr_t>(allocate(bytes));
  plan.enqueue(reinterpret_cast<void*>(scratch), stream_of(stream));  // NOLINT: the same
}

// Where a thread reads numbers of a GPU. A copy to pinned memory is enqueued while the work before it runs; one to other memory is not
// even begun.
class pinned_number {
 public:
  pinned_number() {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;  // another thread may be capturing its calls
    static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
    if (cudaHostAlloc(&pinned_, sizeof other_, cudaHostAllocPortable) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      pinned_ = nullptr;
    }
    static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
  }
  pinned_number(const pinned_number&) = delete;
  pinned_number& operator=(const pinned_number&) = delete;
  ~pinned_number() {
    if (pinned_ != nullptr) static_cast<void>(cudaFreeHost(pinned_));
  }

  [[nodiscard]] std::uint64_t* place() { return pinned_ != nullptr ? static_cast<std::uint64_t*>(pinned_) : &other_; }

 private:
  void* pinned_ = nullptr;
  std::uint64_t other_ = 0;
};

// An integer of 64 bits in memory of a GPU, when the work of a stream is done.
std::uint64_t number_at(std::uintptr_t address, stream_handle stream, int device) {
  const without_gil unlocked;
  const current_device on(device);
  thread_local pinned_number number;
  require(cudaMemcpyAsync(number.place(), reinterpret_cast<const void*>(address),
                          sizeof(std::uint64_t),  // NOLINT: the same
                          cudaMemcpyDeviceToHost, stream_of(stream)),
          "cudaMemcpyAsync");
  require(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize");
  return *number.place();
}

// What NVML, the library of nvidia-smi, knows of the driver: GPUs, and whether it runs programs of CUDA 13. Nothing when there is
// no such library.
std::optional<int> count_devices_unseen() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return std::nullopt;
  const auto start = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto end = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
  const auto version_of = reinterpret_cast<int (*)(int*)>(dlsym(library, "nvmlSystemGetCudaDriverVersion_v2"));
  const auto count = reinterpret_cast<int (*)(unsigned*)>(dlsym(library, "nvmlDeviceGetCount_v2"));
  if (start == nullptr || end == nullptr || version_of == nullptr || count == nullptr || start() != 0)
    return std::nullopt;
  int version = 0;
  unsigned devices = 0;
  const bool known = version_of(&version) == 0 && count(&devices) == 0;
  static_cast<void>(end());
  if (!known) return std::nullopt;
  return version / 1000 < CUDART_VERSION / 1000 ? 0 : static_cast<int>(devices);
}

// GPUs that answer. Counting by CUDA would start it, and then no child of a fork could use it, whatever its library.
int count_devices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible != nullptr && (*visible == 0 || *visible == '-')) return 0;
  if (const auto known = count_devices_unseen()) return *known;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess) return devices;
  static_cast<void>(cudaGetLastError());  // no driver, or no device
  return 0;
}

}  // namespace

bool takes_device_arrays() { return true; }

int device_of(const image_view& pixels) {
  if (pixels.residence.is_device()) return pixels.residence.device_number();
  cudaPointerAttributes told{};
  require(cudaPointerGetAttributes(&told, pixels.data), "cudaPointerGetAttributes");
  return told.type == cudaMemoryTypeDevice || told.type == cudaMemoryTypeManaged ? told.device : 0;
}

void wait_for(const device_pixels& pixels) {
  const without_gil unlocked;
  const current_device on(device_of(pixels.image));
  require(cudaStreamSynchronize(stream_of(pixels.stream)), "cudaStreamSynchronize");
}

void bind_cuda(nb::module_& module) {
  module.attr("cuda_devices") = count_devices();
  nb::class_<device_memory>(module, "DeviceMemory")
      .def(nb::init<std::size_t, stream_handle, int>(), nb::arg("bytes"), nb::arg("stream"), nb::arg("device"))
      .def_prop_ro("address", &device_memory::address)
      .def_prop_ro("device", &device_memory::device)
      .def("let_read", &device_memory::let_read, nb::arg("stream"))
      .def("copy_to", &device_memory::copy_to, nb::arg("array"))
      .def(
          "exported",
          [](const nb::object& self, const std::string& kind, int bits, const std::vector<std::size_t>& shape) {
            return exported(self, kind, bits, shape);
          },
          nb::arg("kind"), nb::arg("bits"), nb::arg("shape"));
  module.def(
      "device_of", [](nb::handle array) { return device_of(device_pixels_of(array, "image", default_stream).image); },
      nb::arg("array"));
  module.def("enqueue_label", &enqueue_label, nb::arg("image"), nb::arg("choice"), nb::arg("out"), nb::arg("offsets"),
             nb::arg("stream"), nb::arg("allocate"));
  module.def("number_at", &number_at, nb::arg("address"), nb::arg("stream"), nb::arg("device"));
}

}  // namespace skerry::python

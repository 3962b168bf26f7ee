// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "skerry/error.hpp"

namespace skerry {

inline void check_cuda(cudaError_t result, const char* stage) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // an error that does not stick must not be met again
  throw device_error(std::string("stage ") + stage + ": " + cudaGetErrorString(result));
}

// What CUDA knows of an address; nothing where it refuses to say. Memory of the host that it has not pinned is
// cudaMemoryTypeUnregistered.
inline std::optional<cudaPointerAttributes> attributes_of(const void* data) {
  cudaPointerAttributes found{};
  if (cudaPointerGetAttributes(&found, data) == cudaSuccess) return found;
  cudaGetLastError();
  return {};
}

// Unregistered where it refuses, too.
inline cudaMemoryType memory_type_of(const void* data) {
  const auto found = attributes_of(data);
  return found ? found->type : cudaMemoryTypeUnregistered;
}
inline bool is_device_memory(cudaMemoryType type) {
  return type == cudaMemoryTypeDevice || type == cudaMemoryTypeManaged;
}
inline bool is_device_memory(const void* data) { return is_device_memory(memory_type_of(data)); }

// Makes a device the current one for a while, if it is not. It is set in any case: a thread that has not used CUDA yet counts as
// on device 0, but memory of that device is not known to it.
class current_device {
 public:
  explicit current_device(int device) {
    check_cuda(cudaGetDevice(&before_), "start");
    if (before_ == device) before_ = already;
    check_cuda(cudaSetDevice(device), "start");
  }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;
  ~current_device() {
    if (before_ != already) cudaSetDevice(before_);
  }

 private:
  static constexpr int already = -1;
  int before_ = 0;
};

// Memory that only grows and does not keep what it held. Kind takes it, gives it back, and says what is lacking.
template <class Kind>
class growing_memory {
 public:
  growing_memory() = default;
  growing_memory(const growing_memory&) = delete;
  growing_memory& operator=(const growing_memory&) = delete;
  ~growing_memory() { Kind::give_back(data_); }

  void reserve(std::size_t bytes, const char* what) {
    if (bytes <= bytes_) return;
    Kind::give_back(std::exchange(data_, nullptr));
    bytes_ = 0;
    if (Kind::take(&data_, bytes) != cudaSuccess) {
      cudaGetLastError();
      data_ = nullptr;
      throw out_of_memory(Kind::lack_of(std::to_string(bytes)) + " for " + what);
    }
    bytes_ = bytes;
  }
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

struct memory_of_device {
  static cudaError_t take(void** data, std::size_t bytes) { return cudaMalloc(data, bytes); }
  static void give_back(void* data) { cudaFree(data); }
  static std::string lack_of(const std::string& bytes) { return "out of device memory: " + bytes + " bytes"; }
};
using device_memory = growing_memory<memory_of_device>;

// Of the host: copies run to it at the full speed of the link, and the device reaches it.
struct memory_of_host {
  static cudaError_t take(void** data, std::size_t bytes) {
    return cudaHostAlloc(data, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  }
  static void give_back(void* data) { cudaFreeHost(data); }
  static std::string lack_of(const std::string& bytes) { return "out of memory: " + bytes + " bytes of pinned memory"; }
};
using pinned_memory = growing_memory<memory_of_host>;

// Lets the device reach whole pages of somebody else's memory while this lives. They must outlive it.
class shared_with_device {
 public:
  shared_with_device(void* begin, std::size_t bytes) : begin_(begin) {
    if (cudaHostRegister(begin, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped) == cudaSuccess) return;
    cudaGetLastError();
    throw out_of_memory("out of memory: " + std::to_string(bytes) + " bytes of it cannot be shared with the device");
  }
  shared_with_device(const shared_with_device&) = delete;
  shared_with_device& operator=(const shared_with_device&) = delete;
  ~shared_with_device() { cudaHostUnregister(begin_); }

  // The address of the first byte for the device.
  [[nodiscard]] char* on_device() const {
    void* address = nullptr;
    check_cuda(cudaHostGetDevicePointer(&address, begin_, 0), "start");
    return static_cast<char*>(address);
  }

 private:
  void* begin_;
};

// A stream of its own, which does not wait for the default stream.
class cuda_stream {
 public:
  struct urgency {};
  static constexpr urgency urgent{};  // its blocks go before those of other streams that wait

  cuda_stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "start"); }
  explicit cuda_stream(urgency) {
    int least = 0, most = 0;
    check_cuda(cudaDeviceGetStreamPriorityRange(&least, &most), "start");
    check_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, most), "start");
  }
  cuda_stream(const cuda_stream&) = delete;
  cuda_stream& operator=(const cuda_stream&) = delete;
  ~cuda_stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class cuda_event {
 public:
  cuda_event() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "start"); }
  cuda_event(const cuda_event&) = delete;
  cuda_event& operator=(const cuda_event&) = delete;
  ~cuda_event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace skerry

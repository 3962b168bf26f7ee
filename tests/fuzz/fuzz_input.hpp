// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: values taken from an input, a file in memory, and promises whose breach is a finding.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace skerry::fuzz {

/// Ends the process with a message when a promise is broken; libFuzzer then keeps the input.
inline void promise(bool kept, const char* what, std::string_view detail = {}) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s%s%.*s\n", what, detail.empty() ? "" : ": ", static_cast<int>(detail.size()),
               detail.data());
  std::abort();
}

/// Takes values from the front of an input; zeros once it is used up.
class input_bytes {
 public:
  input_bytes(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), left_(size) {}

  template <class Value>
  Value take() {
    Value value{};
    const std::size_t count = left_ < sizeof value ? left_ : sizeof value;
    if (count > 0) std::memcpy(&value, bytes_, count);
    bytes_ += count;
    left_ -= count;
    return value;
  }
  /// One of 0…limit - 1, from one byte.
  int below(int limit) { return take<std::uint8_t>() % limit; }
  /// The text up to the next zero byte or the end.
  std::string_view text() {
    const std::string_view all = rest();
    const std::size_t length = std::min(all.find('\0'), all.size());
    const std::size_t used = std::min(length + 1, left_);
    bytes_ += used;
    left_ -= used;
    return all.substr(0, length);
  }
  [[nodiscard]] std::string_view rest() const { return {reinterpret_cast<const char*>(bytes_), left_}; }

 private:
  const std::uint8_t* bytes_;
  std::size_t left_;
};

/// A file in memory, for readers that take a path.
class memory_file {
 public:
  memory_file()
      : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)), path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    promise(descriptor_ >= 0, "memfd_create() gives a file");
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { ::close(descriptor_); }

  /// Replaces the content.
  void hold(std::string_view content) const {
    const bool cut = ::ftruncate(descriptor_, 0) == 0;
    const ssize_t written = ::pwrite(descriptor_, content.data(), content.size(), 0);
    promise(cut && written == static_cast<ssize_t>(content.size()), "a file in memory holds the input");
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace skerry::fuzz

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace skerry::bench {

/// Output memory with every page present, aligned to 64 bytes. A label that nobody writes is found by its value.
class warm_buffer {
 public:
  static constexpr std::uint32_t unwritten = 0xA5A5A5A5u;

  explicit warm_buffer(std::size_t labels) : labels_(new (std::align_val_t{64}) std::uint32_t[labels]) {
    std::fill_n(labels_.get(), labels, unwritten);
  }
  [[nodiscard]] std::uint32_t* data() { return labels_.get(); }
  [[nodiscard]] std::int32_t* as_signed() { return reinterpret_cast<std::int32_t*>(labels_.get()); }

 private:
  struct release {
    void operator()(std::uint32_t* labels) const { ::operator delete[](labels, std::align_val_t{64}); }
  };
  std::unique_ptr<std::uint32_t[], release> labels_;
};

}  // namespace skerry::bench

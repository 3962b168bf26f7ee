// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::cli {

/// The colours of frames that are on their way through a stream, for the pictures of its results. One thread pushes
/// frames, another takes results.
class frame_colours {
 public:
  struct pixels {
    std::vector<std::byte> bytes;
    dtype type = dtype::u8;
    extent size;  // height x width x 3

    [[nodiscard]] image_view view() const { return {bytes.data(), type, size}; }
  };

  /// Copies dense colours.
  void put(std::uint64_t frame, const image_view& colours) {
    pixels copy{std::vector<std::byte>(static_cast<std::size_t>(colours.size.pixels()) * size_of(colours.type)),
                colours.type, colours.size};
    std::memcpy(copy.bytes.data(), colours.data, copy.bytes.size());
    const std::lock_guard lock(mutex_);
    waiting_.insert_or_assign(frame, std::move(copy));
  }
  /// The colours of a frame, without bytes if it has none. Forgets those of the frames before, which were dropped.
  [[nodiscard]] pixels take(std::uint64_t frame) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(waiting_.begin(), waiting_.lower_bound(frame));
    auto found = waiting_.extract(frame);
    return found ? std::move(found.mapped()) : pixels{};
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, pixels> waiting_;
};

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
// What an engine keeps for published methods that label on CUDA, until another method needs its own.
#pragma once
#include <memory>

#include "engine/cpu/buffer.hpp"
#include "engine/engine_state.hpp"
#include "published/cuda/device_task.hpp"

namespace skerry::published {

struct device_room final : job_scratch {
  cuda_stream stream;
  device_memory image, labels;
  buffer<u8> binary;
  buffer<u32> host_labels;
  device_arena of_method;

  [[nodiscard]] std::size_t bytes() const override {
    return image.bytes() + labels.bytes() + binary.bytes() + host_labels.bytes() + of_method.bytes();
  }
};

inline device_room& room_of(engine::state& on) {
  if (on.published_scratch == nullptr) on.published_scratch = std::make_unique<device_room>();
  return static_cast<device_room&>(*on.published_scratch);
}

}  // namespace skerry::published

// SPDX-License-Identifier: Apache-2.0
// Writes runs of labels to an image of any label type and strides.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/feature.hpp"
#include "skerry/image.hpp"

namespace skerry::regions {

// Of so many bytes each.
template <class Label>
void write_run(const mutable_image& out, const placed_run& run, Label label) {
  for (i64 y = run.top; y < run.bottom; ++y) {
    std::byte* at =
        static_cast<std::byte*>(out.data) + run.z * out.strides.z + y * out.strides.y + run.begin * out.strides.x;
    const bool side_by_side = out.strides.x == static_cast<i64>(sizeof(Label));
    if (side_by_side && reinterpret_cast<std::uintptr_t>(at) % alignof(Label) == 0) {
      std::fill_n(reinterpret_cast<Label*>(at), run.width(), label);
    } else {
      for (i64 x = run.begin; x < run.end; ++x, at += out.strides.x) std::memcpy(at, &label, sizeof(Label));
    }
  }
}

// The low bits of a label, as many as the image has.
inline void write_run(const mutable_image& out, const placed_run& run, u64 label) {
  switch (size_of(out.type)) {
    case 1: return write_run<u8>(out, run, static_cast<u8>(label));
    case 2: return write_run<u16>(out, run, static_cast<u16>(label));
    case 4: return write_run<u32>(out, run, static_cast<u32>(label));
    default: return write_run<u64>(out, run, label);
  }
}

}  // namespace skerry::regions

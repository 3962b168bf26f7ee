// SPDX-License-Identifier: Apache-2.0
// Labels of a turned image whose own memory lies the other way: they are written along the image first, and then carried
// across in blocks whose lines stay in the cache.
#include <cstdlib>
#include <cstring>

#include "label/cpu/strips.hpp"

namespace skerry::label_stages {
namespace {

// Rows of a power of two fall into the same few lines of the first cache: 64 took 1.5 times as long.
constexpr i64 block_side = 16;

// A piece of one plane: `count` pixels along the axis in which neighbours of `to` are nearest, over all x.
struct across {
  const std::byte* from;
  std::byte* to;
  i64 from_step, to_step;      // along that axis
  i64 from_step_x, to_step_x;  // along x
  i64 count, width;
};

template <class Label>
void copy(const across& piece) {
  for (i64 begin = 0; begin < piece.width; begin += block_side)
    for (i64 x = begin; x < std::min(piece.width, begin + block_side); ++x) {
      const std::byte* from = piece.from + x * piece.from_step_x;
      std::byte* to = piece.to + x * piece.to_step_x;
      for (i64 i = 0; i < piece.count; ++i, from += piece.from_step, to += piece.to_step)
        std::memcpy(to, from, sizeof(Label));
    }
}

void copy(const across& piece, std::size_t label_bytes) {
  switch (label_bytes) {
    case 1: return copy<u8>(piece);
    case 2: return copy<u16>(piece);
    case 4: return copy<u32>(piece);
    default: return copy<u64>(piece);
  }
}

}  // namespace

void strip_work::emit_across(const mutable_image& out) {
  const std::size_t label_bytes = size_of(out.type);
  scratch_.labels_aside.reserve(static_cast<std::size_t>(out.size.pixels()) * label_bytes);
  const mutable_image aside(scratch_.labels_aside.data(), out.type, out.size);
  emit(aside);

  // The nearer axis of the two that are not x is the one along which pieces are cut.
  const bool along_z =
      out.size.depth > 1 && (out.size.height == 1 || std::abs(out.strides.z) < std::abs(out.strides.y));
  const i64 near = along_z ? out.size.depth : out.size.height, far = along_z ? out.size.height : out.size.depth;
  const i64 near_step = along_z ? out.strides.z : out.strides.y, far_step = along_z ? out.strides.y : out.strides.z;
  const i64 aside_near = along_z ? aside.strides.z : aside.strides.y,
            aside_far = along_z ? aside.strides.y : aside.strides.z;
  const i64 pieces = (near + block_side - 1) / block_side;
  for_each_in_parallel(on_, static_cast<std::size_t>(pieces * far), [&](std::size_t k) {
    stage_timer time(on_.clock, stage::emit, stage_timer::by::all_threads);
    time.run([&] {
      const i64 begin = static_cast<i64>(k) % pieces * block_side, plane = static_cast<i64>(k) / pieces;
      copy({static_cast<const std::byte*>(aside.data) + begin * aside_near + plane * aside_far,
            static_cast<std::byte*>(out.data) + begin * near_step + plane * far_step, aside_near, near_step,
            aside.strides.x, out.strides.x, std::min(block_side, near - begin), out.size.width},
           label_bytes);
    });
  });
}

}  // namespace skerry::label_stages

// SPDX-License-Identifier: Apache-2.0
#include "blocks/framed_bytes.hpp"

#include <functional>

#include "blocks/piece_state.hpp"
#include "core/feature_groups.hpp"
#include "engine/image_checks.hpp"

namespace skerry::blocks {
namespace {

constexpr std::size_t before_parts = 16, around_parts = 24;

// FNV-1a over words of 8 bytes; the last one is filled up with zeros.
u64 sum_of(const std::byte* at, std::size_t bytes) {
  u64 sum = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < bytes; i += 8) {
    u64 word = 0;
    std::memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 32;
  }
  return sum;
}

}  // namespace

void refuse_bytes(const std::string& why) { refuse("bytes: " + why); }

void check_boxes(const std::vector<box>& boxes, const extent& whole) {
  check_extent("bytes: whole", whole);
  check_sorted(boxes, "blocks", std::less<>());
  for (const box& b : boxes) {
    const i64 room[3] = {whole.depth, whole.height, whole.width};
    for (int axis = 0; axis < 3; ++axis)
      if (b.begin[axis] < 0 || b.begin[axis] >= b.end[axis] || b.end[axis] > room[axis])
        refuse_bytes("a block is not within the image");
  }
}

void check_rows(const feature_table& rows, std::size_t components, u16 flags) {
  each_feature_group([&](auto group) { check_rows_of(rows, group, components, flags); });
}

std::vector<std::byte> byte_writer::finish() {
  const u64 length = bytes_.size() - before_parts;
  std::memcpy(bytes_.data() + 8, &length, sizeof length);
  number(sum_of(bytes_.data(), bytes_.size()));
  return std::move(bytes_);
}

byte_reader::byte_reader(std::span<const std::byte> bytes, u64 header) {
  u64 start[2];
  if (bytes.size() < around_parts) refuse_bytes(std::to_string(bytes.size()) + " bytes are too few for a piece");
  std::memcpy(start, bytes.data(), sizeof start);
  if (start[0] != header) refuse_bytes("this is not a piece, or one of another version of skerry");
  const std::size_t parts = bytes.size() - around_parts;
  if (start[1] != parts)
    refuse_bytes("a piece of " + std::to_string(start[1]) + " bytes cannot be in " + std::to_string(parts));
  u64 sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - 8, sizeof sum);
  if (sum != sum_of(bytes.data(), bytes.size() - 8)) refuse_bytes("the piece was changed since it was written");
  rest_ = bytes.subspan(before_parts, parts);
}

}  // namespace skerry::blocks

// SPDX-License-Identifier: Apache-2.0
// Pieces as bytes: little-endian, with a version, a length and a sum that tells changed bytes.
//
//   8 bytes  "skerry" and the version
//   8 bytes  length of all that follows but the sum
//   …        the lists of piece::state in the order in which they stand there, each after its length
//   8 bytes  sum
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <type_traits>

#include "blocks/check.hpp"
#include "core/feature_groups.hpp"
#include "engine/image_checks.hpp"

namespace skerry {
namespace {

using namespace blocks;

static_assert(std::endian::native == std::endian::little, "rows are copied as they lie in memory");

constexpr u64 header =
    u64{'s'} | u64{'k'} << 8 | u64{'e'} << 16 | u64{'r'} << 24 | u64{'r'} << 32 | u64{'y'} << 40 | u64{2} << 56;

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

class writer {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  template <class List>
  void put_list(const List& list) {
    static_assert(std::is_trivially_copyable_v<typename List::value_type>);
    put(u64{list.size()});
    append(list.data(), list.size() * sizeof(typename List::value_type));
  }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

 private:
  void append(const void* from, std::size_t count) {
    if (count == 0) return;
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<std::byte> bytes_;
};

[[noreturn]] void refuse_bytes(const std::string& why) { refuse("bytes: " + why); }

class reader {
 public:
  explicit reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  void get(T& value) {
    take(&value, sizeof value);
  }
  template <class List>
  void get_list(List& list) {
    using item = typename List::value_type;
    u64 count = 0;
    get(count);
    if (count > rest_.size() / sizeof(item)) refuse_bytes("a list of a piece ends early");
    list.resize(count);
    take(list.data(), count * sizeof(item));
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  void take(void* to, std::size_t count) {
    if (count > rest_.size()) refuse_bytes("a piece ends early");
    if (count != 0) std::memcpy(to, rest_.data(), count);
    rest_ = rest_.subspan(count);
  }
  std::span<const std::byte> rest_;
};

// Calls visit(number) and visit_list(list) for all that a piece holds.
template <class State, class Visit, class VisitList>
void each_part(State& state, Visit visit, VisitList visit_list) {
  auto& [rank, depth, height, width] = state.whole;
  visit(rank), visit(depth), visit(height), visit(width);
  auto& asked = state.asked;
  visit(asked.connectivity), visit(asked.foreground), visit(asked.low), visit(asked.high), visit(asked.delta);
  visit(asked.type), visit(asked.flags);
  visit_list(state.boxes);
  for (auto* components : {&state.open, &state.closed}) {
    visit_list(components->first);
    each_feature_group([&](auto group) { visit_list(components->rows.*group.rows); });
  }
  visit_list(state.border);
  visit_list(state.open_aliases);
  visit_list(state.closed_aliases);
}

template <class List, class Before>
void check_sorted(const List& list, const char* what, Before before) {
  for (std::size_t i = 1; i < list.size(); ++i)
    if (!before(list[i - 1], list[i])) refuse_bytes(std::string(what) + " are not in order");
}

void check_components(const component_list& list, const question& asked) {
  check_sorted(list.first, "components", std::less<>());
  const auto rows = [&](std::size_t size, bool wanted) {
    if (size != (wanted ? list.size() : 0)) refuse_bytes("a group of features has another number of rows");
  };
  rows(list.rows.components.size(), true);
  rows(list.rows.moments.size(), asked.has(question::moments));
  rows(list.rows.intensities.size(), asked.has(question::intensities));
  rows(list.rows.real_intensities.size(), asked.has(question::real_intensities));
}

// Nothing that is read later can lead out of a list.
void check_state(const piece::state& state) {
  check_extent("bytes: whole", state.whole);
  check_sorted(state.boxes, "blocks", std::less<>());
  for (const box& b : state.boxes) {
    const i64 room[3] = {state.whole.depth, state.whole.height, state.whole.width};
    for (int axis = 0; axis < 3; ++axis)
      if (b.begin[axis] < 0 || b.begin[axis] >= b.end[axis] || b.end[axis] > room[axis])
        refuse_bytes("a block is not within the image");
  }
  check_components(state.open, state.asked);
  check_components(state.closed, state.asked);
  for (const border_run& run : state.border)
    if (run.component >= state.open.size() || run.row < 0 || run.row >= state.whole.rows() || run.begin < 0 ||
        run.begin >= run.end || run.end > state.whole.width)
      refuse_bytes("a run at a face is of no component, or not within the image");
  check_sorted(state.border, "runs at faces", [](const border_run& a, const border_run& b) {
    return a.row != b.row ? a.row < b.row : a.end <= b.begin;
  });
  const auto earlier = [](const alias& a, const alias& b) { return a.first < b.first; };
  check_sorted(state.open_aliases, "open aliases", earlier);
  check_sorted(state.closed_aliases, "closed aliases", earlier);
  for (const alias& part : state.open_aliases)
    if (part.owner >= state.open.size()) refuse_bytes("an alias is of no component");
  const std::vector<u64>& closed = state.closed.first;
  for (const alias& part : state.closed_aliases)
    if (!std::binary_search(closed.begin(), closed.end(), part.owner)) refuse_bytes("an alias is of no component");
}

}  // namespace

std::vector<std::byte> piece::to_bytes() const {
  writer parts;
  parts.put(header);
  parts.put(u64{0});
  each_part(
      *state_, [&](const auto& number) { parts.put(number); }, [&](const auto& list) { parts.put_list(list); });
  std::vector<std::byte>& bytes = parts.bytes();
  const u64 length = bytes.size() - 16;
  std::memcpy(bytes.data() + 8, &length, sizeof length);
  parts.put(sum_of(bytes.data(), bytes.size()));
  return std::move(bytes);
}

piece piece_from_bytes(std::span<const std::byte> bytes) {
  u64 start[2];
  if (bytes.size() < 24) refuse_bytes(std::to_string(bytes.size()) + " bytes are too few for a piece");
  std::memcpy(start, bytes.data(), sizeof start);
  if (start[0] != header) refuse_bytes("this is not a piece, or one of another version of skerry");
  if (start[1] != bytes.size() - 24)
    refuse_bytes("a piece of " + std::to_string(start[1]) + " bytes cannot be in " + std::to_string(bytes.size() - 24));
  u64 sum = 0;
  std::memcpy(&sum, bytes.data() + bytes.size() - 8, sizeof sum);
  if (sum != sum_of(bytes.data(), bytes.size() - 8)) refuse_bytes("the piece was changed since it was written");
  piece made;
  piece::state& state = made.inside();
  reader parts(bytes.subspan(16, bytes.size() - 24));
  each_part(
      state, [&](auto& number) { parts.get(number); }, [&](auto& list) { parts.get_list(list); });
  if (!parts.at_end()) refuse_bytes("a piece is followed by other bytes");
  check_state(state);
  return made;
}

}  // namespace skerry

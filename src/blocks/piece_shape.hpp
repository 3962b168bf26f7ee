// SPDX-License-Identifier: Apache-2.0
// What all kinds of pieces do alike, each with a state of its own. A state has
//
//   header              the first bytes of its pieces
//   placed()            the image and the blocks
//   asked               the question, which is the same for pieces that join
//   is_blank()          whether it is of nothing
//   memory()            bytes behind its lists
//   each_part(of, to)   calls to.number() and to.list() for all that it holds, of a byte_writer or a byte_reader
//   check()             refuses what was read and could lead out of a list
#pragma once
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blocks/boxes.hpp"
#include "blocks/framed_bytes.hpp"
#include "engine/image_checks.hpp"
#include "skerry/block_piece.hpp"

namespace skerry {

namespace blocks {

/// Memory that a list takes.
template <class List>
[[nodiscard]] u64 bytes_of(const List& list) {
  return list.capacity() * sizeof(typename List::value_type);
}

/// Blocks of an image.
struct placed_blocks {
  extent whole;
  std::vector<box> boxes;  // by first pixel

  [[nodiscard]] const placed_blocks& placed() const { return *this; }
  [[nodiscard]] u64 pixels() const { return pixels_of(boxes); }
  [[nodiscard]] bool is_complete() const { return pixels() == static_cast<u64>(whole.pixels()); }
};

/// The piece of these bytes. Throws invalid_argument.
template <class Piece>
[[nodiscard]] Piece piece_of_bytes(std::span<const std::byte> bytes) {
  using state = typename Piece::state;
  Piece made;
  byte_reader parts(bytes, state::header);
  state::each_part(made.inside(), parts);
  parts.finish();
  made.inside().check();
  return made;
}

/// Refuses pieces of different images or questions. `different` says how questions can differ.
template <class State>
void check_same(const State& a, const State& b, const char* different) {
  const extent &left = a.placed().whole, &right = b.placed().whole;
  if (left != right)
    refuse("join: pieces are of images of different sizes, " + text_of(left) + " and " + text_of(right));
  if (a.asked != b.asked) refuse(std::string("join: pieces ") + different);
}

/// The piece of the blocks of both, for which unite(left, right, to) joins what is known of them.
template <class Piece, class Unite>
[[nodiscard]] Piece join_blocks(const Piece& a, const Piece& b, const char* different, Unite unite) {
  const auto &left = a.inside(), &right = b.inside();
  if (left.is_blank()) return b;
  if (right.is_blank()) return a;
  check_same(left, right, different);
  Piece made;
  auto& to = made.inside();
  to.whole = left.whole;
  to.asked = left.asked;
  to.boxes = joined_boxes(left.boxes, right.boxes);
  unite(left, right, to);
  return made;
}

}  // namespace blocks

template <class State>
block_piece<State>::block_piece() : state_(std::make_unique<State>()) {}
template <class State>
block_piece<State>::block_piece(const block_piece& other) : state_(std::make_unique<State>(*other.state_)) {}
template <class State>
block_piece<State>& block_piece<State>::operator=(const block_piece& other) {
  if (this != &other) state_ = std::make_unique<State>(*other.state_);
  return *this;
}
template <class State>
block_piece<State>::block_piece(block_piece&&) noexcept = default;
template <class State>
block_piece<State>& block_piece<State>::operator=(block_piece&&) noexcept = default;
template <class State>
block_piece<State>::~block_piece() = default;

template <class State>
extent block_piece<State>::whole() const {
  return state_->placed().whole;
}
template <class State>
std::uint64_t block_piece<State>::pixels() const {
  return state_->placed().pixels();
}
template <class State>
bool block_piece<State>::is_complete() const {
  return state_->placed().is_complete();
}
template <class State>
std::uint64_t block_piece<State>::memory() const {
  return sizeof(State) + state_->memory();
}
template <class State>
std::vector<std::byte> block_piece<State>::to_bytes() const {
  blocks::byte_writer parts(State::header);
  State::each_part(std::as_const(*state_), parts);
  return parts.finish();
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// The shape of what is known of blocks: each kind of piece is a value that joins to others of its kind, and travels as bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "skerry/image.hpp"

namespace skerry {

/// What is known of one block of an image, or of blocks that were joined. Every kind of piece is one of these: it has a
/// join(a, b), and a function that reads what to_bytes() wrote.
template <class State>
class block_piece {
 public:
  using state = State;  ///< For the library's own rooms.

  /// Of no block; joins to any piece.
  block_piece();
  block_piece(const block_piece& other);             ///< A piece that knows the same.
  block_piece& operator=(const block_piece& other);  ///< The same.
  block_piece(block_piece&&) noexcept;  ///< Takes the other's place; the other may only be assigned to or destroyed.
  block_piece& operator=(block_piece&&) noexcept;  ///< The same.
  ~block_piece();

  /// Of the whole image.
  [[nodiscard]] extent whole() const;
  /// Pixels of the blocks that were joined.
  [[nodiscard]] std::uint64_t pixels() const;
  /// Whether those are all pixels of the whole image.
  [[nodiscard]] bool is_complete() const;
  /// Bytes of memory that the piece takes.
  [[nodiscard]] std::uint64_t memory() const;

  /// Bytes from which any machine reads the piece: equal pieces have equal bytes, whatever the order in which their blocks
  /// were joined. Throws out_of_memory.
  [[nodiscard]] std::vector<std::byte> to_bytes() const;

  /// For the library's own rooms.
  [[nodiscard]] state& inside() noexcept { return *state_; }
  [[nodiscard]] const state& inside() const noexcept { return *state_; }  ///< The same.

 private:
  std::unique_ptr<state> state_;
};

}  // namespace skerry

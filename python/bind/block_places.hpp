// SPDX-License-Identifier: Apache-2.0
// What calls on blocks share: where blocks lie, and pieces of either kind.
#pragma once
#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bind/arguments.hpp"
#include "bind/without_gil.hpp"
#include "skerry/blocks.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// A shape of 2 or 3 axes. Throws ValueError naming the argument.
[[nodiscard]] extent extent_from(nb::handle shape, const char* name);

/// The place of a block whose first pixel has these indices. Throws ValueError naming the argument.
[[nodiscard]] block_place place_from(nb::handle origin, const extent& whole);

template <class Piece>
void check_pieces(const std::vector<const Piece*>& pieces) {
  for (const Piece* const each : pieces)
    if (each == nullptr) bad_type("pieces", "None is not a piece");
}

/// Joined in pairs, so that each piece is copied as seldom as can be. Pieces do not change.
template <class Piece>
Piece joined(std::span<const Piece* const> pieces) {
  if (pieces.empty()) return {};
  if (pieces.size() == 1) return *pieces[0];
  if (pieces.size() == 2) return join(*pieces[0], *pieces[1]);
  const std::size_t half = pieces.size() / 2;
  return join(joined(pieces.first(half)), joined(pieces.subspan(half)));
}

template <class Piece>
std::unique_ptr<Piece> join_all(const std::vector<const Piece*>& pieces) {
  check_pieces(pieces);
  const without_gil unlocked;
  return std::make_unique<Piece>(joined<Piece>(pieces));
}

template <class Piece>
nb::bytes bytes_of(const Piece& from) {
  std::vector<std::byte> bytes;
  {
    const without_gil unlocked;
    bytes = from.to_bytes();
  }
  return nb::bytes(bytes.data(), bytes.size());
}

template <class Read>
auto piece_from(const nb::bytes& bytes, Read read) {
  const std::span<const std::byte> held(static_cast<const std::byte*>(bytes.data()), bytes.size());
  const without_gil unlocked;  // the caller's reference keeps the bytes
  using piece_type = decltype(read(held));
  return std::make_unique<piece_type>(read(held));
}

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/image_checks.hpp"

namespace skerry::blocks {

/// All pieces in one, joined in pairs, so that each is copied as seldom as can be.
template <class Piece>
[[nodiscard]] Piece joined(std::span<const Piece> pieces) {
  if (pieces.empty()) return {};
  std::vector<Piece> level;
  level.reserve(pieces.size() / 2 + 1);
  for (std::size_t i = 0; i + 1 < pieces.size(); i += 2) level.push_back(join(pieces[i], pieces[i + 1]));
  if (pieces.size() % 2 != 0) level.push_back(pieces.back());
  while (level.size() > 1) {
    const std::size_t pairs = level.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) level[i] = join(level[2 * i], level[2 * i + 1]);
    if (level.size() % 2 != 0) level[pairs] = std::move(level.back());
    level.resize(level.size() - pairs);
  }
  return std::move(level.front());
}

/// All pieces in one, which is of all blocks. Throws invalid_argument when blocks are missing.
///   image  what it is of, for the message: "image"
template <class Piece>
[[nodiscard]] Piece joined_whole(std::span<const Piece> pieces, const char* image) {
  Piece all = joined(pieces);
  if (!all.is_complete())
    refuse("pieces: " + std::to_string(all.pixels()) + " of " + std::to_string(all.whole().pixels()) +
           " pixels are in their blocks; give all blocks of the " + image);
  return all;
}

}  // namespace skerry::blocks

// SPDX-License-Identifier: Apache-2.0
// An image at random, cut into blocks at random, which are joined at random.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/portable.hpp"
#include "skerry/blocks.hpp"
#include "skerry/error.hpp"

namespace skerry::test {

struct placed_block {
  block_place place;
  extent size;
};

/// Values of an image that lie dense, with what is asked about them.
struct block_case {
  extent size;
  std::vector<u8> pixels;
  std::vector<float> reals;
  label_options options;
  measure_options features;  // without the intensity image
  bool measures_reals = false;

  [[nodiscard]] label_request whole() const;
  /// The same question for the part of the pixels that is in a block.
  [[nodiscard]] label_request of(const placed_block& block) const;
};

block_case random_case(std::mt19937& random);
/// Cuts until all blocks are small, some of them of one pixel.
std::vector<placed_block> random_blocks(const extent& size, std::mt19937& random);
/// Joins any two until one is left, and calls joined(piece) for each that was made.
template <class Piece, class Joined>
Piece joined_at_random(std::vector<Piece> pieces, std::mt19937& random, Joined joined) {
  while (pieces.size() > 1) {
    const std::size_t i = random() % pieces.size();
    std::swap(pieces[i], pieces.back());
    const Piece last = std::move(pieces.back());
    pieces.pop_back();
    Piece& other = pieces[random() % pieces.size()];
    other = random() % 2 == 0 ? join(last, other) : join(other, last);
    joined(other);
  }
  return std::move(pieces.front());
}
template <class Piece>
Piece joined_at_random(std::vector<Piece> pieces, std::mt19937& random) {
  return joined_at_random(std::move(pieces), random, [](Piece&) {});
}
/// The same; some of the closed components are taken out on the way, into `taken`.
inline piece joined_at_random(std::vector<piece> pieces, std::mt19937& random, std::vector<piece>* taken) {
  return joined_at_random(std::move(pieces), random, [&](piece& made) {
    if (random() % 3 == 0) taken->push_back(made.take_closed());
  });
}

/// The work is refused with a text that begins so.
template <class Work>
void expect_refused(Work work, const std::string& with) {
  try {
    work();
    ADD_FAILURE() << "not refused: " << with;
  } catch (const invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, with.size()), with);
  }
}

/// Pieces joined in another order have the same bytes as `one`, and these are read as it was.
template <class Piece, class Read>
void expect_same_bytes(const Piece& one, const std::vector<Piece>& pieces, std::mt19937& random, Read read) {
  const std::vector<std::byte> bytes = one.to_bytes();
  EXPECT_EQ(joined_at_random(pieces, random).to_bytes(), bytes);
  EXPECT_EQ(read(bytes).to_bytes(), bytes);
}

/// Bytes of a piece are refused wherever they are cut or changed, when others follow, and as a piece of another kind.
template <class Read, class ReadOther>
void expect_bytes_are_checked(std::vector<std::byte> bytes, Read read, ReadOther read_other) {
  const auto refused = [&](std::span<const std::byte> given) {
    expect_refused([&] { static_cast<void>(read(given)); }, "bytes: ");
  };
  for (std::size_t length = 0; length < bytes.size(); ++length) refused(std::span(bytes).first(length));
  for (std::byte& each : bytes) {
    each ^= std::byte{64};
    refused(bytes);
    each ^= std::byte{64};
  }
  expect_refused([&] { static_cast<void>(read_other(std::span<const std::byte>(bytes))); },
                 "bytes: this is not a piece");
  bytes.push_back({});
  refused(bytes);
}

}  // namespace skerry::test

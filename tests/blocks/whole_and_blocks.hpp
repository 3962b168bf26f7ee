// SPDX-License-Identifier: Apache-2.0
// An image at random, cut into blocks at random, which are joined at random.
#pragma once
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/portable.hpp"
#include "skerry/blocks.hpp"
#include "skerry/error.hpp"
#include "skerry/region_blocks.hpp"

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
/// Joins any two until one is left; some of the closed components are taken out on the way, into `taken`.
piece joined_at_random(std::vector<piece> pieces, std::mt19937& random, std::vector<piece>* taken = nullptr);
region_piece joined_at_random(std::vector<region_piece> pieces, std::mt19937& random);

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

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// What a caller of the blocks can get wrong. All throw invalid_argument.
#pragma once
#include <vector>

#include "blocks/piece_state.hpp"

namespace skerry::blocks {

/// The block lies within the whole image; returns its box.
[[nodiscard]] box check_place(const extent& block, const block_place& place);
/// The block's question is one that blocks can answer.
void check_block(const label_request& block, const block_place& place);
/// The question for the block alone: an axis wraps around where the block has all of it.
[[nodiscard]] label_request within_block(const label_request& block, const block_place& place);
/// The labels `given` are those of the components whose runs a block has. `name` is the argument's.
void check_labels_of(const char* name, const std::vector<labelled_run>& runs, const extent& block,
                     const block_place& place, const block_labels& given);

}  // namespace skerry::blocks

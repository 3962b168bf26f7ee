// SPDX-License-Identifier: Apache-2.0
// The words of packed labels (cuda::packed_labels): 32 pixels of a row, whose stretches of ones have one label each and are
// counted from the lowest bit on.
#pragma once
#include "core/portable.hpp"

namespace skerry {

inline constexpr u32 most_stretches = 16;  // of a word

SKERRY_BOTH constexpr i64 packed_words_for(i64 width) { return (width + 31) / 32; }

/// The ones from the lowest one up to the next zero; 0 when there are none.
SKERRY_BOTH constexpr u32 lowest_stretch(u32 word) { return word & ~(word + (word & (0 - word))); }

/// Number of the stretch of the pixel `bit`, which is a one of the word.
SKERRY_BOTH inline u32 stretch_at(u32 word, u32 bit) { return count_ones(word & ~(word << 1) & (bit | (bit - 1))) - 1; }

}  // namespace skerry

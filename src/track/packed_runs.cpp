// SPDX-License-Identifier: Apache-2.0
#include "track/packed_runs.hpp"

#include <algorithm>
#include <bit>

#include "core/packed_word.hpp"

namespace skerry::track_steps {

u32 packed_image::most_stretches() const {
  u32 most = 0;
  for (u64 i = 0; i < words(); ++i) most = std::max(most, count_ones(bits[i] & ~(bits[i] << 1)));
  return most;
}

void packed_image::list_runs(std::vector<labelled_run>& runs) const {
  runs.clear();
  u64 place = 0;
  for (i64 row = first_row; row < first_row + rows; ++row)
    for (i64 word = 0; word < words_of_row; ++word, ++place) {
      const u32* label = labels + place;
      for (u32 rest = bits[place]; rest != 0; label += words()) {
        const u32 ones = lowest_stretch(rest);
        rest ^= ones;
        const auto x = static_cast<i32>(32 * word), begin = x + std::countr_zero(ones),
                   end = x + 32 - std::countl_zero(ones);
        const bool goes_on = !runs.empty() && runs.back().row == row && runs.back().end == begin;
        if (goes_on) runs.back().end = end;
        else runs.push_back({row, begin, end, *label});
      }
    }
}

}  // namespace skerry::track_steps

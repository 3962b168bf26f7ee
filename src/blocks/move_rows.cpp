// SPDX-License-Identifier: Apache-2.0
#include "blocks/piece_state.hpp"
#include "core/moved_rows.hpp"

namespace skerry::blocks {

void move_rows(feature_table& rows, const i64 (&to)[3]) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows.moments.empty()) move(rows.moments[i], rows.components[i], to);
    move(rows.components[i], to);
  }
}

}  // namespace skerry::blocks

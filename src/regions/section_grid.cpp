// SPDX-License-Identifier: Apache-2.0
#include "regions/section_grid.hpp"

namespace skerry::regions {

section_grid::section_grid(i64 width, i64 height, u64 sections) {
  const auto most = static_cast<i64>(2 * sections + 16);
  while (((width >> shift_) + 1) > most / ((height >> shift_) + 1)) ++shift_;
  columns_ = (width >> shift_) + 1;
  rows_ = (height >> shift_) + 1;
}

}  // namespace skerry::regions

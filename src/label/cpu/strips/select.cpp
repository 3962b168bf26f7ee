// SPDX-License-Identifier: Apache-2.0
#include "label/select.hpp"

#include "engine/stop.hpp"
#include "label/cpu/strips/strips.hpp"

namespace skerry::label_stages {

u64 select(const selection& keep, const image_border& border, label_scratch& scratch, u64 components,
           feature_table& table) {
  const std::vector<u32>& renumbered = scratch.renumbered;
  const u64 left = choose(keep, border, table.components, scratch.renumbered, scratch.order);
  for (u64 c = 0; c < components; ++c) {
    stop_point(c);
    scratch.label[c] = renumbered[scratch.label[c] - 1];
  }
  keep_chosen(renumbered, left, table);
  return left;
}

}  // namespace skerry::label_stages

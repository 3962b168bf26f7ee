// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "skerry/max_tree.hpp"

namespace skerry {

/// The way of build() into a tree. Whoever writes there leaves a tree, or the parts of the empty one.
class tree_door {
 public:
  static tree_parts& parts_of(max_tree& tree) {
    tree.connected_ = true;
    return tree.parts_;
  }
  /// Whether the pixels of every component are connected: from_parts() does not check that.
  static bool is_connected(const max_tree& tree) { return tree.connected_; }
};

}  // namespace skerry

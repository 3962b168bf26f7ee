// SPDX-License-Identifier: Apache-2.0
// The list of methods that build trees on CUDA. A new one is a file with its function, and a line here and in trees.cpp.
#include "published/cuda/tree_task.hpp"

namespace skerry::published {

device_tree_function find_device_tree_method(std::string_view name) {
  if (name == "blin") return blin;
  if (name == "blin-border") return blin_border;
  return nullptr;
}

}  // namespace skerry::published

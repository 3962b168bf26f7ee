// SPDX-License-Identifier: Apache-2.0
// What every call about trees has around its work, whoever does it.
#pragma once
#include <new>

#include "engine/begin_call.hpp"
#include "max_tree/tree_door.hpp"
#include "skerry/error.hpp"

namespace skerry {

// Runs `work`, with failures of the standard library's allocations told as ours.
template <class Work>
void with_memory(Work work) {
  try {
    work();
  } catch (const out_of_memory&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("out of memory: the tree or its attributes do not fit");
  }
}

// The parts of a tree while they are written: those of the empty one if that fails.
struct filled_parts {
  explicit filled_parts(tree_parts& written) : parts(written) {}
  filled_parts(const filled_parts&) = delete;
  filled_parts& operator=(const filled_parts&) = delete;
  ~filled_parts() {
    if (!done) parts = {};
  }
  // What is known before the work.
  void describe(const image_view& image, const tree_options& options) const {
    parts.kind = options.kind;
    parts.connectivity = options.connectivity;
    parts.type = image.type;
    parts.size = image.size;
  }
  tree_parts& parts;
  bool done = false;
};

}  // namespace skerry

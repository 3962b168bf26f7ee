// SPDX-License-Identifier: Apache-2.0
// In place of the methods on CUDA in a build without it: there is no engine that could be asked for them.
#include "published/on_cuda.hpp"
#include "published/trees_on_cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::published {

std::uint64_t run_on_cuda(engine::state&, const image_view&, const label_options&, const outputs&) {
  throw device_error("engine cuda: this build has no CUDA engine");
}

void build_on_cuda(engine::state&, const image_view&, const tree_options&, tree_parts&) {
  throw device_error("engine cuda: this build has no CUDA engine");
}

}  // namespace skerry::published

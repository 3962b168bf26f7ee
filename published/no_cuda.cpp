// SPDX-License-Identifier: Apache-2.0
// In place of the methods on CUDA in a build without it: there is no engine that could be asked for them.
#include "published/on_cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::published {
namespace {

[[noreturn]] void refuse() { throw device_error("engine cuda: this build has no CUDA engine"); }

}  // namespace

std::uint64_t run_on_cuda(engine::state&, std::string_view, const label_request&, const label_outputs&,
                          const method_options&) {
  refuse();
}

void measure_on_cuda(engine::state&, std::string_view, const given_labels&, const method_options&,
                     table_rows<geometry>&) {
  refuse();
}

void build_on_cuda(engine::state&, std::string_view, const image_view&, tree_parts&) { refuse(); }

}  // namespace skerry::published

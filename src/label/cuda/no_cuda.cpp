// SPDX-License-Identifier: Apache-2.0
// In place of the CUDA engine in a build without it: there is no way to get one.
#include "engine/cuda/device.hpp"
#include "label/cuda/on_cuda.hpp"
#include "label/cuda/slabs/on_slabs.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

[[noreturn]] void refuse_cuda() { throw device_error("engine cuda: this build has no CUDA engine"); }

}  // namespace

void require_cuda_device(int) { refuse_cuda(); }

std::uint64_t run_on_cuda(engine::state&, const label_request&, const label_outputs&) { refuse_cuda(); }

u64 run_on_slabs(engine::state&, const slab_question&, const slab_results&) { refuse_cuda(); }

}  // namespace skerry

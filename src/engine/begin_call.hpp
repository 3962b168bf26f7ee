// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/engine_state.hpp"

namespace skerry {

// An engine at the beginning of a call on host memory: its clock starts anew. A CUDA engine computes there with one thread,
// one that was chosen automatically with all.
inline engine::state& begin_call(engine& on) {
  engine::state& state = on.inside();
  state.clock.start(state.profiling && state.kind != engine_kind::reference, state.threads);
  state.choice = {state.kind, call_choice::why::asked_for};
  if (state.kind == engine_kind::cuda) state.choice = {engine_kind::cpu, call_choice::why::on_host_only};
  return state;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/engine_state.hpp"
#include "engine/stop.hpp"

namespace skerry {

// A call on host memory while it runs. The engine's clock starts anew, and the call can be stopped. A CUDA engine computes
// there with one thread, one that was chosen automatically with all.
class running_call {
 public:
  explicit running_call(engine& on) : state_(on.inside()), stoppable_(state_.stop) {
    stop_point();
    state_.clock.start(state_.profiling && state_.kind != engine_kind::reference, state_.threads);
    state_.choice = {state_.kind, call_choice::why::asked_for};
    if (state_.kind == engine_kind::cuda) state_.choice = {engine_kind::cpu, call_choice::why::on_host_only};
  }

  [[nodiscard]] engine::state& state() const { return state_; }

 private:
  engine::state& state_;
  stop_scope stoppable_;
};

}  // namespace skerry

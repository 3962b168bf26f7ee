// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>

#include "engine/choose.hpp"
#include "engine/stop.hpp"

namespace skerry {

// A call while it runs: its engine's clock starts anew, and it can be stopped.
class running_call {
 public:
  // On host memory, where a CUDA engine computes with one thread, and engine::automatic() with all.
  running_call(engine& on, std::initializer_list<named_image> images) : running_call(engine_on_host(on, images)) {}
  // On the engine that was chosen for it.
  explicit running_call(engine::state& state) : state_(state), stoppable_(state_.stop) {
    stop_point();
    state_.clock.start(state_.profiling && state_.kind != engine_kind::reference, state_.threads);
  }

  [[nodiscard]] engine::state& state() const { return state_; }

 private:
  engine::state& state_;
  stop_scope stoppable_;
};

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "core/function_ref.hpp"
#include "engine/engine_state.hpp"

namespace skerry {

// Calls work(i) for 0 <= i < count, on the threads of the engine. Each has a share of them, the same from call to call, and
// takes the next when it is done with its last; when its share is empty it helps with those of others. So what a thread has
// left in its caches is mostly met there again: by the next stage, and by the next image in the same memory. Exceptions of
// `work` come out of it, and there is a stop_point() before each piece of work, which runs in the scope of the engine's
// stop token. `work` does not call it on the same engine.
void for_each_in_parallel(engine::state& on, std::size_t count, function_ref<void(std::size_t)> work);

}  // namespace skerry

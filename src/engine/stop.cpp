// SPDX-License-Identifier: Apache-2.0
#include "engine/stop.hpp"

#include "skerry/error.hpp"

namespace skerry {

void throw_cancelled() { throw cancelled("cancelled: the engine's stop token asked for it"); }

}  // namespace skerry

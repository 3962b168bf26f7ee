// SPDX-License-Identifier: Apache-2.0
// Where a call ran, and why. Kept without an allocation.
#pragma once
#include <cstdint>
#include <string>

#include "skerry/engine.hpp"

namespace skerry {

struct call_choice {
  enum class why : std::uint8_t { no_call, asked_for, on_host_only };
  engine_kind kind = engine_kind::reference;
  why reason = why::no_call;
};

[[nodiscard]] std::string text_of(const call_choice& choice);

}  // namespace skerry

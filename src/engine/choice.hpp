// SPDX-License-Identifier: Apache-2.0
// Where a call ran, and why. Kept without an allocation: names are short.
#pragma once
#include <cstdint>
#include <string>

#include "skerry/engine.hpp"

namespace skerry {

struct call_choice {
  enum class why : std::uint8_t {
    no_call,
    asked_for,
    on_host_only,
    image_on_device,
    images_in_host,
    method_only_there,
    frames_are_copied_beside,
    no_device
  };
  engine_kind kind = engine_kind::reference;
  why reason = why::no_call;
  std::string image = {};  // the name of the one that is on a device
  int device = 0;
};

[[nodiscard]] std::string text_of(const call_choice& choice);

}  // namespace skerry

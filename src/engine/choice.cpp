// SPDX-License-Identifier: Apache-2.0
#include "engine/choice.hpp"

namespace skerry {

std::string text_of(const call_choice& choice) {
  switch (choice.reason) {
    case call_choice::why::no_call: return "no call yet";
    case call_choice::why::asked_for: return "the engine computes there";
    case call_choice::why::on_host_only: return "this engine computes it in host memory";
  }
  return {};
}

}  // namespace skerry

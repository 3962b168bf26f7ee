// SPDX-License-Identifier: Apache-2.0
#include "engine/choice.hpp"

namespace skerry {

std::string text_of(const call_choice& choice) {
  switch (choice.reason) {
    case call_choice::why::no_call: return "no call yet";
    case call_choice::why::asked_for: return "the engine computes there";
    case call_choice::why::on_host_only: return "this engine computes it in host memory";
    case call_choice::why::image_on_device:
      return choice.image + " is in memory of GPU " + std::to_string(choice.device);
    case call_choice::why::images_in_host: return "no image is in device memory, and copies take longer than the work";
    case call_choice::why::method_only_there: return "the method runs there";
    case call_choice::why::frames_are_copied_beside: return "a frame is copied while the one before is computed";
    case call_choice::why::no_device: return "there is no device for the stream";
  }
  return {};
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Where images are. The driver of CUDA is asked, in builds without CUDA too, since their callers can have device memory: of
// another library of the process, such as one of Python. A process that has not loaded the driver has none, which costs
// nothing to see. All refusals throw invalid_argument, whose text begins with `name`.
#pragma once
#include <string>

#include "skerry/image.hpp"

namespace skerry {

struct known_memory {
  residence where = residence::host();
  bool moves = false;  // managed: the host and devices reach it
  bool asked = false;  // the process has a driver, and it said so
};

[[nodiscard]] known_memory memory_at(const void* address);

// What the image says of its memory is true, as far as anybody knows.
void check_residence(const std::string& name, const image_view& image);

// The host can read it.
void require_host_memory(const std::string& name, const image_view& image);
// It is memory of the host; or of this device, from the first byte to the last, as far as the driver can tell.
void require_reach_of_device(const std::string& name, const image_view& image, int device);

}  // namespace skerry

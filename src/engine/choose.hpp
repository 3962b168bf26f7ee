// SPDX-License-Identifier: Apache-2.0
// Which engine does a call. Of one that was asked for, it is that one; engine::automatic() chooses for each call.
#pragma once
#include <initializer_list>
#include <span>
#include <string>

#include "engine/engine_state.hpp"
#include "skerry/image.hpp"

namespace skerry {

// What a call reads or writes, and what its caller knows it by.
struct named_image {
  const char* name;
  image_view image;  // none, where there is no data
};

// The engine that does a call on these images. Throws invalid_argument, whose text begins with the name of an image that this
// engine cannot reach. An image in device memory takes the call to its device, and all others are copied there; without one
// the call stays on the CPU. Copies decide that: the link of a GPU carries an image more slowly than the threads of its host
// label it (decision 0066). Channels are more images, which are named by their numbers.
[[nodiscard]] engine::state& engine_for(engine& on, std::initializer_list<named_image> images,
                                        std::span<const image_view> channels = {});

// The same for a method that one kind of engine has. An automatic engine has both kinds.
[[nodiscard]] engine::state& engine_for_method(engine& on, engine_kind has_it,
                                               std::initializer_list<named_image> images);

// An engine of CUDA devices, whose job looks at its images itself. Throws invalid_argument for another engine.
[[nodiscard]] engine::state& engine_of_devices(engine& on);

// The engine of a job that is done in host memory, whatever engine it is asked of. Throws invalid_argument for an image that
// the host cannot read.
[[nodiscard]] engine::state& engine_on_host(engine& on, std::initializer_list<named_image> images);

// The engine of a stream of frames: a device if there is one, where a frame is copied while the one before is computed.
[[nodiscard]] engine::state& engine_for_stream(engine& on);

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// What the frame works of all engines do alike.
#pragma once
#include "engine/dense_image.hpp"
#include "skerry/track.hpp"

namespace skerry::track_steps {

// Copies the pixels of an image in host memory side by side.
void copy_dense(const image_view& from, void* to);

// A result without objects and events, which keeps its memory.
void clear(frame_result& result);

// Truncates a result to the capacity, and sets its overflow flag.
void cut(const track_options& options, frame_result& result);

}  // namespace skerry::track_steps

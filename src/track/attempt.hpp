// SPDX-License-Identifier: Apache-2.0
// Errors of frames: a stream goes on after them.
#pragma once
#include <exception>
#include <new>

#include "skerry/error.hpp"
#include "skerry/track.hpp"

namespace skerry::track_steps {

inline void set_error(frame_result& result, const char* text) noexcept {
  try {
    result.error = text;
  } catch (const std::bad_alloc&) {
    result.error = "out of memory";  // short enough to need none
  }
}

// Takes a step of a frame, unless one before it has failed; what it throws becomes the frame's error.
template <class Step>
void attempt(frame_result& result, Step step) noexcept {
  if (!result.error.empty()) return;
  try {
    step();
  } catch (const out_of_memory& error) {
    set_error(result, error.what());
  } catch (const std::bad_alloc&) {
    set_error(result, "out of memory");
  } catch (const std::exception& error) {
    set_error(result, error.what());
  } catch (...) {
    set_error(result, "unknown error");
  }
}

}  // namespace skerry::track_steps

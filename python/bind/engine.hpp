// SPDX-License-Identifier: Apache-2.0
// One engine for each thread that calls, made by its first call.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>

#include "bind/array.hpp"
#include "skerry/engine.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// The calling thread's engine of so many threads: 1…1024, or None for those of the skerry.Engine that the thread has entered, else one
/// per processor.
/// In a process that was forked after an engine had several threads, the engine has one: the others did not survive the
/// fork. Results are the same bits.
[[nodiscard]] engine& engine_of_thread(nb::handle threads);

/// The engine for calls on an image: that of its GPU, or engine_of_thread(). Small images have one thread where None is asked
/// for: waking others takes longer than what they would do.
[[nodiscard]] engine& engine_for(const held_image& image, nb::handle threads);

/// The engine for the components of an image: that of the GPUs of the skerry.Engine that the thread has entered, where the image is in
/// host memory and no threads are asked for; else engine_for().
[[nodiscard]] engine& engine_for_components(const held_image& image, nb::handle threads);

/// The engine for writing so many values, of threads that threads_from() has read: one thread for few values, as above.
[[nodiscard]] engine& engine_for_values(std::int64_t values, int threads);

/// The argument `threads`: 1…1024, or 0 for None.
[[nodiscard]] int threads_from(nb::handle threads);

/// Another engine of as many threads, for an object that keeps it.
[[nodiscard]] engine new_engine(nb::handle threads, nb::handle gpu);

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
// Calls into the library without the GIL, which Ctrl-C can stop.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "bind/without_gil.hpp"
#include "skerry/engine.hpp"

namespace skerry::python {

namespace nb = nanobind;

/// About how many nanoseconds a pixel, or a value of a column, takes one thread where the image is unkind.
enum class pace : std::uint16_t {
  labels = 8,
  otsu = 50,
  columns = 20,
  nodes = 30,
  tree = 200,
  regions = 50,
  values = 150,
  outlines = 1000
};
inline constexpr std::int64_t nanoseconds_of_columns = 5000;

/// How long a call may take, roughly.
struct call_length {
  std::int64_t nanoseconds;
  constexpr call_length(std::int64_t pixels, pace of) : nanoseconds(pixels * static_cast<std::int64_t>(of)) {}
  constexpr call_length(std::int64_t pixels, std::int64_t each) : nanoseconds(pixels * each) {}
};

/// Runs work() without the GIL. In the main thread, work that may take long runs in a thread beside it, while this one lets
/// Python handle signals; when a handler raises, as Ctrl-C does, the work is stopped and the exception thrown. Shorter work
/// runs here, since handing it over takes some 20 µs.
template <class Work>
auto run_unlocked(engine& on, call_length length, const Work& work);

/// Calls of less are not watched: 40 ms. Tests lower it. Returns what it was.
std::int64_t set_short_nanoseconds(std::int64_t nanoseconds);

/// How many calls of this thread are in work: more than one where a signal handler makes another call.
[[nodiscard]] int calls_in_work();

// ---- the parts of run_unlocked() ------------------------------------------------------------------------------------------

[[nodiscard]] bool needs_watching(call_length length);
/// Throws what work() throws, or nb::python_error from a signal handler.
void run_watched(engine& on, const std::function<void()>& work);

template <class Work>
auto run_unlocked(engine& on, call_length length, const Work& work) {
  using result = std::invoke_result_t<Work>;
  if (!needs_watching(length)) {
    const without_gil unlocked;
    return work();
  }
  if constexpr (std::is_void_v<result>) {
    run_watched(on, std::cref(work));
  } else {
    std::optional<result> found;
    run_watched(on, [&] { found.emplace(work()); });
    return std::move(*found);
  }
}

}  // namespace skerry::python

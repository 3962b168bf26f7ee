// SPDX-License-Identifier: Apache-2.0
#include "bind/engine.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <map>
#include <new>
#include <utility>

#include "bind/arguments.hpp"
#include "bind/device.hpp"
#include "bind/long_call.hpp"
#include "skerry/error.hpp"

namespace skerry::python {
namespace {

// By calls in work, and threads or key_of_device(): a signal handler that calls meets an engine in use.
using engines_by_threads = std::map<std::pair<int, int>, engine>;

constexpr int key_of_device(int device) { return -1 - device; }

thread_local engines_by_threads engines;
std::atomic<bool> pool_started = false;  // some engine of this process has several threads
std::atomic<bool> pool_lost = false;     // one of the process that was forked had

// In the child of a fork. Destroying an engine would wait for threads that are not there: it is left where it is.
void forget_engines() {
  new engines_by_threads(std::move(engines));
  engines.clear();
  if (pool_started) pool_lost = true;
}

// Of calls of this thread that ask for none: those of a block of skerry.Engine. 0 is one per processor.
thread_local int usual_threads = 0;

int threads_for(int asked) {
  if (pool_lost) return 1;
  return asked == 0 ? usual_threads : asked;
}

// 512 x 512: there, two threads took as long as one, and the first call of a process ten times as long, which starts them.
bool is_for_one_thread(std::int64_t pixels, int asked) { return asked == 0 && usual_threads == 0 && pixels <= 1 << 18; }

// Returns what it was; both are None where calls choose.
nb::object set_usual_threads(nb::handle threads) {
  const int before = std::exchange(usual_threads, threads_from(threads));
  return before == 0 ? nb::none() : nb::object(nb::int_(before));
}

engine make_engine(int threads) {
  if (threads < 0) return device_engine(key_of_device(threads));
  engine made = engine::cpu(threads);
  if (made.threads() > 1) pool_started = true;
  return made;
}

engine& kept_engine(int threads) {
  const std::pair key(calls_in_work(), threads);
  const auto found = engines.find(key);
  if (found != engines.end()) return found->second;
  return engines.emplace(key, make_engine(threads)).first->second;
}

// All but those in use.
void release_engines() {
  std::erase_if(engines, [](const auto& each) { return each.first.first >= calls_in_work(); });
}

nb::dict description(nb::handle threads) {
  const engine& on = engine_of_thread(threads);
  nb::dict told;
  told["engine"] = std::string(on.name());
  told["instruction set"] = on.instruction_set();
  told["threads"] = on.threads();
  std::size_t bytes = 0;
  for (const auto& [_, each] : engines) bytes += each.scratch_bytes();
  told["scratch bytes of this thread"] = bytes;
  return told;
}

}  // namespace

int threads_from(nb::handle threads) {
  return threads.is_none() ? 0 : static_cast<int>(whole_number(threads, "threads", 1, 1024));
}

engine& engine_of_thread(nb::handle threads) { return kept_engine(threads_for(threads_from(threads))); }

engine& engine_for_values(std::int64_t values, int threads) {
  return kept_engine(is_for_one_thread(values, threads) ? threads_for(1) : threads_for(threads));
}

engine& engine_for(const held_image& image, nb::handle threads) {
  if (image.is_on_device()) return kept_engine(key_of_device(device_of(image.view())));
  return engine_for_values(image.size().pixels(), threads_from(threads));
}

engine new_engine(nb::handle threads, nb::handle gpu) {
  if (gpu.is_none()) return make_engine(threads_for(threads_from(threads)));
  if (!threads.is_none()) bad_value("threads", "a GPU has no number of threads; give threads or gpu, not both");
  const auto device = static_cast<int>(whole_number(gpu, "gpu", 0, 1023));
  try {
    return device_engine(device);
  } catch (const device_error& failure) {
    bad_value("gpu", std::string(failure.what()) + (takes_device_arrays() ? "" : "; install skerry-cuda13"));
  }
}

void bind_engine(nb::module_& module) {
  module.def("forget_engines", &forget_engines);
  module.def("release_scratch", &release_engines);
  module.def("engine_description", &description, nb::arg("threads").none());
  module.def("set_usual_threads", &set_usual_threads, nb::arg("threads").none());
  module.def("set_short_nanoseconds", &set_short_nanoseconds, nb::arg("nanoseconds"));
}

}  // namespace skerry::python

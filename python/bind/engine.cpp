// SPDX-License-Identifier: Apache-2.0
#include "bind/engine.hpp"

#include <nanobind/stl/string.h>

#include <atomic>
#include <compare>
#include <map>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "bind/arguments.hpp"
#include "bind/device.hpp"
#include "bind/long_call.hpp"
#include "skerry/error.hpp"

namespace skerry::python {
namespace {

// What an engine is kept for: a signal handler that calls meets an engine in use.
struct kept_for {
  int calls = 0;
  int threads = 0;
  std::optional<int> device = {};  // of an array on a GPU
  std::vector<int> devices = {};   // of images in host memory
  auto operator<=>(const kept_for&) const = default;
};

using kept_engines = std::map<kept_for, engine>;

thread_local kept_engines engines;
std::atomic<bool> pool_started = false;  // some engine of this process has several threads
std::atomic<bool> pool_lost = false;     // one of the process that was forked had

// In the child of a fork. Destroying an engine would wait for threads that are not there: it is left where it is.
void forget_engines() {
  new kept_engines(std::move(engines));
  engines.clear();
  if (pool_started) pool_lost = true;
}

// Of calls of this thread that ask for no threads: those of a block of skerry.Engine.
thread_local int usual_threads = 0;                // 0 is one per processor
thread_local std::vector<int> usual_devices = {};  // for components of images of host memory; none: the CPU

int threads_for(int asked) {
  if (pool_lost) return 1;
  return asked == 0 ? usual_threads : asked;
}

// 512 x 512: there, two threads took as long as one, and the first call of a process ten times as long, which starts them.
bool is_for_one_thread(std::int64_t pixels, int asked) { return asked == 0 && usual_threads == 0 && pixels <= 1 << 18; }

engine make_engine(const kept_for& what) {
  engine made = what.device            ? engine::cuda(*what.device, what.threads)
                : what.devices.empty() ? engine::cpu(what.threads)
                                       : engine::cuda(what.devices, what.threads);
  if (made.threads() > 1) pool_started = true;
  return made;
}

engine& kept_engine(kept_for what) {
  what.calls = calls_in_work();
  const auto found = engines.find(what);
  if (found != engines.end()) return found->second;
  // Scratch on a GPU is large: an engine with another number of threads gives up its place.
  const auto gives_way = [&](const auto& each) {
    const kept_for& kept = each.first;
    return kept.calls == what.calls && kept.device == what.device && kept.devices == what.devices;
  };
  if (what.device || !what.devices.empty()) std::erase_if(engines, gives_way);
  engine made = make_engine(what);
  return engines.emplace(std::move(what), std::move(made)).first->second;
}

// All but those in use.
void release_engines() {
  std::erase_if(engines, [](const auto& each) { return each.first.calls >= calls_in_work(); });
}

constexpr int most_device = 1023;

// Throws what speaks of the argument, and of the extension where this one has no CUDA.
[[noreturn]] void refuse_device(const char* name, const device_error& failure) {
  bad_value(name, std::string(failure.what()) + (takes_device_arrays() ? "" : "; install skerry-cuda13"));
}

// One number or several.
std::vector<int> devices_from(nb::handle devices) {
  std::vector<int> numbers;
  if (devices.is_none()) return numbers;
  const auto add = [&](nb::handle each) {
    numbers.push_back(static_cast<int>(whole_number(each, "devices", 0, most_device)));
  };
  if (PySequence_Check(devices.ptr()) == 0 || (nb::hasattr(devices, "shape") && is_scalar(devices))) {
    add(devices);
  } else {
    for (const nb::handle each : devices) add(each);
    if (numbers.empty()) bad_value("devices", "0 were named; name 1 to 64");
  }
  return numbers;
}

nb::object devices_of_python(const std::vector<int>& devices) {
  if (devices.empty()) return nb::none();
  nb::list numbers;
  for (const int each : devices) numbers.append(each);
  return nb::tuple(numbers);
}

// The devices as a tuple, or None, once their engine is there.
nb::object start_devices(nb::handle threads, nb::handle devices) {
  const std::vector<int> numbers = devices_from(devices);
  try {
    if (!numbers.empty())
      static_cast<void>(kept_engine({.threads = threads_for(threads_from(threads)), .devices = numbers}));
  } catch (const device_error& failure) {
    refuse_device("devices", failure);
  }
  return devices_of_python(numbers);
}

// Returns what they were: None where calls choose.
nb::tuple set_usual_engine(nb::handle threads, nb::handle devices) {
  const int number = threads_from(threads);
  std::vector<int> before = devices_from(devices);
  usual_devices.swap(before);
  const int threads_before = std::exchange(usual_threads, number);
  return nb::make_tuple(threads_before == 0 ? nb::none() : nb::object(nb::int_(threads_before)),
                        devices_of_python(before));
}

nb::dict description(nb::handle threads) {
  const engine& on = engine_of_thread(threads);
  nb::dict told;
  told["engine"] = std::string(on.name());
  told["instruction set"] = on.instruction_set();
  told["threads"] = on.threads();
  told["GPUs of components"] = devices_of_python(usual_devices);
  std::size_t bytes = 0;
  for (const auto& [_, each] : engines) bytes += each.scratch_bytes();
  told["scratch bytes of this thread"] = bytes;
  return told;
}

}  // namespace

int threads_from(nb::handle threads) {
  return threads.is_none() ? 0 : static_cast<int>(whole_number(threads, "threads", 1, 1024));
}

engine& engine_of_thread(nb::handle threads) { return kept_engine({.threads = threads_for(threads_from(threads))}); }

engine& engine_for_values(std::int64_t values, int threads) {
  return kept_engine({.threads = is_for_one_thread(values, threads) ? threads_for(1) : threads_for(threads)});
}

engine& engine_for(const held_image& image, nb::handle threads) {
  if (image.is_on_device())
    return kept_engine({.threads = threads_for(threads_from(threads)), .device = device_of(image.view())});
  return engine_for_values(image.size().pixels(), threads_from(threads));
}

engine& engine_for_components(const held_image& image, nb::handle threads) {
  if (usual_devices.empty() || !threads.is_none() || image.is_on_device()) return engine_for(image, threads);
  return kept_engine({.threads = threads_for(0), .devices = usual_devices});
}

engine new_engine(nb::handle threads, nb::handle gpu) {
  if (gpu.is_none()) return make_engine({.threads = threads_for(threads_from(threads))});
  if (!threads.is_none()) bad_value("threads", "are of a tracker on the CPU; give threads or gpu, not both");
  const auto device = static_cast<int>(whole_number(gpu, "gpu", 0, most_device));
  try {
    return make_engine({.threads = threads_for(0), .device = device});
  } catch (const device_error& failure) {
    refuse_device("gpu", failure);
  }
}

void bind_engine(nb::module_& module) {
  module.def("forget_engines", &forget_engines);
  module.def("release_scratch", &release_engines);
  module.def("engine_description", &description, nb::arg("threads").none());
  module.def("start_devices", &start_devices, nb::arg("threads").none(), nb::arg("devices").none());
  module.def("set_usual_engine", &set_usual_engine, nb::arg("threads").none(), nb::arg("devices").none());
  module.def("set_short_nanoseconds", &set_short_nanoseconds, nb::arg("nanoseconds"));
}

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
#include "support/engines.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "engine/cpu/instruction_set.hpp"
#include "engine/engine_state.hpp"
#include "skerry/error.hpp"

namespace skerry::test {

namespace {

// Said once by each program, so that nobody takes what it has passed for more than it was.
void say_that_cuda_is_left_out(const device_error& why) {
  static const bool said = [&] {
    std::cout << "CUDA: its cases are left out: " << why.what() << std::endl;
    return true;
  }();
  (void)said;
}

}  // namespace

bool looks_for_races() {
#ifdef __SANITIZE_THREAD__
  return true;
#else
  return false;
#endif
}

std::vector<named_engine>& each_engine() {
  static std::vector<named_engine> engines = [] {
    std::vector<named_engine> all;
    all.push_back({"reference", engine::reference()});
    for (const int threads : {1, 2, 3, 7}) {
      const bool streams = threads == 2 || threads == 7;
      all.push_back(
          {"cpu, " + std::to_string(threads) + " threads" + (streams ? ", streaming" : ""), engine::cpu(threads)});
      all.back().on.inside().least_pixels_per_strip = 1;
      all.back().on.inside().least_shared_nanoseconds = 0;
      if (streams) all.back().on.inside().least_streamed_bytes = 0;
    }
    all.push_back({"cpu", engine::cpu()});
    try {
      all.push_back({"cuda", engine::cuda()});
    } catch (const device_error& none) {  // this build or this machine has none
      say_that_cuda_is_left_out(none);
    }
    return all;
  }();
  return engines;
}

std::vector<named_engine*> engines_to_ask() {
  std::vector<named_engine*> asked;
  for (named_engine& each : each_engine())
    if (!looks_for_races() || each.on.inside().threads == 3 || each.on.inside().threads == 7) asked.push_back(&each);
  return asked;
}

bool named_engine::knows(int connectivity) const {
  return std::find(connectivities.begin(), connectivities.end(), connectivity) != connectivities.end();
}

namespace {

void add_on_cpu(const published::method& method, std::vector<named_engine>& all) {
  for (const int threads : {1, 2, 5}) {
    if (threads > 1 ? !method.parallel : looks_for_races()) continue;
    const std::string name(method.name);
    all.push_back({name + ", " + std::to_string(threads) + " threads",
                   engine::cpu(threads),
                   name,
                   {method.connectivities.begin(), method.connectivities.end()}});
    all.back().on.inside().least_pixels_per_strip = 1;
  }
}

void add_on_cuda(const published::method& method, std::vector<named_engine>& all) {
  try {
    const std::string name(method.name);
    all.push_back(
        {name + ", cuda", engine::cuda(), name, {method.connectivities.begin(), method.connectivities.end()}});
  } catch (const device_error& none) {
    say_that_cuda_is_left_out(none);
  }
}

}  // namespace

std::vector<named_engine>& each_published_method() {
  static std::vector<named_engine> methods = [] {
    std::vector<named_engine> all;
    for (const published::method& method : published::methods())
      for (const engine_kind kind : method.engines)
        if (method.rank != 2) continue;
        else if (kind == engine_kind::cuda) add_on_cuda(method, all);
        else add_on_cpu(method, all);
    return all;
  }();
  return methods;
}

void with_each_instruction_set(const std::function<void(const std::string&)>& work) {
  struct best_again {
    ~best_again() { force_instruction_set(""); }
  } at_the_end;
  const std::vector<std::string> sets = available_instruction_sets();
  for (const std::string& name : sets) {
    if (looks_for_races() && name != sets.front()) continue;
    force_instruction_set(name);
    work(name);
  }
}

double test_scale() {
  const char* text = std::getenv("SKERRY_TEST_SCALE");
  const double scale = text == nullptr ? 1.0 : std::atof(text);
  return scale > 0 ? scale : 1.0;
}

int scaled(int count) { return std::max(1, static_cast<int>(count * test_scale())); }

std::size_t case_step() {
  if (test_scale() >= 1) return 1;
  if (test_scale() >= 0.3) return 2;
  return test_scale() >= 0.15 ? 3 : 7;
}

}  // namespace skerry::test

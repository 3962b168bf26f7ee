// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "support/options.hpp"
#include "support/picture.hpp"

namespace skerry::bench {

/// What one benchmark is, as the fields of its name: job/connectivity/size/granularity/density/threads/method.
struct subject {
  std::string job;
  int connectivity = 0, size = 0, granularity = 0, density = 0, threads = 0;
  std::string method;

  subject() = default;
  subject(std::string what, int neighbours, const picture& image, int processors, std::string how);
  [[nodiscard]] std::string name() const;
  [[nodiscard]] static subject parse(const std::string& name);
  friend auto operator<=>(const subject&, const subject&) = default;
};

/// Registers a benchmark of single timed calls; reports Mpx/s and what `note`, called with the seconds, adds
/// after each call.
void add_benchmark(const subject& what, const options& how, std::size_t pixels, std::function<void()> call,
                   std::function<void(benchmark::State&, double)> note = {});

/// Initialises Google Benchmark with what our options left over. Returns false when an argument is unknown; the usage
/// is printed then.
[[nodiscard]] bool initialise(std::vector<std::string> given, const options& what);

}  // namespace skerry::bench

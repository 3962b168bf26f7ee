// SPDX-License-Identifier: Apache-2.0
#include "support/subject.hpp"

#include <chrono>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "skerry/engine.hpp"
#include "skerry/version.hpp"

namespace skerry::bench {

subject::subject(std::string what, int neighbours, const picture& image, int processors, std::string how)
    : job(std::move(what)), connectivity(neighbours), size(image.side()), granularity(image.granularity),
      density(image.density), threads(processors), method(std::move(how)) {}

std::string subject::name() const {
  std::ostringstream text;
  text << job << '/' << connectivity << '/' << size << '/' << granularity << '/' << density << '/' << threads << '/'
       << method;
  return text.str();
}

subject subject::parse(const std::string& name) {
  std::istringstream text(name);
  std::string field[7];
  for (std::string& part : field)
    if (!std::getline(text, part, '/')) throw std::logic_error("not the name of a subject: " + name);
  subject found;
  found.job = field[0];
  int* const number[5] = {&found.connectivity, &found.size, &found.granularity, &found.density, &found.threads};
  for (int i = 0; i < 5; ++i) *number[i] = std::stoi(field[i + 1]);
  found.method = field[6];
  return found;
}

void add_benchmark(const subject& what, const options& how, std::size_t pixels, std::function<void()> call,
                   std::function<void(benchmark::State&, double)> note) {
  const bool other = what.method != "skerry" && what.job != "floor";
  const int repetitions = other && how.other_repetitions != 0 ? how.other_repetitions : how.repetitions;
  const double mega_pixels = static_cast<double>(pixels) / 1e6;
  const auto timed = [call = std::move(call), note = std::move(note), mega_pixels](benchmark::State& state) {
    double seconds = 0;
    for (auto step : state) {
      static_cast<void>(step);
      const auto begin = std::chrono::steady_clock::now();
      call();
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      state.SetIterationTime(seconds);
    }
    state.counters["Mpx/s"] = benchmark::Counter(mega_pixels, benchmark::Counter::kIsIterationInvariantRate);
    if (note) note(state, seconds);
  };
  benchmark::RegisterBenchmark(what.name().c_str(), timed)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->Unit(benchmark::kMillisecond);
}

bool initialise(std::vector<std::string> given, const options& what) {
  static std::vector<std::string> arguments;  // Google Benchmark keeps pointing at the program's name
  arguments = std::move(given);
  // All repetitions of all benchmarks are shuffled, so that noise hits every program and every image alike.
  arguments.insert(arguments.begin() + 1, "--benchmark_enable_random_interleaving=true");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) {
    std::fputs(usage, stderr);
    return false;
  }
  benchmark::AddCustomContext("skerry", version);
  benchmark::AddCustomContext("instruction_set", engine::cpu(1).instruction_set());
  benchmark::AddCustomContext("compiler", SKERRY_BENCH_COMPILER);
  std::string repetitions = std::to_string(what.repetitions);
  if (what.other_repetitions != 0)
    repetitions += " (others than skerry's labels and features: " + std::to_string(what.other_repetitions) + ")";
  benchmark::AddCustomContext("repetitions", repetitions);
  benchmark::AddCustomContext("seed", std::to_string(what.seed));
  return true;
}

}  // namespace skerry::bench

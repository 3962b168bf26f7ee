// SPDX-License-Identifier: Apache-2.0
// What the programs that stand on Google Benchmark do after their options are read.
#pragma once
#include <benchmark/benchmark.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "support/options.hpp"

namespace skerry::bench {

/// Checks every output, registers every benchmark, runs them and prints the table.
///   Bench      has check_all() and register_all()
///   Reporter   prints the table
///   checked    what is true after check_all()
template <class Bench, class Reporter>
void check_and_time(const options& what, const char* checked) {
  Bench all(what);
  all.check_all();
  std::fprintf(stderr, "%s; timing starts\n", checked);
  all.register_all();
  Reporter table(what);
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
}

/// Calls run(arguments) for main(). Returns its exit code; after an exception 2, with the program's name and the text.
template <class Run>
int program(const char* name, int count, char** arguments, Run run) {
  try {
    return run(std::vector<std::string>(arguments, arguments + count));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
}

}  // namespace skerry::bench

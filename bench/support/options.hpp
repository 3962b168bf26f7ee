// SPDX-License-Identifier: Apache-2.0
// The command line of the benches: which images, which neighbours, how many threads.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace skerry::bench {

struct options {
  bool volumes = false;                   // cubes instead of squares
  std::vector<int> sizes = {4096, 8192};  // sides in pixels
  std::vector<int> granularities = {1, 4, 16};
  std::vector<int> densities = {10, 30, 50, 70, 90};  // percent
  std::vector<int> connectivities = {4, 8};
  std::vector<int> threads = {1, 2};
  int repetitions = 9;
  int other_repetitions = 0;  // of all but floors, labels and features of skerry; 0: as many
  std::uint32_t seed = 0;
};

inline constexpr const char* usage =
    "options: [--quick] [--volumes] [--sizes=4096,8192] [--granularities=1,4,16] [--densities=10,30,50,70,90]\n"
    "         [--connectivities=4,8] [--threads=1,2] [--repetitions=9] [--other-repetitions=9] [--seed=0]\n"
    "         and those of Google Benchmark\n"
    "  --quick    2048², densities 10 50 90, 5 repetitions; options after it still count\n"
    "  --volumes  256³, g = 4, densities 10 30 50, connectivities 6 26; options after it still count\n";

/// Takes the options of `options` out of the arguments, and leaves those of Google Benchmark.
/// Throws std::invalid_argument with a text that names the argument.
[[nodiscard]] options read_options(std::vector<std::string>& arguments);

}  // namespace skerry::bench

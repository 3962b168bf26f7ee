// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/published.hpp"

namespace skerry::test {

struct named_engine {
  std::string name;
  engine on;
  std::string method = std::string(published::own_method);
  std::vector<int> connectivities = {4, 8, 6, 18, 26};

  [[nodiscard]] bool knows(int connectivity) const;
};

/// The reference, and the CPU with 1, 2, 3 and 7 threads, which split even the smallest image, and of which 2 and 7
/// write even the smallest label image past the caches; and once with one thread per processor as users have it; and
/// CUDA where there is a device. Kept for the whole test program, so that scratch goes from image to image.
std::vector<named_engine>& each_engine();

/// Those of each_engine() that a test of this build asks: under ThreadSanitizer those of 3 threads, and of 7, which stream.
std::vector<named_engine*> engines_to_ask();

/// The published methods that run here, on 1, 2 and 5 threads those that use several, which split even the smallest
/// image, and those on CUDA where there is a device. Kept in the same way.
std::vector<named_engine>& each_published_method();

/// True under ThreadSanitizer, where what one thread does alone, and what other instruction sets do with the same threads,
/// cannot show a race and is left to the other builds.
bool looks_for_races();

/// Calls work(name) with every instruction set of this machine forced in turn, then goes back to the best. Under
/// ThreadSanitizer with one.
void with_each_instruction_set(const std::function<void(const std::string& name)>& work);

/// 1, or what the environment variable SKERRY_TEST_SCALE says: the share of repetitions to run under slow tools.
double test_scale();

/// count · test_scale(), but at least 1.
int scaled(int count);

/// By how many steps to go through a list of cases: 1, but a small prime number under slow tools, 2, 3 or 7, so that
/// what alternates in the list is seen in turn.
std::size_t case_step();

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Included before every file of a build with mutants (script/mutate): SKERRY_MUTANT=N switches mutant N on, and
// SKERRY_MUTANTS_REACHED=FILE appends the numbers of the mutants that were reached to FILE when the process ends.
#pragma once
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace skerry_mutants {

inline const char* const reached_file = std::getenv("SKERRY_MUTANTS_REACHED");
inline std::array<std::atomic<bool>, 65536> reached;

// -1: none, and notes which are reached.
inline const int chosen = [] {
  if (reached_file == nullptr) {
    const char* const number = std::getenv("SKERRY_MUTANT");
    return number == nullptr ? 0 : std::atoi(number);
  }
  std::atexit([] {
    if (std::FILE* const file = std::fopen(reached_file, "a"); file != nullptr) {
      for (std::size_t number = 0; number < reached.size(); ++number)
        if (reached[number]) std::fprintf(file, "%zu\n", number);
      std::fclose(file);
    }
  });
  return -1;
}();

inline bool is_on(int number) {
  if (chosen == -1) reached[static_cast<std::size_t>(number)].store(true, std::memory_order_relaxed);
  return chosen == number;
}

}  // namespace skerry_mutants

#ifdef __CUDACC__
// Each file has its own: set before main(), after the file's kernels are registered, and read back at the end.
static __device__ int skerry_mutant_of_device;
static __device__ bool skerry_reached_on_device[65536];
static const int skerry_mutant_is_set = [] {
  if (skerry_mutants::chosen == 0) return 0;
  cudaMemcpyToSymbol(skerry_mutant_of_device, &skerry_mutants::chosen, sizeof(int));
  if (skerry_mutants::chosen == -1)
    std::atexit([] {
      static std::array<bool, 65536> reached;
      if (cudaMemcpyFromSymbol(reached.data(), skerry_reached_on_device, sizeof reached) != cudaSuccess) return;
      for (std::size_t number = 0; number < reached.size(); ++number)
        if (reached[number]) skerry_mutants::reached[number] = true;
    });
  return 1;
}();
#define SKERRY_MUTANT_BOTH __host__ __device__
#else
#define SKERRY_MUTANT_BOTH
#endif

SKERRY_MUTANT_BOTH constexpr bool skerry_mutant(int number) {
  if (__builtin_is_constant_evaluated()) return false;
#ifdef __CUDA_ARCH__
  if (skerry_mutant_of_device == -1) skerry_reached_on_device[number] = true;
  return skerry_mutant_of_device == number;
#else
  return skerry_mutants::is_on(number);
#endif
}

// SPDX-License-Identifier: Apache-2.0
// Commands with as little memory as will do.
#pragma once
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/sanitized.hpp"
#include "workspace.hpp"

namespace skerry::test {

inline std::string noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random() % 7 < 4 ? 0 : random());
  return text;
}

// Megabytes that the process of the tests grows by from one attempt to the next: sanitizers keep what is given back.
#ifdef SKERRY_TEST_SANITIZED
constexpr int tests_take_memory = 64;
#else
constexpr int tests_take_memory = 0;
#endif

class little_memory : public workspace {
 protected:
  using words = std::vector<std::string>;

  /// Runs with as little memory as will do, which errors name. Returns what was printed.
  std::string run_with_least(const words& command) const {
    std::string memory = "1M";
    for (int attempt = 0; attempt < 12; ++attempt) {
      words all = command;
      all.insert(all.end(), {"--memory", memory});
      const outcome result = run(all);
      if (result.code == 0) return result.out;
      const std::size_t give =
          std::min(result.err.find("give "), result.err.find("--memory ", result.err.find("go on")));
      if (give == std::string::npos) return result.err;
      const std::size_t at = result.err.find_first_of("0123456789", give);
      // Each attempt leaves the process a little larger; after some, more is given than was asked for.
      const int more = (tests_take_memory << attempt) + (attempt < 5 ? 0 : 1 << (attempt - 5));
      memory = std::to_string(std::stoi(result.err.substr(at)) + more) + "M";
    }
    return "there is never enough memory";
  }
};

}  // namespace skerry::test

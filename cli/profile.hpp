// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "skerry/engine.hpp"

namespace skerry::cli {

/// Time of the six stages, or of the phases of a published method, summed over all calls, and of reading and writing files
/// around them; of methods that iterate, how often each phase ran. Says which engines did it, and why.
class profile {
 public:
  using clock = std::chrono::steady_clock;

  /// Adds the phases of the engine's last call.
  void add(const engine& on, std::int64_t pixels);
  void add_reading(double milliseconds) { reading_ += milliseconds; }
  void add_writing(clock::time_point since) { writing_ += since_ms(since); }
  void print(std::ostream& to) const;

 private:
  static double since_ms(clock::time_point since) {
    return std::chrono::duration<double, std::milli>(clock::now() - since).count();
  }
  std::vector<phase_time> phases_;
  std::vector<std::string> engines_;  // where calls ran, and why
  bool repeats_ = false;              // some phase ran more than once in a call
  double reading_ = 0, writing_ = 0;
  std::int64_t pixels_ = 0;
};

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
// The program in a process of its own, from a shell, on a terminal, or interrupted.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "workspace.hpp"

namespace skerry::test {

class program : public workspace {
 protected:
  program() { write("a.pgm", pgm_bytes("3 2\n255\n1 0 0\n0 0 5")); }

  /// Runs a command of the shell, where "skerry" is the program.
  [[nodiscard]] outcome shell(const std::string& command) const;

  /// Starts the program with its output on a terminal. Returns its exit code and what was seen there.
  [[nodiscard]] std::pair<int, std::string> on_a_terminal(const std::vector<std::string>& arguments) const;

  /// Starts the program on a pipe that never ends, waits until its output is begun, and sends a signal. Returns the exit
  /// code, or 128 and the signal that ended it.
  [[nodiscard]] int interrupted_by(int signal, const std::string& output) const;
};

}  // namespace skerry::test

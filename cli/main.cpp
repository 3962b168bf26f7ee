// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <unistd.h>

#include <array>
#include <exception>
#include <iostream>

#include "cli/run.hpp"
#include "io/pending_file.hpp"

namespace {

// A standard stream that the parent has closed would be the number of the next file that is opened, and what is meant for the
// stream would end up in that file. What stands in for it fails when it is read or written.
void occupy_standard_streams() {
  while (true) {
    const int descriptor = ::open("/dev/null", O_PATH);
    if (descriptor < 0) return;
    if (descriptor > 2) {
      ::close(descriptor);
      return;
    }
  }
}

// The libraries that read images start threads and take memory before main(), and where there is too little of either some
// throw, some abort, and some use what they have not got. An error is one line and exit code 2 then, too.
constexpr std::array fatal_signals = {SIGABRT, SIGBUS, SIGSEGV, SIGTRAP};
std::array<struct sigaction, fatal_signals.size()> usual_actions;
std::terminate_handler usual_end = nullptr;

[[noreturn]] void end_before_main() {
  constexpr char text[] = "skerry: not enough memory or threads to start (see ulimit -v and ulimit -u)\n";
  const ssize_t ignored = ::write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  ::_exit(2);
}

void watch_start(int, char**, char**) {
  usual_end = std::set_terminate(end_before_main);
  struct sigaction action {};
  action.sa_handler = [](int) { end_before_main(); };
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) ::sigaction(fatal_signals[i], &action, &usual_actions[i]);
}

void end_watch() {
  std::set_terminate(usual_end);
  for (std::size_t i = 0; i < fatal_signals.size(); ++i) ::sigaction(fatal_signals[i], &usual_actions[i], nullptr);
}

// Called before any library is initialised.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)(int, char**, char**) = watch_start;

}  // namespace

int main(int argc, char** argv) {
  end_watch();
  occupy_standard_streams();
  skerry::io::remove_pending_files_on_signals();
  std::ios::sync_with_stdio(false);
  return skerry::cli::run(argc, argv, std::cout, std::cerr);
}

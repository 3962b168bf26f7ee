// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

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

}  // namespace

int main(int argc, char** argv) {
  occupy_standard_streams();
  skerry::io::remove_pending_files_on_signals();
  std::ios::sync_with_stdio(false);
  return skerry::cli::run(argc, argv, std::cout, std::cerr);
}

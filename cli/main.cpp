// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/run.hpp"
#include "io/pending_file.hpp"

int main(int argc, char** argv) {
  skerry::io::remove_pending_files_on_signals();
  std::ios::sync_with_stdio(false);
  return skerry::cli::run(argc, argv, std::cout, std::cerr);
}

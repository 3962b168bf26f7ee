// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iosfwd>

namespace skerry::cli {

/// The program: parses the arguments, runs one command, prints results to `out` and messages to `err`.
/// Returns 0, or 2 after one line on `err` that says what is wrong. Throws nothing.
int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <iosfwd>
#include <stdexcept>

namespace skerry::cli {

/// Where a command prints.
struct console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t out_width = 0;  // of the terminal, in characters; 0: tables may be as wide as they are
};

/// Arguments that do not go together. The text names the option.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace skerry::cli

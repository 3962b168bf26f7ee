// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace skerry::io {

/// A file that cannot be read or written. The text is "<file>: <reason>".
class file_error : public std::runtime_error {
 public:
  file_error(const std::string& file, const std::string& reason)
      : std::runtime_error(file + ": " + reason), file_(file), reason_(reason) {}
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  std::string file_;
  std::string reason_;
};

}  // namespace skerry::io

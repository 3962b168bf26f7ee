// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "cli/console.hpp"

namespace skerry::cli {

/// One line at the bottom of a terminal that says what is being done, for many or for large files; nothing elsewhere.
/// It is gone when the object is.
class progress {
 public:
  progress(const console& to, bool quiet, std::size_t total);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { clear(); }

  /// Starts on file `index` of the total.
  void begin(std::size_t index, const std::string& name);
  /// "reading", "labelling", "writing"
  void show(const std::string& verb);
  /// Makes room for a line of results.
  void clear();

 private:
  const console& to_;
  bool wanted_;
  bool file_wanted_ = false;
  bool visible_ = false;
  std::size_t total_;
  std::size_t index_ = 0;
  std::string name_;
};

}  // namespace skerry::cli

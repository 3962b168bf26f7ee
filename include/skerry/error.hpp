// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

namespace skerry {

/// An argument is out of its documented range. The text names the argument and the limit.
class invalid_argument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The components do not fit the label type that the caller chose. No output was written: no label, table or list of runs.
class label_overflow : public invalid_argument {
 public:
  /// Made by the library.
  label_overflow(const std::string& text, std::uint64_t count) : invalid_argument(text), count_(count) {}
  /// How many components there are.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  std::uint64_t count_;
};

/// Scratch memory or an output table could not be allocated; the text says what. No label was written, and the table and
/// the list of runs have no rows. (Labels in device memory may have been written, and those of a published method.)
class out_of_memory : public std::bad_alloc {
 public:
  /// Made by the library.
  explicit out_of_memory(std::string text) : text_(std::move(text)) {}
  /// What there was no memory for.
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// The call ended because its engine's stop token asked for it (engine::set_stop_token). Tables, lists of runs and trees that
/// it was to fill are empty or as they were, and what it wrote to images in the caller's memory is unspecified. The engine
/// can be used again.
class cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// This build or this machine lacks the engine, or the engine failed.
class device_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace skerry

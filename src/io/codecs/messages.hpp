// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace skerry::io {

/// While it lives, what the C libraries behind the image formats print to `stderr` in this thread (libpng does) is kept here
/// instead: the last of it tells why a file is bad, and a good file with a harmless oddity prints nothing. Several threads may
/// have one each at the same time; within a thread they end in the reverse order of their beginnings. What a thread without
/// one prints meanwhile is dropped.
/// Only the C stream is redirected: file descriptor 2 and std::cerr are as they were.
class codec_messages {
 public:
  codec_messages();
  codec_messages(const codec_messages&) = delete;
  codec_messages& operator=(const codec_messages&) = delete;
  ~codec_messages();
  [[nodiscard]] const std::string& text() const { return text_; }
  void append(std::string_view more) { text_ += more; }

 private:
  codec_messages* around_;  // in this thread
  std::string text_;
};

}  // namespace skerry::io

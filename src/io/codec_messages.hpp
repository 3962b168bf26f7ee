// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>

namespace skerry::io {

/// While it lives, what the C libraries behind the image formats print to `stderr` (libpng does) is kept here instead:
/// the last of it tells why a file is bad, and a good file with a harmless oddity prints nothing.
/// Only the C stream is redirected: file descriptor 2 and std::cerr are as they were.
class codec_messages {
 public:
  codec_messages();
  codec_messages(const codec_messages&) = delete;
  codec_messages& operator=(const codec_messages&) = delete;
  ~codec_messages();
  [[nodiscard]] std::string text() const;

 private:
  std::FILE* before_ = nullptr;
  std::FILE* collector_ = nullptr;
  char* text_ = nullptr;
  std::size_t length_ = 0;
};

}  // namespace skerry::io

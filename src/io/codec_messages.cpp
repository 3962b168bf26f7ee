// SPDX-License-Identifier: Apache-2.0
#include "io/codec_messages.hpp"

#include <cstdlib>

namespace skerry::io {

// Only the GNU C library lets a program assign `stderr`; elsewhere the messages appear.
codec_messages::codec_messages() {
#ifdef __GLIBC__
  collector_ = ::open_memstream(&text_, &length_);
  if (collector_ == nullptr) return;
  before_ = stderr;
  stderr = collector_;
#endif
}

codec_messages::~codec_messages() {
#ifdef __GLIBC__
  if (collector_ == nullptr) return;
  stderr = before_;
  std::fclose(collector_);
  std::free(text_);
#endif
}

std::string codec_messages::text() const {
  if (collector_ == nullptr) return {};
  std::fflush(collector_);
  return {text_, length_};
}

}  // namespace skerry::io

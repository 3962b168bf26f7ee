// SPDX-License-Identifier: Apache-2.0
#include "io/codecs/messages.hpp"

#include <cstdio>
#include <mutex>

namespace skerry::io {
namespace {

thread_local codec_messages* innermost = nullptr;

// Only the GNU C library lets a program assign `stderr`; elsewhere the messages appear.
#ifdef __GLIBC__

ssize_t keep(void*, const char* text, std::size_t length) {
  if (innermost != nullptr) innermost->append({text, length});
  return static_cast<ssize_t>(length);
}

// One stream stands in for `stderr` while there is any collector: it has no buffer, so that every message is written, and
// kept, by the thread that it is from.
class stream_exchange {
 public:
  void begin() {
    const std::lock_guard lock(mutex_);
    if (collectors_++ > 0) return;
    if (collector_ == nullptr) {
      collector_ = ::fopencookie(nullptr, "w", {nullptr, keep, nullptr, nullptr});
      if (collector_ != nullptr) std::setvbuf(collector_, nullptr, _IONBF, 0);
    }
    before_ = stderr;
    if (collector_ != nullptr) stderr = collector_;
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--collectors_ == 0) stderr = before_;
  }

 private:
  std::mutex mutex_;
  int collectors_ = 0;
  std::FILE* collector_ = nullptr;  // kept for the next time
  std::FILE* before_ = nullptr;
};

stream_exchange& streams() {
  static stream_exchange one;
  return one;
}

#endif

}  // namespace

codec_messages::codec_messages() : around_(innermost) {
#ifdef __GLIBC__
  streams().begin();
#endif
  innermost = this;
}

codec_messages::~codec_messages() {
  innermost = around_;
#ifdef __GLIBC__
  streams().end();
#endif
}

}  // namespace skerry::io

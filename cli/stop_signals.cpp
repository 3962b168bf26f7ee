// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "io/file_error.hpp"

namespace skerry::cli {
namespace {

// What the handler knows. The byte that it writes wakes the thread that reads, whichever thread has got the signal.
constexpr std::array stopping = {SIGINT, SIGTERM};
std::array<struct sigaction, stopping.size()> usual_actions;
std::array<int, 2> wake = {-1, -1};
std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler writes this");

void restore() {
  for (std::size_t i = 0; i < stopping.size(); ++i) ::sigaction(stopping[i], &usual_actions[i], nullptr);
}

extern "C" void ask_to_stop(int) {
  const int kept = errno;
  restore();
  stop_asked = true;
  const ssize_t ignored = ::write(wake[1], "", 1);
  (void)ignored;
  errno = kept;
}

}  // namespace

stop_signals::stop_signals() {
  if (::pipe2(wake.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw io::file_error("signals", std::string("cannot be waited for: ") + std::strerror(errno));
  stop_asked = false;
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  sigfillset(&action.sa_mask);
  for (std::size_t i = 0; i < stopping.size(); ++i) ::sigaction(stopping[i], nullptr, &usual_actions[i]);
  for (std::size_t i = 0; i < stopping.size(); ++i)
    if (usual_actions[i].sa_handler != SIG_IGN) ::sigaction(stopping[i], &action, nullptr);
}

stop_signals::~stop_signals() {
  restore();
  for (const int end : wake) ::close(end);
}

bool stop_signals::asked() const noexcept { return stop_asked; }

bool stop_signals::wait_for(int descriptor) const noexcept {
  while (!asked()) {
    std::array<pollfd, 2> watched = {pollfd{descriptor, POLLIN, 0}, pollfd{wake[0], POLLIN, 0}};
    const int found = ::poll(watched.data(), watched.size(), -1);
    if (asked()) break;
    if (watched[0].revents != 0 || (found < 0 && errno != EINTR)) return true;  // read() says what is wrong
  }
  return false;
}

}  // namespace skerry::cli

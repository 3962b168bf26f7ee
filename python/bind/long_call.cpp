// SPDX-License-Identifier: Apache-2.0
#include "bind/long_call.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>

namespace skerry::python {
namespace {

std::atomic<std::int64_t> short_nanoseconds = 40'000'000;
constexpr std::chrono::milliseconds between_looks{20};

thread_local int in_work = 0;

// A thread that works while the main thread watches for signals. It is never joined: it ends with the process.
class other_thread {
 public:
  explicit other_thread(pid_t process) : process_(process) {
    std::thread([this] { serve(); }).detach();
  }
  other_thread(const other_thread&) = delete;
  other_thread& operator=(const other_thread&) = delete;

  [[nodiscard]] pid_t process() const { return process_; }

  void begin(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    begun_.notify_one();
  }
  // Waits for the work, but not for ever. Returns whether it is done.
  [[nodiscard]] bool is_done_soon() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, between_looks, [this] { return work_ == nullptr; });
  }
  [[nodiscard]] std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

 private:
  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      begun_.wait(lock, [this] { return work_ != nullptr; });
      const std::function<void()>* const work = work_;
      lock.unlock();
      try {
        (*work)();
      } catch (...) {
        failure_ = std::current_exception();
      }
      lock.lock();
      work_ = nullptr;
      done_.notify_one();
    }
  }

  pid_t process_;
  std::mutex mutex_;
  std::condition_variable begun_, done_;
  const std::function<void()>* work_ = nullptr;
  std::exception_ptr failure_;
};

// Only the main thread asks for it. That of the process from which this one was forked is gone, and its memory stays. Null where the
// system starts no more threads.
other_thread* thread_of_process() {
  static other_thread* kept = nullptr;
  try {
    if (kept == nullptr || kept->process() != getpid()) kept = new other_thread(getpid());
  } catch (const std::system_error&) {
    return nullptr;
  }
  return kept;
}

// What is between the beginning and the end of a call that is watched.
class watch {
 public:
  explicit watch(engine& on) : on_(on) {
    on_.set_stop_token(source_.get_token());
    ++in_work;
  }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  ~watch() {
    --in_work;
    on_.set_stop_token({});
  }
  void stop() { source_.request_stop(); }

 private:
  engine& on_;
  std::stop_source source_;
};

}  // namespace

std::int64_t set_short_nanoseconds(std::int64_t nanoseconds) { return short_nanoseconds.exchange(nanoseconds); }

int calls_in_work() { return in_work; }

bool needs_watching(call_length length) {
  return length.nanoseconds > short_nanoseconds && in_work == 0 && syscall(SYS_gettid) == getpid();
}

void run_watched(engine& on, const std::function<void()>& work) {
  other_thread* const other = thread_of_process();
  if (other == nullptr) {  // not watched
    const without_gil unlocked;
    return work();
  }
  watch watching(on);
  other->begin(work);
  std::optional<nb::python_error> raised;
  for (bool done = false; !done;) {
    {
      const without_gil unlocked;
      done = other->is_done_soon();
    }
    if (done || raised || PyErr_CheckSignals() == 0) continue;
    raised.emplace();
    watching.stop();
  }
  const std::exception_ptr failure = other->take_failure();
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace skerry::python

// SPDX-License-Identifier: Apache-2.0
// Calls that are asked to stop: before they begin and at any moment. SKERRY_STOP_SIDE=8000 makes the images large, and prints
// how long each call took to stop.
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "engine/stop.hpp"
#include "engine/stoppable_calls.hpp"
#include "skerry/engine.hpp"
#include "skerry/error.hpp"
#include "skerry/measure.hpp"
#include "support/engines.hpp"

namespace skerry::test {
namespace {

// Of the calling thread, which works alone on one thread: other programs do not count.
double seconds_of_work(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Asks a call to stop after it has worked for some seconds. Returns how long it worked on, or nothing if it came to its end.
std::optional<double> seconds_to_stop(engine& on, const stoppable_call& call, double after) {
  std::stop_source source;
  on.set_stop_token(source.get_token());
  clockid_t clock{};
  pthread_getcpuclockid(pthread_self(), &clock);
  const double begin = seconds_of_work(clock);
  double asked = 0;
  std::optional<double> taken;
  {
    std::atomic<bool> ended = false;
    const std::jthread asker([&] {
      while (!ended && seconds_of_work(clock) < begin + after)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      asked = seconds_of_work(clock);
      source.request_stop();
    });
    try {
      call.run(on);
    } catch (const cancelled&) {
      taken = seconds_of_work(clock);
    }
    ended = true;
  }
  on.set_stop_token({});
  if (taken) *taken -= asked;
  return taken;
}

TEST(stop, a_call_does_not_begin_after_it_was_asked) {
  std::stop_source source;
  source.request_stop();
  for (engine* on : {new engine(engine::cpu(1)), new engine(engine::cpu(3)), new engine(engine::reference())}) {
    const std::unique_ptr<engine> held(on);
    on->set_stop_token(source.get_token());
    for (const stoppable_call& call : all_calls()) EXPECT_THROW(call.run(*on), cancelled) << call.name;
  }
}

TEST(stop, calls_end_at_any_moment_and_the_engine_can_be_used_again) {
  const bool large = std::getenv("SKERRY_STOP_SIDE") != nullptr;
  std::minstd_rand random(7);
  for (const int threads : large ? std::vector{1} : looks_for_races() ? std::vector{2} : std::vector{1, 2}) {
    engine on = engine::cpu(threads);
    for (const stoppable_call& call : all_calls()) {
      clockid_t clock{};
      pthread_getcpuclockid(pthread_self(), &clock);
      const double begin = seconds_of_work(clock);
      const std::uint64_t answer = call.run(on);
      const double whole = seconds_of_work(clock) - begin;
      double longest = 0;
      const int times = large ? 12 : scaled(3);
      for (int i = 0; i < times; ++i) {
        const double share = (i + static_cast<double>(random()) / static_cast<double>(std::minstd_rand::max())) / times;
        longest = std::max(longest, seconds_to_stop(on, call, whole * share).value_or(0));
      }
      EXPECT_LT(longest, 0.2) << call.name << " on " << threads << " threads";
      EXPECT_EQ(call.run(on), answer) << call.name;
      if (large) std::printf("%-36s %8.3f s in all, %.3f s to stop\n", call.name.c_str(), whole, longest);
      std::fflush(stdout);
    }
  }
}

// Without looking at a clock: the request comes from within the call.
TEST(stop, labels_are_not_asked_for_after_a_request) {
  engine on = engine::cpu(2);
  std::stop_source source;
  on.set_stop_token(source.get_token());
  std::vector<std::uint32_t> out(shown().noise.size(), 99);
  label_outputs outputs;
  outputs.labels_for = [&](std::uint64_t) {
    source.request_stop();
    return mutable_image(out.data(), shown().size());
  };
  EXPECT_THROW(label(on, {shown().view(shown().noise), {8}}, outputs), cancelled);
  EXPECT_EQ(out, std::vector<std::uint32_t>(out.size(), 99));  // no block of rows was begun
}

TEST(stop, nothing_stops_outside_of_calls) {
  std::stop_source source;
  source.request_stop();
  {
    const std::stop_token token = source.get_token();
    const stop_scope stoppable(token);
    EXPECT_THROW(stop_point(), cancelled);
    EXPECT_THROW(stop_point(1 << 16), cancelled);
    EXPECT_NO_THROW(stop_point(5));
  }
  EXPECT_NO_THROW(stop_point());
}

}  // namespace
}  // namespace skerry::test

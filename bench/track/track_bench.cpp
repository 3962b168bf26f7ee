// SPDX-License-Identifier: Apache-2.0
// A stream of bubbles through a tracker: how many frames per second, how long each takes, and whether its deadline is
// met. The first frames are compared with the reference before anything is timed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scenes/bubbles.hpp"
#include "skerry/skerry.hpp"
#include "support/program.hpp"
#include "track/track_digest.hpp"

namespace skerry::bench {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char* usage =
    "options: [--side=512] [--lane=32] [--threads=1] [--frames=4000] [--rate=1000] [--seconds=0] [--engine=cpu|cuda]\n"
    "  --lane     pixels to a lane of bubbles: 32 at 512 pixels gives about 200 objects\n"
    "  --threads  of the engine; the tracker has two more of its own\n"
    "  --rate     frames per second of the paced run, whose deadline is 5 ms\n"
    "  --seconds  of a long run at full speed at the end, which shows whether memory grows\n";

struct stream_bench_options {
  std::int64_t side = 512;
  int lane = 32, threads = 1;
  std::uint64_t frames = 4000;
  double rate = 1000, seconds = 0;
  std::string engine = "cpu";
};

// Frames that are there, so that drawing costs nothing.
struct reel {
  extent size;
  std::vector<std::vector<std::uint8_t>> frames;
  [[nodiscard]] image_view frame(std::uint64_t number) const { return {frames[number % frames.size()].data(), size}; }
};

reel make_reel(const stream_bench_options& what) {
  constexpr int length = 256;
  const scenes::bubbles film({what.side, what.side, what.lane, 1});
  reel made{film.size(), {}};
  for (int i = 0; i < length; ++i) {
    made.frames.emplace_back(static_cast<std::size_t>(film.size().pixels()));
    film.draw(static_cast<std::uint64_t>(i), made.frames.back().data());
  }
  return made;
}

track_options options_for(const reel& film, const frame_threshold& threshold) {
  track_options options;
  options.size = film.size;
  options.connectivity = 8;
  options.threshold = threshold;
  options.slots = 8;
  return options;
}

struct figures {
  double frames_per_second = 0, objects = 0;
  std::vector<double> delays;  // microseconds from push to result, sorted
  std::uint64_t late = 0;
  [[nodiscard]] double quantile(double share) const {
    return delays[static_cast<std::size_t>(share * static_cast<double>(delays.size() - 1))];
  }
};

// `rate` 0 pushes as fast as the ring takes frames. Delays of a full ring are those of waiting in it.
figures time_stream(engine& on, const reel& film, const frame_threshold& threshold, std::uint64_t frames, double rate) {
  constexpr double deadline = 5000;
  constexpr std::uint64_t warm_up = 100;
  figures found;
  found.delays.reserve(frames);
  double objects = 0;
  tracker stream(on, options_for(film, threshold), [&](const frame_result& result) {
    if (result.frame < warm_up) return;
    objects += static_cast<double>(result.count);
    found.delays.push_back(static_cast<double>(result.times.published - result.times.pushed) * 1e-3);
  });
  for (std::uint64_t i = 0; i < warm_up; ++i) stream.push(film.frame(i));
  stream.flush();
  const auto begin = clock::now();
  for (std::uint64_t i = 0; i < frames; ++i) {
    if (rate > 0)
      while (std::chrono::duration<double>(clock::now() - begin).count() * rate < static_cast<double>(i))
        std::this_thread::yield();
    stream.push(film.frame(warm_up + i));
  }
  stream.flush();
  found.frames_per_second = static_cast<double>(frames) / std::chrono::duration<double>(clock::now() - begin).count();
  found.objects = objects / static_cast<double>(frames);
  std::sort(found.delays.begin(), found.delays.end());
  for (const double delay : found.delays) found.late += delay > deadline ? 1 : 0;
  return found;
}

// Of this process, in MiB.
double resident_memory() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  status >> total >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

void soak(engine& on, const reel& film, double seconds) {
  tracker stream(on, options_for(film, frame_threshold::fixed(foreground::above(scenes::bubbles::threshold))),
                 [](const frame_result&) {});
  for (std::uint64_t i = 0; i < 1000; ++i) stream.push(film.frame(i));
  stream.flush();
  const double before = resident_memory();
  const auto begin = clock::now();
  std::uint64_t frames = 0;
  for (; std::chrono::duration<double>(clock::now() - begin).count() < seconds; ++frames)
    stream.push(film.frame(frames));
  stream.flush();
  std::printf("%llu frames in %.0f s; resident memory %.2f MiB before, %.2f MiB after\n",
              static_cast<unsigned long long>(frames), seconds, before, resident_memory());
}

stream_bench_options read_arguments(const std::vector<std::string>& arguments) {
  stream_bench_options what;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& each = arguments[i];
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals), value = equals == std::string::npos ? "" : each.substr(equals + 1);
    if (name == "--side") what.side = std::stoll(value);
    else if (name == "--lane") what.lane = std::stoi(value);
    else if (name == "--threads") what.threads = std::stoi(value);
    else if (name == "--frames") what.frames = std::stoull(value);
    else if (name == "--rate") what.rate = std::stod(value);
    else if (name == "--seconds") what.seconds = std::stod(value);
    else if (name == "--engine") what.engine = value;
    else throw std::invalid_argument("unknown argument " + each + "\n" + usage);
  }
  return what;
}

int run(const std::vector<std::string>& arguments) {
  const stream_bench_options what = read_arguments(arguments);
  const reel film = make_reel(what);
  engine on = what.engine == "cuda" ? engine::cuda() : engine::cpu(what.threads), oracle = engine::reference();
  struct named_policy {
    const char* name;
    frame_threshold how;
  };
  const named_policy policies[] = {{"fixed", frame_threshold::fixed(foreground::above(scenes::bubbles::threshold))},
                                   {"otsu", frame_threshold::otsu()},
                                   {"background", frame_threshold::background(60)}};
  for (const named_policy& policy : policies) {
    const track_options options = options_for(film, policy.how);
    if (!(digest_of(on, film, options, 20) == digest_of(oracle, film, options, 20)))
      throw std::runtime_error(std::string("wrong objects, threshold ") + policy.name);
  }
  std::fprintf(stderr, "objects, ids and events are those of the reference; timing starts\n");

  std::printf("%lld x %lld u8, engine %s, %d threads + 2\n", static_cast<long long>(film.size.height),
              static_cast<long long>(film.size.width), what.engine.c_str(), on.threads());
  std::printf("%-12s %8s %10s | at %.0f/s: delay in us %6s %8s %8s %8s %8s %8s\n", "threshold", "objects", "frames/s",
              what.rate, "p50", "p90", "p99", "p99.9", "max", "> 5 ms");
  for (const named_policy& policy : policies) {
    const figures full = time_stream(on, film, policy.how, what.frames, 0);
    const figures paced = time_stream(on, film, policy.how, what.frames, what.rate);
    std::printf("%-12s %8.1f %10.0f | %*s %8.1f %8.1f %8.1f %8.1f %8.1f %8llu\n", policy.name, full.objects,
                full.frames_per_second, 24, "", paced.quantile(0.5), paced.quantile(0.9), paced.quantile(0.99),
                paced.quantile(0.999), paced.quantile(1), static_cast<unsigned long long>(paced.late));
  }
  if (what.seconds > 0) soak(on, film, what.seconds);
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_track", count, arguments, skerry::bench::run);
}

// SPDX-License-Identifier: Apache-2.0
// A video on the CPU: how many frames of 1920 × 1080 a tree_stream takes per second, tree, areas and an opening of each, by look,
// type and number of threads, which take turns. Beside wall time stands processor time, which other programs disturb less.
// `skerry_tree_video [--connectivities=4] [--threads=1,2] [--repetitions=9]`, as the other benches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "data/grey_pictures.hpp"
#include "skerry/skerry.hpp"
#include "support/options.hpp"
#include "support/program.hpp"

namespace skerry::bench {
namespace {

constexpr double least_area = 50;
constexpr int frames_in_turn = 4;  // of a film, one after the other

struct times {
  std::vector<double> wall, processor;  // ms per frame
};

double least_of(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

double wall_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

class video {
 public:
  video(int threads, const std::vector<grey_picture>& film, int connectivity)
      : threads_(threads), film_(film), on_(engine::cpu(threads)), out_(film[0].bytes.size()),
        stream_(on_, options_of(film[0], connectivity)) {}
  [[nodiscard]] int threads() const { return threads_; }
  [[nodiscard]] const times& spent() const { return spent_; }

  // All frames; kept times are those of a film that is not the first.
  void run(bool keep) {
    const double wall = wall_ms(), processor = processor_ms();
    for (const grey_picture& frame : film_) {
      stream_.push(frame.view());
      stream_.write({frame_filter::kind::area, least_area}, {out_.data(), frame.type, frame.size});
    }
    if (!keep) return;
    const auto count = static_cast<double>(film_.size());
    spent_.wall.push_back((wall_ms() - wall) / count);
    spent_.processor.push_back((processor_ms() - processor) / count);
  }

 private:
  static tree_stream_options options_of(const grey_picture& frame, int connectivity) {
    tree_stream_options options;
    options.size = frame.size;
    options.type = frame.type;
    options.tree.connectivity = connectivity;
    return options;
  }

  int threads_;
  const std::vector<grey_picture>& film_;
  engine on_;
  std::vector<std::uint8_t> out_;
  tree_stream stream_;
  times spent_;
};

void print_row(const std::string& name, int connectivity, const video& of, double pixels) {
  const times& spent = of.spent();
  const double least = least_of(spent.wall), median = median_of(spent.wall);
  std::printf("%-10s %4d %7d %8.1f %8.1f %8.1f %8.1f %9.1f %9.1f\n", name.c_str(), connectivity, of.threads(),
              1e3 / least, 1e3 / median, pixels / least / 1e3, pixels / median / 1e3, least_of(spent.processor),
              median_of(spent.processor));
  std::fflush(stdout);
}

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, {"--connectivities=4"});  // unless the user says otherwise
  const options what = read_options(arguments);
  std::printf("%-10s %4s %7s %8s %8s %8s %8s %9s %9s\n", "film", "conn", "threads", "most f/s", "med f/s", "most Mpx",
              "med Mpx", "least cpu", "med cpu");
  const extent size(1080, 1920);
  for (const std::string& type : {"u8", "f32"})
    for (const std::string& look : {"natural", "blurred", "noise"}) {
      std::vector<grey_picture> film;
      for (std::uint32_t seed = 0; seed < frames_in_turn; ++seed)
        film.push_back(std::move(grey_pictures(size, {type}, {look}, what.seed + seed).front()));
      for (const int connectivity : what.connectivities) {
        std::vector<video> videos;
        videos.reserve(what.threads.size());
        for (const int threads : what.threads) videos.emplace_back(threads, film, connectivity);
        for (int k = 0; k <= what.repetitions; ++k)
          for (video& each : videos) each.run(k > 0);
        for (const video& each : videos)
          print_row(film[0].name, connectivity, each, static_cast<double>(size.pixels()));
      }
    }
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_tree_video", count, arguments, skerry::bench::run);
}

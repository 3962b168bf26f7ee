// SPDX-License-Identifier: Apache-2.0
// How much faster is one thread made by others? Each image is done by one thread and by several in turn, a few calls of each at
// a time, so that neither a processor's mood nor what caches hold is counted for one of them. Sides, granularities, densities,
// connectivities, threads (the largest number) and repetitions are those of the other benches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "skerry/skerry.hpp"
#include "support/options.hpp"
#include "support/picture.hpp"
#include "support/program.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

struct job {
  const char* name;
  bool labels, table;
};
constexpr job jobs[] = {{"label", true, false}, {"measure", false, true}, {"label and measure", true, true}};

// Nanoseconds per pixel, by one thread and by all.
struct times {
  double one = 0, all = 0;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

class threads_bench {
 public:
  explicit threads_bench(const options& what)
      : what_(what), all_threads_(*std::max_element(what.threads.begin(), what.threads.end())), one_(engine::cpu(1)),
        all_(engine::cpu(all_threads_)), labels_{warm_buffer(pixels()), warm_buffer(pixels())} {}

  void run() {
    for (const int side : what_.sizes) {
      options of_side = what_;
      of_side.sizes = {side};
      const std::vector<picture> pictures = make_pictures(of_side);
      for (const int connectivity : what_.connectivities) {
        std::printf("\nside %d, %d-connectivity, ns per pixel on 1 thread and on %d\n%-18s%3s", side, connectivity,
                    all_threads_, "", "g");
        for (const int density : what_.densities) std::printf("%10d %%        ", density);
        std::printf("faster\n");
        for (const job& what : jobs)
          for (const int granularity : what_.granularities) row(what, pictures, connectivity, granularity);
      }
    }
  }

 private:
  [[nodiscard]] std::size_t pixels() const {
    const auto side = static_cast<std::size_t>(*std::max_element(what_.sizes.begin(), what_.sizes.end()));
    return side * side * (what_.volumes ? side : 1);
  }

  // "faster" is of the means of pixels per second over the densities.
  void row(const job& what, const std::vector<picture>& pictures, int connectivity, int granularity) {
    std::printf("%-18s%3d", what.name, granularity);
    double speed_of_one = 0, speed_of_all = 0;
    for (const picture& image : pictures) {
      if (image.granularity != granularity) continue;
      const times spent = time(what, image, {.connectivity = connectivity});
      speed_of_one += 1 / spent.one;
      speed_of_all += 1 / spent.all;
      std::printf("  %6.3f %6.3f %4.2f", spent.one, spent.all, spent.one / spent.all);
    }
    std::printf("  %5.2f\n", speed_of_all / speed_of_one);
    std::fflush(stdout);
  }

  std::uint64_t call(engine& on, const job& what, const picture& image, const label_options& how, int result) {
    const mutable_image labels = what.labels ? mutable_image{labels_[result].data(), image.size} : mutable_image{};
    if (!what.table) return label(on, image.view(), how, labels);
    return label(on, {image.view(), how}, {.labels = labels, .table = &table_[result]});
  }

  times time(const job& what, const picture& image, const label_options& how) {
    if (call(one_, what, image, how, 0) != call(all_, what, image, how, 1) ||
        (what.labels && !std::equal(labels_[0].data(), labels_[0].data() + image.pixels.size(), labels_[1].data())) ||
        (what.table && table_[0].components != table_[1].components))
      throw std::runtime_error("one thread and more have not the same result, " + image.name());
    std::vector<double> one, all;
    for (int k = 0; k < what_.repetitions; ++k) {
      one.push_back(time_of_few(one_, what, image, how));
      all.push_back(time_of_few(all_, what, image, how));
    }
    return {median(one), median(all)};
  }

  // The median of four calls, after one that fills the caches.
  double time_of_few(engine& on, const job& what, const picture& image, const label_options& how) {
    std::vector<double> spent;
    call(on, what, image, how, 0);
    for (int k = 0; k < 4; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      call(on, what, image, how, 0);
      const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
      spent.push_back(passed.count() / static_cast<double>(image.pixels.size()));
    }
    return median(spent);
  }

  options what_;
  int all_threads_;
  engine one_, all_;
  warm_buffer labels_[2];
  feature_table table_[2];
};

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, "--sizes=4096");  // unless the user says otherwise
  const options what = read_options(arguments);
  if (arguments.size() > 1) throw std::invalid_argument("'" + arguments[1] + "' is not an option\n" + usage);
  threads_bench(what).run();
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_threads", count, arguments, skerry::bench::run);
}

// SPDX-License-Identifier: Apache-2.0
// Where is an image of host memory done sooner, on the CPU or on a GPU to which it is copied first? Each image is done by the
// CUDA engine and by the CPU engine with several numbers of threads in turn, from host memory to host memory. Sides,
// granularities, densities, threads and repetitions are those of the other benches; neighbours are 8, in trees 4.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>

#include "data/grey_pictures.hpp"
#include "skerry/skerry.hpp"
#include "support/options.hpp"
#include "support/picture.hpp"
#include "support/program.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

// What a job left; only what it asked for is compared.
struct results {
  warm_buffer labels;
  feature_table table;
  max_tree tree;
};

struct job {
  const char* name;
  void (*run)(engine& on, const image_view& image, results& to);
};

void run_labels(engine& on, const image_view& image, results& to) {
  label(on, image, {}, {to.labels.data(), image.size});
}
void run_table(engine& on, const image_view& image, results& to) { measure(on, image, {}, {}, to.table); }
void run_tree(engine& on, const image_view& image, results& to) { build(on, image, {.connectivity = 4}, to.tree); }

constexpr job binary_jobs[] = {{"labels", run_labels}, {"features", run_table}};
constexpr job grey_jobs[] = {{"tree", run_tree}};

class residence_bench {
 public:
  explicit residence_bench(const options& what)
      : what_(what), got_{warm_buffer(pixels()), {}, {}}, want_{warm_buffer(pixels()), {}, {}} {
    all_.push_back(engine::cuda());
    for (const int threads : what.threads) all_.push_back(engine::cpu(threads));
  }

  void run() {
    std::printf("milliseconds, medians of %d, from host memory to host memory\n%-22s%6s%10s", what_.repetitions, "",
                "side", "cuda");
    for (const int threads : what_.threads) std::printf("%7d cpu", threads);
    std::printf("\n");
    for (const int side : what_.sizes) {
      options of_side = what_;
      of_side.sizes = {side};
      for (const picture& image : make_pictures(of_side))
        for (const job& what : binary_jobs)
          row(what, "g" + std::to_string(image.granularity) + " " + std::to_string(image.density) + " %", image.view());
      if (side > largest_grey_side) continue;
      for (const grey_picture& image : grey_pictures(extent(side, side), {"u8", "f32"}, {"natural"}, what_.seed))
        for (const job& what : grey_jobs) row(what, image.name, image.view());
    }
  }

 private:
  static constexpr int largest_grey_side = 4096;

  [[nodiscard]] std::size_t pixels() const {
    const auto side = static_cast<std::size_t>(*std::max_element(what_.sizes.begin(), what_.sizes.end()));
    return side * side;
  }

  void row(const job& what, const std::string& image_name, const image_view& image) {
    check(what, image_name, image);
    std::vector<std::vector<double>> spent(all_.size());
    for (int k = 0; k < what_.repetitions; ++k)
      for (std::size_t e = 0; e < all_.size(); ++e) spent[e].push_back(milliseconds(what, all_[e], image));
    std::printf("%-10s%-12s%6d", what.name, image_name.c_str(), static_cast<int>(image.size.width));
    for (std::vector<double>& times : spent) {
      std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
      std::printf("%10.3f", times[times.size() / 2]);
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  void check(const job& what, const std::string& image_name, const image_view& image) {
    what.run(all_.back(), image, want_);
    const auto count = static_cast<std::size_t>(image.size.pixels());
    for (engine& on : all_) {
      what.run(on, image, got_);
      if (!std::equal(want_.labels.data(), want_.labels.data() + count, got_.labels.data()) ||
          want_.table.components != got_.table.components || !(want_.tree == got_.tree))
        throw std::runtime_error("engines differ: " + std::string(what.name) + ", " + image_name);
    }
  }

  double milliseconds(const job& what, engine& on, const image_view& image) {
    const auto begin = std::chrono::steady_clock::now();
    what.run(on, image, got_);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  options what_;
  std::vector<engine> all_;
  results got_, want_;
};

int run(std::vector<std::string> arguments) {
  for (const char* const usual : {"--threads=1,2,4,16", "--densities=10,50,90", "--sizes=256,1024,4096,8192"})
    arguments.insert(arguments.begin() + 1, usual);  // unless the user says otherwise
  const options what = read_options(arguments);
  if (arguments.size() > 1) throw std::invalid_argument("'" + arguments[1] + "' is not an option\n" + usage);
  residence_bench(what).run();
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_residence", count, arguments, skerry::bench::run);
}

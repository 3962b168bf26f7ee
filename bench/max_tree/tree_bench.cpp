// SPDX-License-Identifier: Apache-2.0
// Max-trees of natural-like images and of noise: the tree, the tree with areas, and an area opening of a tree that is
// there, next to a copy of the image. Every tree is checked before it is timed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "data/grey_pictures.hpp"
#include "skerry/skerry.hpp"
#include "support/floor.hpp"
#include "support/options.hpp"
#include "support/program.hpp"
#include "support/subject.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

constexpr std::uint64_t least_area = 50;

std::vector<grey_picture> pictures_of(const extent& size, std::uint32_t seed) {
  std::vector<grey_picture> pictures = grey_pictures(size, {"u8", "u16", "f32"}, {"natural"}, seed);
  for (grey_picture& noise : grey_pictures(size, {"u8", "f32"}, {"noise"}, seed)) pictures.push_back(std::move(noise));
  return pictures;
}

class tree_bench {
 public:
  explicit tree_bench(const options& what) : what_(what), copy_(most_pixels(what)), out_(most_pixels(what)) {
    for (const int side : what.sizes)
      for (grey_picture& image : pictures_of(extent(side, side), what.seed)) pictures_.push_back(std::move(image));
    for (const int threads : what.threads) engine_.emplace(threads, engine::cpu(threads));
  }
  void check_all();
  void register_all();

 private:
  static std::size_t most_pixels(const options& what) {
    const auto side = static_cast<std::size_t>(*std::max_element(what.sizes.begin(), what.sizes.end()));
    return side * side;
  }
  void add(const std::string& job, const grey_picture& image, int connectivity, int threads,
           std::function<void()> call) const;
  void check(const grey_picture& image, int connectivity);

  options what_;
  std::vector<grey_picture> pictures_;
  std::map<int, engine> engine_;  // by threads
  warm_buffer copy_, out_;
  max_tree tree_;
  attribute_table table_;
};

// The reference takes a pass over the image for each level: it judges a corner of each image; of whole images the trees
// are the same for all numbers of threads. (versus/skimage_trees.py compares whole images with scikit-image.)
void tree_bench::check(const grey_picture& image, int connectivity) {
  const std::int64_t side = std::min<std::int64_t>(image.size.width, 100);
  image_view corner = image.view();
  corner.size = extent(side, side);
  engine oracle = engine::reference();
  max_tree want, corner_tree;
  attribute_table want_table, corner_table;
  build(oracle, corner, {connectivity}, want);
  measure(oracle, want, {}, want_table);
  max_tree whole;
  for (const int threads : what_.threads) {
    engine& on = engine_.at(threads);
    build(on, corner, {connectivity}, corner_tree);
    measure(on, corner_tree, {}, corner_table);
    if (corner_tree != want || corner_table.area != want_table.area)
      throw std::runtime_error("wrong tree, " + image.name);
    build(on, image.view(), {connectivity}, tree_);
    if (whole.nodes() == 0) whole = tree_;
    if (tree_ != whole) throw std::runtime_error("trees depend on threads, " + image.name);
  }
}

void tree_bench::check_all() {
  for (const grey_picture& image : pictures_)
    for (const int connectivity : what_.connectivities) check(image, connectivity);
}

void tree_bench::add(const std::string& job, const grey_picture& image, int connectivity, int threads,
                     std::function<void()> call) const {
  subject of;
  of.job = job + " " + image.name;
  of.connectivity = connectivity;
  of.size = static_cast<int>(image.size.width);
  of.threads = threads;
  of.method = "skerry";
  add_benchmark(of, what_, static_cast<std::size_t>(image.size.pixels()), std::move(call));
}

void tree_bench::register_all() {
  for (const grey_picture& image : pictures_)
    for (const int threads : what_.threads) {
      engine& on = engine_.at(threads);
      const auto pixels = static_cast<std::size_t>(image.size.pixels());
      if (image.type == dtype::u8)
        add("copy", image, 0, threads,
            [this, &image, pixels, threads] { floors::copy_plain(image.bytes.data(), copy_.data(), pixels, threads); });
      for (const int connectivity : what_.connectivities) {
        const tree_options how{connectivity};
        add("tree", image, connectivity, threads, [this, &on, &image, how] { build(on, image.view(), how, tree_); });
        add("tree+area", image, connectivity, threads, [this, &on, &image, how] {
          build(on, image.view(), how, tree_);
          measure(on, tree_, {}, table_);
        });
        add("tree+area+opening", image, connectivity, threads, [this, &on, &image, how] {
          build(on, image.view(), how, tree_);
          measure(on, tree_, {}, table_);
          area_filter(on, tree_, table_, least_area, {out_.data(), image.type, image.size});
        });
      }
    }
}

class console : public benchmark::BenchmarkReporter {
 public:
  explicit console(const options&) {}
  bool ReportContext(const Context&) override {
    std::printf("%-28s %4s %5s %7s %9s\n", "job and image", "conn", "side", "threads", "Mpx/s");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name != "median") continue;
      const subject of = subject::parse(run.run_name.function_name);
      std::printf("%-28s %4d %5d %7d %9.1f\n", of.job.c_str(), of.connectivity, of.size, of.threads,
                  static_cast<double>(run.counters.at("Mpx/s")));
    }
    std::fflush(stdout);
  }
};

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, {"--sizes=4096", "--connectivities=4"});  // unless the user says otherwise
  const options what = read_options(arguments);
  if (!initialise(arguments, what)) return 2;
  check_and_time<tree_bench, console>(
      what, "corners have the trees of the reference, whole images the same trees on all threads");
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_trees", count, arguments, skerry::bench::run);
}

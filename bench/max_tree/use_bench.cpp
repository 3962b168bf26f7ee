// SPDX-License-Identifier: Apache-2.0
// What a tree that is there costs to use: attributes, and an area opening with a table that is there, by number of threads.
// Each stands next to the bytes that it must move: a streamed write of as many bytes as the output has, and a read of as many
// as node_of_pixel has. Numbers of threads take turns, and caches are emptied before each call, except for "again": the
// opening and the areas right after themselves. Sides, connectivities, threads, repetitions and seed are those of the other benches;
// with --bytes there are images of bytes only.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "data/grey_pictures.hpp"
#include "skerry/skerry.hpp"
#include "support/floor.hpp"
#include "support/options.hpp"
#include "support/program.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

constexpr std::uint64_t least_area = 50;
constexpr std::size_t more_than_caches = std::size_t{256} << 20;

std::vector<grey_picture> pictures_of(const extent& size, bool only_bytes, std::uint32_t seed) {
  using names = std::vector<std::string>;
  std::vector<grey_picture> pictures =
      grey_pictures(size, only_bytes ? names{"u8"} : names{"u8", "u16", "f32"}, {"natural"}, seed);
  for (grey_picture& noise : grey_pictures(size, only_bytes ? names{"u8"} : names{"u8", "f32"}, {"noise"}, seed))
    pictures.push_back(std::move(noise));
  return pictures;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct job {
  const char* name;
  std::function<void(int threads)> call;
  bool again = false;  // right after itself
};

class use_bench {
 public:
  use_bench(const options& what, bool only_bytes)
      : what_(what), only_bytes_(only_bytes), out_(pixels(*std::max_element(what.sizes.begin(), what.sizes.end()))),
        emptying_(more_than_caches) {
    for (const int threads : what.threads) engine_.emplace(threads, engine::cpu(threads));
  }

  void run() {
    for (const int side : what_.sizes)
      for (const grey_picture& image : pictures_of(extent(side, side), only_bytes_, what_.seed))
        for (const int connectivity : what_.connectivities) {
          build(engine_.rbegin()->second, image.view(), {connectivity}, tree_);
          check(image);
          rows(image);
        }
  }

 private:
  static std::size_t pixels(int side) { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }

  void open(int threads, const grey_picture& image) {
    area_filter(engine_.at(threads), tree_, table_, least_area, {out_.data(), image.type, image.size});
  }

  // All numbers of threads have the same tables and images.
  void check(const grey_picture& image) {
    const std::size_t bytes = image.bytes.size();
    std::vector<std::uint8_t> right;
    for (const int threads : what_.threads) {
      measure(engine_.at(threads), tree_, {true, true, true}, all_sums_);
      measure(engine_.at(threads), tree_, {}, table_);
      open(threads, image);
      const auto* const got = reinterpret_cast<const std::uint8_t*>(out_.data());
      if (right.empty()) {
        right.assign(got, got + bytes);
        right_table_ = all_sums_;
      }
      if (!std::equal(right.begin(), right.end(), got) || all_sums_.area != right_table_.area ||
          table_.area != right_table_.area || all_sums_.components != right_table_.components ||
          all_sums_.moments != right_table_.moments || all_sums_.intensities != right_table_.intensities ||
          all_sums_.real_intensities != right_table_.real_intensities)
        throw std::runtime_error("results depend on the number of threads, " + image.name);
    }
  }

  void rows(const grey_picture& image) {
    const std::size_t count = tree_.node_of_pixel().size(), bytes = image.bytes.size();
    const auto sums = [this](const attribute_options& wanted, attribute_table& table) {
      return [this, wanted, &table](int threads) { measure(engine_.at(threads), tree_, wanted, table); };
    };
    const auto opening = [&](int threads) { open(threads, image); };
    auto* const out = reinterpret_cast<std::uint8_t*>(out_.data());
    const auto* const nodes = reinterpret_cast<const std::uint8_t*>(tree_.node_of_pixel().data());
    const std::vector<job> jobs = {
        {"write floor", [=](int threads) { floors::write(out, bytes, threads); }},
        {"read floor", [=](int threads) { (void)floors::read(nodes, 4 * count, threads); }},
        {"opening", opening},
        {"opening again", opening, true},
        {"area", sums({}, table_)},
        {"area again", sums({}, table_), true},
        {"area and boxes", sums({.geometry = true}, all_sums_)},
        {"area and levels", sums({.levels = true}, all_sums_)},
        {"all sums", sums({true, true, true}, all_sums_)},
    };
    std::printf("\n%s of %lld², connectivity %d, %.2f nodes per pixel; ns per pixel on threads\n%-16s",
                image.name.c_str(), static_cast<long long>(image.size.width), tree_.connectivity(),
                static_cast<double>(tree_.nodes()) / static_cast<double>(count), "");
    for (const int threads : what_.threads) std::printf("%9d", threads);
    for (const job& each : jobs) row(each, count);
    std::printf("\n");
  }

  void row(const job& what, std::size_t count) {
    std::map<int, std::vector<double>> spent;
    for (int k = 0; k < what_.repetitions; ++k)
      for (const int threads : what_.threads) spent[threads].push_back(time(what, threads));
    std::printf("\n%-16s", what.name);
    for (const int threads : what_.threads)
      std::printf("%9.3f", 1e9 * median(spent.at(threads)) / static_cast<double>(count));
    std::fflush(stdout);
  }

  double time(const job& what, int threads) {
    if (what.again) what.call(threads);
    else std::fill(emptying_.begin(), emptying_.end(), static_cast<std::uint8_t>(threads));
    const auto begin = std::chrono::steady_clock::now();
    what.call(threads);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  options what_;
  bool only_bytes_;
  std::map<int, engine> engine_;  // by threads
  warm_buffer out_;
  std::vector<std::uint8_t> emptying_;
  max_tree tree_;
  attribute_table table_, all_sums_, right_table_;
};

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, {"--sizes=2048", "--connectivities=4"});  // unless the user says otherwise
  const options what = read_options(arguments);
  const bool only_bytes = std::erase(arguments, "--bytes") > 0;
  if (arguments.size() > 1) throw std::invalid_argument("'" + arguments[1] + "' is not an option\n" + usage);
  use_bench(what, only_bytes).run();
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_tree_uses", count, arguments, skerry::bench::run);
}

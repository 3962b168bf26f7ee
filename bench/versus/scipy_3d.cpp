// SPDX-License-Identifier: Apache-2.0
// skerry's side of the comparisons with SciPy and CuPy: reads one command a line, answers one line, so that scipy_3d.py
// can take turns with it on the same volumes.
//
//   make SIDE GRANULARITY DENSITY SEED   draws the volume                      → number of foreground voxels
//   make_image …                         the same for an image, which takes the volume's place
//   label CONNECTIVITY THREADS           into a warm label volume of u32       → components, seconds
//   measure CONNECTIVITY THREADS         geometry without a label volume       → components, seconds
//   check_table                          the last table must be that of the last labels
//   copy THREADS                         the floor: u8 to u32, streamed        → 0, seconds
//   save_volume PATH · save_labels PATH  raw bytes of the volume, of the last labels
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "data/random_image.hpp"
#include "skerry/skerry.hpp"
#include "support/floor.hpp"
#include "support/right_table.hpp"
#include "support/warm_buffer.hpp"

namespace skerry::bench {
namespace {

class volume_desk {
 public:
  std::string answer(const std::string& line);

 private:
  std::string make(std::istream& arguments, bool volume);
  std::string label_volume(std::istream& arguments);
  std::string measure_volume(std::istream& arguments);
  std::string copy(std::istream& arguments);
  template <class Work>
  std::string timed(Work work);
  engine& on(int threads) { return engine_.try_emplace(threads, engine::cpu(threads)).first->second; }
  void save(std::istream& arguments, const void* bytes, std::size_t count);

  extent size_;
  std::vector<std::uint8_t> pixels_;
  std::unique_ptr<warm_buffer> labels_;
  std::size_t labels_size_ = 0;
  feature_table table_;
  std::map<int, engine> engine_;
};

template <class T>
T next(std::istream& arguments) {
  T value{};
  if (!(arguments >> value)) throw std::invalid_argument("an argument is missing or no number");
  return value;
}

template <class Work>
std::string volume_desk::timed(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t count = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::ostringstream text;
  text << count << ' ' << seconds.count();
  return text.str();
}

std::string volume_desk::make(std::istream& arguments, bool volume) {
  const auto side = next<std::int64_t>(arguments);
  const int granularity = next<int>(arguments), density = next<int>(arguments);
  size_ = volume ? extent(side, side, side) : extent(side, side);
  pixels_ = random_image(size_, {granularity, density, next<std::uint32_t>(arguments)});
  if (labels_size_ < pixels_.size()) {
    labels_ = std::make_unique<warm_buffer>(pixels_.size());
    labels_size_ = pixels_.size();
  }
  return std::to_string(std::count(pixels_.begin(), pixels_.end(), 1));
}

std::string volume_desk::label_volume(std::istream& arguments) {
  const label_options how{.connectivity = next<int>(arguments)};
  engine& with = on(next<int>(arguments));
  return timed([&] { return label(with, {pixels_.data(), size_}, how, {labels_->data(), size_}); });
}

std::string volume_desk::measure_volume(std::istream& arguments) {
  const label_options how{.connectivity = next<int>(arguments)};
  engine& with = on(next<int>(arguments));
  return timed([&] { return measure(with, {pixels_.data(), size_}, how, {}, table_); });
}

std::string volume_desk::copy(std::istream& arguments) {
  const int threads = next<int>(arguments);
  return timed([&] {
    floors::copy_streamed(pixels_.data(), labels_->data(), pixels_.size(), threads);
    return std::uint64_t{0};
  });
}

void volume_desk::save(std::istream& arguments, const void* bytes, std::size_t count) {
  std::ofstream file(next<std::string>(arguments), std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!file.flush()) throw std::runtime_error("the file could not be written");
}

std::string volume_desk::answer(const std::string& line) {
  std::istringstream arguments(line);
  const auto verb = next<std::string>(arguments);
  if (verb == "make" || verb == "make_image") return make(arguments, verb == "make");
  if (pixels_.empty()) throw std::invalid_argument("no volume yet: make one first");
  if (verb == "label") return label_volume(arguments);
  if (verb == "measure") return measure_volume(arguments);
  if (verb == "check_table") return require_right_table(verb, labels_->data(), size_, table_), "right";
  if (verb == "copy") return copy(arguments);
  if (verb == "save_volume") return save(arguments, pixels_.data(), pixels_.size()), "saved";
  if (verb == "save_labels") return save(arguments, labels_->data(), 4 * pixels_.size()), "saved";
  throw std::invalid_argument("no such command: " + verb);
}

}  // namespace
}  // namespace skerry::bench

int main() try {
  skerry::bench::volume_desk desk;
  for (std::string line; std::getline(std::cin, line);) std::cout << desk.answer(line) << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "skerry_volumes: %s\n", error.what());
  return 2;
}

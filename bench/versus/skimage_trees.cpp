// SPDX-License-Identifier: Apache-2.0
// skerry's side of the comparison with scikit-image: reads one command a line, answers one line, so that skimage_trees.py
// can take turns with it on the same images.
//
//   make TYPE SIDE SEED              draws a natural-like image                  → number of pixels
//   tree CONNECTIVITY THREADS        its max-tree, into memory that is there     → nodes, seconds
//   tree_area CONNECTIVITY THREADS   the same, and the area of each node         → nodes, seconds
//   copy THREADS                     the floor: as many u8 to u32                → 0, seconds
//   save_image PATH                  raw pixels of the image
//   save_first PATH · save_area PATH   of each pixel's node, the first pixel and the area, as raw u32
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>

#include "data/natural_image.hpp"
#include "skerry/skerry.hpp"
#include "support/floor.hpp"

namespace skerry::bench {
namespace {

template <class T>
T next(std::istream& arguments) {
  T value{};
  if (!(arguments >> value)) throw std::invalid_argument("an argument is missing or no number");
  return value;
}

class tree_desk {
 public:
  std::string answer(const std::string& line);

 private:
  std::string make(std::istream& arguments);
  std::string grow(std::istream& arguments, bool with_area);
  template <class Work>
  static std::string timed(Work work);
  template <class Pixel>
  void keep(const std::vector<Pixel>& pixels);
  static void save(std::istream& arguments, const void* bytes, std::size_t count);
  void save_of_pixels(std::istream& arguments, std::span<const std::uint32_t> of_nodes) const;

  image_view image_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> copy_;
  max_tree tree_;
  attribute_table table_;
  std::map<int, engine> engine_;
};

template <class Work>
std::string tree_desk::timed(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t count = work();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  return std::to_string(count) + " " + std::to_string(seconds.count());
}

template <class Pixel>
void tree_desk::keep(const std::vector<Pixel>& pixels) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(pixels.data());
  bytes_.assign(first, first + pixels.size() * sizeof(Pixel));
  image_.type = dtype_of_pixel<Pixel>::value;
}

std::string tree_desk::make(std::istream& arguments) {
  const auto type = next<std::string>(arguments);
  const auto side = next<std::int64_t>(arguments);
  const auto seed = next<std::uint32_t>(arguments);
  const extent size(side, side);
  if (type == "uint8") keep(natural_u8(size, seed));
  else if (type == "uint16") keep(natural_u16(size, seed));
  else if (type == "float32") keep(natural_f32(size, seed));
  else throw std::invalid_argument("no such type: " + type);
  image_ = {bytes_.data(), image_.type, size};
  copy_.assign(static_cast<std::size_t>(size.pixels()), 1);
  return std::to_string(size.pixels());
}

std::string tree_desk::grow(std::istream& arguments, bool with_area) {
  const tree_options how{.connectivity = next<int>(arguments)};
  const int threads = next<int>(arguments);
  engine& on = engine_.try_emplace(threads, engine::cpu(threads)).first->second;
  return timed([&] {
    build(on, image_, how, tree_);
    if (with_area) measure(on, tree_, {}, table_);
    return tree_.nodes();
  });
}

void tree_desk::save(std::istream& arguments, const void* bytes, std::size_t count) {
  std::ofstream file(next<std::string>(arguments), std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!file.flush()) throw std::runtime_error("the file could not be written");
}

void tree_desk::save_of_pixels(std::istream& arguments, std::span<const std::uint32_t> of_nodes) const {
  std::vector<std::uint32_t> values;
  for (const std::uint32_t node : tree_.node_of_pixel()) values.push_back(of_nodes[node]);
  save(arguments, values.data(), 4 * values.size());
}

std::string tree_desk::answer(const std::string& line) {
  std::istringstream arguments(line);
  const auto verb = next<std::string>(arguments);
  if (verb == "make") return make(arguments);
  if (bytes_.empty()) throw std::invalid_argument("no image yet: make one first");
  if (verb == "tree" || verb == "tree_area") return grow(arguments, verb == "tree_area");
  if (verb == "copy") {
    const int threads = next<int>(arguments);
    return timed([&] {
      floors::copy_plain(bytes_.data(), copy_.data(), copy_.size(), threads);
      return std::size_t{0};
    });
  }
  if (verb == "save_image") return save(arguments, bytes_.data(), bytes_.size()), "saved";
  if (verb == "save_first") return save_of_pixels(arguments, tree_.first_pixel()), "saved";
  if (verb == "save_area") return save_of_pixels(arguments, table_.area), "saved";
  throw std::invalid_argument("no such command: " + verb);
}

}  // namespace
}  // namespace skerry::bench

int main() try {
  skerry::bench::tree_desk desk;
  for (std::string line; std::getline(std::cin, line);) std::cout << desk.answer(line) << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "skerry_tree_desk: %s\n", error.what());
  return 2;
}

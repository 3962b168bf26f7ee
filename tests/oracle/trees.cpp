// SPDX-License-Identifier: Apache-2.0
// skerry's answers for trees.py. Each line of the input is a question:
//
//   JOB TYPE DEPTH HEIGHT WIDTH CONNECTIVITY KIND LIMIT IMAGE OUTPUT
//
// JOB is parents, area, side or extrema; TYPE NumPy's name; DEPTH 0 for a plane; KIND max or min; IMAGE and OUTPUT are
// files of raw pixels. `parents` writes u32: for the first pixel of a node that of its parent, for others that of their
// own node. The other jobs write the filtered image. Answers "done" to each.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "skerry/max_tree.hpp"

namespace {

using namespace skerry;

struct question {
  std::string job, type_name, kind, image, output;
  std::int64_t depth = 0, height = 0, width = 0;
  int connectivity = 0;
  double limit = 0;
};

dtype type_of(const std::string& name) {
  for (const dtype type : {dtype::u8, dtype::u16, dtype::i16, dtype::u32, dtype::f32})
    if (name == name_of(type)) return type;
  throw std::invalid_argument("no such type: " + name);
}

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const void* bytes, std::size_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!file.flush()) throw std::runtime_error("the output could not be written");
}

std::vector<std::uint32_t> parent_image(const max_tree& tree) {
  std::vector<std::uint32_t> parents;
  for (std::uint32_t p = 0; p < tree.node_of_pixel().size(); ++p) {
    const std::uint32_t node = tree.node_of_pixel()[p], first = tree.first_pixel()[node];
    parents.push_back(first == p ? tree.first_pixel()[tree.parent()[node]] : first);
  }
  return parents;
}

// The longest side of each component's box, in pixels.
std::vector<double> longest_sides(const max_tree& tree, const attribute_table& table) {
  std::vector<double> longest(tree.nodes(), 0);
  for (int axis = 0; axis < table.rank; ++axis) {
    const std::vector<double> begin = table.column(tree, "bbox-" + std::to_string(axis));
    const std::vector<double> end = table.column(tree, "bbox-" + std::to_string(axis + table.rank));
    for (std::size_t node = 0; node < longest.size(); ++node)
      longest[node] = std::max(longest[node], end[node] - begin[node]);
  }
  return longest;
}

void answer(engine& on, const question& asked) {
  const extent size =
      asked.depth == 0 ? extent(asked.height, asked.width) : extent(asked.depth, asked.height, asked.width);
  const std::vector<char> pixels = read(asked.image);
  const dtype type = type_of(asked.type_name);
  if (pixels.size() != static_cast<std::size_t>(size.pixels()) * size_of(type))
    throw std::invalid_argument("the image has another size");
  max_tree tree;
  attribute_table table;
  build(on, {pixels.data(), type, size}, {asked.connectivity, asked.kind == "min" ? tree_kind::min : tree_kind::max},
        tree);
  if (asked.job == "parents") {
    const std::vector<std::uint32_t> parents = parent_image(tree);
    return write(asked.output, parents.data(), 4 * parents.size());
  }
  measure(on, tree, {.geometry = true}, table);
  std::vector<char> filtered(pixels.size());
  const mutable_image out(filtered.data(), type, size);
  if (asked.job == "area") area_filter(on, tree, table, static_cast<std::uint64_t>(asked.limit), out);
  else if (asked.job == "side") filter_at_least(on, tree, longest_sides(tree, table), asked.limit, {}, out);
  else if (asked.job == "extrema") extrema_filter(on, tree, asked.limit, out);
  else throw std::invalid_argument("no such job: " + asked.job);
  write(asked.output, filtered.data(), filtered.size());
}

}  // namespace

int main() try {
  engine on = engine::cpu(2);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    question asked;
    if (!(words >> asked.job >> asked.type_name >> asked.depth >> asked.height >> asked.width >> asked.connectivity >>
          asked.kind >> asked.limit >> asked.image >> asked.output))
      throw std::invalid_argument("not a question: " + line);
    answer(on, asked);
    std::cout << "done" << std::endl;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tree_answers: %s\n", error.what());
  return 2;
}

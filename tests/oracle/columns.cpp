// SPDX-License-Identifier: Apache-2.0
// skerry's answers for columns.py:
//
//   column_answers DEPTH HEIGHT WIDTH LABELS DTYPE INTENSITY SPACING_Z SPACING_Y SPACING_X [NAME...]
//
// DEPTH is 0 for a plane. LABELS and INTENSITY are files of raw pixels, int32 and DTYPE; INTENSITY may be -. Writes a line for each
// column, its name and its values, and to standard error how many seconds it took. Without names all columns.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "skerry/columns.hpp"
#include "skerry/error.hpp"

namespace {

using namespace skerry;

std::vector<char> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

dtype type_named(const std::string& name) {
  for (const dtype type : {dtype::u16, dtype::i64, dtype::f32, dtype::f64})
    if (name == name_of(type)) return type;
  throw invalid_argument("DTYPE: '" + name + "' is none of uint16, int64, float32, float64");
}

void answer(char** words) {
  const std::int64_t depth = std::atoll(words[1]), height = std::atoll(words[2]), width = std::atoll(words[3]);
  const extent size = depth == 0 ? extent(height, width) : extent(depth, height, width);
  const std::vector<char> labels = read(words[4]), grey = read(words[6]);
  column_request asked;
  if (!grey.empty()) asked.intensity = image_view(grey.data(), type_named(words[5]), size);
  asked.spacing = {std::atof(words[7]), std::atof(words[8]), std::atof(words[9]), ""};
  if (words[10] != nullptr) asked.columns.clear();
  for (char** name = words + 10; *name != nullptr; ++name) asked.columns.emplace_back(*name);
  engine on = engine::cpu(1);
  column_table table;
  const auto start = std::chrono::steady_clock::now();
  measure_columns(on, image_view(labels.data(), dtype::i32, size), asked, table);
  std::fprintf(stderr, "%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  for (const table_column& column : table.columns) {
    std::printf("%s", column.name.c_str());
    for (const std::int64_t value : column.integers) std::printf(" %lld", static_cast<long long>(value));
    for (const double value : column.numbers) std::printf(" %.17g", value);
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count < 10) throw invalid_argument("usage: column_answers DEPTH HEIGHT WIDTH LABELS DTYPE INTENSITY SPACING…");
    answer(words);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "max_tree/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/float16.hpp"
#include "engine/image_checks.hpp"

namespace skerry {
namespace {

using u128 = unsigned __int128;

constexpr std::int64_t pixel_limit = std::int64_t{1} << 31;
constexpr const char* tree_type_names = " is not a number of 8 to 64 bits";

bool has_tree(dtype type) { return is_known(type) && type != dtype::bit && type != dtype::boolean; }

bool is_float(dtype type) { return type == dtype::f16 || type == dtype::f32 || type == dtype::f64; }

}  // namespace

void check_input(const image_view& image, const tree_options& options) {
  check_image("image", image);
  if (!has_tree(image.type)) refuse(std::string("image: dtype ") + name_of(image.type) + tree_type_names);
  if (image.size.pixels() >= pixel_limit) refuse("image: size " + text_of(image.size) + " is not below 2^31 pixels");
  check_connectivity(options.connectivity, image.size.rank);
  if (options.kind > tree_kind::min) refuse("kind: unknown kind of tree");
}

void check_kind(tree_kind kind, dtype type, const extent& size, int connectivity) {
  if (kind > tree_kind::min) refuse("kind: unknown kind of tree");
  if (!is_known(type)) refuse("type: unknown dtype");
  if (!has_tree(type)) refuse(std::string("type: ") + name_of(type) + tree_type_names);
  check_extent("size", size);
  if (size.pixels() >= pixel_limit) refuse("size: " + text_of(size) + " is not below 2^31 pixels");
  check_connectivity(connectivity, size.rank);
}

void check_device_input(dtype type, int connectivity) {
  constexpr dtype types[] = {dtype::u8, dtype::u16, dtype::i16, dtype::u32, dtype::f32};
  const char* const remedy = ", which are built on the engine cpu";
  if (std::find(std::begin(types), std::end(types), type) == std::end(types))
    refuse(std::string("image: the engine cuda has no trees of ") + name_of(type) + remedy);
  if (connectivity == 18) refuse(std::string("connectivity: the engine cuda has no trees with 18 neighbours") + remedy);
}

bool is_level(double level, dtype type) {
  if (type == dtype::f64) return level == level;
  if (type == dtype::f32) return level == static_cast<double>(static_cast<float>(level));
  if (type == dtype::f16) return level == level && level == number_of(f16_of(level));
  if (level != std::floor(level) || std::abs(level) > static_cast<double>(most_whole_level)) return false;
  const bool is_signed = top_hat_type(type) != type;
  const double values = std::ldexp(1, static_cast<int>(8 * size_of(type))), least = is_signed ? -values / 2 : 0;
  return level >= least && level < least + values;
}

void refuse_pixel(dtype type, const extent& size, i64 pixel) {
  const i64 row = pixel / size.width;
  std::string place = std::to_string(row % size.height) + ", " + std::to_string(pixel % size.width);
  if (size.rank == 3) place = std::to_string(row / size.height) + ", " + place;
  const bool whole = type == dtype::u64 || type == dtype::i64;
  refuse("image: pixel (" + place + ") is " +
         (whole ? "beyond 2^53 in magnitude, up to which levels are exact" : "NaN"));
}

void check_attributes(const extent& size, const attribute_options& wanted) {
  const auto pixels = static_cast<u128>(size.pixels());
  const auto side = static_cast<u128>(std::max({size.depth, size.height, size.width}));
  if (wanted.moments && (pixels * pixels >> 40) * side * side >> 87 != 0)
    refuse("moments: size " + text_of(size) + " can have central moments above 2^127");
}

void check_output(dtype type, const extent& size, bool top_hat, const mutable_image& output) {
  check_image("output", output);
  const dtype wanted = top_hat ? top_hat_type(type) : type;
  if (output.type != wanted)
    refuse(std::string("output: dtype ") + name_of(output.type) + " is not " + name_of(wanted));
  if (output.size != size)
    refuse("output: size " + text_of(output.size) + " is not that of the tree, " + text_of(size));
  if (size.pixels() > 0) check_distinct("output", output);
}

void check_rule(filter_rule rule) {
  if (rule > filter_rule::subtractive) refuse("rule: unknown filter rule");
}

void check_rows(const char* name, std::size_t rows, const max_tree& tree) {
  if (rows != tree.nodes())
    refuse(std::string(name) + ": " + std::to_string(rows) + " entries for " + std::to_string(tree.nodes()) + " nodes");
}

void check_height(dtype type, double h) {
  if (!std::isfinite(h) || h < 0) refuse("h: " + shortest(h) + " is not finite and at least 0");
  if (!is_float(type) && h != std::floor(h))
    refuse("h: " + shortest(h) + " is not whole, but the tree is one of " + name_of(type));
}

}  // namespace skerry

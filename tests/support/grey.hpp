// SPDX-License-Identifier: Apache-2.0
// Grey images: random ones, and those that are hard for some way of building a max-tree.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "skerry/max_tree.hpp"
#include "support/engines.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {

/// Types whose images have trees.
inline constexpr dtype tree_types[] = {dtype::u8,  dtype::u16, dtype::i16, dtype::u32, dtype::f32, dtype::i8,
                                       dtype::i32, dtype::u64, dtype::i64, dtype::f16, dtype::f64};
/// The first of them: those that devices have.
inline constexpr std::span<const dtype> device_tree_types = std::span(tree_types).first(5);

/// Greys between 0 (black) and 1, not 1 itself, in raster order.
struct grey {
  std::string name;
  extent size;
  std::vector<double> shades;

  /// The shades spread over the range of a type, for 64 bits up to 2^53 in magnitude; for floats over −0.75…1.25, each rounded
  /// to one.
  [[nodiscard]] std::vector<double> values(dtype type) const;
  [[nodiscard]] placed_image as(dtype type, layout arrangement = layout::dense) const {
    return {type, size, arrangement, values(type)};
  }
};

/// Each block of granularity × granularity pixels has one of `levels` shades.
[[nodiscard]] grey random_grey(const extent& size, int levels, int granularity, std::uint32_t seed);

/// Constant, ramps in scan order and against it, zig-zag ridges, nested squares, noise, salt, blurred noise, combs …
/// Volumes get the same, each slice a little different.
[[nodiscard]] std::vector<grey> adversarial_greys(const extent& size);

/// A copy of the parts of a tree.
[[nodiscard]] tree_parts parts_of(const max_tree& tree);

/// The reference, and engines_to_ask().
[[nodiscard]] std::vector<named_engine*> tree_engines();

/// 4 and 8, or 6, 26 and 18.
[[nodiscard]] std::vector<int> tree_connectivities(const extent& size);
/// Those that devices have.
[[nodiscard]] std::vector<int> device_tree_connectivities(const extent& size);
/// Whether an engine builds such trees.
[[nodiscard]] bool builds(const engine& on, dtype type, int connectivity);

/// Builds on every engine, and expects the tree of the reference, and each of its attributes. With a smaller
/// test_scale(), often only on one and on seven threads of the CPU.
void expect_tree_everywhere(const image_view& image, const tree_options& options);

}  // namespace skerry::test

// SPDX-License-Identifier: Apache-2.0
// Methods of other authors, as published: for comparisons. A library of its own, CMake's target skerry::published.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "skerry/engine.hpp"
#include "skerry/max_tree.hpp"
#include "skerry/measure.hpp"
#include "skerry/regions.hpp"

namespace skerry::published {

/// Name of the library's own method in the lists.
inline constexpr std::string_view own_method = "skerry";

/// A method as its paper describes it. One that labels takes images of its rank of at most 2^32 - 2 pixels, without a
/// selection, in row-major order, and measures area, box and coordinate sums; its labels are brought to 1..n in raster order,
/// so they are those of every other method. One that builds trees takes u8 images of rank 2; its nodes are brought to the
/// order of max_tree.
struct method {
  std::string_view name;                 // as the calls below take it
  std::string_view paper;                // its key in docs/papers.md, which says where the code differs from the text
  std::string_view summary;              // a few words
  std::span<const engine_kind> engines;  // that run it
  std::span<const int> connectivities;   // that it can do
  bool parallel = false;                 // uses the threads of its engine; others run on one
  int rank = 2;                          // of its images: 2, or 3 for volumes
  bool takes_labels = false;             // can begin with a given label image: measure() below
};

/// What a method leaves to its user.
struct method_options {
  /// Objects that a method which brings only those to the host copies at its first call, when nothing is known yet: `tmk`,
  /// `ha-compact`, `flsl-cd-compact`. Later calls copy as many as the one before had, and a margin. At least 1.
  std::uint64_t first_copy = 1024;
};

/// All methods that label, in the order of docs/papers.md.
[[nodiscard]] std::span<const method> methods();

/// "skerry, rosenfeld, …": what label() below takes.
[[nodiscard]] std::string method_names();

/// The same for trees: all methods, and what build() below takes.
[[nodiscard]] std::span<const method> tree_methods();
[[nodiscard]] std::string tree_method_names();

/// label() of skerry/measure.hpp by a method: the same labels, runs and rows. own_method is that function itself, so that a
/// comparison is one loop.
///
/// Throws as that; also invalid_argument for a name that is in no list, and for what the method cannot do, naming both.
/// Scratch: kept by the engine until another published method needs its own.
std::uint64_t label(engine& on, std::string_view by, const label_request& asked, const label_outputs& outputs,
                    const method_options& how = {});

/// measure_regions() of skerry/regions.hpp by a method that takes a given label image: the same rows. own_method is that
/// function itself. Methods take label images of rank 2 in host memory, with labels of at most half the number of pixels,
/// rounded up, no two of which touch along a row, as labels of components do not; 0 and below is background; and they measure
/// area, box and coordinate sums.
///
/// Throws as that; also invalid_argument for a name that is in no list, and for what the method cannot do, naming both.
std::uint64_t measure(engine& on, std::string_view by, const region_request& asked, region_table& table,
                      const method_options& how = {});

/// build() of skerry/max_tree.hpp by a method: the same tree. own_method is that function itself. Throws as label() above.
void build(engine& on, std::string_view by, const image_view& image, const tree_options& options, max_tree& tree);

}  // namespace skerry::published

// SPDX-License-Identifier: Apache-2.0
// Methods of other authors, as published: for comparisons. The library's own method is the default.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "skerry/engine.hpp"

namespace skerry {

/// The library's own method: it runs on every engine, does everything, and is what options name by default.
inline constexpr std::string_view own_method = "skerry";

/// A method that runs as its paper has it. One that labels takes images of rank 2 and measures area, box and coordinate sums;
/// its labels are brought to 1..n in raster order, so they are those of every other method. One that builds trees takes u8
/// images of rank 2; its nodes are brought to the order of max_tree.
struct published_method {
  std::string_view name;                 // for label_options::method or tree_options::method
  std::string_view paper;                // its key in docs/papers.md, which says where the code differs from the text
  std::string_view summary;              // a few words
  std::span<const engine_kind> engines;  // that run it
  std::span<const int> connectivities;
  bool parallel = false;  // uses the threads of its engine; others run on one
};

/// All that label, in the order of docs/papers.md.
[[nodiscard]] std::span<const published_method> published_methods();

/// "skerry, rosenfeld, …": what label_options::method can be.
[[nodiscard]] std::string method_names();

/// The same for trees: all methods, and what tree_options::method can be.
[[nodiscard]] std::span<const published_method> published_tree_methods();
[[nodiscard]] std::string tree_method_names();

}  // namespace skerry

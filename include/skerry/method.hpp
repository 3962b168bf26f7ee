// SPDX-License-Identifier: Apache-2.0
// Labelling methods of other authors, as published: for comparisons. The library's own method is the default.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "skerry/engine.hpp"

namespace skerry {

/// The library's own method: it runs on every engine, does everything, and is what label_options names by default.
inline constexpr std::string_view own_method = "skerry";

/// A method that runs as its paper has it. It labels images of rank 2 and measures area, box and coordinate sums; its
/// labels are brought to 1..n in raster order, so they are those of every other method.
struct published_method {
  std::string_view name;                 // for label_options::method
  std::string_view paper;                // its key in docs/papers.md, which says where the code differs from the text
  std::string_view summary;              // a few words
  std::span<const engine_kind> engines;  // that run it
  std::span<const int> connectivities;
  bool parallel = false;  // uses the threads of its engine; others run on one
};

/// All of them, in the order of docs/papers.md.
[[nodiscard]] std::span<const published_method> published_methods();

/// "skerry, rosenfeld, …": what label_options::method can be.
[[nodiscard]] std::string method_names();

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include <vector>

#include "core/feature.hpp"
#include "engine/engine_state.hpp"
#include "skerry/max_tree.hpp"
#include "skerry/measure.hpp"
#include "skerry/published.hpp"

namespace skerry::published {

/// Labels and measures by a method on the CUDA engine; image and labels may lie in host or in device memory.
/// Throws label_overflow; out_of_memory; device_error.
std::uint64_t run_on_cuda(engine::state& on, std::string_view by, const label_request& asked, const label_outputs& out,
                          const method_options& how);

/// A dense label image in host memory, whose labels measure() of skerry/published.hpp has checked.
struct given_labels {
  const u32* labels;
  u32 height, width;
};

/// Measures a given label image by a method on the CUDA engine. Rows by ascending label, of those that have pixels.
/// Throws out_of_memory; device_error.
void measure_on_cuda(engine::state& on, std::string_view by, const given_labels& given, const method_options& how,
                     table_rows<geometry>& rows);

/// Builds a tree by a method on the CUDA engine; the image may lie in host or in device memory.
/// Throws out_of_memory; device_error.
void build_on_cuda(engine::state& on, std::string_view by, const image_view& image, tree_parts& tree);

}  // namespace skerry::published

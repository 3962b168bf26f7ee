// SPDX-License-Identifier: Apache-2.0
// Given label images on the CUDA engine: results are in the caller's memory when a call returns.
#pragma once
#include <functional>
#include <vector>

#include "core/function_ref.hpp"
#include "engine/engine_state.hpp"
#include "regions/outline_runs.hpp"
#include "regions/patterns.hpp"
#include "regions/power_parts.hpp"
#include "regions/region_gaps.hpp"
#include "regions/region_runs.hpp"
#include "skerry/region_values.hpp"
#include "skerry/relabel.hpp"

namespace skerry::regions {

/// Measures all regions of a label image that has pixels, in host or device memory; a row for each label, in ascending order.
/// With `patterns` those of a plane, too, a row for each label.
/// Throws invalid_argument for more labels than the CUDA engine can number; out_of_memory; device_error.
void measure_on_cuda(engine::state& on, const region_request& asked, region_table& table,
                     std::vector<plane_patterns>* patterns = nullptr);

/// The runs of a label image that has pixels, in host or device memory; numbers are the rows of measure_on_cuda(). Throws as that.
image_runs find_runs_on_cuda(engine::state& on, const image_view& labels, const background& rule);

/// Pixels and number of the holes of each region of a label image of rank 2 or 3 that has pixels, in host or device memory: a row
/// for each label, as in measure_on_cuda(). Throws as that; invalid_argument for 2^31 runs or more.
/// Scratch: 52 bytes for each run of a region.
std::vector<region_holes> find_holes_on_cuda(engine::state& on, const image_view& labels, const background& rule);

/// Does what label_parts() does, into a u32 image in device memory, and returns when the work is complete.
using part_finder = function_ref<std::uint64_t(const image_view& labels, const mutable_image& parts)>;

/// Replaces the lists of an outline_table but `nesting` by those of a label image of rank 2 that has pixels, in host or device memory;
/// along edges, without simplifying and nesting. Throws as measure_on_cuda(); invalid_argument for 2^31 pixels or more, with
/// rows rounded up to 128.
/// Scratch, beside that of find_parts(): 5 bytes for each pixel, more where rows are shorter than 128; for each upright edge of a pixel along an outline 12.25, for a node of a ring, at most one for each of
/// these, 52, and for a ring 48; the table, and up to 64 MiB of pinned memory.
void outline_on_cuda(engine::state& on, const outline_request& asked, part_finder find_parts, outline_table& table);

/// The runs of such an image, background included, and a group for each row. Throws as measure_on_cuda().
outline_runs find_outline_runs_on_cuda(engine::state& on, const outline_request& asked);

/// What neighbours add up to in a volume that has pixels, in host or device memory: a row for each label, as in
/// measure_on_cuda(). Throws as that.
std::vector<volume_patterns> count_volume_patterns_on_cuda(engine::state& on, const image_view& labels,
                                                           const background& rule);

/// Sums of powers over the regions of a label image that has pixels; images in host or device memory. Replaces `sums`: long_sum words
/// of each region, of the lower half of weights first, place by place. Throws as measure_on_cuda().
void add_powers_on_cuda(engine::state& on, const power_request& asked, std::vector<u64>& sums);

/// Device memory for the labels of an image, which the engine keeps; the jobs of this file do not use it for an image that is in
/// device memory. Throws out_of_memory.
mutable_image label_image_on_cuda(engine::state& on, const extent& size);

/// relabel() of a label image that has pixels; images in host or device memory. Throws as measure_on_cuda(); label_overflow.
std::vector<label_bits> relabel_on_cuda(engine::state& on, const image_view& labels, const relabel_options& options,
                                        const mutable_image& out);

/// Gives every label of an image that has pixels the one that `new_label` makes of it; that may throw, before anything is
/// written, and is called on the host, once for each label, in ascending order. Throws as measure_on_cuda().
void remap_on_cuda(engine::state& on, const image_view& labels, const std::function<label_bits(label_bits)>& new_label,
                   const mutable_image& out);

/// find_extrema() and count_histograms() of images that have pixels, in host or device memory. Throw as measure_on_cuda().
region_extrema find_extrema_on_cuda(engine::state& on, const region_pixels& asked);
region_histograms count_histograms_on_cuda(engine::state& on, const region_pixels& asked,
                                           const std::vector<double>& edges);

/// Of a region: how many pixels it has, and the values between which a quantile lies; NaN if one of its values is, or there are none.
struct selected_pair {
  u64 pixels;
  double lower, upper;
};
struct selected_values {
  std::vector<label_bits> labels;
  std::vector<selected_pair> pairs;  // of the first fraction those of all labels, then of the next
};

/// What find_quantiles() interpolates, of images that have pixels, in host or device memory. Throws as measure_on_cuda().
selected_values select_on_cuda(engine::state& on, const region_pixels& asked, const std::vector<double>& fractions);

}  // namespace skerry::regions

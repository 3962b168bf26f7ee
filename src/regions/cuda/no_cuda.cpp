// SPDX-License-Identifier: Apache-2.0
// In place of the CUDA engine in a build without it: there is no way to get one.
#include "regions/cuda/on_cuda.hpp"
#include "skerry/error.hpp"

namespace skerry::regions {

namespace {

[[noreturn]] void refuse_without_cuda() { throw device_error("engine cuda: this build has no CUDA engine"); }

}  // namespace

void measure_on_cuda(engine::state&, const region_request&, region_table&, std::vector<plane_patterns>*) {
  refuse_without_cuda();
}

image_runs find_runs_on_cuda(engine::state&, const image_view&, const background&) { refuse_without_cuda(); }

std::vector<region_holes> find_holes_on_cuda(engine::state&, const image_view&, const background&) {
  refuse_without_cuda();
}

void outline_on_cuda(engine::state&, const outline_request&, part_finder, outline_table&) { refuse_without_cuda(); }

outline_runs find_outline_runs_on_cuda(engine::state&, const outline_request&) { refuse_without_cuda(); }

std::vector<volume_patterns> count_volume_patterns_on_cuda(engine::state&, const image_view&, const background&) {
  refuse_without_cuda();
}

void add_powers_on_cuda(engine::state&, const power_request&, std::vector<u64>&) { refuse_without_cuda(); }

mutable_image label_image_on_cuda(engine::state&, const extent&) { refuse_without_cuda(); }

std::vector<label_bits> relabel_on_cuda(engine::state&, const image_view&, const relabel_options&,
                                        const mutable_image&) {
  refuse_without_cuda();
}

void remap_on_cuda(engine::state&, const image_view&, const std::function<label_bits(label_bits)>&,
                   const mutable_image&) {
  refuse_without_cuda();
}

region_extrema find_extrema_on_cuda(engine::state&, const region_pixels&) { refuse_without_cuda(); }

selected_values select_on_cuda(engine::state&, const region_pixels&, const std::vector<double>&) {
  refuse_without_cuda();
}

region_histograms count_histograms_on_cuda(engine::state&, const region_pixels&, const std::vector<double>&) {
  refuse_without_cuda();
}

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "engine/cuda/memory_checks.hpp"
#include "engine/image_checks.hpp"
#include "max_tree/check.hpp"
#include "max_tree/cuda/check_job.hpp"

namespace skerry::cuda {
namespace {

std::uint64_t pixels_of(const image_view& image) { return static_cast<std::uint64_t>(image.size.pixels()); }

}  // namespace

void check_tree_job(const tree_job& work) {
  check_input(work.image, {work.connectivity, work.kind});
  check_device_input(work.image.type, work.connectivity);
  if (work.parent == nullptr) refuse("parent: is null");
}

void check_tree_job(const tree_filter_job& work) {
  check_input(work.image, {work.image.size.rank == 3 ? 6 : 4, work.kind});
  check_device_input(work.image.type, 0);
  check_rule(work.rule);
  if (work.parent == nullptr) refuse("parent: is null");
  if ((work.area == nullptr) == (work.keep == nullptr)) refuse("keep: give either area or keep");
  if (work.rule == filter_rule::subtractive && work.image.type == dtype::f32)
    refuse("rule: subtractive is not for float32 on the device");
  check_output(work.image.type, work.image.size, work.top_hat, work.output);
}

void check_tree_job(const tree_nodes_job& work) {
  check_input(work.image, {work.image.size.rank == 3 ? 6 : 4, work.kind});
  check_device_input(work.image.type, 0);
  if (work.parent == nullptr) refuse("parent: is null");
  if (work.count == nullptr) refuse("count: is null");
  if (work.capacity > 0 && work.first_pixel == nullptr) refuse("first_pixel: is null");
  if (work.capacity > 0 && work.parent_node == nullptr) refuse("parent_node: is null");
  const bool sums_moments = work.moments != nullptr || work.elongation != nullptr || work.compactness != nullptr;
  check_attributes(work.image.size, {.moments = sums_moments});
  if (sums_reals(work.image.type) ? work.intensities != nullptr : work.real_intensities != nullptr)
    refuse(sums_reals(work.image.type) ? "intensities: the image has floats, whose sums are real_intensities"
                                       : "real_intensities: the image has integers, whose sums are intensities");
}

void check_tree_job(const tree_select_job& work) {
  check_extent("size", work.size);
  if (work.size.pixels() >= std::int64_t{1} << 31) refuse("size: is not below 2^31 pixels");
  if (work.count == nullptr) refuse("count: is null");
  if (work.capacity > 0 && work.first_pixel == nullptr) refuse("first_pixel: is null");
  if ((work.attribute == nullptr) == (work.decision == nullptr)) refuse("attribute: give either attribute or decision");
  if (work.least != work.least) refuse("least: is NaN");
  if (work.most != work.most) refuse("most: is NaN");
  if (work.keep == nullptr) refuse("keep: is null");
}

void check_tree_memory(const tree_job& work) {
  check_pixels("image", work.image, access::read);
  check_array("parent", work.parent, pixels_of(work.image));
  check_array("area", work.area, pixels_of(work.image));
  check_array("first_nan", work.first_nan, 1);
}

void check_tree_memory(const tree_filter_job& work) {
  check_pixels("image", work.image, access::read);
  check_array("parent", work.parent, pixels_of(work.image));
  check_array("area", work.area, pixels_of(work.image));
  check_array("keep", work.keep, pixels_of(work.image));
  check_pixels("output", work.output, access::written);
}

void check_tree_memory(const tree_nodes_job& work) {
  const std::uint64_t pixels = pixels_of(work.image), rows = std::min<std::uint64_t>(work.capacity, pixels);
  check_pixels("image", work.image, access::read);
  check_array("parent", work.parent, pixels);
  check_array("first_nan", work.first_nan, 1);
  check_array("count", work.count, 1);
  check_array("first_pixel", work.first_pixel, rows);
  check_array("parent_node", work.parent_node, rows);
  check_array("level", work.level, rows);
  check_array("node_of_pixel", work.node_of_pixel, pixels);
  check_array("area", work.area, rows);
  check_array("components", work.components, rows);
  check_array("moments", work.moments, rows);
  check_array("intensities", work.intensities, rows);
  check_array("real_intensities", work.real_intensities, rows);
  check_array("height", work.height, rows);
  check_array("dynamics", work.dynamics, rows);
  check_array("bbox_diagonal", work.bbox_diagonal, rows);
  check_array("elongation", work.elongation, rows);
  check_array("compactness", work.compactness, rows);
  check_array("volume", work.volume, rows);
  check_array("level_mean", work.level_mean, rows);
  check_array("level_variance", work.level_variance, rows);
}

void check_tree_memory(const tree_select_job& work) {
  const auto pixels = static_cast<std::uint64_t>(work.size.pixels());
  const std::uint64_t rows = std::min<std::uint64_t>(work.capacity, pixels);
  check_array("count", work.count, 1);
  check_array("first_pixel", work.first_pixel, rows);
  check_array("attribute", work.attribute, rows);
  check_array("decision", work.decision, rows);
  check_array("keep", work.keep, pixels);
}

}  // namespace skerry::cuda

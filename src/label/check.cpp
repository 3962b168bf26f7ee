// SPDX-License-Identifier: Apache-2.0
#include "label/check.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/label_type.hpp"
#include "core/real_intensity.hpp"
#include "engine/image_checks.hpp"
#include "skerry/error.hpp"

namespace skerry {
namespace {

using u128 = unsigned __int128;

void check_foreground(const foreground& rule) {
  using kind = foreground::rule;
  if (rule.kind > kind::except) refuse("foreground: unknown rule");
  if (rule.kind != kind::nonzero && std::isnan(rule.low)) refuse("foreground: low is NaN");
  if (rule.kind == kind::except && rule.low + rule.high != rule.low)
    refuse("foreground: high is more than what low lacks of an integer; make the rule by except()");
  if (rule.kind != kind::within) return;
  if (std::isnan(rule.high)) refuse("foreground: high is NaN");
  if (rule.low > rule.high) refuse("foreground: low " + shortest(rule.low) + " is above high " + shortest(rule.high));
}

void check_joining(const joining& how) {
  if (how.kind > joining::rule::within) refuse("joining: unknown rule");
  if (how.kind == joining::rule::within && !(how.delta >= 0))
    refuse("joining: delta " + shortest(how.delta) + " is not at least 0");
}

void check_periodic(const periodic_axes& axes, int rank) {
  if (axes.z && rank == 2) refuse("periodic: an image of rank 2 has no axis z");
}

// Sums of coordinates must fit 64 bits, and n · Σxx of a central moment 127.
void check_sums(const extent& size, bool moments, const std::string& name) {
  const auto pixels = static_cast<u128>(size.pixels());
  const auto side = static_cast<u128>(std::max({size.depth, size.height, size.width}));
  if (pixels * side / 2 >> 64 != 0) refuse(name + ": size " + text_of(size) + " can have coordinate sums above 2^64");
  if (moments && (pixels * pixels >> 40) * side * side >> 87 != 0)
    refuse("moments: size " + text_of(size) + " can have central moments above 2^127");
}

}  // namespace

void check_options(const image_view& image, const label_options& options) {
  check_image("image", image);
  check_connectivity(options.connectivity, image.size.rank);
  check_foreground(options.foreground);
  check_joining(options.joining);
  check_periodic(options.periodic, image.size.rank);
  if (options.order > pixel_order::as_stored) refuse("order: unknown rule");
  if (options.selection.min_area > options.selection.max_area)
    refuse("selection: min_area " + std::to_string(options.selection.min_area) + " is above max_area " +
           std::to_string(options.selection.max_area));
  if (!options.selection.fill_holes) return;
  if (options.joining.kind != joining::rule::foreground)
    refuse(
        "selection: fill_holes needs joining::foreground(); label one value with foreground::within() to fill its "
        "holes");
  if (options.periodic.any())
    refuse("selection: fill_holes needs an image without periodic axes, since holes are cut off from its border");
}

void check_plain(const label_options& options) {
  const auto lacks = [&](const std::string& what) {
    refuse(what + " is not supported for streams or by published methods; label images by label() on an engine");
  };
  if (options.foreground.kind == foreground::rule::except) lacks("foreground: except()");
  if (options.joining.kind == joining::rule::equal) lacks("joining: equal()");
  if (options.joining.kind == joining::rule::within) lacks("joining: within()");
  if (options.periodic.any()) lacks("periodic: an axis that wraps around");
}

void check_input(const image_view& image, const label_options& options) {
  check_options(image, options);
  check_plain(options);
}

void check_labels(const image_view& image, const mutable_image& labels, const image_view& intensity) {
  check_image("labels", labels);
  if (!is_label_type(labels.type))
    refuse(std::string("labels: dtype ") + name_of(labels.type) + " is not an integer of 8, 16, 32 or 64 bits");
  if (labels.size != image.size)
    refuse("labels: size " + text_of(labels.size) + " is not that of the image, " + text_of(image.size));
  if (image.size.pixels() == 0) return;
  check_distinct("labels", labels);
  check_apart("labels", labels, image);
  if (intensity.data != nullptr) check_apart("labels", labels, intensity, "intensity image");
}

void check_features(const image_view& image, const measure_options& features, const std::string& name) {
  check_sums(image.size, features.moments, name);
  const image_view& intensity = features.intensity;
  if (intensity.data == nullptr && intensity.size.pixels() == 0) return;
  check_intensity("intensity", intensity, image, name);
}

void check_intensity(const std::string& name, const image_view& intensity, const image_view& image,
                     const std::string& image_name) {
  check_image(name, intensity);
  if (intensity.type == dtype::bit) refuse(name + ": dtype bit is not supported");
  if (intensity.size != image.size)
    refuse(name + ": size " + text_of(intensity.size) + " is not that of the " + image_name + ", " +
           text_of(image.size));
  if (sums_reals(intensity.type) && image.size.pixels() > most_pixels_of_real_sums)
    refuse(name + ": size " + text_of(intensity.size) + " of " + name_of(intensity.type) + " is more than 2^38 pixels");
}

void check_room(const std::string& name, std::uint64_t count, const std::string& things, dtype labels) {
  const std::uint64_t most = largest_label(labels);
  if (count > most)
    throw label_overflow(name + ": " + std::to_string(count) + " " + things + " do not fit " + name_of(labels) +
                             ", which ends at " + std::to_string(most) + "; give a wider type",
                         count);
}

void check_count(std::uint64_t count, dtype labels) { check_room("labels", count, "components", labels); }

}  // namespace skerry

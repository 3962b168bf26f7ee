// SPDX-License-Identifier: Apache-2.0
// Everything that a caller can get wrong, checked once, before any work. Each throws invalid_argument.
#pragma once
#include <cstdint>
#include <string>

#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry {

void check_options(const image_view& image, const label_options& options);
// Refuses what only the reference and the CPU engine do.
void check_plain(const label_options& options);
// Both.
void check_input(const image_view& image, const label_options& options);
// With an intensity image, which has been checked, where one is read.
void check_labels(const image_view& image, const mutable_image& labels, const image_view& intensity = {});
// `name` is what the image is called where it was given.
void check_intensity(const std::string& name, const image_view& intensity, const image_view& image,
                     const std::string& image_name);
void check_features(const image_view& image, const measure_options& features, const std::string& name = "image");

// Throws label_overflow when labels up to `count` do not fit: of components, or of other things in an image called `name`.
void check_count(std::uint64_t count, dtype labels);
void check_room(const std::string& name, std::uint64_t count, const std::string& things, dtype labels);

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#include "io/imagej_metadata.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace skerry::io {
namespace {

// The value of "key=value" on a line of its own.
std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == '=')
      return line.substr(key.size() + 1);
  }
  return {};
}

std::int64_t count_of(std::string_view text, std::string_view key) {
  constexpr std::int64_t most = std::int64_t{1} << 31;  // so that products of two fit
  const std::optional<std::string_view> value = value_of(text, key);
  if (!value) return 1;
  const std::int64_t count = whole_number_of(*value, 1);
  if (count < 1 || count > most)
    throw std::runtime_error(fmt::format("ImageJ metadata with {}={}", key, value->substr(0, 40)));
  return count;
}

// Tags hold resolutions as 32-bit floats: what they tell of a side are seven digits.
double side_of(double resolution) {
  return resolution > 0 && std::isfinite(resolution) ? length_of(fmt::format("{:.7g}", 1 / resolution)) : 0;
}

double depth_of(std::string_view text) {
  const std::optional<std::string_view> value = value_of(text, "spacing");
  if (!value) return 1;
  return length_of(value->starts_with('-') ? value->substr(1) : *value);  // stacks from the top down have a sign
}

}  // namespace

bool is_imagej(std::string_view description) { return description.starts_with("ImageJ="); }

stack_axes parse_imagej(std::string_view description, std::int64_t pages, double x_resolution, double y_resolution) {
  stack_axes axes;
  axes.source = "ImageJ";
  const std::int64_t images = value_of(description, "images") ? count_of(description, "images") : pages;
  axes.channels = count_of(description, "channels");
  axes.slices = count_of(description, "slices");
  axes.frames = count_of(description, "frames");
  if (images == 1) axes.channels = 1;  // those of one page are its samples
  if (axes.channels == 1 && axes.slices == 1 && axes.frames == 1) axes.slices = images;
  if (axes.channels > images || axes.slices * axes.frames > images || axes.planes() != images)
    throw std::runtime_error(fmt::format("ImageJ metadata of {} channels, {} slices and {} frames for {} images",
                                         axes.channels, axes.slices, axes.frames, images));
  if (images != pages && pages != 1)
    throw std::runtime_error(fmt::format("ImageJ metadata of {} images for {} pages", images, pages));

  const std::string_view unit = value_of(description, "unit").value_or("");
  axes.spacing = in_one_unit({depth_of(description), side_of(y_resolution), side_of(x_resolution)},
                             {unit_name(value_of(description, "zunit").value_or(unit)),
                              unit_name(value_of(description, "yunit").value_or(unit)), unit_name(unit)});
  return axes;
}

std::string make_imagej(slice_axis axis, std::int64_t images, const pixel_spacing& spacing) {
  const bool stack = images > 1 && axis != slice_axis::unknown;
  const bool has_depth = images == 1 || axis == slice_axis::time || spacing.z > 0;
  const bool has_size = has_depth && spacing.y > 0 && spacing.x > 0 && !spacing.unit.empty();
  if (!stack && !has_size) return {};
  std::string text = "ImageJ=1.54f\n";
  if (images > 1) text += fmt::format("images={}\n", images);
  if (stack && axis == slice_axis::space) text += fmt::format("slices={}\n", images);
  if (stack && axis == slice_axis::time) text += fmt::format("frames={}\nhyperstack=true\n", images);
  if (has_size) text += fmt::format("unit={}\n", spacing.unit);
  if (has_size && images > 1 && axis != slice_axis::time) text += fmt::format("spacing={}\n", spacing.z);
  return text + "loop=false\n";
}

}  // namespace skerry::io

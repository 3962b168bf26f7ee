// SPDX-License-Identifier: Apache-2.0
#include "io/stack_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <stdexcept>

#include "io/file_error.hpp"
#include "io/grey.hpp"
#include "io/imagej_metadata.hpp"
#include "io/ome_metadata.hpp"

namespace skerry::io {
namespace {

std::optional<stack_axes> parse(const tiff_file& file, const std::string& name) {
  const tiff_page& first = file.pages().front();
  if (is_imagej(first.description))
    return parse_imagej(first.description, static_cast<std::int64_t>(file.pages().size()), first.x_resolution,
                        first.y_resolution);
  if (is_ome(first.description))
    return parse_ome(first.description, std::filesystem::path(name).filename().string(), file.directories(),
                     first.channels, first.height, first.width);
  return {};
}

// The axes with their sizes and how to choose: one line for whatever is not chosen.
[[noreturn]] void ask(const std::string& name, const stack_axes& axes, const std::string& how) {
  throw file_error(name, fmt::format("has the axes {}; {}", text_of(axes), how));
}

// The channel that the user chose, of those of planes and of the samples in each.
std::int64_t chosen_channel(const std::string& name, const read_options& options, const stack_axes& axes,
                            std::int64_t samples) {
  const std::int64_t count = axes.channels * samples;
  if (options.channel >= 0 && options.channel < count) return options.channel;
  const auto& names = axes.channel_names;
  const auto found = std::find(names.begin(), names.end(), options.channel_name);
  if (!options.channel_name.empty() && found != names.end()) {
    if (std::count(names.begin(), names.end(), options.channel_name) > 1)
      ask(name, axes, fmt::format("several channels are named '{}'; choose by number", options.channel_name));
    return (found - names.begin()) * (static_cast<std::int64_t>(names.size()) == count ? 1 : samples);
  }
  if (options.channel < 0 && options.channel_name.empty()) return -1;
  const std::string wanted =
      options.channel_name.empty() ? std::to_string(options.channel) : fmt::format("'{}'", options.channel_name);
  if (axes.channels == 1)
    throw file_error(name, fmt::format("has no channel {}: it has {}, the first is 0", wanted, count));
  ask(name, axes,
      fmt::format("there is no channel {}; choose one of 0 to {}{}", wanted, count - 1,
                  names.empty() ? "" : ", or one of these names"));
}

// The frames to read: [first, first + 1), or all of them.
void check_frame(const std::string& name, const read_options& options, const stack_axes& axes) {
  if (options.frame >= 1 && axes.frames == 1)
    throw file_error(
        name, fmt::format("has no frame {}: it has no axis of time; choose a page with --page N", options.frame));
  if (options.frame >= axes.frames)
    throw file_error(name, fmt::format("has no frame {}: it has {}, the first is 0", options.frame, axes.frames));
  if (axes.frames == 1 || options.frame >= 0) return;
  if (axes.slices > 1) ask(name, axes, "choose a time point with --frame N, the first is 0");
  if (!options.stack && !options.as_slices)
    ask(name, axes,
        "its pages are images in time: take each by itself with --stack, all as one volume with --volume, or choose "
        "one "
        "with --frame N");
}

std::vector<std::size_t> all_pages(std::int64_t count) {
  std::vector<std::size_t> pages(static_cast<std::size_t>(count));
  std::iota(pages.begin(), pages.end(), 0);
  return pages;
}

// ImageJ counts pages, OME the directories of the file.
std::size_t page_of(const tiff_file& file, const std::string& name, const stack_axes& axes, std::int64_t directory) {
  const auto same = static_cast<std::size_t>(directory);
  if (axes.source == "ImageJ") return same;
  if (same < file.pages().size() && file.pages()[same].directory == same) return same;
  for (std::size_t page = 0; page < file.pages().size(); ++page)
    if (static_cast<std::int64_t>(file.pages()[page].directory) == directory) return page;
  throw file_error(name, fmt::format("has OME metadata that name page {}, which is a thumbnail or a mask", directory));
}

}  // namespace

std::optional<stack_axes> read_axes(const tiff_file& file, const std::string& name, const read_options& options,
                                    std::string& note) {
  try {
    std::optional<stack_axes> axes = parse(file, name);
    if (axes) note = axes->note;
    return axes;
  } catch (const std::runtime_error& error) {
    const bool chosen = options.page >= 0 || options.stack || options.survey;
    if (!chosen && file.pages().size() > 1)
      throw file_error(
          name,
          fmt::format("has {}; choose a page with --page N, or take all pages as images with --stack", error.what()));
    note = error.what();
    return {};
  }
}

bool has_planes_without_pages(const tiff_file& file, const std::optional<stack_axes>& axes) {
  return axes && axes->source == "ImageJ" && axes->planes() > static_cast<std::int64_t>(file.pages().size());
}

stack_choice choose_planes(const tiff_file& file, const std::string& name, const read_options& options,
                           const std::optional<stack_axes>& axes) {
  const auto listed = static_cast<std::int64_t>(file.pages().size());
  const bool without_pages = has_planes_without_pages(file, axes);
  const std::int64_t count = without_pages ? axes->planes() : listed;
  if (options.page >= count)
    throw file_error(name, fmt::format("has no page {}: it has {}, the first is 0", options.page, count));
  const std::int64_t samples =
      file.pages()[static_cast<std::size_t>(std::clamp<std::int64_t>(options.page, 0, listed - 1))].channels;
  if (options.page >= 0)
    return {{static_cast<std::size_t>(options.page)},
            static_cast<int>(chosen_channel(name, options, stack_axes{}, samples)),
            slice_axis::unknown};
  if (options.survey && without_pages) file.check_following_planes(file.pages().front(), count);
  if (options.survey) return {all_pages(count), -1, slice_axis::unknown};
  const stack_axes one;
  const stack_axes& of = axes ? *axes : one;
  const std::int64_t channel = chosen_channel(name, options, of, samples);
  check_frame(name, options, of);
  if (!axes) return {all_pages(count), static_cast<int>(channel), slice_axis::unknown};
  if (channel < 0 && of.channels > 1) ask(name, of, channel_remedy(options, " or its name"));

  stack_choice choice;
  // One sample is the plane itself; several are colours unless the user has chosen one of them.
  choice.sample = channel < 0 ? -1 : static_cast<int>(channel % samples);
  const std::int64_t plane = std::max<std::int64_t>(channel, 0) / samples;
  const std::int64_t begin = std::max<std::int64_t>(options.frame, 0);
  const std::int64_t end = options.frame >= 0 ? begin + 1 : of.frames;
  if (without_pages) file.check_following_planes(file.pages().front(), of.directory(end - 1, of.slices - 1, plane) + 1);
  for (std::int64_t frame = begin; frame < end; ++frame)
    for (std::int64_t slice = 0; slice < of.slices; ++slice)
      choice.pages.push_back(page_of(file, name, of, of.directory(frame, slice, plane)));
  if (end - begin > 1 && !options.as_slices) choice.slices = slice_axis::time;
  else if (end - begin > 1 || of.slices > 1) choice.slices = slice_axis::space;
  return choice;
}

}  // namespace skerry::io

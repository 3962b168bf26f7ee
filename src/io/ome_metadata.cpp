// SPDX-License-Identifier: Apache-2.0
#include "io/ome_metadata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <pugixml.hpp>
#include <stdexcept>
#include <vector>

namespace skerry::io {
namespace {

constexpr std::size_t longest = std::size_t{1} << 27;  // bytes; those of long films reach some millions

[[noreturn]] void refuse(const std::string& reason) { throw std::runtime_error("OME metadata " + reason); }

// Names of elements may have a namespace in front.
std::string_view local_name(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') + 1);  // npos + 1 is 0
}

std::vector<pugi::xml_node> children(const pugi::xml_node& of, std::string_view name) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node& child : of.children())
    if (local_name(child) == name) found.push_back(child);
  return found;
}

// An attribute that is a whole number of `least` or more; `missing` without it.
std::int64_t number(const pugi::xml_node& node, const char* name, std::int64_t missing, std::int64_t least) {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute) return missing;
  const std::int64_t value = whole_number_of(attribute.value(), least);
  if (value < least) refuse(fmt::format("has {}=\"{}\"", name, std::string_view(attribute.value()).substr(0, 40)));
  return value;
}

std::int64_t side(const pugi::xml_node& pixels, const char* name) {
  const std::int64_t value = number(pixels, name, 0, 1);
  if (value == 0) refuse(fmt::format("has no {}", name));
  return value;
}

pixel_spacing spacing_of(const pugi::xml_node& pixels, std::string& note) {
  const char* const names[] = {"PhysicalSizeZ", "PhysicalSizeY", "PhysicalSizeX"};
  double sides[3] = {};
  std::string units[3];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const pugi::xml_attribute size = pixels.attribute(names[axis]);
    sides[axis] = length_of(size.value());
    if (size && sides[axis] == 0)
      note = fmt::format("OME metadata has {}=\"{}\"", names[axis], std::string_view(size.value()).substr(0, 40));
    const std::string unit = std::string(names[axis]) + "Unit";
    units[axis] = unit_name(pixels.attribute(unit.c_str()).as_string("um"));
  }
  return in_one_unit(sides, units);
}

// Channels as planes: one of several samples is one plane.
void read_channels(const pugi::xml_node& pixels, std::int64_t samples, stack_axes& axes) {
  const std::int64_t size = side(pixels, "SizeC");
  const std::vector<pugi::xml_node> channels = children(pixels, "Channel");
  std::int64_t declared = 0;
  for (const pugi::xml_node& channel : channels) {
    const std::int64_t own = number(channel, "SamplesPerPixel", 1, 1);
    if (own != samples && (own != 1 || channels.size() != static_cast<std::size_t>(size)))
      refuse(fmt::format("has a channel of {} samples, but pages have {}", own, samples));
    if (own > size) refuse(fmt::format("has a channel of {} samples, but SizeC is {}", own, size));
    declared += own;
    axes.channel_names.emplace_back(channel.attribute("Name").value());
  }
  if (!channels.empty() && declared != size) refuse(fmt::format("has {} channels, but SizeC is {}", declared, size));
  if (size % samples != 0) refuse(fmt::format("has SizeC {}, but pages have {} samples", size, samples));
  axes.channels = size / samples;
  const bool named = std::any_of(axes.channel_names.begin(), axes.channel_names.end(),
                                 [](const std::string& name) { return !name.empty(); });
  if (!named || static_cast<std::int64_t>(axes.channel_names.size()) != axes.channels * samples)
    axes.channel_names.clear();
}

// Planes may lie in other files of the same data set.
void refuse_other_files(const pugi::xml_node& root, const std::vector<pugi::xml_node>& data, const std::string& file) {
  const std::string_view own = root.attribute("UUID").value();
  for (const pugi::xml_node& each : data)
    for (const pugi::xml_node& uuid : children(each, "UUID")) {
      const pugi::xml_attribute name = uuid.attribute("FileName");
      const std::string_view text = uuid.child_value();
      if ((!own.empty() && text == own) || !name || name.value() == file) continue;
      refuse(fmt::format("says that it is one of several files, with planes in {}; convert them to one file",
                         std::string_view(name.value()).substr(0, 200)));
    }
}

// Which axes run fastest: "XYCZT" is channels, slices, time points.
class plane_order {
 public:
  plane_order(const pugi::xml_node& pixels, const stack_axes& axes) {
    const std::string_view order = pixels.attribute("DimensionOrder").value();
    std::string sorted(order.substr(0, 5));
    std::sort(sorted.begin(), sorted.end());
    if (sorted != "CTXYZ" || order.size() != 5 || !order.starts_with("XY"))
      refuse(fmt::format("has DimensionOrder=\"{}\"", order.substr(0, 40)));
    for (std::size_t i = 0; i < 3; ++i) {
      axis_[i] = order[2 + i] == 'T' ? 0 : order[2 + i] == 'Z' ? 1 : 2;
      size_[i] = axis_[i] == 0 ? axes.frames : axis_[i] == 1 ? axes.slices : axes.channels;
    }
  }
  // The number of a plane in the order of the file, from T, Z, C.
  [[nodiscard]] std::int64_t number_of(const std::array<std::int64_t, 3>& place) const {
    return place[axis_[0]] + size_[0] * (place[axis_[1]] + size_[1] * place[axis_[2]]);
  }
  [[nodiscard]] std::array<std::int64_t, 3> place_of(std::int64_t number) const {
    std::array<std::int64_t, 3> place{};
    for (std::size_t i = 0; i < 3; ++i) {
      place[axis_[i]] = number % size_[i];
      number /= size_[i];
    }
    return place;
  }

 private:
  std::array<std::size_t, 3> axis_{};
  std::array<std::int64_t, 3> size_{};
};

void check_place(const char* name, std::int64_t first, std::int64_t size) {
  if (first >= size) refuse(fmt::format("has TiffData with {}={}, but there are {}", name, first, size));
}

void place_planes(const pugi::xml_node& pixels, const std::vector<pugi::xml_node>& data, std::int64_t directories,
                  std::int64_t samples, stack_axes& axes) {
  const plane_order order(pixels, axes);
  axes.directories.assign(static_cast<std::size_t>(axes.planes()), -1);
  const auto put = [&](std::int64_t first, std::int64_t count, std::int64_t directory) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto [t, z, c] = order.place_of(first + i);
      axes.directories[static_cast<std::size_t>((t * axes.slices + z) * axes.channels + c)] = directory + i;
    }
  };
  std::int64_t placed = 0;
  for (const pugi::xml_node& each : data) {
    const std::int64_t t = number(each, "FirstT", 0, 0), z = number(each, "FirstZ", 0, 0);
    const std::int64_t c = number(each, "FirstC", 0, 0) / samples;
    check_place("FirstT", t, axes.frames);
    check_place("FirstZ", z, axes.slices);
    check_place("FirstC", c, axes.channels);
    const std::int64_t first = order.number_of({t, z, c}), directory = number(each, "IFD", 0, 0);
    const std::int64_t rest = axes.planes() - first;
    const std::int64_t count = number(each, "PlaneCount", each.attribute("IFD") ? 1 : rest, 0);
    placed = count > std::numeric_limits<std::int64_t>::max() - placed ? count : placed + count;
    if (count > rest || placed > axes.planes())
      refuse(fmt::format("has TiffData of {} planes, but there are {}", placed, axes.planes()));
    if (count > 0 && (directory >= directories || count > directories - directory))
      refuse(fmt::format("names page {}, but the file has {}", std::max(directory, directories), directories));
    put(first, count, directory);
  }
  if (data.empty()) put(0, axes.planes(), 0);
  const auto missing = std::find(axes.directories.begin(), axes.directories.end(), -1);
  if (missing == axes.directories.end()) return;
  const std::int64_t plane = missing - axes.directories.begin();
  refuse(fmt::format("has no page for the plane T {}, Z {}, C {}", plane / axes.channels / axes.slices,
                     plane / axes.channels % axes.slices, plane % axes.channels));
}

void check_counts(const stack_axes& axes, std::int64_t directories) {
  // One after the other, so that no product overflows.
  const bool too_many = axes.frames > directories || axes.slices > directories / axes.frames ||
                        axes.channels > directories / axes.frames / axes.slices;
  if (too_many)
    refuse(fmt::format("of {} time points, {} slices and {} channels for {} pages", axes.frames, axes.slices,
                       axes.channels, directories));
}

pugi::xml_node only_image(const pugi::xml_node& root) {
  const std::vector<pugi::xml_node> images = children(root, "Image");
  if (images.empty() && !children(root, "BinaryOnly").empty())
    refuse("lies in another file: this is one of several; convert them to one file");
  if (images.empty()) refuse("describes no image");
  if (images.size() == 1) return images.front();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(images.size(), 8); ++i)
    names.emplace_back(images[i].attribute("Name").as_string(images[i].attribute("ID").value()));
  refuse(
      fmt::format("describes {} images ({}{})", images.size(), fmt::join(names, ", "), images.size() > 8 ? ", …" : ""));
}

}  // namespace

bool is_ome(std::string_view description) {
  constexpr std::size_t preamble = 8192;  // the declaration, and the comment that most programs write
  const std::string_view start = description.substr(0, preamble);
  const std::size_t first = start.find_first_not_of("\xef\xbb\xbf \t\r\n");
  if (first == std::string_view::npos || start[first] != '<') return false;
  return start.find("<OME") != std::string_view::npos || start.find(":OME") != std::string_view::npos;
}

stack_axes parse_ome(std::string_view description, const std::string& file, std::int64_t directories,
                     std::int64_t samples, std::int64_t height, std::int64_t width) {
  if (description.size() > longest) refuse(fmt::format("of {} bytes is too long", description.size()));
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(description.data(), description.size());
  if (!parsed) refuse(fmt::format("is no well-formed XML ({} at byte {})", parsed.description(), parsed.offset));
  const pugi::xml_node root = document.document_element();
  if (local_name(root) != "OME") refuse("is no OME element");
  const std::vector<pugi::xml_node> all_pixels = children(only_image(root), "Pixels");
  if (all_pixels.size() != 1) refuse(fmt::format("has {} elements Pixels", all_pixels.size()));
  const pugi::xml_node& pixels = all_pixels.front();
  const std::vector<pugi::xml_node> data = children(pixels, "TiffData");
  refuse_other_files(root, data, file);

  stack_axes axes;
  axes.source = "OME";
  axes.frames = side(pixels, "SizeT");
  axes.slices = side(pixels, "SizeZ");
  read_channels(pixels, std::max<std::int64_t>(samples, 1), axes);
  check_counts(axes, directories);
  if (side(pixels, "SizeY") != height || side(pixels, "SizeX") != width)
    refuse(fmt::format("of {} x {} pixels, but pages have {} x {}", side(pixels, "SizeY"), side(pixels, "SizeX"),
                       height, width));
  place_planes(pixels, data, directories, std::max<std::int64_t>(samples, 1), axes);
  axes.spacing = spacing_of(pixels, axes.note);
  return axes;
}

}  // namespace skerry::io

// SPDX-License-Identifier: Apache-2.0
// Fuzzes what TIFF descriptions say of pages: ImageJ's lines and OME-XML. An input is a byte for the kind, one for pages and
// samples, two resolutions as the tags have them, and the description; or the choices that make one of OME.
//
// Promises: a text gives axes or one error. Axes have as many planes as there are pages (one page stands for a stack of
// ImageJ), each on a page that is there; sides of a pixel are finite and above 0, or not known; a unit is letters. What is
// said of a made description is what it was made from.
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "fuzz_input.hpp"
#include "io/axes.hpp"
#include "io/imagej_metadata.hpp"
#include "io/ome_metadata.hpp"

namespace {

using namespace skerry;
using fuzz::input_bytes;
using fuzz::promise;
using io::stack_axes;

constexpr std::int64_t height = 10, width = 12;
const std::string own_name = "own.tif";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void check_spacing(const pixel_spacing& of) {
  for (const double side : {of.z, of.y, of.x})
    promise(side == 0 || (side > 0 && std::isfinite(side)), "a side is finite and above 0, or not known");
  promise(of.x > 0 || (of.y == 0 && of.z == 0), "sides are known in the unit of x");
  promise((of.x > 0) == !of.unit.empty(), "a size has a unit");
  promise(std::all_of(of.unit.begin(), of.unit.end(), is_letter), "a unit is letters", of.unit);
  promise(io::unit_name(of.unit) == of.unit, "a unit is read as it is written", of.unit);
  promise((io::text_of(of, true).empty()) == (of.x == 0), "a size is shown");
}

void check_counts(const stack_axes& axes, std::int64_t most) {
  promise(axes.frames > 0 && axes.slices > 0 && axes.channels > 0, "every axis has planes");
  promise(axes.frames <= most && axes.slices <= most / axes.frames && axes.channels <= most / axes.frames / axes.slices,
          "there are no more planes than pages");
}

void check_imagej(std::string_view text, std::int64_t pages, double x, double y) {
  constexpr std::int64_t most_behind_one = std::int64_t{1} << 31;
  const stack_axes axes = io::parse_imagej(text, pages, x, y);
  check_counts(axes, pages == 1 ? most_behind_one : pages);
  promise(pages == 1 || axes.planes() == pages, "every page is a plane");
  const std::int64_t t = axes.frames - 1, z = axes.slices - 1, c = axes.channels - 1;
  promise(axes.directory(0, 0, 0) == 0 && axes.directory(t, z, c) == axes.planes() - 1, "pages are in order");
  promise(c == 0 || axes.directory(0, 0, 1) == 1, "channels come first");
  promise(z == 0 || axes.directory(0, 1, 0) == axes.channels, "slices come behind channels");
  check_spacing(axes.spacing);
  const pixel_spacing& size = axes.spacing;
  if (size.z == 0 || size.y == 0 || size.x == 0) return;
  const stack_axes again = io::parse_imagej(io::make_imagej(io::slice_axis::space, 3, size), 3, 1 / size.x, 1 / size.y);
  promise(
      again.slices == 3 && again.spacing.z == size.z && again.spacing.x == size.x && again.spacing.unit == size.unit,
      "what is written is read again", io::text_of(size, true));
}

void check_ome(std::string_view text, std::int64_t directories, std::int64_t samples) {
  const stack_axes axes = io::parse_ome(text, own_name, directories, samples, height, width);
  check_counts(axes, directories);
  promise(static_cast<std::int64_t>(axes.directories.size()) == axes.planes(), "every plane has a page");
  for (const std::int64_t directory : axes.directories)
    promise(directory >= 0 && directory < directories, "the page of a plane is there");
  const auto names = static_cast<std::int64_t>(axes.channel_names.size());
  promise(names == 0 || names == axes.channels * samples, "every channel has a name, or none");
  check_spacing(axes.spacing);
}

void check_text(input_bytes& from) {
  const bool ome = from.below(2) != 0;
  const int counts = from.take<std::uint8_t>();
  const std::int64_t pages = 1 + counts % 32, samples = 1 + counts / 32 % 4;
  const double x = from.take<float>(), y = from.take<float>();
  const std::string_view text = from.rest();
  (void)io::is_ome(text);
  (void)io::is_imagej(text);
  try {
    if (ome) check_ome(text, pages, samples);
    else check_imagej(text, pages, x, y);
  } catch (const std::runtime_error& refused) {
    promise(std::string_view(refused.what()).starts_with(ome ? "OME metadata " : "ImageJ metadata "),
            "an error says of what", refused.what());
  }
}

// ---- a description that is made from choices -------------------------------------------------------------------------

// T, Z and C of every plane, in the order of pages.
using place = std::array<std::int64_t, 3>;

std::vector<place> places_in_order(const place& sizes, const std::string& order) {
  std::vector<place> all = {{0, 0, 0}};
  for (const char axis : order.substr(2)) {  // the first runs fastest
    const std::size_t which = axis == 'T' ? 0 : axis == 'Z' ? 1 : 2;
    std::vector<place> more;
    for (std::int64_t i = 0; i < sizes[which]; ++i)
      for (place each : all) {
        each[which] = i;
        more.push_back(each);
      }
    all = std::move(more);
  }
  return all;
}

std::string attribute(const char* name, std::int64_t value) {
  return std::string(" ") + name + "=\"" + std::to_string(value) + "\"";
}

// The pages of planes in the order of `places`; -1 for none, nothing for what has to be refused.
std::optional<std::vector<std::int64_t>> take_blocks(input_bytes& from, const std::vector<place>& places,
                                                     std::int64_t directories, std::string& xml) {
  std::vector<std::int64_t> pages(places.size(), -1);
  std::size_t placed = 0;
  bool fits = true;
  for (int blocks = from.below(6); blocks > 0; --blocks) {
    const auto first = static_cast<std::size_t>(from.below(static_cast<int>(places.size())));
    const int given = from.below(4);
    const std::int64_t directory = (given & 1) != 0 ? from.below(12) : 0;
    const auto rest = static_cast<std::int64_t>(places.size() - first);
    const std::int64_t count = (given & 2) != 0 ? from.below(8) : (given & 1) != 0 ? 1 : rest;
    xml += "<TiffData" + attribute("FirstT", places[first][0]) + attribute("FirstZ", places[first][1]) +
           attribute("FirstC", places[first][2]) + ((given & 1) != 0 ? attribute("IFD", directory) : "") +
           ((given & 2) != 0 ? attribute("PlaneCount", count) : "") + "/>";
    placed += static_cast<std::size_t>(count);
    fits = fits && count <= rest && placed <= places.size() && (count == 0 || directory + count <= directories);
    for (std::int64_t i = 0; fits && i < count; ++i) pages[first + static_cast<std::size_t>(i)] = directory + i;
  }
  if (xml.empty()) {
    for (std::size_t i = 0; i < pages.size(); ++i) pages[i] = static_cast<std::int64_t>(i);
  }
  if (std::find(pages.begin(), pages.end(), -1) != pages.end()) fits = false;
  return fits ? std::optional(pages) : std::nullopt;
}

void check_made(input_bytes& from) {
  const std::array<std::string, 6> orders = {"XYCZT", "XYCTZ", "XYZCT", "XYZTC", "XYTCZ", "XYTZC"};
  const std::string& order = orders[static_cast<std::size_t>(from.below(6))];
  const place sizes = {1 + from.below(3), 1 + from.below(3), 1 + from.below(3)};
  const std::int64_t directories = sizes[0] * sizes[1] * sizes[2] + from.below(3);
  const std::vector<place> places = places_in_order(sizes, order);
  std::string blocks;
  const auto pages = take_blocks(from, places, directories, blocks);
  const std::string text = "<OME><Image><Pixels DimensionOrder=\"" + order + "\"" + attribute("SizeX", width) +
                           attribute("SizeY", height) + attribute("SizeT", sizes[0]) + attribute("SizeZ", sizes[1]) +
                           attribute("SizeC", sizes[2]) + ">" + blocks + "</Pixels></Image></OME>";
  try {
    const stack_axes axes = io::parse_ome(text, own_name, directories, 1, height, width);
    promise(pages.has_value(), "planes that do not fit are refused", text);
    for (std::size_t i = 0; i < places.size(); ++i)
      promise(axes.directory(places[i][0], places[i][1], places[i][2]) == (*pages)[i], "a plane is on its page", text);
  } catch (const std::runtime_error&) {
    promise(!pages.has_value(), "planes that fit are read", text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input_bytes from(bytes, size);
  if (from.below(2) == 0) check_text(from);
  else check_made(from);
  return 0;
}

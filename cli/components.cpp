// SPDX-License-Identifier: Apache-2.0
#include "cli/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli/column_choice.hpp"
#include "cli/console.hpp"
#include "cli/threshold.hpp"
#include "io/file_error.hpp"
#include "io/printable.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"

namespace skerry::cli {
namespace {

template <class Wide, class Narrow>
void narrow_in_place(std::byte* labels, std::size_t count) {
  // Forwards: pixel i is written below where pixel i + 1 is read.
  for (std::size_t i = 0; i < count; ++i) {
    Wide wide;
    std::memcpy(&wide, labels + i * sizeof(Wide), sizeof wide);
    const auto small = static_cast<Narrow>(wide);
    std::memcpy(labels + i * sizeof(Narrow), &small, sizeof small);
  }
}

template <class Wide>
void narrow_from(std::byte* labels, std::size_t count, dtype type) {
  switch (type) {
    case dtype::u8: return narrow_in_place<Wide, std::uint8_t>(labels, count);
    case dtype::u16: return narrow_in_place<Wide, std::uint16_t>(labels, count);
    default: return narrow_in_place<Wide, std::uint32_t>(labels, count);
  }
}

// One frame on its way through the library.
struct frame_call {
  engine& on;
  std::string_view method;
  published::method_options how;
  image_view image;
  label_options options;
  mutable_image labels;
  std::int64_t index;
};

std::uint64_t label(const frame_call& call, const measure_options& features, feature_table* table) {
  return published::label(call.on, call.method, {call.image, call.options, features},
                          {.labels = call.labels, .table = table}, call.how);
}

image_view view_of(const mutable_image& image) { return {image.data, image.type, image.size, image.strides}; }

// Measures what the table or --keep needs; returns how many components are left.
std::uint64_t measure_frame(const frame_call& call, const picture& from, const component_filter& filter,
                            const measuring* measure) {
  const intensity_images of_itself{filter.needs_intensity() ? std::vector{&from} : std::vector<const picture*>{}};
  const intensity_images& under = measure != nullptr ? measure->under : of_itself;
  measure_options features;
  features.moments = filter.needs_moments() || (measure != nullptr && measure->moments);
  features.intensity = under.one(call.index);
  feature_table table;
  const std::uint64_t count = label(call, features, &table);
  std::vector<std::string> names = filter.needs_more();
  if (measure != nullptr)
    for (const std::string& name : without(measure->more, names)) names.push_back(name);
  std::vector<table_column> more;
  if (!names.empty())
    more = measure_more(call.on,
                        {view_of(call.labels), {}, features.intensity, from.spacing, under.several(call.index)}, names);
  const measured_columns rows{table, more, from.spacing};
  if (!filter.wanted()) {
    if (measure != nullptr) measure->take(call.index, rows, nullptr);
    return count;
  }
  const new_labels kept = filter.number(rows);
  if (call.labels.data != nullptr) kept.apply(call.labels);
  if (measure != nullptr) measure->take(call.index, rows, &kept);
  return kept.count;
}

std::uint64_t call_library(const frame_call& call, const picture& from, const component_filter& filter,
                           const measuring* measure) {
  if (measure != nullptr || filter.wanted()) return measure_frame(call, from, filter, measure);
  return label(call, {}, nullptr);
}

// What to add to the message where pages may have been meant as channels.
std::string about_pages(const picture& under, const picture& from) {
  const extent& page = from.pixels.size;
  const bool fits = page.rank == 2 && under.pixels.size == extent(under.pixels.size.depth, page.height, page.width);
  if (!fits || under.pixels.format != "tiff" || under.pixels.axes) return "";
  return "; its pages have no axes, and are not channels: save them with an axis C of ImageJ or OME-TIFF, or "
         "save each in a file of its own";
}

}  // namespace

void check_intensity(const picture& from, const intensity_images& under) {
  for (const picture* each : under.channels)
    if (each->pixels.size != from.pixels.size)
      throw io::file_error(each->name, fmt::format("is {}, but {} is {}{}", io::text_of(each->pixels.size), from.name,
                                                   io::text_of(from.pixels.size), about_pages(*each, from)));
}

int connectivity_of(const component_options& options, int rank) {
  return options.connectivity != 0 ? options.connectivity : rank == 1 ? 2 : rank == 2 ? 8 : 26;
}

label_options labelling_of(const job_options& options, const foreground& rule, int rank) {
  label_options how;
  how.connectivity = connectivity_of(options.components, rank);
  how.foreground = rule;
  how.joining = options.components.joining;
  how.periodic = options.components.periodic;
  return how;
}

void require_room(const std::string& name, std::uint64_t labels, dtype type) {
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - 8 * size_of(type));
  if (labels > most)
    throw io::file_error(
        name, fmt::format("labels: {} components do not fit {}, which ends at {}; leave out --labels-type", labels,
                          name_of(type), most));
}

mutable_image components::frame(const picture& from, std::int64_t index) const {
  const extent frame_size = from.frame(index).size;
  return {labels.get() + index * frame_size.pixels() * static_cast<std::int64_t>(size_of(label_type)), label_type,
          frame_size};
}

void components::narrow(dtype type) {
  if (type == label_type) return;
  const auto count = static_cast<std::size_t>(size.pixels());
  if (label_type == dtype::u64) narrow_from<std::uint64_t>(labels.get(), count, type);
  if (label_type == dtype::u32) narrow_from<std::uint32_t>(labels.get(), count, type);
  label_type = type;
}

components find_components(engine& on, const picture& from, const job_options& options, std::optional<dtype> label_type,
                           const measuring* measure, profile& times) {
  components found;
  found.size = from.pixels.size;
  const intensity_images under = measure == nullptr ? intensity_images{{&from}} : measure->under;
  check_intensity(from, under);
  const table_sources sources{from.frame(0).size.rank, under.type(), from.spacing, under.count()};
  const component_filter filter(options.components.keep, sources);
  const bool needs_labels = !filter.needs_more().empty() || (measure != nullptr && !measure->more.empty());
  if (!label_type && needs_labels) label_type = roomy_label_type(from);
  if (label_type) {
    found.label_type = *label_type;
    found.labels = io::allocate_pixels(from.name, *label_type, found.size);
  }
  for (std::int64_t frame = 0; frame < from.frames(); ++frame) {
    const image_view image = from.frame(frame);
    const foreground_choice choice = choose_foreground(options.foreground, image, from.name);
    label_options how = labelling_of(options, choice.rule, image.size.rank);
    how.selection = options.components.selection;
    const mutable_image labels = label_type ? found.frame(from, frame) : mutable_image{};
    std::uint64_t count = 0;
    try {
      const published::method_options of_method{.first_copy = options.engine.first_copy};
      count = call_library({on, options.engine.method, of_method, image, how, labels, frame}, from, filter, measure);
    } catch (const invalid_argument& error) {
      throw io::file_error(from.name, error.what());
    }
    times.add(on, image.size.pixels());
    found.count += count;
    found.largest = std::max(found.largest, count);
    found.otsu = choice.otsu;
  }
  return found;
}

dtype roomy_label_type(const picture& from) {
  // At most every pixel is a component.
  return from.frame(0).size.pixels() < std::int64_t{1} << 32 ? dtype::u32 : dtype::u64;
}

std::optional<dtype> chosen_label_type(const std::string& name) {
  if (name == "u8") return dtype::u8;
  if (name == "u16") return dtype::u16;
  if (name == "u32") return dtype::u32;
  if (name == "u64") return dtype::u64;
  return {};
}

std::string counted(const std::string& name, std::uint64_t count, const std::string& noun) {
  return fmt::format("{}: {} {}{}", io::printable(name), count, noun, count == 1 ? "" : "s");
}

std::string text_of_otsu(const std::optional<double>& threshold) {
  return threshold ? fmt::format(", otsu threshold {:.6g}", *threshold) : "";
}

std::string summary(const picture& from, const components& found, const std::string& noun) {
  std::string text = counted(from.name, found.count, noun);
  if (from.is_stack) text += fmt::format(" in {} frame{}", from.frames(), from.frames() == 1 ? "" : "s");
  if (from.frames() == 1) text += text_of_otsu(found.otsu);
  return text + "\n";
}

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/region_rows.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/console.hpp"
#include "cli/region_filter.hpp"
#include "core/label_type.hpp"
#include "io/file_error.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {
namespace {

// A label of 64 bits, with a sign or not.
std::optional<background> background_of(const std::string& text) {
  if (text == "none") return background::none();
  const auto read = [&](auto label) -> std::optional<background> {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
    if (error != std::errc() || end != text.data() + text.size()) return {};
    return background::equal_to(label);
  };
  return text.starts_with('-') ? read(std::int64_t{}) : read(std::uint64_t{});
}

// Calls work(frame), and says of which picture it was that the library refused something.
template <class Work>
void each_frame(const picture& from, Work work) {
  for (std::int64_t frame = 0; frame < from.frames(); ++frame) try {
      work(frame);
    } catch (const invalid_argument& error) {
      throw io::file_error(from.name, error.what());
    }
}

void add_regions(components& found, std::uint64_t count) {
  found.count += count;
  found.largest = std::max(found.largest, count);
}

// Gives regions 1..n the labels that they had; returns the largest.
std::uint64_t restore_labels(const picture& from, const mutable_image& numbered,
                             const std::vector<label_bits>& originals) {
  for (const label_bits label : originals)
    if (label == 0 || (is_signed_label_type(from.pixels.type) && label >> 63 != 0))
      throw io::file_error(from.name, fmt::format("has a region of label {}; --keep-labels takes labels above 0",
                                                  static_cast<std::int64_t>(label)));
  new_labels{originals, originals.size()}.apply(numbered);
  return originals.empty() ? 0 : *std::max_element(originals.begin(), originals.end());
}

}  // namespace

CLI::Option* add_background_option(CLI::App& command, background& rule) {
  const auto check = [](std::string& text) {
    return background_of(text) ? std::string() : "'" + text + "' is not a whole number of 64 bits, or none";
  };
  return command
      .add_option_function<std::string>(
          "--background", [&rule](const std::string& text) { rule = *background_of(text); },
          "the label that is background; none: all are regions;\nwithout it 0 and everything below")
      ->type_name("LABEL|none")
      ->check(CLI::Validator(check, ""));
}

void check_labels(const picture& labels) {
  if (labels.pixels.colours != nullptr)
    throw io::file_error(labels.name, "is in colour, not a label image; choose one channel with --channel");
}

void check_not_on_cuda(const std::string& job, const engine_options& options) {
  if (options.name == "cuda") throw usage_error("--engine cuda has no " + job + "; take cpu");
}

void check_region_method(const std::string& option, const engine_options& options) {
  for (const published::method& method : published::methods())
    if (method.name == options.method && (!method.takes_labels || option != "--labels"))
      throw usage_error(option + ": --method " + options.method + " finds components; leave it out");
}

std::vector<double> label_column(const picture& from, const region_table& table) {
  constexpr std::uint64_t most = std::uint64_t{1} << 53;
  for (const label_bits label : table.labels) {
    const bool negative = table.signed_labels && label >> 63 != 0;
    if ((negative ? -label : label) > most)
      throw io::file_error(
          from.name, fmt::format("has labels beyond 2^53, such as {}; number them with skerry relabel",
                                 negative ? std::to_string(static_cast<std::int64_t>(label)) : std::to_string(label)));
  }
  return table.column("label");
}

std::vector<table_column> region_columns(const picture& from, const region_table& table,
                                         const std::vector<table_column>& more, const std::vector<std::string>& names) {
  std::vector<table_column> columns = columns_of({table.features, more, from.spacing}, names);
  for (table_column& column : columns)
    if (column.name == "label") column.numbers = label_column(from, table);
  return columns;
}

components measure_labels(engine& on, const picture& labels, const region_measuring& measure, profile& times) {
  components found;
  found.size = labels.pixels.size;
  check_intensity(labels, measure.under);
  region_table table;
  each_frame(labels, [&](std::int64_t frame) {
    region_request asked{.labels = labels.frame(frame), .background = measure.rule};
    asked.features.moments = measure.columns.moments;
    asked.features.intensity = measure.under.one(frame);
    add_regions(found, published::measure(on, measure.method, asked, table, measure.how));
    std::vector<table_column> more;
    if (!measure.columns.more.empty())
      more = measure_more(
          on, {asked.labels, asked.background, asked.features.intensity, labels.spacing, measure.under.several(frame)},
          measure.columns.more);
    measure.take(frame, region_columns(labels, table, more, measure.columns.names));
    times.add(on, asked.labels.size.pixels());
  });
  return found;
}

components number_labels(engine& on, const picture& labels, const numbering_rule& rule, dtype type, profile& times) {
  components found;
  found.size = labels.pixels.size;
  found.label_type = type;
  found.labels = io::allocate_pixels(labels.name, type, found.size);
  each_frame(labels, [&](std::int64_t frame) {
    const mutable_image numbered = found.frame(labels, frame);
    std::vector<label_bits> originals = relabel(on, labels.frame(frame), rule.how, numbered);
    if (rule.filter != nullptr) originals = rule.filter->apply(on, {labels, frame, numbered, originals});
    add_regions(found, originals.size());
    if (rule.keeps_labels) found.largest = std::max(found.largest, restore_labels(labels, numbered, originals));
    times.add(on, labels.frame(frame).size.pixels());
  });
  return found;
}

}  // namespace skerry::cli

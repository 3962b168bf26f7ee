// SPDX-License-Identifier: Apache-2.0
#include "cli/measure_job.hpp"

#include <algorithm>
#include <numeric>

#include "cli/conditions.hpp"
#include "cli/output_names.hpp"

namespace skerry::cli {
namespace {

bool keeps_by_intensity(const measure_job& job) {
  const std::vector<std::string> names = conditions(job.components.keep).columns();
  return std::any_of(names.begin(), names.end(), needs_intensity);
}

}  // namespace

bool measure_job::all_channels() const {
  return std::any_of(intensity_channels.begin(), intensity_channels.end(),
                     [](const channel_choice& each) { return each.name == every_channel; });
}

input_options intensity_input(const measure_job& job) {
  input_options how = job.input;
  how.read.keep_colours = false;
  how.read.channel_option = "--intensity-channel";
  how.read.all_channels = job.bands.memory == 0;
  if (!job.intensity_channels.empty()) job.intensity_channels.front().apply(how.read);
  return how;
}

std::vector<picture> read_intensities(const measure_job& job,
                                      const std::function<picture(const input_options&)>& read) {
  input_options how = intensity_input(job);
  std::vector<channel_choice> channels = job.intensity_channels;
  if (job.all_channels()) {
    channels = {{0, ""}};
    channels.front().apply(how.read);
  }
  std::vector<picture> images;
  images.push_back(read(how));
  if (job.all_channels())
    for (int channel = 1; channel < images.front().pixels.channels; ++channel) channels.push_back({channel, ""});
  images.reserve(channels.size());
  for (std::size_t i = 1; i < channels.size(); ++i) {
    channels[i].apply(how.read);
    images.push_back(read(how));
  }
  return images;
}

std::string beside(const measure_job& job, const std::string& picture) {
  if (job.intensity == "self") return job.intensity_channels.empty() ? "" : picture;
  const std::string path = fill_name(job.intensity, picture);
  return path == job.intensity ? "" : path;
}

intensity_images intensities_of(const measure_job& job, const std::vector<picture>& read,
                                std::vector<picture>& of_all) {
  intensity_images under{{}, job.numbers_channels()};
  if (job.intensity.empty()) return under;
  const auto add = [&](const picture& each) { under.channels.push_back(&each); };
  if (read.size() > 1) {
    std::for_each(read.begin() + 1, read.end(), add);
  } else if (job.intensity == "self") {
    add(read.front());
  } else {
    if (of_all.empty())
      of_all = read_intensities(job, [&](const input_options& with) { return read_file(with, job.intensity); });
    std::for_each(of_all.begin(), of_all.end(), add);
  }
  return under;
}

std::string wanted_features(const measure_job& job) {
  if (!job.features.empty()) return job.features;
  return job.engine.method != published::own_method ? "geometry" : "";
}

feature_columns columns_for(const measure_job& job, const table_sources& of) {
  feature_columns columns = choose_columns(wanted_features(job), of);
  check_effects({{"--intensity", of.intensity && job.engine.method == published::own_method,
                  columns.intensity || keeps_by_intensity(job), "a column of intensity in --features or --keep"}});
  return columns;
}

void keep_rows(std::vector<table_column>& columns, const new_labels& kept) {
  for (table_column& column : columns) {
    column.numbers = kept.rows(column.numbers);
    if (column.name == "label") std::iota(column.numbers.begin(), column.numbers.end(), 1.0);
  }
}

}  // namespace skerry::cli

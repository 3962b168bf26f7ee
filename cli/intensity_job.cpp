// SPDX-License-Identifier: Apache-2.0
#include "cli/intensity_job.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "cli/column_choice.hpp"
#include "cli/conditions.hpp"
#include "cli/console.hpp"
#include "cli/feature_columns.hpp"
#include "cli/output_names.hpp"

namespace skerry::cli {

void add_intensity_options(CLI::App& command, intensity_job& job, const std::string& description,
                           const std::string& group) {
  command.add_option("--intensity", job.intensity, description)->type_name("FILE")->check(a_file_name())->group(group);
  add_channel_option(command, "--intensity-channel",
                     "one channel of that image, by its number or name; several\n"
                     "times for several, or all for every one: columns then end\n"
                     "in -0, -1 and so on, in that order; without it the\n"
                     "channel of --channel, or grey",
                     [&job](const channel_choice& chosen) { job.intensity_channels.push_back(chosen); })
      ->type_name("N|NAME|all")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->trigger_on_parse()
      ->needs("--intensity")
      ->group(group);
}

void check_intensity_channels(const intensity_job& job) {
  if (!job.intensity_channels.empty() && job.intensity == "self" && holds(job.input.paths, "-"))
    throw usage_error("--intensity-channel: standard input is read once; give a file");
}

bool intensity_job::all_channels() const {
  return std::any_of(intensity_channels.begin(), intensity_channels.end(),
                     [](const channel_choice& each) { return each.name == every_channel; });
}

input_options intensity_input(const intensity_job& job) {
  input_options how = job.input;
  how.read.keep_colours = false;
  how.read.channel_option = "--intensity-channel";
  how.read.all_channels = job.bands.memory == 0;
  if (!job.intensity_channels.empty()) job.intensity_channels.front().apply(how.read);
  return how;
}

std::vector<picture> read_intensities(const intensity_job& job,
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

std::string beside(const intensity_job& job, const std::string& picture) {
  if (job.intensity == "self") return job.intensity_channels.empty() ? "" : picture;
  const std::string path = fill_name(job.intensity, picture);
  return path == job.intensity ? "" : path;
}

intensity_images intensities_of(const intensity_job& job, const std::vector<picture>& read,
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

bool keeps_by_intensity(const intensity_job& job) {
  const std::vector<std::string> names = conditions(job.components.keep).columns();
  return std::any_of(names.begin(), names.end(), needs_intensity);
}

}  // namespace skerry::cli

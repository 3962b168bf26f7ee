// SPDX-License-Identifier: Apache-2.0
// What `skerry measure` is asked to do.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/component_filter.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "cli/table_output.hpp"
#include "skerry/regions.hpp"

namespace skerry::cli {

struct measure_job : job_options {
  std::string output;
  std::string intensity;
  std::vector<channel_choice> intensity_channels;
  std::string features;  // nothing: those that labelling gives
  std::string format = "auto";
  std::string labels;
  bool regions = false;
  background rule;
  band_options bands;

  [[nodiscard]] bool all_channels() const;
  /// Whether columns of intensities end with the number of a channel.
  [[nodiscard]] bool numbers_channels() const { return intensity_channels.size() > 1 || all_channels(); }
};

/// The word of --intensity-channel for every channel of the file.
constexpr const char* every_channel = "all";

/// How images of intensities are read: as the pictures, but for the channel, which is the first that is chosen.
[[nodiscard]] input_options intensity_input(const measure_job& job);

/// All channels that are chosen, or the one image without a choice.
///   read  gives one of them
[[nodiscard]] std::vector<picture> read_intensities(const measure_job& job,
                                                    const std::function<picture(const input_options&)>& read);

/// The file that is read together with a picture: its own image of intensities, or other channels of its own file; nothing
/// where there is none.
[[nodiscard]] std::string beside(const measure_job& job, const std::string& picture);

/// The images to measure under the components; the picture itself for "self".
///   read    the picture, and what was read beside it
///   of_all  those for all pictures, which are read once
[[nodiscard]] intensity_images intensities_of(const measure_job& job, const std::vector<picture>& read,
                                              std::vector<picture>& of_all);

/// Without --features, all that the method measures while it labels.
[[nodiscard]] std::string wanted_features(const measure_job& job);

/// The columns to write of an image. Throws usage_error, also for an image of intensities that no column reads.
[[nodiscard]] feature_columns columns_for(const measure_job& job, const table_sources& of);

/// Drops the rows that --keep drops, and numbers the others.
void keep_rows(std::vector<table_column>& columns, const new_labels& kept);

}  // namespace skerry::cli

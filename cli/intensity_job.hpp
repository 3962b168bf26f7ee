// SPDX-License-Identifier: Apache-2.0
// Images of intensities that are measured under the pictures of a command.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/pictures.hpp"

namespace skerry::cli {

struct intensity_job : job_options {
  std::string intensity;
  std::vector<channel_choice> intensity_channels;
  band_options bands;

  [[nodiscard]] bool all_channels() const;
  /// Whether columns of intensities end with the number of a channel.
  [[nodiscard]] bool numbers_channels() const { return intensity_channels.size() > 1 || all_channels(); }
};

/// --intensity and --intensity-channel.
///   description  of --intensity
void add_intensity_options(CLI::App& command, intensity_job& job, const std::string& description,
                           const std::string& group);

/// Throws usage_error for channels of standard input.
void check_intensity_channels(const intensity_job& job);

/// The word of --intensity-channel for every channel of the file.
constexpr const char* every_channel = "all";

/// How images of intensities are read: as the pictures, but for the channel, which is the first that is chosen.
[[nodiscard]] input_options intensity_input(const intensity_job& job);

/// All channels that are chosen, or the one image without a choice.
///   read  gives one of them
[[nodiscard]] std::vector<picture> read_intensities(const intensity_job& job,
                                                    const std::function<picture(const input_options&)>& read);

/// The file that is read together with a picture: its own image of intensities, or other channels of its own file; nothing
/// where there is none.
[[nodiscard]] std::string beside(const intensity_job& job, const std::string& picture);

/// The images to measure under the components; the picture itself for "self".
///   read    the picture, and what was read beside it
///   of_all  those for all pictures, which are read once
[[nodiscard]] intensity_images intensities_of(const intensity_job& job, const std::vector<picture>& read,
                                              std::vector<picture>& of_all);

/// Whether a condition of --keep reads a column of intensities.
[[nodiscard]] bool keeps_by_intensity(const intensity_job& job);

}  // namespace skerry::cli

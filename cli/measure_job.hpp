// SPDX-License-Identifier: Apache-2.0
// What `skerry measure` is asked to do.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/component_filter.hpp"
#include "cli/options.hpp"
#include "cli/table_output.hpp"
#include "skerry/regions.hpp"

namespace skerry::cli {

struct measure_job : job_options {
  std::string output;
  std::string intensity;
  std::optional<channel_choice> intensity_channel;
  std::string features;  // nothing: those that labelling gives
  std::string format = "auto";
  std::string labels;
  bool regions = false;
  background rule;
  std::int64_t memory = 0;  // bytes; 0: images are read as a whole
};

/// How images of intensities are read: as the pictures, but for the channel.
[[nodiscard]] input_options intensity_input(const measure_job& job);

/// Without --features, all that the method measures while it labels.
[[nodiscard]] std::string wanted_features(const measure_job& job);

/// The columns to write of an image. Throws usage_error, also for an image of intensities that no column reads.
[[nodiscard]] feature_columns columns_for(const measure_job& job, const table_sources& of);

/// Drops the rows that --keep drops, and numbers the others.
void keep_rows(std::vector<table_column>& columns, const new_labels& kept);

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
// What `skerry measure` is asked to do.
#pragma once
#include <string>
#include <vector>

#include "cli/component_filter.hpp"
#include "cli/intensity_job.hpp"
#include "cli/table_output.hpp"
#include "skerry/regions.hpp"

namespace skerry::cli {

struct measure_job : intensity_job {
  std::string output;
  std::string features;  // nothing: those that labelling gives
  std::string format = "auto";
  std::string labels;
  bool regions = false;
  background rule;
};

/// Without --features, all that the method measures while it labels.
[[nodiscard]] std::string wanted_features(const measure_job& job);

/// The columns to write of an image. Throws usage_error, also for an image of intensities that no column reads.
[[nodiscard]] feature_columns columns_for(const measure_job& job, const table_sources& of);

/// Drops the rows that --keep drops, and numbers the others.
void keep_rows(std::vector<table_column>& columns, const new_labels& kept);

}  // namespace skerry::cli

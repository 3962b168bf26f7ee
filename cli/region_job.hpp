// SPDX-License-Identifier: Apache-2.0
// What the commands on given label images share.
#pragma once
#include <functional>
#include <string>

#include "cli/batch.hpp"
#include "cli/components.hpp"
#include "cli/options.hpp"
#include "skerry/regions.hpp"

namespace skerry::cli {

struct region_job : job_options {
  std::string output;
  bool find_components = false;  // inputs are images, not labels
  background rule;               // which labels are no regions, where the inputs are labels
};

/// Input, foreground and components; the command adds what it writes, and then how it runs.
void add_region_options(CLI::App& command, region_job& job);
/// Engine and --quiet.
void add_run_options(CLI::App& command, region_job& job);

/// Throws usage_error, and makes files of the inputs.
void prepare(region_job& job, const console& to);

/// Whether components are found first.
[[nodiscard]] bool finds_components(const region_job& job);

/// Calls visit(frame, labels) for each frame of a picture: its pixels, or the labels of its components. Throws what the library throws,
/// with the picture's name in front.
void each_label_image(batch& all, engine& on, const picture& from, const region_job& job,
                      const std::function<void(std::int64_t frame, const image_view& labels)>& visit);

}  // namespace skerry::cli

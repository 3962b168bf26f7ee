// SPDX-License-Identifier: Apache-2.0
// `skerry label --memory`: images that are larger than memory.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/options.hpp"

namespace skerry::cli {

struct label_job : job_options {
  std::string output;
  band_options bands;
};

/// Throws usage_error for what no image that is read in bands can be asked.
void check_band_input(const job_options& job);
/// Refuses, by the first of them, columns that an option asks for and that pieces of bands do not have.
void refuse_with_memory(const std::string& option, const std::vector<std::string>& columns);

/// --memory, which is returned, and --resume, after all others that they do not go with.
///   how_often  the image is read: "twice"
CLI::Option* add_band_options(CLI::App& command, band_options& options, const std::string& how_often);

/// Labels one image band after band, in a process of at most that much memory: reads it twice, and writes the label image that
/// `skerry label` writes without a limit. Throws usage_error and io::file_error.
void label_in_bands(const label_job& job, const console& to);

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
// What a path of an image, and the options that decide what is kept of its bands, stand for: a state of another such text is
// not continued.
#pragma once
#include <string>

#include "cli/label_bands.hpp"
#include "cli/measure_job.hpp"

namespace skerry::cli {

[[nodiscard]] std::string question_of_labels(const label_job& job, const std::string& path);
///   intensity  the file of intensities; empty without one
[[nodiscard]] std::string question_of_table(const measure_job& job, const std::string& path,
                                            const std::string& intensity);

}  // namespace skerry::cli

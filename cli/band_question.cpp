// SPDX-License-Identifier: Apache-2.0
#include "cli/band_question.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace skerry::cli {
namespace {

std::string text_of_file(const std::string& path, const io::read_options& read) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  const auto changed = std::filesystem::last_write_time(path, unknown).time_since_epoch().count();
  return fmt::format("{}, {} bytes of {}; page {} frame {} channel {} '{}'", path, size, changed, read.page, read.frame,
                     read.channel, read.channel_name);
}

std::string text_of_components(const job_options& job) {
  const auto& [connectivity, keep, joining, periodic, conditions] = job.components;
  const foreground_options& rule = job.foreground;
  std::string text = fmt::format("; pixels {} {} {} {} {}", rule.threshold.value_or("-"),
                                 rule.at_least ? fmt::format("{}", *rule.at_least) : "-", fmt::join(rule.range, " "),
                                 rule.background ? fmt::format("{}", *rule.background) : "-", rule.invert);
  text += fmt::format("; connectivity {} joining {} {} periodic {} {} {}", connectivity, static_cast<int>(joining.kind),
                      joining.delta, periodic.z, periodic.y, periodic.x);
  if (keep.fill_holes) text += "; holes filled";
  text += fmt::format("; area {} to {} border {} largest {} keep {}", keep.min_area, keep.max_area, keep.clear_border,
                      keep.largest, fmt::join(conditions, " and "));
  return text;
}

}  // namespace

std::string question_of_labels(const label_job& job, const std::string& path) {
  return text_of_file(path, job.input.read) + text_of_components(job) + "; " + job.labels_type;
}

std::string question_of_table(const measure_job& job, const std::string& path, const std::string& intensity) {
  std::string text = text_of_file(path, job.input.read) + text_of_components(job) + "; table " + job.features;
  if (job.regions)
    text += fmt::format("; regions, background {} {} {}", static_cast<int>(job.rule.kind), job.rule.label,
                        job.rule.negative);
  if (intensity.empty()) return text + "; intensity " + job.intensity;
  return text + "; intensity " + text_of_file(intensity, intensity_input(job).read);
}

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_tables.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "cli/output_names.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {
namespace {

bool means_one_each(const std::string& path) {
  std::error_code ignored;
  if (io::is_standard_output(path)) return false;
  return path.find("{name}") != std::string::npos || path.ends_with('/') ||
         std::filesystem::is_directory(path, ignored);
}

}  // namespace

picture_tables::picture_tables(const std::string& option, std::string path, std::string format,
                               std::vector<std::string> pictures, bool fits)
    : format_(std::move(format)), pictures_(std::move(pictures)), fits_(fits) {
  if (means_one_each(path)) files_ = name_outputs(option, path, pictures_, ".csv");
  else files_ = {io::is_standard_output(path) ? "/dev/stdout" : std::move(path)};
  for (const std::string& file : files_)
    if (format_ == "auto" && !file.empty()) (void)io::table_format_of(file);
}

void picture_tables::open(std::size_t picture, const console& to) {
  waiting_.clear();
  if (table_ && !one_each()) return;
  const std::string& path = files_[one_each() ? picture : 0];
  table_ = std::make_unique<table_output>(path, table_format_for(format_, path, to), fits_);
}

void picture_tables::check_rank(const picture& from) {
  next_rank_ = from.frame(0).size.rank;
  if (!one_each() && rank_ != 0 && next_rank_ != rank_)
    throw io::file_error(from.name, "images and volumes do not fit one table; write a table for each with {name}");
}

void picture_tables::check_unit(const picture& from) {
  next_unit_ = !from.spacing ? "pixels" : from.spacing->unit.empty() ? "units" : from.spacing->unit;
  if (!one_each() && rank_ != 0 && next_unit_ != unit_)
    throw io::file_error(
        from.name, fmt::format("is measured in {}, images before it in {}: they do not fit one table; write a table "
                               "for each with {{name}}, or give --pixel-size (none: pixels only)",
                               next_unit_, unit_));
}

void picture_tables::check_channels(const picture& from, std::size_t channels) {
  next_channels_ = channels;
  if (!one_each() && rank_ != 0 && next_channels_ != channels_)
    throw io::file_error(from.name,
                         fmt::format("has intensities of {} channels, images before it of {}: they do not fit one "
                                     "table; write a table for each with {{name}}, or choose by --intensity-channel N",
                                     next_channels_, channels_));
}

void picture_tables::add(const picture& from, std::int64_t frame, std::vector<table_column> columns) {
  if (one_each()) table_->add("", from.is_stack ? frame : -1, columns);
  else waiting_.push_back({from.name, from.is_stack ? frame : -1, std::move(columns)});
}

void picture_tables::finish(const console& to) {
  if (one_each()) table_->finish(to);
}

void picture_tables::publish() {
  if (one_each()) {
    table_->publish();
    return;
  }
  rank_ = next_rank_;
  unit_ = next_unit_;
  channels_ = next_channels_;
  try {
    for (const rows& each : waiting_) table_->add(each.image, each.frame, each.columns);
  } catch (const io::file_error& error) {
    throw std::runtime_error(error.what());  // no error of this picture
  }
  waiting_.clear();
}

void picture_tables::finish_all(const console& to) {
  if (one_each() || rank_ == 0) return;
  table_->finish(to);
  table_->publish();
}

}  // namespace skerry::cli

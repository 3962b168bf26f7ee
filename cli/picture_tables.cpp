// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_tables.hpp"

#include <filesystem>
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

io::table_format format_for(const std::string& format, const std::string& path, const console& to) {
  if (format == "text") return io::table_format::text;
  if (format == "csv") return io::table_format::csv;
  if (format == "json") return io::table_format::json;
  if (format == "jsonl") return io::table_format::jsonl;
  if (!path.empty()) return io::table_format_of(path);
  return to.out_is_terminal ? io::table_format::text : io::table_format::csv;
}

}  // namespace

picture_tables::picture_tables(const std::string& option, std::string path, std::string format,
                               std::vector<std::string> pictures)
    : format_(std::move(format)), pictures_(std::move(pictures)) {
  if (means_one_each(path)) files_ = name_outputs(option, path, pictures_, ".csv");
  else files_ = {io::is_standard_output(path) ? "/dev/stdout" : std::move(path)};
  for (const std::string& file : files_)
    if (format_ == "auto" && !file.empty()) (void)io::table_format_of(file);
}

void picture_tables::open(std::size_t picture, const console& to) {
  if (table_ && !one_each()) return;
  const std::string& path = files_[one_each() ? picture : 0];
  table_ = std::make_unique<table_output>(path, format_for(format_, path, to));
}

void picture_tables::check_rank(const picture& from) {
  const int rank = from.frame(0).size.rank;
  if (!one_each() && rank_ != 0 && rank != rank_)
    throw io::file_error(from.name, "images and volumes do not fit one table; write a table for each with {name}");
  rank_ = rank;
}

void picture_tables::add(const picture& from, std::int64_t frame, const std::vector<table_column>& columns) {
  table_->add(one_each() ? "" : from.name, from.is_stack ? frame : -1, columns);
}

void picture_tables::finish(std::size_t picture, const console& to) {
  if (ends_with(picture)) table_->finish(to);
}

void picture_tables::publish(std::size_t picture) {
  if (ends_with(picture)) table_->publish();
}

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/table_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <utility>

namespace skerry::cli {
namespace {

// What is read by programs rather than by people.
bool is_dispensable(const std::string& name) {
  constexpr std::array<std::string_view, 5> rarely_read = {"coordinate_sum-", "moments_central-", "first_pixel",
                                                           "bbox-", "intensity_sum"};
  return std::any_of(rarely_read.begin(), rarely_read.end(),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

io::table_format table_format_for(const std::string& format, const std::string& path, const console& to) {
  using io::table_format;
  constexpr std::pair<std::string_view, table_format> known[] = {{"text", table_format::text},
                                                                 {"csv", table_format::csv},
                                                                 {"tsv", table_format::tsv},
                                                                 {"json", table_format::json},
                                                                 {"jsonl", table_format::jsonl}};
  for (const auto& [name, value] : known)
    if (format == name) return value;
  if (!path.empty()) return io::table_format_of(path);
  return to.out_is_terminal ? table_format::text : table_format::csv;
}

table_output::table_output(const std::string& path, io::table_format format, bool fits)
    : format_(format), fits_(fits && path.empty() && format == io::table_format::text) {
  if (!path.empty()) file_.emplace(path);
}

void table_output::add(const std::string& image, std::int64_t frame, const std::vector<table_column>& columns) {
  using kind = io::table_writer::column_kind;
  if (!writer_) {
    std::vector<io::table_writer::column> head;
    if (!image.empty()) head.push_back({"image", kind::text});
    if (frame >= 0) head.push_back({"frame", kind::whole});
    for (const table_column& column : columns) head.push_back({column.name, column.whole ? kind::whole : kind::real});
    writer_ = std::make_unique<io::table_writer>(format_, std::move(head), [this](std::string_view text) {
      if (file_) file_->append(text);
      else printed_ += text;
    });
  }
  std::vector<std::string> texts;
  if (!image.empty()) texts.push_back(image);
  std::vector<double> row;
  for (std::size_t i = 0; i < columns.front().numbers.size(); ++i) {
    row.clear();
    if (frame >= 0) row.push_back(static_cast<double>(frame));
    for (const table_column& column : columns) row.push_back(column.numbers[i]);
    writer_->add_row(texts, row);
  }
}

void table_output::print(const console& to) {
  to.out << printed_ << std::flush;
  printed_.clear();
}

void table_output::finish(const console& to) {
  const std::size_t left_out = fits_ && to.out_width > 0 ? writer_->fit(to.out_width, is_dispensable) : 0;
  writer_->finish();
  if (file_) file_->finish();
  else to.out << printed_;
  if (left_out > 0)
    to.out << fmt::format("{} more column{}: --features all prints {}, -o FILE.csv writes {}\n", left_out,
                          left_out == 1 ? "" : "s", left_out == 1 ? "it" : "them", left_out == 1 ? "it" : "them");
}

void table_output::publish() {
  if (file_) file_->publish();
}

}  // namespace skerry::cli

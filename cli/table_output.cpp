// SPDX-License-Identifier: Apache-2.0
#include "cli/table_output.hpp"

#include <ostream>

namespace skerry::cli {

table_output::table_output(const std::string& path, io::table_format format) : format_(format) {
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
  writer_->finish();
  if (file_) file_->finish();
  else to.out << printed_;
}

void table_output::publish() {
  if (file_) file_->publish();
}

}  // namespace skerry::cli

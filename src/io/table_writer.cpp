// SPDX-License-Identifier: Apache-2.0
#include "io/table_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "io/file_error.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"

namespace skerry::io {
namespace {

// Invalid UTF-8 in a file name must not stop the table.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// Characters of UTF-8 text, for alignment.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

table_format table_format_of(const std::string& path) {
  if (is_standard_output(path)) return table_format::csv;
  std::string end = std::filesystem::path(path).extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (end == ".csv") return table_format::csv;
  if (end == ".json") return table_format::json;
  if (end == ".jsonl") return table_format::jsonl;
  throw file_error(path, "a table ends in .csv, .json or .jsonl");
}

table_writer::table_writer(table_format format, std::vector<column> columns, sink out)
    : format_(format), columns_(std::move(columns)), out_(std::move(out)) {
  for (const column& each : columns_) names_.push_back(quoted(each.name));
  if (format_ == table_format::text) lines_.push_back(names_);
  if (format_ == table_format::csv) out_(fmt::format("{}\n", fmt::join(names_, ",")));
  if (format_ == table_format::json) out_("[");
}

std::string table_writer::quoted(const std::string& text) const {
  switch (format_) {
    case table_format::text: return printable(text);
    case table_format::csv: return csv_text(text);
    case table_format::json:
    case table_format::jsonl: return json_text(text);
  }
  return text;
}

void table_writer::append_number(std::string& to, double value, column_kind kind) const {
  const bool number = std::isfinite(value);
  if (format_ == table_format::csv && std::isnan(value)) return;
  if (!number && (format_ == table_format::json || format_ == table_format::jsonl)) {
    to += "null";
  } else if (kind == column_kind::whole && number) {
    fmt::format_to(std::back_inserter(to), "{:.0f}", value);
  } else if (format_ == table_format::text && !(std::abs(value) < 1e15 && value == std::floor(value))) {
    fmt::format_to(std::back_inserter(to), "{:.6g}", value);
  } else {
    fmt::format_to(std::back_inserter(to), "{}", value);
  }
}

void table_writer::add_row(const std::vector<std::string>& texts, const std::vector<double>& numbers) {
  if (format_ == table_format::text) {
    std::vector<std::string> cells;
    cells.reserve(columns_.size());
    for (const std::string& text : texts) cells.push_back(quoted(text));
    for (const double value : numbers) {
      std::string cell;
      append_number(cell, value, columns_[cells.size()].kind);
      cells.push_back(std::move(cell));
    }
    lines_.push_back(std::move(cells));
    return;
  }
  const bool list = format_ == table_format::json, json = list || format_ == table_format::jsonl;
  line_ = list ? (std::exchange(first_, false) ? "\n  {" : ",\n  {") : json ? "{" : "";
  for (std::size_t i = 0; i < texts.size() + numbers.size(); ++i) {
    if (i > 0) line_ += json ? ", " : ",";
    if (json) line_ += names_[i] + ": ";
    if (i < texts.size()) line_ += quoted(texts[i]);
    else append_number(line_, numbers[i - texts.size()], columns_[i].kind);
  }
  line_ += list ? "}" : json ? "}\n" : "\n";
  out_(line_);
}

void table_writer::write_aligned() {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines_)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  for (const auto& line : lines_) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - width_of(line[i]), ' ');
      const bool left = columns_[i].kind == column_kind::text;
      text += (i == 0 ? "" : "  ") + (left ? line[i] + space : space + line[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out_(text + "\n");
  }
}

void table_writer::finish() {
  if (format_ == table_format::json) out_(first_ ? "]\n" : "\n]\n");
  if (format_ == table_format::text) write_aligned();
}

}  // namespace skerry::io

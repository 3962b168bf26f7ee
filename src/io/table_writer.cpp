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

// Quoted as RFC 4180 asks.
std::string csv_text(const std::string& text, char separator) {
  if (text.find_first_of("\"\r\n") == std::string::npos && text.find(separator) == std::string::npos) return text;
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
  if (end == ".tsv") return table_format::tsv;
  if (end == ".json") return table_format::json;
  if (end == ".jsonl") return table_format::jsonl;
  throw file_error(path, "a table ends in .csv, .tsv, .json or .jsonl");
}

table_writer::table_writer(table_format format, std::vector<column> columns, sink out)
    : format_(format), columns_(std::move(columns)), out_(std::move(out)) {
  for (const column& each : columns_) names_.push_back(quoted(each.name));
  if (format_ == table_format::text) lines_.push_back(names_);
  if (format_ == table_format::csv) out_(fmt::format("{}\n", fmt::join(names_, ",")));
  if (format_ == table_format::tsv) out_(fmt::format("{}\n", fmt::join(names_, "\t")));
  if (format_ == table_format::json) out_("[");
}

std::string table_writer::quoted(const std::string& text) const {
  switch (format_) {
    case table_format::text: return printable(text);
    case table_format::csv: return csv_text(text, ',');
    case table_format::tsv: return csv_text(text, '\t');
    case table_format::json:
    case table_format::jsonl: return json_text(text);
  }
  return text;
}

void table_writer::append_number(std::string& to, double value, column_kind kind) const {
  const bool number = std::isfinite(value);
  const bool json = format_ == table_format::json || format_ == table_format::jsonl;
  if ((format_ == table_format::csv || format_ == table_format::tsv) && std::isnan(value)) return;
  if (!number && json) {
    to += "null";
  } else if (json && value == 0 && std::signbit(value)) {
    to += "-0.0";  // readers take -0 for the integer 0
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
    if (i > 0) line_ += json ? ", " : format_ == table_format::tsv ? "\t" : ",";
    if (json) line_ += names_[i] + ": ";
    if (i < texts.size()) line_ += quoted(texts[i]);
    else append_number(line_, numbers[i - texts.size()], columns_[i].kind);
  }
  line_ += list ? "}" : json ? "}\n" : "\n";
  out_(line_);
}

std::vector<std::size_t> table_writer::widths() const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines_)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  return widths;
}

std::size_t table_writer::fit(std::size_t width, const std::function<bool(const std::string& name)>& dispensable) {
  constexpr std::size_t gap = 2;
  const std::vector<std::size_t> each = widths();
  std::size_t whole = 0, dropped = 0;
  for (const std::size_t one : each) whole += one + gap;
  left_out_.assign(columns_.size(), false);
  for (const bool all : {false, true})
    for (std::size_t i = columns_.size(); i-- > 1 && whole > width + gap;) {
      if (left_out_[i] || columns_[i].kind == column_kind::text || (!all && !dispensable(columns_[i].name))) continue;
      left_out_[i] = true;
      whole -= each[i] + gap;
      ++dropped;
    }
  return dropped;
}

void table_writer::write_aligned() {
  const std::vector<std::size_t> width = widths();
  left_out_.resize(columns_.size());
  for (const auto& line : lines_) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (left_out_[i]) continue;
      const std::string space(width[i] - width_of(line[i]), ' ');
      const bool left = columns_[i].kind == column_kind::text;
      text += (text.empty() ? "" : "  ") + (left ? line[i] + space : space + line[i]);
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

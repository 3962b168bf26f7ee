// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skerry::io {

enum class table_format : std::uint8_t { text, csv, tsv, json, jsonl };

/// By the end of the name: .csv, .tsv, .json or .jsonl; "-" is CSV on standard output. Throws file_error.
[[nodiscard]] table_format table_format_of(const std::string& path);

/// Writes a table row by row.
///
///   csv   a header, then one line per row; quoted as RFC 4180 asks; NaN is an empty field
///   tsv   the same with tabs instead of commas
///   json  a list with one object per row, so that pandas.read_json and jq take it as it is; NaN is null
///   jsonl the same objects, one per line, and no list: every line is whole, and so is a file that has not ended yet
///   text  columns aligned for reading, six digits; kept in memory until finish()
///
/// Whole columns are written as integers, others as the shortest text that reads back to the same double.
class table_writer {
 public:
  enum class column_kind : std::uint8_t { text, whole, real };
  struct column {
    std::string name;
    column_kind kind = column_kind::real;
  };
  using sink = std::function<void(std::string_view)>;

  table_writer(table_format format, std::vector<column> columns, sink out);

  /// Adds a row: the first `texts.size()` columns are texts, the others numbers.
  void add_row(const std::vector<std::string>& texts, const std::vector<double>& numbers);
  /// Ends the table. To be called once, last.
  void finish();
  /// Text only: leaves columns of numbers out until lines are at most so wide, if they can be: first those of which `dispensable`
  /// is true, from the end, then others from the end. Returns how many are left out. To be called before finish().
  std::size_t fit(std::size_t width, const std::function<bool(const std::string& name)>& dispensable);

 private:
  [[nodiscard]] std::string quoted(const std::string& text) const;
  void append_number(std::string& to, double value, column_kind kind) const;
  void write_aligned();
  [[nodiscard]] std::vector<std::size_t> widths() const;

  table_format format_;
  std::vector<column> columns_;
  sink out_;
  std::vector<std::string> names_;  // as this format writes them
  std::string line_;
  std::vector<std::vector<std::string>> lines_;  // text only
  std::vector<bool> left_out_;                   // text only, by column
  bool first_ = true;
};

}  // namespace skerry::io

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "io/pending_file.hpp"
#include "io/table_writer.hpp"

namespace skerry::cli {

/// The format that --format names; for auto that of the name, or without one text on a terminal and CSV elsewhere. Throws
/// io::file_error for a name that tells none.
[[nodiscard]] io::table_format table_format_for(const std::string& format, const std::string& path, const console& to);

struct table_column {
  std::string name;
  bool whole = false;
  std::vector<double> numbers;  // one per row
};

/// The table of one or of several pictures, on its way to a file, or with no path to standard output.
/// Nothing is printed before finish() or print(), and no file is visible before publish().
class table_output {
 public:
  /// Throws io::file_error when the file cannot be made.
  ///   fits  a table that is printed as text on a terminal has only the columns for which there is room, and says so
  table_output(const std::string& path, io::table_format format, bool fits = false);

  /// Writes the head on the first call.
  ///   image  adds a column "image" when not empty
  ///   frame  adds a column "frame" when 0 or more
  void add(const std::string& image, std::int64_t frame, const std::vector<table_column>& columns);
  /// Prints the rows that there are, of a table without a file in a format whose lines stand alone.
  void print(const console& to);
  /// Prints the table, or writes its file to the end.
  void finish(const console& to);
  void publish();

 private:
  io::table_format format_;
  bool fits_;
  std::optional<io::pending_file> file_;
  std::string printed_;  // without a file
  std::unique_ptr<io::table_writer> writer_;
};

}  // namespace skerry::cli

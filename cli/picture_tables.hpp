// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/pictures.hpp"
#include "cli/table_output.hpp"

namespace skerry::cli {

/// The tables of a run: one for each picture, or one of them all.
class picture_tables {
 public:
  /// Finds the names before any work is done.
  ///   option    "-o", for messages
  ///   path      as the user wrote it; nothing prints the table
  ///   format    "auto" (by the name), "text", "csv" or "json"
  /// Throws usage_error and io::file_error.
  picture_tables(const std::string& option, std::string path, std::string format, std::vector<std::string> pictures);

  /// The names of the files; one that is empty stands for printing.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

  /// Makes the table ready that the picture's rows go to.
  void open(std::size_t picture, const console& to);
  /// Throws io::file_error when the picture's columns are not those of the table.
  void check_rank(const picture& from);
  void add(const picture& from, std::int64_t frame, const std::vector<table_column>& columns);
  /// Finishes the table when this picture is its last; and shows it then.
  void finish(std::size_t picture, const console& to);
  void publish(std::size_t picture);

 private:
  [[nodiscard]] bool ends_with(std::size_t picture) const { return one_each() || picture + 1 == pictures_.size(); }
  [[nodiscard]] bool one_each() const { return files_.size() > 1 || pictures_.size() == 1; }

  std::string format_;
  std::vector<std::string> pictures_, files_;
  std::unique_ptr<table_output> table_;
  int rank_ = 0;
};

}  // namespace skerry::cli

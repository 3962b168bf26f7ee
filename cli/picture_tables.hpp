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
  ///   format    as --format has it
  ///   fits      as table_output has it
  /// Throws usage_error and io::file_error.
  picture_tables(const std::string& option, std::string path, std::string format, std::vector<std::string> pictures,
                 bool fits);

  /// The names of the files; one that is empty stands for printing.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

  /// Makes the table ready that the picture's rows go to.
  void open(std::size_t picture, const console& to);
  /// Throws io::file_error when the picture's columns are not those of the table.
  void check_rank(const picture& from);
  /// The same for columns in units.
  void check_unit(const picture& from);
  /// The same for numbered columns of channels.
  void check_channels(const picture& from, std::size_t channels);
  void add(const picture& from, std::int64_t frame, std::vector<table_column> columns);
  /// Writes the picture's own table to its end; and shows it, or adds the picture's rows to the table of all. A picture for
  /// which the second is not called has no rows in it.
  void finish(const console& to);
  void publish();
  /// Finishes and shows the table of all, if some picture has rows. To be called once, after the last picture.
  void finish_all(const console& to);

 private:
  struct rows {
    std::string image;
    std::int64_t frame;
    std::vector<table_column> columns;
  };
  [[nodiscard]] bool one_each() const { return files_.size() > 1 || pictures_.size() == 1; }

  std::string format_;
  std::vector<std::string> pictures_, files_;
  bool fits_;
  std::unique_ptr<table_output> table_;
  std::vector<rows> waiting_;  // of the picture, on their way to the table of all
  int rank_ = 0, next_rank_ = 0;
  std::string unit_, next_unit_;
  std::size_t channels_ = 0, next_channels_ = 0;
};

}  // namespace skerry::cli

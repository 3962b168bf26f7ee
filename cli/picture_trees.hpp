// SPDX-License-Identifier: Apache-2.0
// From a picture to its trees, and to all that is made of them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/frame_options.hpp"
#include "cli/frame_output.hpp"
#include "cli/options.hpp"
#include "cli/picture_tables.hpp"
#include "cli/pictures.hpp"
#include "cli/profile.hpp"
#include "cli/tree_filter.hpp"
#include "skerry/max_tree.hpp"

namespace skerry::cli {

/// Of `tree --stream`.
struct tree_stream_choice {
  bool wanted = false;
  frame_options frames;
  double step = 0;  // what the threshold grows by with each frame
  std::string film;
  std::optional<int> rate;  // pictures per second; 25
};

struct tree_job {
  input_options input;
  engine_options engine;
  bool quiet = false;
  int connectivity = 0;  // 0: all neighbours that touch, 8 or 26
  std::string kind = "max";
  filter_choice filter;
  std::string output, nodes, parents;
  tree_stream_choice stream;
  std::string table, features, format = "auto";  // features: nothing for all for which there is room
};

/// Where everything goes, found before any work is done.
struct tree_files {
  /// Throws usage_error and io::file_error.
  explicit tree_files(const tree_job& job);

  std::vector<std::string> pictures, outputs, nodes, parents;
  std::unique_ptr<picture_tables> tables;  // none when no table is wanted
};

/// What is told of the trees of one picture.
struct tree_figures {
  std::size_t nodes = 0, leaves = 0, depth = 0;
  double lowest = 0, highest = 0;
  double milliseconds = 0;  // of building

  void add(const max_tree& tree);
};

/// The trees of one picture, frame by frame. Nothing is visible before write() ends.
class picture_trees {
 public:
  /// Opens the outputs of that picture.
  picture_trees(const tree_job& job, tree_files& files, std::size_t index, const console& to);

  /// Builds, measures and filters the trees of all frames.
  /// Throws what the library throws, with the picture's name in front, and refuses what an output does not hold first.
  void make(engine& on, const picture& from, const tree_filter& filter, profile& times);
  void write(const console& to);
  [[nodiscard]] const tree_figures& found() const { return found_; }

 private:
  void prepare(const picture& from, const tree_filter& filter);
  void add_frame(engine& on, const picture& from, std::int64_t frame, const tree_filter& filter, profile& times);
  void add_rows(const picture& from, std::int64_t frame);

  const tree_job& job_;
  picture_tables* tables_;
  frame_output output_, nodes_, parents_;
  std::vector<std::string> columns_;  // of the table
  bool measured_ = false;
  attribute_options sums_;
  max_tree tree_;
  attribute_table attributes_;
  tree_figures found_;
};

}  // namespace skerry::cli

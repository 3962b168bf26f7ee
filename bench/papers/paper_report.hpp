// SPDX-License-Identifier: Apache-2.0
// What was measured for a figure or a table of a paper: one line of JSON each.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace skerry::bench {

struct paper_sample {
  std::string figure;  // "002 density": the paper, and the axis
  std::string method;
  std::string job;  // "features", "labels", "features to host", "tree"
  int connectivity = 0;
  std::int64_t height = 0, width = 0;
  int granularity = 0, density = 0;  // of random images
  double seconds = 0, spread = 0;
  int calls = 0;                              // or replays, of which `seconds` is the median
  std::map<std::string, double> phases = {};  // name → seconds
  double seconds_without_copies = 0;          // of a call: median of calls of their own
  std::uint64_t updates = 0, conflicts = 0, met = 0, components = 0;
  std::uint32_t iterations = 0;
  std::int64_t depth = 1;                       // of a volume
  std::uint64_t frames = 0, second_copies = 0;  // of a stream, of whose frames `seconds` is the mean
  double median_frame = 0, longest_frame = 0;   // seconds
  std::string look =
      {};  // of grey images: "natural", "blurred", "noise"; of binary ones that no density describes: "spiral"
  std::uint64_t nodes = 0;
  double border_nodes = 0;  // of a tile, mean
};

class paper_report {
 public:
  explicit paper_report(std::map<std::string, std::string> head) : head_(std::move(head)) {}
  /// A fact for the head.
  void note(const std::string& name, const std::string& fact) { head_[name] = fact; }
  /// Prints it, too.
  void add(const paper_sample& sample);
  /// Throws std::runtime_error when the file cannot be written.
  void write_json(const std::string& path) const;

 private:
  std::map<std::string, std::string> head_;
  std::vector<paper_sample> samples_;
};

}  // namespace skerry::bench

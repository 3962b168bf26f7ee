// SPDX-License-Identifier: Apache-2.0
#include "papers/paper_report.hpp"

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace skerry::bench {
namespace {

// Names hold nothing to be escaped.
std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string json_of(const paper_sample& s) {
  std::ostringstream text;
  text << R"({"figure": )" << quoted(s.figure) << R"(, "method": )" << quoted(s.method) << R"(, "job": )"
       << quoted(s.job) << R"(, "connectivity": )" << s.connectivity << R"(, "height": )" << s.height
       << R"(, "width": )" << s.width;
  if (s.depth > 1) text << R"(, "depth": )" << s.depth;
  if (s.look.empty()) text << R"(, "granularity": )" << s.granularity << R"(, "density": )" << s.density;
  else text << R"(, "look": )" << quoted(s.look);
  if (s.nodes == 0) text << R"(, "components": )" << s.components;
  else text << R"(, "nodes": )" << s.nodes;
  if (s.border_nodes > 0) text << R"(, "border nodes": )" << s.border_nodes;
  if (s.seconds > 0) {
    const double pixels = static_cast<double>(s.depth * s.height) * static_cast<double>(s.width);
    text << R"(, "us": )" << s.seconds * 1e6 << R"(, "Gpx/s": )" << pixels / s.seconds / 1e9 << R"(, "spread": )"
         << s.spread;
    if (s.calls > 0) text << R"(, "calls": )" << s.calls;
  }
  if (s.seconds_without_copies > 0) text << R"(, "us without copies": )" << s.seconds_without_copies * 1e6;
  if (s.updates > 0)
    text << R"(, "updates": )" << s.updates << R"(, "conflicts": )" << s.conflicts << R"(, "met": )" << s.met;
  if (s.iterations > 0) text << R"(, "iterations": )" << s.iterations;
  if (s.frames > 0)
    text << R"(, "frames": )" << s.frames << R"(, "second copies": )" << s.second_copies << R"(, "median frame us": )"
         << s.median_frame * 1e6 << R"(, "longest frame us": )" << s.longest_frame * 1e6;
  if (!s.phases.empty()) {
    text << R"(, "phases us": {)";
    const char* between = "";
    for (const auto& [name, seconds] : s.phases) {
      text << between << quoted(name) << ": " << seconds * 1e6;
      between = ", ";
    }
    text << '}';
  }
  text << '}';
  return text.str();
}

}  // namespace

void paper_report::add(const paper_sample& sample) {
  samples_.push_back(sample);
  std::printf("%s\n", json_of(sample).c_str());
  std::fflush(stdout);
}

void paper_report::write_json(const std::string& path) const {
  std::ofstream file(path);
  file << "{\"head\": {";
  const char* between = "";
  for (const auto& [name, fact] : head_) {
    file << between << quoted(name) << ": " << quoted(fact);
    between = ", ";
  }
  file << "},\n \"samples\": [";
  between = "\n  ";
  for (const paper_sample& sample : samples_) {
    file << between << json_of(sample);
    between = ",\n  ";
  }
  file << "\n ]}\n";
  if (!file.flush()) throw std::runtime_error(path + ": could not be written");
}

}  // namespace skerry::bench

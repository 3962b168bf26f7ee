// SPDX-License-Identifier: Apache-2.0
// Tables of a stream: objects, events, and tracks for napari.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "cli/column_choice.hpp"
#include "cli/feature_columns.hpp"

#include "cli/output_names.hpp"
#include "cli/table_output.hpp"
#include "cli/track_sink.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {
namespace {

// ---- objects --------------------------------------------------------------------------------------------------------

class object_table final : public track_sink {
 public:
  object_table(const track_job& job, const console& to)
      : to_(to), features_(job.features), table_(path_of(job), format_of(job, to)),
        comes_by_lines_(path_of(job).empty() && format_of(job, to) == io::table_format::jsonl) {}

  void begin(const std::optional<pixel_spacing>& spacing) override { spacing_ = spacing; }
  void take(const frame_result& result) override {
    if (names_.empty()) names_ = choose_track_columns(features_, result.table.rank, spacing_).names;
    std::vector<table_column> columns = {{"id", true, {}}, {"parent", true, {}}, {"age", true, {}}};
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      columns[0].numbers.push_back(result.objects[i].id);
      columns[1].numbers.push_back(result.objects[i].parent);
      columns[2].numbers.push_back(static_cast<double>(result.age(i)));
    }
    const bool none = result.objects.empty();  // such a table has no columns of moments or intensities
    for (const std::string& name : names_)
      columns.push_back({name, feature_table::is_integer_column(name),
                         none ? std::vector<double>() : column_of(result.table, name, spacing_)});
    table_.add("", static_cast<std::int64_t>(result.frame), columns);
    if (comes_by_lines_) table_.print(to_);
  }
  void finish() override { table_.finish(to_); }
  void publish() override { table_.publish(); }

 private:
  static std::string path_of(const track_job& job) {
    return io::is_standard_output(job.output) ? std::string() : job.output;
  }
  static io::table_format format_of(const track_job& job, const console& to) {
    return table_format_for(job.format, path_of(job), to);
  }

  const console& to_;
  std::string features_;
  std::optional<pixel_spacing> spacing_;
  std::vector<std::string> names_;
  table_output table_;
  bool comes_by_lines_;
};

// ---- events ---------------------------------------------------------------------------------------------------------

class event_lines final : public track_sink {
 public:
  event_lines(const std::string& path, const console& to) : to_(to) {
    if (!io::is_standard_output(path)) file_.emplace(path);
  }
  void take(const frame_result& result) override {
    nlohmann::ordered_json line = {{"frame", result.frame}, {"objects", result.count}};
    if (result.overflow) line["overflow"] = true;
    if (result.dropped > 0) line["dropped"] = result.dropped;
    if (!result.error.empty()) line["error"] = result.error;
    line["events"] = nlohmann::ordered_json::array();
    for (const track_event& event : result.events) {
      nlohmann::ordered_json one = {{"event", name_of(event.kind)}, {"id", event.id}};
      if (event.other != 0) one[event.kind == track_event_kind::merge ? "into" : "parent"] = event.other;
      line["events"].push_back(std::move(one));
    }
    const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    if (file_) file_->append(text);
    else to_.out << text << std::flush;
  }
  void finish() override {
    if (file_) file_->finish();
  }
  void publish() override {
    if (file_) file_->publish();
  }

 private:
  const console& to_;
  std::optional<io::pending_file> file_;  // none: standard output
};

// ---- napari ---------------------------------------------------------------------------------------------------------

std::string graph_name(const std::string& tracks) {
  return std::filesystem::path(tracks).replace_extension(".json").string();
}

// A layer of tracks wants its rows sorted by track and time, and draws an edge of the graph from the last point of a parent
// to the first of its child. So what a merge leaves is a track of its own there, whose parents are all that merged; the same
// goes for an object that comes out of another one again. A graph whose nodes were objects would have circles.
class napari_tracks final : public track_sink {
 public:
  explicit napari_tracks(const std::string& path) : tracks_(path), graph_(graph_name(path)) {}

  void take(const frame_result& result) override {
    rank_ = result.table.rank;
    begin_tracks(result);
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      const geometry& g = result.table.components[i];
      const std::uint32_t id = result.objects[i].id;
      row next{{id, part_of(id)}, result.frame, {}};
      for (std::size_t axis = 0; axis < 3; ++axis)
        next.centre[axis] = static_cast<double>(g.sum[axis]) / static_cast<double>(g.area);
      rows_.push_back(next);
    }
  }
  void finish() override {
    number_tracks();
    std::sort(rows_.begin(), rows_.end(), [this](const row& a, const row& b) {
      const std::uint64_t first = numbers_.at(a.of), second = numbers_.at(b.of);
      return first != second ? first < second : a.frame < b.frame;
    });
    tracks_.append(rank_ == 3 ? "ID,T,Z,Y,X\n" : "ID,T,Y,X\n");
    std::string line;
    for (const row& each : rows_) {
      line = fmt::format("{},{}", numbers_.at(each.of), each.frame);
      for (auto axis = static_cast<std::size_t>(3 - rank_); axis < 3; ++axis)
        fmt::format_to(std::back_inserter(line), ",{}", each.centre[axis]);
      tracks_.append(line + "\n");
    }
    graph_.append(graph().dump() + "\n");
    tracks_.finish();
    graph_.finish();
  }
  void publish() override {
    tracks_.publish();
    graph_.publish();
  }

 private:
  // An object's id, and how many of its tracks were before this one.
  using track = std::pair<std::uint32_t, std::uint32_t>;
  struct row {
    track of;
    std::uint64_t frame;
    double centre[3];
  };

  [[nodiscard]] std::uint32_t part_of(std::uint32_t id) const {
    const auto found = parts_.find(id);
    return found == parts_.end() ? 0 : found->second;
  }
  // Parents are tracks of the frame before.
  void begin_tracks(const frame_result& result) {
    std::map<std::uint32_t, std::vector<track>> parents;
    const auto add = [&](std::uint32_t child, std::uint32_t parent) {
      parents[child].emplace_back(parent, part_of(parent));
    };
    for (const track_event& event : result.events) {
      if (event.other == 0) continue;
      if (event.kind != track_event_kind::merge) {
        add(event.id, event.other);
        continue;
      }
      if (!parents.contains(event.other)) add(event.other, event.other);
      add(event.other, event.id);
    }
    for (auto& [id, of] : parents) {
      const bool known = seen_.contains(id);
      parents_[{id, known ? ++parts_[id] : 0}] = std::move(of);
    }
    for (const tracked_object& object : result.objects) seen_.insert(object.id);
  }
  // An object's first track has its id, the others the numbers after all ids.
  void number_tracks() {
    std::uint64_t next = seen_.empty() ? 1 : std::uint64_t{*seen_.rbegin()} + 1;
    for (const row& each : rows_)  // in the order of frames
      if (!numbers_.contains(each.of)) numbers_[each.of] = each.of.second == 0 ? each.of.first : next++;
  }
  // A node without a row would be refused. What --capacity has left out has none.
  [[nodiscard]] nlohmann::ordered_json graph() const {
    std::map<std::uint64_t, std::vector<std::uint64_t>> nodes;
    for (const auto& [child, parents] : parents_)
      for (const track& parent : parents)
        if (child != parent && numbers_.contains(child) && numbers_.contains(parent))
          nodes[numbers_.at(child)].push_back(numbers_.at(parent));
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (const auto& [child, parents] : nodes) all[std::to_string(child)] = parents;
    return all;
  }

  io::pending_file tracks_, graph_;
  std::vector<row> rows_;
  std::set<std::uint32_t> seen_;                  // objects that have a row
  std::map<std::uint32_t, std::uint32_t> parts_;  // tracks of an object before the one that goes on, if there were any
  std::map<track, std::vector<track>> parents_;
  std::map<track, std::uint64_t> numbers_;
  int rank_ = 2;
};

// Pictures of a folder are frame-000000.png and so on.
void check_overlay(const std::string& folder, const std::vector<std::string>& taken) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::path(folder).extension() == ".png" && !fs::is_directory(folder, ignored))
    throw usage_error(
        fmt::format("--overlay: of a film is a folder, not {}; one moving picture is --film FILE.gif", folder));
  for (const std::string& path : taken) {
    const fs::path file(path);
    const std::string name = file.filename().string();
    std::error_code error;
    if (name.starts_with("frame-") && name.ends_with(".png") &&
        fs::equivalent(file.has_parent_path() ? file.parent_path() : fs::path("."), folder, error))
      throw usage_error(fmt::format("--overlay: {} holds {}, which a picture would replace", folder, path));
  }
}

void check_names(const track_job& job) {
  std::vector<std::string> taken = job.files;
  const auto take = [&](const std::string& option, const std::vector<std::string>& outputs) {
    if (outputs.front().empty()) return;
    check_distinct(option, outputs, taken);
    taken.insert(taken.end(), outputs.begin(), outputs.end());
  };
  take("-o", {job.output == "-" ? "/dev/stdout" : job.output});
  take("--events", {job.events == "-" ? "/dev/stdout" : job.events});
  take("--film", {job.film});
  if (!job.napari.empty()) take("--napari", {job.napari, graph_name(job.napari)});
  if (!job.overlay.empty()) check_overlay(job.overlay, taken);
}

}  // namespace

std::vector<std::unique_ptr<track_sink>> open_track_tables(const track_job& job, const console& to) {
  check_names(job);
  std::vector<std::unique_ptr<track_sink>> sinks;
  if (!job.output.empty()) sinks.push_back(std::make_unique<object_table>(job, to));
  if (!job.events.empty()) sinks.push_back(std::make_unique<event_lines>(job.events, to));
  if (!job.napari.empty()) sinks.push_back(std::make_unique<napari_tracks>(job.napari));
  return sinks;
}

}  // namespace skerry::cli

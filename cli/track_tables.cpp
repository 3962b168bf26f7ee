// SPDX-License-Identifier: Apache-2.0
// Tables of a stream: objects, events, and tracks for napari.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "cli/column_choice.hpp"
#include "cli/feature_columns.hpp"
#include "cli/frame_source.hpp"
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
      : to_(to), features_(job.features), table_(path_of(job), format_of(job, to)) {}

  void take(const frame_result& result) override {
    if (names_.empty()) names_ = choose_track_columns(features_, result.table.rank).names;
    std::vector<table_column> columns = {{"id", true, {}}, {"parent", true, {}}, {"age", true, {}}};
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      columns[0].numbers.push_back(result.objects[i].id);
      columns[1].numbers.push_back(result.objects[i].parent);
      columns[2].numbers.push_back(static_cast<double>(result.age(i)));
    }
    const bool none = result.objects.empty();  // such a table has no columns of moments or intensities
    for (const std::string& name : names_)
      columns.push_back(
          {name, feature_table::is_integer_column(name), none ? std::vector<double>() : result.table.column(name)});
    table_.add("", static_cast<std::int64_t>(result.frame), columns);
  }
  void finish() override { table_.finish(to_); }
  void publish() override { table_.publish(); }

 private:
  static std::string path_of(const track_job& job) {
    return io::is_standard_output(job.output) ? std::string() : job.output;
  }
  static io::table_format format_of(const track_job& job, const console& to) {
    if (job.format == "text") return io::table_format::text;
    if (job.format == "csv") return io::table_format::csv;
    if (job.format == "json") return io::table_format::json;
    if (!io::is_standard_output(job.output)) return io::table_format_of(job.output);
    return to.out_is_terminal ? io::table_format::text : io::table_format::csv;
  }

  const console& to_;
  std::string features_;
  std::vector<std::string> names_;
  table_output table_;
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

// A layer of tracks wants its rows sorted by track and time.
class napari_tracks final : public track_sink {
 public:
  explicit napari_tracks(const std::string& path) : tracks_(path), graph_(graph_name(path)) {}

  void take(const frame_result& result) override {
    rank_ = result.table.rank;
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      const geometry& g = result.table.components[i];
      row next{result.objects[i].id, result.frame, {}};
      for (std::size_t axis = 0; axis < 3; ++axis)
        next.centre[axis] = static_cast<double>(g.sum[axis]) / static_cast<double>(g.area);
      rows_.push_back(next);
    }
    for (const track_event& event : result.events)
      if (event.kind == track_event_kind::split) parents_[std::to_string(event.id)] = {event.other};
  }
  void finish() override {
    std::sort(rows_.begin(), rows_.end(),
              [](const row& a, const row& b) { return a.id != b.id ? a.id < b.id : a.frame < b.frame; });
    tracks_.append(rank_ == 3 ? "ID,T,Z,Y,X\n" : "ID,T,Y,X\n");
    std::string line;
    for (const row& each : rows_) {
      line = fmt::format("{},{}", each.id, each.frame);
      for (auto axis = static_cast<std::size_t>(3 - rank_); axis < 3; ++axis)
        fmt::format_to(std::back_inserter(line), ",{}", each.centre[axis]);
      tracks_.append(line + "\n");
    }
    graph_.append(parents_.dump() + "\n");
    tracks_.finish();
    graph_.finish();
  }
  void publish() override {
    tracks_.publish();
    graph_.publish();
  }

 private:
  struct row {
    std::uint32_t id;
    std::uint64_t frame;
    double centre[3];
  };
  io::pending_file tracks_, graph_;
  std::vector<row> rows_;
  nlohmann::ordered_json parents_ = nlohmann::ordered_json::object();
  int rank_ = 2;
};

// Pictures of a folder are frame-000000.png and so on.
void check_overlay(const std::string& folder, const std::vector<std::string>& taken) {
  namespace fs = std::filesystem;
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
  const bool files = !job.frames.demo && job.frames.width == 0;
  std::vector<std::string> taken = files ? files_of(job.input.paths) : job.input.paths;
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

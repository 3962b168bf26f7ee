// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "cli/commands.hpp"
#include "cli/frame_colours.hpp"
#include "cli/frame_source.hpp"
#include "cli/input_files.hpp"
#include "cli/progress.hpp"
#include "cli/track_job.hpp"
#include "cli/track_sink.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {
namespace {

constexpr const char* track_examples =
    R"(IDENTITY
  A component of a frame and an object of the frame before are linked when they share pixels. Each object chooses the
  component with the best link, each component keeps the best of the objects that chose it, and has its id. An object
  that is not kept has merged. A component that no object chose is new: split off when it has a link, else born.
  An object without a link has died. Among equals: the larger component, then the first in reading order; the older
  object.
  Ids are counted from 1 and never used again.

ERRORS
  A frame that cannot be read or analysed (an unreadable file, a frame of another size, raw frames that end within one)
  is reported on stderr and yields no objects; it keeps its number, and tracking continues from the frame before. The
  exit code is then 1, and outputs are written. When no frame has a result, the exit code is 2 and nothing is written.

ENDING
  The first interrupt (Ctrl-C) or SIGTERM ends a stream of raw frames: complete frames are tracked, outputs are written,
  and the exit code is unchanged. The second ends the program without outputs, as the first does for other inputs.
  Memory grows with the film for --napari, --film, --profile, and tables printed as text, csv or json.

EXAMPLES
  Watch the demo:
    skerry track --demo --play
    skerry track --demo --film bubbles.gif --frames 100
  A film, as a table with one row per object and frame, and what happened:
    skerry track film.tif --threshold otsu --min-area 20 -o objects.csv --events events.jsonl
  A folder of frames; what moves in front of a still background; pictures of it:
    skerry track frames/ --background 25 --keep-alive 3 --overlay seen/
  Raw frames from a camera program, events as they come:
    camera | skerry track - --width 640 --height 480 --threshold 100 --when-full drop --events -
  The same objects as lines of JSON, as they come:
    camera | skerry track - --width 640 --height 480 --threshold 100 -o - --format jsonl
  For napari (viewer.add_tracks):
    skerry track film.tif --threshold 90 --napari tracks.csv)";

// "film.tif: 300 frames, 52 objects: 50 born, 2 split off, 1 reappeared, 4 merged, 40 died"
class tally {
 public:
  void take(const frame_result& result) {
    ++frames_;
    if (!result.error.empty() && errors_++ == 0) first_error_ = result.error;
    if (result.overflow) ++overflows_;
    for (std::size_t kind = 0; kind < seen_.size(); ++kind) seen_[kind] += result.happened_by_kind[kind];
  }
  void require_results(const std::string& name) const {
    if (errors_ == frames_) throw io::file_error(name, "no frame has a result: " + first_error_);
  }
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] std::string summary(const std::string& name, std::uint64_t dropped) const {
    using kind = track_event_kind;
    const auto count = [&](kind of) { return seen_[static_cast<std::size_t>(of)]; };
    const auto counted = [](std::uint64_t n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    const std::uint64_t objects = count(kind::birth) + count(kind::split);
    std::string text = fmt::format("{}: {}, {}: {} born, {} split off", io::printable(name), counted(frames_, "frame"),
                                   counted(objects, "object"), count(kind::birth), count(kind::split));
    if (count(kind::reappearance) > 0) text += fmt::format(", {} reappeared", count(kind::reappearance));
    text += fmt::format(", {} merged, {} died", count(kind::merge), count(kind::death));
    if (errors_ > 0) text += fmt::format("; {} without result", counted(errors_, "frame"));
    if (overflows_ > 0)
      text += fmt::format("; {} with more objects or events than --capacity", counted(overflows_, "frame"));
    if (dropped > 0) text += fmt::format("; {} dropped", counted(dropped, "frame"));
    return text + "\n";
  }

 private:
  std::uint64_t frames_ = 0, errors_ = 0, overflows_ = 0;
  decltype(frame_result::happened_by_kind) seen_ = {};
  std::string first_error_;
};

// How long frames take, from push to result.
class stop_watch {
 public:
  void take(const frame_result& result) {
    if (delays_.empty()) begin_ = result.times.pushed;
    end_ = result.times.published;
    delays_.push_back(result.times.published - result.times.pushed);
  }
  void print(std::ostream& to) {
    if (delays_.empty()) return;
    std::sort(delays_.begin(), delays_.end());
    const auto quantile = [&](double share) {
      return static_cast<double>(delays_[static_cast<std::size_t>(share * static_cast<double>(delays_.size() - 1))]) *
             1e-6;
    };
    to << fmt::format(
        "{:.0f} frames/s, with reading and writing\ndelay of a frame, ms: median {:.3f}, 90 % {:.3f}, 99 % "
        "{:.3f}, largest {:.3f}\n",
        1e9 * static_cast<double>(delays_.size()) / static_cast<double>(std::max<std::uint64_t>(1, end_ - begin_)),
        quantile(0.5), quantile(0.9), quantile(0.99), quantile(1));
  }

 private:
  std::uint64_t begin_ = 0, end_ = 0;
  std::vector<std::uint64_t> delays_;
};

class track_run {
 public:
  track_run(const track_job& job, const console& to)
      : job_(job), to_(to), on_(make_engine(job.engine)), frames_(open_frames(job)), sinks_(open_track_tables(job, to)),
        line_(to, job.quiet || job.play, 1) {
    auto pictures = open_track_pictures(job, to, colours_);
    sinks_.insert(sinks_.end(), std::make_move_iterator(pictures.begin()), std::make_move_iterator(pictures.end()));
    on_.set_profiling(false);
  }
  void run() {
    while (step())
      if (failed_) stream_->flush();  // throws what take() threw
    frames_.reset();                  // signals are what they were
    require_stream();
    stream_->stop();
    line_.clear();
    counts_.require_results(source_name());
    show();
    const bool printed = io::is_standard_output(job_.output) || io::is_standard_output(job_.events);
    if (!job_.quiet) (printed ? to_.err : to_.out) << counts_.summary(source_name(), stream_->dropped()) << std::flush;
    if (job_.engine.profile) watch_.print(to_.err);
  }
  [[nodiscard]] bool some_without_result() const { return counts_.errors() > 0; }

 private:
  // All outputs or none: what fails does so before any file has its name.
  void show() {
    for (const auto& sink : sinks_) sink->finish();
    if (!to_.out.flush()) throw io::file_error("standard output", "cannot be written");
    for (const auto& sink : sinks_) sink->publish();
  }
  // A frame that cannot be read has a number, and an error instead of a result.
  bool step() {
    try {
      const std::optional<image_view> frame = frames_->next();
      if (!frame) return false;
      push(*frame);
    } catch (const io::file_error& error) {
      if (stream_ != nullptr) stream_->push_error(error.what());
      else lost_.emplace_back(error.what());
    }
    return true;
  }
  void push(const image_view& frame) {
    if (stream_ == nullptr) start(frame);
    if (frame.size != options_.size || frame.type != options_.type)
      throw io::file_error(frames_->name(),
                           fmt::format("is {} of {}, but the frames before it are {} of {}", io::text_of(frame.size),
                                       name_of(frame.type), io::text_of(options_.size), name_of(options_.type)));
    if (const auto colours = frames_->colours()) colours_.put(stream_->pushed(), *colours);
    stream_->push(frame);
  }
  void require_stream() const {
    if (stream_ != nullptr) return;
    if (lost_.empty()) throw io::file_error(source_name(), "has no frames");
    if (lost_.size() == 1) throw std::runtime_error(lost_.front());
    throw io::file_error(source_name(), fmt::format("none of {} frames can be read: {}", lost_.size(), lost_.front()));
  }
  [[nodiscard]] std::string source_name() const {
    if (job_.frames.demo) return "demo";
    return job_.input.paths.front() == "-" ? "standard input" : job_.input.paths.front();
  }
  void start(const image_view& frame) {
    options_ = stream_options(job_, frame, frames_->spacing());
    try {
      stream_ = std::make_unique<tracker>(on_, options_, [this](const frame_result& result) { take(result); });
    } catch (const invalid_argument& error) {
      throw usage_error(frames_->name() + ": " + error.what());
    }
    for (const auto& sink : sinks_) sink->begin(frames_->spacing());
    line_.begin(0, frames_->name());
    line_.show("tracking");
    for (const std::string& error : std::exchange(lost_, {})) stream_->push_error(error);
  }
  // Called by a thread of the tracker, so that results are written as soon as they are there, whatever the input does.
  void take(const frame_result& result) {
    if (failed_) return;
    try {
      write(result);
    } catch (...) {
      failed_ = true;
      throw;
    }
  }
  void write(const frame_result& result) {
    if (!result.error.empty()) {  // an error and no note: told to those who want quiet, too
      line_.clear();
      to_.err << fmt::format("skerry: {}: frame {}: {}\n", io::printable(source_name()), result.frame,
                             io::printable(result.error))
              << std::flush;
    }
    counts_.take(result);
    if (job_.engine.profile) watch_.take(result);
    for (const auto& sink : sinks_) sink->take(result);
  }

  const track_job& job_;
  const console& to_;
  engine on_;
  std::unique_ptr<frame_source> frames_;
  frame_colours colours_;
  std::vector<std::unique_ptr<track_sink>> sinks_;
  progress line_;
  tally counts_;
  stop_watch watch_;
  track_options options_;
  std::vector<std::string> lost_;     // errors of frames before the first that can be read
  std::atomic<bool> failed_ = false;  // an output could not be written
  std::unique_ptr<tracker> stream_;   // last: its threads use the engine
};

void run_track(track_job job, const console& to) {
  // On a terminal the demo shows itself.
  const bool silent = job.output.empty() && job.events.empty() && job.napari.empty() && !job.wants_pictures();
  if (job.frames.demo && silent && to.out_is_terminal) job.play = true;
  check(job);
  job.input.read.keep_colours = job.wants_pictures();
  const bool of_files = !job.frames.demo && job.frames.width == 0;
  if (of_files) job.files = files_of(job.input.paths, notes_to(to, job.quiet));
  track_run run(job, to);
  run.run();
  if (run.some_without_result()) throw CLI::RuntimeError(1);
}

}  // namespace

void define_track(CLI::App& command, const console& to) {
  auto job = std::make_shared<track_job>();
  add_track_options(command, *job);
  command.footer(track_examples);
  command.callback([job, &to] { run_track(*job, to); });
}

}  // namespace skerry::cli

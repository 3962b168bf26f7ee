// SPDX-License-Identifier: Apache-2.0
#include "cli/tree_stream.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/attribute_columns.hpp"
#include "cli/frame_source.hpp"
#include "cli/input_files.hpp"
#include "cli/number.hpp"
#include "cli/progress.hpp"
#include "cli/track_job.hpp"
#include "io/file_error.hpp"
#include "io/gif.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"
#include "skerry/error.hpp"
#include "skerry/published.hpp"
#include "skerry/tree_stream.hpp"

namespace skerry::cli {
namespace {

// Filtered frames as they come, without a header.
class raw_output {
 public:
  raw_output(const std::string& path, const console& to) : to_(to) {
    if (!path.empty() && !io::is_standard_output(path)) file_ = std::make_unique<io::pending_file>(path);
    printed_ = io::is_standard_output(path);
  }
  void take(const std::vector<char>& bytes) {
    if (file_ != nullptr) file_->append({bytes.data(), bytes.size()});
    if (printed_ && !to_.out.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush())
      throw io::file_error("standard output", "cannot be written");
  }
  void finish() {
    if (file_ != nullptr) file_->finish();
  }
  void publish() {
    if (file_ != nullptr) file_->publish();
  }

 private:
  const console& to_;
  std::unique_ptr<io::pending_file> file_;
  bool printed_ = false;
};

// Filtered frames as an animated picture.
class grey_film {
 public:
  grey_film(const std::string& path, int rate) : rate_(rate) {
    if (!path.empty()) file_ = std::make_unique<io::pending_file>(path);
  }
  void begin(const std::string& name, const extent& size, dtype type) {
    if (file_ == nullptr) return;
    if (size.rank == 3) throw io::file_error(name, "is a volume, of which there is no --film");
    if (type != dtype::u8)
      throw io::file_error(name, fmt::format("is of {}; --film takes frames of u8", name_of(type)));
    io::check_gif_size(*file_, size.height, size.width);
    size_ = size;
  }
  void take(const std::vector<char>& bytes) {
    if (file_ == nullptr) return;
    constexpr std::size_t most_bytes = std::size_t{1} << 31;
    if ((frames_.size() + 1) * 3 * bytes.size() > most_bytes)
      throw io::file_error(file_->path(),
                           fmt::format("has no room for more than {} frames; give --frames", frames_.size()));
    std::vector<std::uint8_t>& picture = frames_.emplace_back();
    picture.reserve(3 * bytes.size());
    for (const char grey : bytes) picture.insert(picture.end(), 3, static_cast<std::uint8_t>(grey));
  }
  void finish() {
    if (file_ == nullptr) return;
    io::write_gif(*file_, frames_, size_.height, size_.width, rate_);
    file_->finish();
  }
  void publish() {
    if (file_ != nullptr) file_->publish();
  }

 private:
  std::unique_ptr<io::pending_file> file_;
  int rate_;
  extent size_;
  std::vector<std::vector<std::uint8_t>> frames_;
};

class stream_run {
 public:
  stream_run(const tree_job& job, const console& to)
      : job_(job), to_(to), filter_(job.filter), on_(make_engine(job.engine)), source_(source_of(job, to)),
        frames_(open_frames(source_)), raw_(job.output, to), film_(job.stream.film, job.stream.rate.value_or(25)),
        line_(to, job.quiet, 1) {}

  void run() {
    const auto begin = std::chrono::steady_clock::now();
    while (const std::optional<image_view> frame = frames_->next()) naming_frames([&] { take(*frame); });
    naming_frames([&] { give(0); });
    const std::string name = frames_->name();
    frames_.reset();  // signals are what they were
    if (stream_ == nullptr) throw io::file_error(name, "has no frames");
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    line_.clear();
    raw_.finish();
    film_.finish();
    raw_.publish();
    film_.publish();
    const auto count = static_cast<double>(stream_->frames());
    if (!job_.quiet)
      (io::is_standard_output(job_.output) ? to_.err : to_.out)
          << fmt::format("{}: {} frame{} filtered\n", io::printable(name), stream_->frames(), count > 1 ? "s" : "")
          << std::flush;
    if (job_.engine.profile) to_.err << fmt::format("{:.1f} frames/s, with reading and writing\n", count / seconds);
  }

 private:
  static track_job source_of(const tree_job& job, const console& to) {
    track_job source;
    source.input = job.input;
    source.frames = job.stream.frames;
    if (source.frames.width == 0) source.files = files_of(job.input.paths, notes_to(to, job.quiet));
    return source;
  }

  void start(const image_view& frame) {
    const int rank = frame.size.rank;
    options_.size = frame.size;
    options_.type = frame.type;
    options_.tree.connectivity = job_.connectivity != 0 ? job_.connectivity : rank == 2 ? 8 : 26;
    options_.tree.kind = job_.kind == "min" ? tree_kind::min : tree_kind::max;
    filter_.check(frames_->name(), rank, frame.type);
    options_.attributes = sums_for(filter_.attributes(), rank);
    film_.begin(frames_->name(), frame.size, filter_.output_type(frame.type));
    stream_ = std::make_unique<tree_stream>(on_, options_);
    const std::size_t bytes = static_cast<std::size_t>(frame.size.pixels()) * size_of(filter_.output_type(frame.type));
    outputs_.assign(static_cast<std::size_t>(options_.in_flight), std::vector<char>(bytes));
    line_.begin(0, frames_->name());
    line_.show("filtering");
  }

  // What the stream refuses is told with the name of the frames.
  template <class Work>
  void naming_frames(Work work) {
    try {
      work();
    } catch (const invalid_argument& error) {
      throw io::file_error(frames_->name(), error.what());
    } catch (const device_error& error) {
      throw usage_error(std::string("--engine: ") + error.what());
    }
  }

  void take(const image_view& frame) {
    if (stream_ == nullptr) start(frame);
    give(outputs_.size() - 1);
    std::vector<char>& out = outputs_[stream_->frames() % outputs_.size()];
    filter(frame, {out.data(), filter_.output_type(frame.type), frame.size});
    while (given_ < stream_->frames() && stream_->is_done(given_)) give_next();
  }

  // Writes outputs until no more than `left` frames are on their way.
  void give(std::size_t left) {
    while (stream_ != nullptr && stream_->frames() - given_ > left) give_next();
  }

  void give_next() {
    stream_->wait(given_);
    const std::vector<char>& out = outputs_[given_ % outputs_.size()];
    raw_.take(out);
    film_.take(out);
    ++given_;
  }

  // By the threshold of the moment, if there is one that moves.
  void filter(const image_view& frame, const mutable_image& output) {
    const double moved = job_.stream.step * static_cast<double>(stream_->frames());
    const filter_choice& by = job_.filter;
    const bool by_area = by.min_area && by.keep.empty() && !by.min_diagonal;
    if (!by.h && !by_area) {
      stream_->push(frame);
      return filter_.apply(on_, stream_->tree(), stream_->table(), output);
    }
    frame_filter now;
    now.by = by.h ? frame_filter::kind::extrema : frame_filter::kind::area;
    now.least = std::max(0.0, (by.h ? *by.h : static_cast<double>(*by.min_area)) + moved);
    now.how.top_hat = by.top_hat;
    stream_->start(frame, now, output);
  }

  const tree_job& job_;
  const console& to_;
  tree_filter filter_;
  engine on_;
  track_job source_;
  std::unique_ptr<frame_source> frames_;
  raw_output raw_;
  grey_film film_;
  progress line_;
  tree_stream_options options_;
  std::vector<std::vector<char>> outputs_;  // of frames on their way
  std::uint64_t given_ = 0;                 // frames whose outputs are written
  std::unique_ptr<tree_stream> stream_;
};

void check(const tree_job& job) {
  if (job.output.empty() && job.stream.film.empty()) throw usage_error("--stream: nothing to write; give -o or --film");
  if (!tree_filter(job.filter).wanted())
    throw usage_error("--stream: nothing to filter by; give --min-area, --min-diagonal, --h or --keep");
  const bool moves = job.filter.h || job.filter.min_area;
  if (job.stream.step != 0 && (!moves || job.filter.min_diagonal || !job.filter.keep.empty()))
    throw usage_error("--step: is of --min-area or --h alone");
  if (!job.stream.film.empty() && !job.stream.film.ends_with(".gif"))
    throw usage_error("--film: " + job.stream.film + " does not end in .gif");
  if (job.engine.method != published::own_method) throw usage_error("--method: published methods have no --stream");
}

}  // namespace

void add_tree_stream_options(CLI::App& command, tree_job& job) {
  const std::string group = "Stream (instead of images: the frames of a video, each filtered as it comes)";
  auto* stream = command.add_flag("--stream", job.stream.wanted,
                                  "the inputs are frames: image files, whose pages are frames,\n"
                                  "folders of them, or with --width raw frames. -o takes the\n"
                                  "filtered frames without a header, - as they come");
  const std::vector<CLI::Option*> raw = add_raw_frame_options(command, job.stream.frames);
  auto* limit = command.add_option("--frames", job.stream.frames.limit, "ends after N frames");
  auto* step = command.add_option("--step", job.stream.step,
                                  "a threshold that moves: with each frame --min-area or --h\n"
                                  "is D more, or less where D is negative");
  auto* film = command.add_option("--film", job.stream.film, "the filtered frames as an animated picture, .gif");
  auto* rate = command.add_option("--rate", job.stream.rate, "pictures per second of --film, 1 to 50; 25 by default");
  limit->type_name("N")->transform(whole_number(1));
  step->type_name("D")->transform(a_number());
  film->type_name("FILE.gif")->check(a_file_name());
  rate->type_name("N")->transform(number_in(1, 50))->needs(film);
  for (const char* other : {"--table", "--nodes", "--parents", "--stack", "--page", "--frame"})
    stream->excludes(command.get_option(other));
  stream->group(group);
  for (auto* option : raw) option->group(group);
  for (auto* option : {limit, step, film}) option->needs(stream);
  raw.front()->needs(stream);
  for (auto* option : {limit, step, film, rate}) option->group(group);
}

void run_tree_stream(const tree_job& job, const console& to) {
  check(job);
  stream_run(job, to).run();
}

}  // namespace skerry::cli

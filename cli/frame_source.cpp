// SPDX-License-Identifier: Apache-2.0
#include "cli/frame_source.hpp"

#include <utility>

#include "cli/console.hpp"
#include "cli/pictures.hpp"
#include "io/file_error.hpp"
#include "scenes/bubbles.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {

namespace {

class file_frames final : public frame_source {
 public:
  file_frames(const input_options& options, const std::vector<std::string>& files) : options_(options), files_(files) {
    options_.stack = !options.volume;
  }
  std::optional<image_view> next() override {
    while (frame_ == frames_) {
      if (file_ == files_.size()) return {};
      now_ = {};  // one file in memory at a time
      read_next();
      frame_ = 0;
      frames_ = now_.frames();
    }
    return now_.frame(frame_++);
  }
  [[nodiscard]] std::optional<image_view> colours() const override {
    if (!now_.pixels.colours || !now_.is_stack) return {};
    return now_.pixels.shown(frame_ - 1);
  }
  [[nodiscard]] std::optional<pixel_spacing> spacing() const override { return now_.spacing; }
  [[nodiscard]] std::string name() const override { return now_.name; }

 private:
  // The next file, or the next volume of a file that has several in time.
  void read_next() {
    const std::int64_t time = std::exchange(time_, 0);
    const std::string& path = files_[file_++];  // one that cannot be read costs one frame
    input_options how = options_;
    how.read.frame = time;
    now_ = read_file(how, path);
    const std::int64_t times = now_.pixels.axes ? now_.pixels.axes->frames : 1;
    if (times == 1) return;
    if (now_.pixels.axes->slices > 1) {
      now_.is_stack = false;
      if (now_.spacing && now_.spacing->z == 0) now_.spacing.reset();
      if (time + 1 == times) return;
      time_ = time + 1;
      --file_;
    } else {
      how.read.frame = -1;
      how.stack = true;
      now_ = read_file(how, path);
    }
  }

  input_options options_;
  std::vector<std::string> files_;
  std::size_t file_ = 0;
  std::int64_t time_ = 0;
  picture now_;
  std::int64_t frame_ = 0, frames_ = 0;
};

class demo_frames final : public frame_source {
 public:
  demo_frames(const frame_options& options, std::int64_t pixel_limit) : film_(film_of(options)) {
    io::check_size("demo", film_.size(), pixel_limit);
    pixels_.resize(static_cast<std::size_t>(film_.size().pixels()));
  }
  std::optional<image_view> next() override {
    film_.draw(frame_++, pixels_.data());
    return image_view(pixels_.data(), film_.size());
  }
  [[nodiscard]] std::optional<pixel_spacing> spacing() const override { return {}; }
  [[nodiscard]] std::string name() const override { return "demo"; }

 private:
  static scenes::bubbles film_of(const frame_options& options) {
    scenes::bubble_options film;
    film.height = options.height > 0 ? options.height : 288;
    film.width = options.width > 0 ? options.width : 384;
    film.lane = 48;
    film.seed = options.seed;
    film.noise = false;  // animated pictures keep what does not change
    try {
      return scenes::bubbles(film);
    } catch (const invalid_argument& error) {
      throw usage_error(std::string("--demo: ") + error.what());
    }
  }

  scenes::bubbles film_;
  std::vector<std::uint8_t> pixels_;
  std::uint64_t frame_ = 0;
};

// Ends early.
class first_frames final : public frame_source {
 public:
  first_frames(std::unique_ptr<frame_source> from, std::uint64_t limit) : from_(std::move(from)), left_(limit) {}
  std::optional<image_view> next() override {
    if (left_ == 0) return {};
    --left_;
    return from_->next();
  }
  [[nodiscard]] std::optional<image_view> colours() const override { return from_->colours(); }
  [[nodiscard]] std::optional<pixel_spacing> spacing() const override { return from_->spacing(); }
  [[nodiscard]] std::string name() const override { return from_->name(); }

 private:
  std::unique_ptr<frame_source> from_;
  std::uint64_t left_;
};

}  // namespace

std::unique_ptr<frame_source> open_frames(const track_job& job) {
  constexpr std::uint64_t demo_length = 300;
  std::unique_ptr<frame_source> frames;
  if (job.frames.demo) frames = std::make_unique<demo_frames>(job.frames, job.input.read.pixel_limit);
  else if (job.frames.width > 0) frames = open_raw_frames(job);
  else frames = std::make_unique<file_frames>(job.input, job.files);
  const std::uint64_t limit = job.frames.limit > 0 ? job.frames.limit : job.frames.demo ? demo_length : 0;
  if (limit > 0) frames = std::make_unique<first_frames>(std::move(frames), limit);
  return frames;
}

}  // namespace skerry::cli

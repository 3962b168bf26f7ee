// SPDX-License-Identifier: Apache-2.0
#include "cli/frame_source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/console.hpp"
#include "cli/pictures.hpp"
#include "cli/stop_signals.hpp"
#include "io/file_error.hpp"
#include "scenes/bubbles.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
        inside.push_back(entry.path().string());
    if (error) throw io::file_error(path, error.message());
    if (inside.empty()) throw io::file_error(path, "is a folder without files");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

namespace {

class file_frames final : public frame_source {
 public:
  explicit file_frames(const input_options& options) : options_(options), files_(files_of(options.paths)) {
    options_.stack = !options.volume;
  }
  std::optional<image_view> next() override {
    while (frame_ == frames_) {
      if (file_ == files_.size()) return {};
      now_ = {};  // one file in memory at a time
      now_ = read_file(options_, files_[file_++]);
      frame_ = 0;
      frames_ = now_.frames();
    }
    return now_.frame(frame_++);
  }
  [[nodiscard]] std::string name() const override { return now_.name; }

 private:
  input_options options_;
  std::vector<std::string> files_;
  std::size_t file_ = 0;
  picture now_;
  std::int64_t frame_ = 0, frames_ = 0;
};

dtype raw_type(const std::string& name) {
  constexpr std::pair<const char*, dtype> types[] = {{"u8", dtype::u8},   {"u16", dtype::u16}, {"u32", dtype::u32},
                                                     {"i16", dtype::i16}, {"i32", dtype::i32}, {"f32", dtype::f32},
                                                     {"f64", dtype::f64}};
  for (const auto& [known, type] : types)
    if (name == known) return type;
  return dtype::u8;  // the option takes no other words
}

// Of cameras, as a rule: whoever stops one wants what was seen until then.
class raw_frames final : public frame_source {
 public:
  explicit raw_frames(const track_job& job)
      : paths_(job.input.paths), type_(raw_type(job.frames.dtype)), size_(job.frames.height, job.frames.width),
        bytes_(static_cast<std::size_t>(size_.pixels()) * size_of(type_)),
        pixels_(io::allocate_pixels(paths_.front(), type_, size_)) {}
  ~raw_frames() override { close(); }

  std::optional<image_view> next() override {
    while (!stop_.asked()) {
      if (descriptor_ < 0 && !open()) break;
      const std::size_t got = read_frame();
      if (got == bytes_) return image_view(pixels_.get(), type_, size_);
      if (stop_.asked()) break;
      close();
      if (got > 0)
        throw io::file_error(name(), fmt::format("ends within a frame: {} of {} bytes are there", got, bytes_));
    }
    return {};
  }
  [[nodiscard]] std::string name() const override {
    const std::string& path = paths_[next_ > 0 ? next_ - 1 : 0];
    return path == "-" ? "standard input" : path;
  }

 private:
  bool open() {
    if (next_ == paths_.size()) return false;
    const std::string& path = paths_[next_++];
    if (path != "-" && fs::is_directory(path)) throw io::file_error(path, "is a directory, not a file of raw frames");
    descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw io::file_error(path, errno == ENOENT ? "no such file" : std::strerror(errno));
    return true;
  }
  // Bytes that there are of a frame.
  std::size_t read_frame() {
    std::size_t done = 0;
    while (done < bytes_ && stop_.wait_for(descriptor_)) {
      const ssize_t got = ::read(descriptor_, pixels_.get() + done, bytes_ - done);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got < 0) {
        const int error = errno;
        close();
        throw io::file_error(name(), std::strerror(error));
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  void close() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
    descriptor_ = -1;
  }

  stop_signals stop_;
  std::vector<std::string> paths_;
  dtype type_;
  extent size_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> pixels_;
  std::size_t next_ = 0;
  int descriptor_ = -1;
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
  [[nodiscard]] std::string name() const override { return from_->name(); }

 private:
  std::unique_ptr<frame_source> from_;
  std::uint64_t left_;
};

}  // namespace

std::unique_ptr<frame_source> open_frames(const track_job& job) {
  constexpr std::uint64_t demo_length = 300;
  std::unique_ptr<frame_source> frames;
  if (job.frames.width > 0 && !job.frames.demo)
    io::check_size(job.input.paths.front(), {job.frames.height, job.frames.width}, job.input.read.pixel_limit);
  if (job.frames.demo) frames = std::make_unique<demo_frames>(job.frames, job.input.read.pixel_limit);
  else if (job.frames.width > 0) frames = std::make_unique<raw_frames>(job);
  else frames = std::make_unique<file_frames>(job.input);
  const std::uint64_t limit = job.frames.limit > 0 ? job.frames.limit : job.frames.demo ? demo_length : 0;
  if (limit > 0) frames = std::make_unique<first_frames>(std::move(frames), limit);
  return frames;
}

}  // namespace skerry::cli

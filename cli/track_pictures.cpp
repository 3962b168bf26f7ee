// SPDX-License-Identifier: Apache-2.0
// Pictures of a stream: components in the colours of their ids, their numbers, and where they came from.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <ostream>
#include <thread>
#include <utility>

#include "cli/track_sink.hpp"
#include "io/canvas.hpp"
#include "io/file_error.hpp"
#include "io/gif.hpp"
#include "io/overlay.hpp"
#include "io/pending_file.hpp"
#include "io/picture_file.hpp"

namespace skerry::cli {
namespace {

// ---- one picture ----------------------------------------------------------------------------------------------------

class painter {
 public:
  explicit painter(const track_job& job) : trail_(static_cast<std::size_t>(job.trail.value_or(40))) {}

  // 8-bit RGB.
  const std::vector<std::uint8_t>& paint(const frame_result& result, const frame_colours::pixels& colours) {
    size_ = result.image.size;
    const bool seen = result.error.empty();
    const std::vector<std::uint32_t> nothing(seen ? 0 : static_cast<std::size_t>(size_.pixels()));
    if (result.image.data == nullptr) pixels_.assign(3 * nothing.size(), 0);  // a frame that could not be read
    else
      pixels_ = io::paint_overlay(colours.bytes.empty() ? result.image : colours.view(),
                                  seen ? result.labels : image_view(nothing.data(), size_));
    follow(result);
    io::canvas canvas(pixels_, size_.height, size_.width);
    for (const auto& [id, path] : trails_) draw_trail(canvas, id, path);
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      const point at = centre_of(result.table.components[i]);
      canvas.number(at.row, at.column, result.objects[i].id, {255, 255, 255});
    }
    return pixels_;
  }
  [[nodiscard]] const extent& size() const { return size_; }

 private:
  struct point {
    std::int64_t row, column;
  };
  struct trail {
    std::deque<point> points;  // the last is the newest
    std::uint64_t last_frame = 0;
  };

  static point centre_of(const geometry& g) {
    return {static_cast<std::int64_t>(g.sum[1] / g.area), static_cast<std::int64_t>(g.sum[2] / g.area)};
  }
  // A trail shortens from its end when its object is gone.
  void follow(const frame_result& result) {
    for (std::size_t i = 0; i < result.objects.size(); ++i) {
      trail& path = trails_[result.objects[i].id];
      path.points.push_back(centre_of(result.table.components[i]));
      path.last_frame = result.frame;
    }
    for (auto at = trails_.begin(); at != trails_.end();) {
      std::deque<point>& points = at->second.points;
      const std::size_t most = at->second.last_frame == result.frame ? trail_ + 1 : points.size() - 1;
      while (points.size() > most) points.pop_front();
      at = points.empty() ? trails_.erase(at) : std::next(at);
    }
  }
  static void draw_trail(io::canvas& canvas, std::uint32_t id, const trail& path) {
    const auto count = static_cast<double>(path.points.size());
    for (std::size_t i = 1; i < path.points.size(); ++i)
      canvas.line(path.points[i - 1].row, path.points[i - 1].column, path.points[i].row, path.points[i].column,
                  io::label_colour(id), static_cast<double>(i) / count);
  }

  std::size_t trail_;
  std::map<std::uint32_t, trail> trails_;
  std::vector<std::uint8_t> pixels_;
  extent size_;
};

// ---- where pictures go ----------------------------------------------------------------------------------------------

class picture_place {
 public:
  picture_place() = default;
  picture_place(const picture_place&) = delete;
  picture_place& operator=(const picture_place&) = delete;
  virtual ~picture_place() = default;
  virtual void take(std::uint64_t frame, const std::vector<std::uint8_t>& pixels, const extent& size) = 0;
  virtual void finish() {}
  virtual void publish() {}
};

class picture_folder final : public picture_place {
 public:
  explicit picture_folder(std::string folder) : folder_(std::move(folder)) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) throw io::file_error(folder_, "cannot be made: " + error.message());
  }
  void take(std::uint64_t frame, const std::vector<std::uint8_t>& pixels, const extent& size) override {
    io::pending_file file((std::filesystem::path(folder_) / fmt::format("frame-{:06}.png", frame)).string());
    io::write_rgb_png(file, pixels.data(), size.height, size.width);
    file.commit();
  }

 private:
  std::string folder_;
};

class animated_picture final : public picture_place {
 public:
  animated_picture(const std::string& path, int rate) : file_(path), rate_(rate) {}
  void take(std::uint64_t, const std::vector<std::uint8_t>& pixels, const extent& size) override {
    if (frames_.empty()) io::check_gif_size(file_, size.height, size.width);
    constexpr std::size_t most_bytes = std::size_t{1} << 31;
    if ((frames_.size() + 1) * pixels.size() > most_bytes)
      throw io::file_error(file_.path(),
                           fmt::format("has no room for more than {} frames; give --frames", frames_.size()));
    frames_.push_back(pixels);
    size_ = size;
  }
  void finish() override {
    if (frames_.empty()) throw io::file_error(file_.path(), "has no frames");
    io::write_gif(file_, frames_, size_.height, size_.width, rate_);
    file_.finish();
  }
  void publish() override { file_.publish(); }

 private:
  io::pending_file file_;
  int rate_;
  std::vector<std::vector<std::uint8_t>> frames_;
  extent size_;
};

// Two pixels to a character: the upper half block in one colour on the other.
class terminal final : public picture_place {
 public:
  terminal(const console& to, int rate) : to_(to), period_(std::chrono::microseconds(1000000 / rate)) {}

  void take(std::uint64_t, const std::vector<std::uint8_t>& pixels, const extent& size) override {
    if (next_ == time{}) {
      choose_scale(size);
      to_.out << "\x1b[2J";
      next_ = std::chrono::steady_clock::now();
    }
    std::this_thread::sleep_until(next_);
    next_ = std::max(next_ + period_, std::chrono::steady_clock::now());
    std::string text = "\x1b[H";
    for (std::int64_t y = 0; y < size.height; y += 2 * scale_) {
      for (std::int64_t x = 0; x < size.width; x += scale_) {
        const io::rgb upper = mean(pixels, size, y, x);
        fmt::format_to(std::back_inserter(text), "\x1b[38;2;{};{};{}", upper[0], upper[1], upper[2]);
        if (y + scale_ < size.height) {
          const io::rgb lower = mean(pixels, size, y + scale_, x);
          fmt::format_to(std::back_inserter(text), ";48;2;{};{};{}m\u2580", lower[0], lower[1], lower[2]);
        } else {
          text += ";49m\u2580";  // the last row has nothing below: the terminal's own ground
        }
      }
      text += "\x1b[0m\n";
    }
    to_.out << text << std::flush;
  }

 private:
  using time = std::chrono::steady_clock::time_point;

  void choose_scale(const extent& size) {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) window = {24, 80, 0, 0};
    const auto whole = [](std::int64_t pixels, std::int64_t places) { return (pixels + places - 1) / places; };
    scale_ = std::max({std::int64_t{1}, whole(size.width, window.ws_col),
                       whole(size.height, 2 * std::max<std::int64_t>(1, window.ws_row - 2))});
  }
  [[nodiscard]] io::rgb mean(const std::vector<std::uint8_t>& pixels, const extent& size, std::int64_t top,
                             std::int64_t left) const {
    std::int64_t sum[3] = {};
    const std::int64_t bottom = std::min(top + scale_, size.height), right = std::min(left + scale_, size.width);
    for (std::int64_t y = top; y < bottom; ++y)
      for (std::int64_t x = left; x < right; ++x)
        for (int c = 0; c < 3; ++c) sum[c] += pixels[static_cast<std::size_t>(3 * (y * size.width + x) + c)];
    io::rgb colour;
    for (std::size_t c = 0; c < 3; ++c)
      colour[c] = static_cast<std::uint8_t>(sum[c] / ((bottom - top) * (right - left)));
    return colour;
  }

  const console& to_;
  std::chrono::microseconds period_;
  time next_;
  std::int64_t scale_ = 1;  // pixels to a half character
};

class pictures final : public track_sink {
 public:
  pictures(const track_job& job, const console& to, frame_colours& colours) : painter_(job), colours_(colours) {
    if (!job.overlay.empty()) places_.push_back(std::make_unique<picture_folder>(job.overlay));
    const int rate = job.rate.value_or(25);
    if (!job.film.empty()) places_.push_back(std::make_unique<animated_picture>(job.film, rate));
    if (job.play) places_.push_back(std::make_unique<terminal>(to, rate));
  }
  void take(const frame_result& result) override {
    const std::vector<std::uint8_t>& pixels = painter_.paint(result, colours_.take(result.frame));
    for (const auto& place : places_) place->take(result.frame, pixels, painter_.size());
  }
  void finish() override {
    for (const auto& place : places_) place->finish();
  }
  void publish() override {
    for (const auto& place : places_) place->publish();
  }

 private:
  painter painter_;
  frame_colours& colours_;
  std::vector<std::unique_ptr<picture_place>> places_;
};

}  // namespace

std::vector<std::unique_ptr<track_sink>> open_track_pictures(const track_job& job, const console& to,
                                                             frame_colours& colours) {
  std::vector<std::unique_ptr<track_sink>> sinks;
  if (job.wants_pictures()) sinks.push_back(std::make_unique<pictures>(job, to, colours));
  return sinks;
}

}  // namespace skerry::cli

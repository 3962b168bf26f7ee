// SPDX-License-Identifier: Apache-2.0
// Frames without a header, one after another in files, pipes and standard input.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cli/frame_source.hpp"
#include "cli/stop_signals.hpp"
#include "io/file_error.hpp"

namespace skerry::cli {
namespace {

namespace fs = std::filesystem;

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
      : spacing_(job.input.pixel_size.size), paths_(job.input.paths), type_(raw_type(job.frames.dtype)),
        size_(job.frames.height, job.frames.width), bytes_(static_cast<std::size_t>(size_.pixels()) * size_of(type_)),
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
  [[nodiscard]] std::optional<pixel_spacing> spacing() const override { return spacing_; }
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
  std::optional<pixel_spacing> spacing_;
  std::vector<std::string> paths_;
  dtype type_;
  extent size_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> pixels_;
  std::size_t next_ = 0;
  int descriptor_ = -1;
};

}  // namespace

std::unique_ptr<frame_source> open_raw_frames(const track_job& job) {
  io::check_size(job.input.paths.front(), {job.frames.height, job.frames.width}, job.input.read.pixel_limit);
  return std::make_unique<raw_frames>(job);
}

}  // namespace skerry::cli

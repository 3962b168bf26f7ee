// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of raw frames. An input is a type, a width, a height, where the bytes are cut into two files, and the
// bytes.
//
// Promises: frames are the bytes of each file in their order, one after another; bytes that are left over at its end are an
// error, and frames of the next file follow.
#include <array>
#include <cstring>
#include <memory>

#include "cli/frame_source.hpp"
#include "fuzz_input.hpp"
#include "io/file_error.hpp"

namespace {

using namespace skerry;
using fuzz::promise;

constexpr std::int64_t pixel_limit = 1 << 12;

struct raw_type {
  const char* name;
  std::size_t bytes;
};
constexpr std::array<raw_type, 7> types = {
    {{"u8", 1}, {"u16", 2}, {"u32", 4}, {"i16", 2}, {"i32", 4}, {"f32", 4}, {"f64", 8}}};

// Takes the frames of one file; `more` is false for the last file.
void check_file(cli::frame_source& frames, std::string_view content, std::size_t frame_bytes, bool more) {
  while (content.size() >= frame_bytes) {
    const std::optional<image_view> frame = frames.next();
    promise(frame.has_value(), "a whole frame is read");
    promise(std::memcmp(frame->data, content.data(), frame_bytes) == 0, "a frame is its bytes");
    content.remove_prefix(frame_bytes);
  }
  if (content.empty()) {
    promise(more || !frames.next(), "there is nothing after the last frame");
    return;
  }
  try {
    (void)frames.next();
    promise(false, "half a frame is an error");
  } catch (const io::file_error& refused) {
    promise(std::string_view(refused.what()).find("ends within a frame") != std::string_view::npos, "it says so");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::array<fuzz::memory_file, 2> files;
  fuzz::input_bytes input(bytes, size);
  cli::track_job job;
  const raw_type type = types[static_cast<std::size_t>(input.below(types.size()))];
  job.frames.dtype = type.name;
  job.frames.width = 1 + input.below(96);
  job.frames.height = input.below(96);
  job.input.read.pixel_limit = pixel_limit;
  job.input.paths = {files[0].path(), files[1].path()};
  const std::size_t cut = std::min<std::size_t>(input.take<std::uint16_t>(), input.rest().size());
  const std::string_view first = input.rest().substr(0, cut), second = input.rest().substr(cut);
  files[0].hold(first);
  files[1].hold(second);
  const std::int64_t pixels = job.frames.width * job.frames.height;
  try {
    const std::unique_ptr<cli::frame_source> frames = cli::open_raw_frames(job);
    promise(0 < pixels && pixels <= pixel_limit, "a frame has pixels, and no more than the limit");

    const std::size_t frame_bytes = static_cast<std::size_t>(pixels) * type.bytes;
    check_file(*frames, first, frame_bytes, true);
    check_file(*frames, second, frame_bytes, false);
    promise(!frames->next(), "the end stays the end");
  } catch (const io::file_error& refused) {
    promise(pixels == 0 || pixels > pixel_limit, "frames of a size that is allowed are read", refused.what());
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include "io/file_error.hpp"
#include "io/image_file.hpp"

namespace skerry::io {
namespace {

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, close_file>;

// Decoders seek and a pipe cannot: its bytes go to a nameless temporary file, read by its descriptor.
open_file spool(std::FILE* from, const std::string& name) {
  open_file to(std::tmpfile());
  if (!to) throw file_error(name, std::string("no temporary file for it: ") + std::strerror(errno));
  std::vector<char> piece(std::size_t{1} << 20);
  while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), from))
    if (std::fwrite(piece.data(), 1, got, to.get()) != got)
      throw file_error(name, std::string("no room for a temporary copy: ") + std::strerror(errno));
  if (std::ferror(from) != 0) throw file_error(name, std::string("cannot be read: ") + std::strerror(errno));
  if (std::fflush(to.get()) != 0)
    throw file_error(name, std::string("no room for a temporary copy: ") + std::strerror(errno));
  return to;
}

image decode(const std::string& path, const std::string& name, const read_options& options) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) throw file_error(name, std::strerror(errno));
  if (found.st_size == 0) throw file_error(name, "is empty (0 bytes)");
  if (is_npy(path, name)) return read_npy(path, name, options);
  return is_tiff(path) ? read_tiff(path, name, options) : read_picture(path, name, options);
}

image decode_spooled(std::FILE* from, const std::string& name, const read_options& options) {
  const open_file copy = spool(from, name);
  return decode("/dev/fd/" + std::to_string(::fileno(copy.get())), name, options);
}

}  // namespace

image read_image(const std::string& path, const read_options& options) {
  if (path == "-") return decode_spooled(stdin, "standard input", options);
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    throw file_error(path, errno == ENOENT ? "no such file" : std::string(std::strerror(errno)));
  if (S_ISDIR(found.st_mode)) throw file_error(path, "is a directory, not an image");
  if (S_ISREG(found.st_mode)) return decode(path, path, options);
  if (!S_ISFIFO(found.st_mode)) throw file_error(path, "is neither a file nor a pipe");
  const open_file pipe(std::fopen(path.c_str(), "rb"));
  if (!pipe) throw file_error(path, std::string("cannot be read: ") + std::strerror(errno));
  return decode_spooled(pipe.get(), path, options);
}

image_view image::slice(std::int64_t z) const {
  const image_view all = view();
  return {static_cast<const std::byte*>(all.data) + z * all.strides.z, type, extent(size.height, size.width)};
}

std::unique_ptr<std::byte[]> allocate_pixels(const std::string& path, dtype type, const extent& size) {
  const std::size_t bytes = static_cast<std::size_t>(size.pixels()) * size_of(type);
  try {
    return std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw file_error(path, fmt::format("is too large: {} of {} need {:.1f} GB of memory", text_of(size), name_of(type),
                                       static_cast<double>(bytes) * 1e-9));
  }
}

void check_size(const std::string& path, const extent& size, std::int64_t limit) {
  constexpr std::int64_t largest_side = (std::int64_t{1} << 31) - 1;
  if (size.depth < 1 || size.height < 1 || size.width < 1)
    throw file_error(path, fmt::format("has no pixels ({})", text_of(size)));
  // Sides below 2^31 first, so that the products below cannot overflow.
  if (size.depth > largest_side || size.height > largest_side || size.width > largest_side)
    throw file_error(path, fmt::format("is too large: {} pixels, sides end at {}", text_of(size), largest_side));
  if (size.height * size.width > limit / size.depth)
    throw file_error(path, fmt::format("is too large: {} pixels, the limit is {} in all", text_of(size), limit));
}

std::string text_of(const extent& size) {
  return size.rank == 3 ? fmt::format("{} x {} x {}", size.depth, size.height, size.width)
                        : fmt::format("{} x {}", size.height, size.width);
}

}  // namespace skerry::io

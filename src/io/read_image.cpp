// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "io/file_error.hpp"
#include "io/formats.hpp"
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

std::string beginning_of(const std::string& path, const std::string& name) {
  const open_file file(std::fopen(path.c_str(), "rb"));
  if (!file) throw file_error(name, std::string("cannot be read: ") + std::strerror(errno));
  std::string start(recognised_bytes, '\0');
  start.resize(std::fread(start.data(), 1, start.size(), file.get()));
  return start;
}

image decode(const std::string& path, const std::string& name, const read_options& options) {
  const file_format& format = format_of(path, name);
  if (format.reader == format_reader::tiff) return read_tiff(path, name, options);
  if (options.channel < 0 && !options.channel_name.empty())
    throw file_error(
        name, fmt::format("has no channel '{}': its channels have no names, choose by number", options.channel_name));
  if (options.frame > 0) throw file_error(name, fmt::format("has no frame {}: it has no axis of time", options.frame));
  if (format.reader == format_reader::npy) return read_npy(path, name, options);
  return read_picture(format, path, name, options);
}

image decode_spooled(std::FILE* from, const std::string& name, const read_options& options) {
  const open_file copy = spool(from, name);
  return decode("/dev/fd/" + std::to_string(::fileno(copy.get())), name, options);
}

}  // namespace

const file_format& format_of(const std::string& path, const std::string& name) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0)
    throw file_error(name, errno == ENOENT ? "no such file" : std::string(std::strerror(errno)));
  if (found.st_size == 0) throw file_error(name, "is empty (0 bytes)");
  const file_format* const format = recognise(beginning_of(path, name), name);
  if (format == nullptr) throw file_error(name, "is not an image that can be read, or is damaged");
  return *format;
}

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

file_bytes read_bytes(const std::string& path) {
  const open_file file(std::fopen(path.c_str(), "rb"));
  struct stat found {};
  if (!file || ::fstat(::fileno(file.get()), &found) != 0)
    throw std::runtime_error(std::string("cannot be read: ") + std::strerror(errno));
  file_bytes bytes(static_cast<std::size_t>(found.st_size));
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0) throw std::runtime_error(std::string("cannot be read: ") + std::strerror(errno));
  return bytes;
}

}  // namespace skerry::io

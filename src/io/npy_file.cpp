// SPDX-License-Identifier: Apache-2.0
#include "io/npy_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "io/file_error.hpp"
#include "io/image_file.hpp"
#include "io/npy.hpp"
#include "io/pixel_types.hpp"

namespace skerry::io {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t longest_header = std::size_t{1} << 20;

struct npy_start {
  npy_header header;
  std::uint64_t pixels_at = 0;  // byte offset
};

npy_start read_start(const input_file& file, const std::string& name) {
  std::array<unsigned char, 12> prefix{};
  const std::size_t got = file.read(prefix.data(), prefix.size(), 0);
  if (got < magic.size() || std::memcmp(prefix.data(), magic.data(), magic.size()) != 0)
    throw file_error(name, "is not an NPY file");
  const int major = prefix[6];
  const std::size_t dictionary_at = major == 1 ? 10 : 12;
  if (got < dictionary_at) throw file_error(name, "is truncated: it ends in the NPY header");
  if (major < 1 || major > 3)
    throw file_error(name, fmt::format("is NPY version {}.{}, known are 1.0, 2.0 and 3.0", major, prefix[7]));
  std::size_t length = prefix[8] + 256U * prefix[9];
  if (major > 1) length += 65536U * prefix[10] + 16777216U * prefix[11];
  if (length > longest_header) throw file_error(name, fmt::format("has an NPY header of {} bytes", length));
  std::string text(length, '\0');
  if (file.read(text.data(), length, dictionary_at) < length)
    throw file_error(name, "is truncated: it ends in the NPY header");
  try {
    return {parse_npy_header(text), dictionary_at + length};
  } catch (const std::runtime_error& error) {
    throw file_error(name, error.what());
  }
}

dtype type_of(const std::string& descr, const std::string& name) {
  if (descr.size() == 3 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos)
    if (const auto type = type_of_npy(descr.substr(1)); type && (descr[0] != '|' || size_of(*type) == 1)) return *type;
  throw file_error(name,
                   fmt::format("has the unsupported dtype '{}'; supported are bool, int8 to int64, uint8 to uint64 and "
                               "float16 to float64",
                               descr));
}

extent extent_of(const std::vector<std::uint64_t>& shape, const std::string& name) {
  if (shape.empty() || shape.size() > 3)
    throw file_error(name, fmt::format("has the shape ({}); an image has 1 to 3 axes", fmt::join(shape, ", ")));
  // Larger sides are refused by check_size(); the sum of the clamp and 1 still fits.
  const auto side = [&](std::size_t axis) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(shape[axis], std::uint64_t{1} << 40));
  };
  if (shape.size() == 1) return extent(side(0));
  return shape.size() == 2 ? extent(side(0), side(1)) : extent(side(0), side(1), side(2));
}

void swap_bytes(std::byte* bytes, std::size_t count, std::size_t pixel) {
  for (std::size_t i = 0; i < count; ++i) std::reverse(bytes + i * pixel, bytes + (i + 1) * pixel);
}

}  // namespace

input_file::input_file(const std::string& path, const std::string& name)
    : name_(name), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw file_error(name_, std::string("cannot be read: ") + std::strerror(errno));
}

input_file::~input_file() { ::close(descriptor_); }

std::uint64_t input_file::size() const {
  struct stat found {};
  if (::fstat(descriptor_, &found) != 0) throw file_error(name_, std::strerror(errno));
  return static_cast<std::uint64_t>(found.st_size);
}

std::size_t input_file::read(void* bytes, std::size_t count, std::uint64_t offset) const {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got =
        ::pread(descriptor_, static_cast<char*>(bytes) + done, count - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(name_, std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

npy_file::npy_file(const std::string& path, const std::string& name, std::int64_t pixel_limit)
    : name_(name), file_(path, name_) {
  const npy_start start = read_start(file_, name_);
  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  type_ = type_of(start.header.descr, name_);
  size_ = extent_of(start.header.shape, name_);
  fortran_order_ = start.header.fortran_order;
  foreign_ = start.header.descr[0] == foreign;
  pixels_at_ = start.pixels_at;
  check_size(name_, size_, pixel_limit);
  // Checked before memory is taken: a short file cannot ask for much.
  const std::uint64_t wanted = static_cast<std::uint64_t>(size_.pixels()) * size_of(type_);
  const std::uint64_t present = file_.size() - std::min(file_.size(), pixels_at_);
  if (present < wanted) throw file_error(name_, fmt::format("is truncated: {} of {} bytes of pixels", present, wanted));
}

void npy_file::read(std::int64_t first, std::int64_t count, std::byte* pixels) const {
  const std::uint64_t pixel = size_of(type_), wanted = static_cast<std::uint64_t>(count) * pixel;
  const std::uint64_t at = static_cast<std::uint64_t>(first) * pixel;
  if (const std::size_t got = file_.read(pixels, wanted, pixels_at_ + at); got < wanted)
    throw file_error(name_, fmt::format("is truncated: {} of {} bytes of pixels", at + got,
                                        static_cast<std::uint64_t>(size_.pixels()) * pixel));
  if (foreign_) swap_bytes(pixels, static_cast<std::size_t>(count), pixel);
}

}  // namespace skerry::io

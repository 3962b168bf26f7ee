// SPDX-License-Identifier: Apache-2.0
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

// A file that knows its name for messages.
class input_file {
 public:
  input_file(const std::string& path, const std::string& name)
      : name_(name), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) throw file_error(name_, std::string("cannot be read: ") + std::strerror(errno));
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() { ::close(descriptor_); }

  [[nodiscard]] std::uint64_t size() const {
    struct stat found {};
    if (::fstat(descriptor_, &found) != 0) throw file_error(name_, std::strerror(errno));
    return static_cast<std::uint64_t>(found.st_size);
  }
  // Returns fewer bytes only at the end of the file.
  std::size_t read(void* bytes, std::size_t count, std::uint64_t offset) const {
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

 private:
  const std::string& name_;
  int descriptor_;
};

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
  if (shape.size() != 2 && shape.size() != 3)
    throw file_error(name, fmt::format("has the shape ({}); an image has 2 or 3 axes", fmt::join(shape, ", ")));
  // Larger sides are refused by check_size(); the sum of the clamp and 1 still fits.
  const auto side = [&](std::size_t axis) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(shape[axis], std::uint64_t{1} << 40));
  };
  return shape.size() == 2 ? extent(side(0), side(1)) : extent(side(0), side(1), side(2));
}

void swap_bytes(std::byte* bytes, std::size_t count, std::size_t pixel) {
  for (std::size_t i = 0; i < count; ++i) std::reverse(bytes + i * pixel, bytes + (i + 1) * pixel);
}

// Fortran order has the first axis fastest: element (z, y, x) of (d, h, w) is at z + d (y + h x). Goes by squares of
// 64 × 64, so that both sides stay in the cache.
template <class Pixel>
void to_c_order(const Pixel* from, Pixel* to, std::int64_t slow, std::int64_t middle, std::int64_t fast) {
  constexpr std::int64_t square = 64;
  for (std::int64_t m = 0; m < middle; ++m)
    for (std::int64_t s0 = 0; s0 < slow; s0 += square)
      for (std::int64_t f0 = 0; f0 < fast; f0 += square)
        for (std::int64_t s = s0; s < std::min(s0 + square, slow); ++s)
          for (std::int64_t f = f0; f < std::min(f0 + square, fast); ++f)
            to[(s * middle + m) * fast + f] = from[s + slow * (m + middle * f)];
}

void reorder(image& read, const std::string& name) {
  const extent& size = read.size;
  std::unique_ptr<std::byte[]> ordered = allocate_pixels(name, read.type, size);
  // Of rank 2, rows are the first axis and there is none in the middle.
  const std::int64_t slow = size.rank == 3 ? size.depth : size.height;
  const std::int64_t middle = size.rank == 3 ? size.height : 1;
  const auto with = [&]<class Pixel>(Pixel*) {
    to_c_order(reinterpret_cast<const Pixel*>(read.bytes.get()), reinterpret_cast<Pixel*>(ordered.get()), slow, middle,
               size.width);
  };
  switch (size_of(read.type)) {
    case 1: with(static_cast<std::uint8_t*>(nullptr)); break;
    case 2: with(static_cast<std::uint16_t*>(nullptr)); break;
    case 4: with(static_cast<std::uint32_t*>(nullptr)); break;
    default: with(static_cast<std::uint64_t*>(nullptr)); break;
  }
  read.bytes = std::move(ordered);
}

}  // namespace

image read_npy(const std::string& path, const std::string& name, const read_options& options) {
  const input_file file(path, name);
  const npy_start start = read_start(file, name);
  image read;
  read.format = "npy";
  read.type = type_of(start.header.descr, name);
  read.size = extent_of(start.header.shape, name);
  check_size(name, read.size, options.pixel_limit);
  if (options.channel > 0) throw file_error(name, fmt::format("has no channel {}: NPY has only 0", options.channel));

  // Checked before memory is taken: a short file cannot ask for much.
  const std::uint64_t wanted = static_cast<std::uint64_t>(read.size.pixels()) * size_of(read.type);
  const std::uint64_t present = file.size() - std::min(file.size(), start.pixels_at);
  if (present < wanted) throw file_error(name, fmt::format("is truncated: {} of {} bytes of pixels", present, wanted));
  read.bytes = allocate_pixels(name, read.type, read.size);
  if (const std::size_t got = file.read(read.bytes.get(), wanted, start.pixels_at); got < wanted)
    throw file_error(name, fmt::format("is truncated: {} of {} bytes of pixels", got, wanted));

  constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
  if (start.header.descr[0] == foreign)
    swap_bytes(read.bytes.get(), static_cast<std::size_t>(read.size.pixels()), size_of(read.type));
  if (start.header.fortran_order) reorder(read, name);
  if (options.page >= 0 && read.size.rank == 3) {
    if (options.page >= read.size.depth)
      throw file_error(name, fmt::format("has no page {}: it has {}, the first is 0", options.page, read.size.depth));
    const image_view page = read.slice(options.page);
    std::memmove(read.bytes.get(), page.data, static_cast<std::size_t>(page.size.pixels()) * size_of(read.type));
    read.size = page.size;
  } else if (options.page > 0) {
    throw file_error(name, fmt::format("has no page {}: it has 1, the first is 0", options.page));
  }
  return read;
}

}  // namespace skerry::io

// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of NPY files. An input is a file; one that does not begin as NPY does is the text of a header.
//
// Promises: a file is read or refused by a file_error. Each pixel is the element at its place in the file, by the formula of
// the format; one page is that slice of the volume; and a file written from what was read gives it again.
#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "fuzz_input.hpp"
#include "io/file_error.hpp"
#include "io/image_file.hpp"
#include "io/npy.hpp"

namespace {

using namespace skerry;
using fuzz::promise;

constexpr std::int64_t pixel_limit = 1 << 12;
const std::string name = "in.npy";

const fuzz::memory_file& file() {
  static const fuzz::memory_file one;
  return one;
}

image_view plane(const io::image& read) { return read.size.rank == 3 ? read.slice(0) : read.view(); }

bool same(const image_view& a, const image_view& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.size.pixels()) * size_of(a.type);
  return a.type == b.type && a.size == b.size && std::memcmp(a.data, b.data, bytes) == 0;
}

// The header of a file that was read, and where its pixels begin.
struct npy_content {
  io::npy_header header;
  std::string_view pixels;
};

npy_content content_of(std::string_view npy) {
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(npy[i])}; };
  const bool first_version = byte(6) == 1;
  const std::size_t begin = first_version ? 10 : 12;
  const std::size_t length = byte(8) + (byte(9) << 8) + (first_version ? 0 : (byte(10) << 16) + (byte(11) << 24));
  return {io::parse_npy_header(npy.substr(begin, length)), npy.substr(begin + length)};
}

// Each pixel against the element of the file: the first axis is the fastest in Fortran order, the last one in C order.
void check_pixels(const io::image& read, const npy_content& from) {
  const extent& size = read.size;
  const std::size_t stored = static_cast<std::size_t>(from.header.descr.back() - '0'), kept = size_of(read.type);
  const std::int64_t slow = size.rank == 3 ? size.depth : size.height, middle = size.rank == 3 ? size.height : 1;
  const bool swapped = from.header.descr[0] == (std::endian::native == std::endian::little ? '>' : '<');
  promise(kept <= stored, "a pixel has as many bytes as in the file, or fewer");
  for (std::int64_t i = 0; i < size.pixels(); ++i) {
    const std::int64_t s = i / (middle * size.width), m = i / size.width % middle, f = i % size.width;
    const std::int64_t at = from.header.fortran_order ? s + slow * (m + middle * f) : i;
    char element[8];
    std::memcpy(element, from.pixels.data() + static_cast<std::size_t>(at) * stored, stored);
    if (swapped) std::reverse(element, element + stored);
    const std::byte* pixel = read.bytes.get() + static_cast<std::size_t>(i) * kept;
    promise(std::memcmp(pixel, element, kept) == 0, "a pixel is the element at its place");
  }
}

void check_page(const io::image& read) {
  const io::image page = io::read_npy(file().path(), name, {.pixel_limit = pixel_limit, .page = 0});
  promise(same(plane(read), page.view()), "page 0 is the first slice");
}

void check_written(const io::image& read) {
  const std::string_view pixels(reinterpret_cast<const char*>(read.bytes.get()),
                                static_cast<std::size_t>(read.size.pixels()) * size_of(read.type));
  file().hold(io::make_npy_header(read.type, read.size).append(pixels));
  const io::image again = io::read_npy(file().path(), name, {.pixel_limit = pixel_limit});
  promise(same(read.view(), again.view()), "what is written is read again");
}

void read_header(std::string_view text) {
  try {
    promise(io::parse_npy_header(text).shape.size() <= 32, "a shape has at most 32 axes");
  } catch (const std::runtime_error& refused) {
    promise(*refused.what() != '\0', "a refusal has a reason");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  if (!input.starts_with("\x93NUMPY")) {
    read_header(input);
    return 0;
  }
  file().hold(input);
  try {
    const io::image read = io::read_npy(file().path(), name, {.pixel_limit = pixel_limit});
    promise(read.size.pixels() > 0 && read.size.pixels() <= pixel_limit,
            "an image has pixels, and no more than the limit");
    check_pixels(read, content_of(input));
    check_page(read);
    check_written(read);
  } catch (const io::file_error& refused) {
    promise(refused.file() == name, "a refusal names the file", refused.what());
  }
  return 0;
}

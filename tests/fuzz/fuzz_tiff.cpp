// SPDX-License-Identifier: Apache-2.0
// Fuzzes our reader of TIFF on top of libtiff. An input is a byte for the page and the channel, and a file.
//
// Promises: a file is read or refused by a file_error; every pixel that is returned was written; and one page of a stack is
// the same as that slice of it.
#include <cstdlib>
#include <cstring>
#include <new>

#include "fuzz_input.hpp"
#include "io/file_error.hpp"
#include "io/image_file.hpp"

namespace {

using namespace skerry;
using fuzz::promise;

constexpr std::int64_t pixel_limit = 1 << 12;
const std::string name = "in.tif";

int junk = 0;  // what new memory holds

io::image read(const fuzz::memory_file& file, std::int64_t page, int channel) {
  return io::read_tiff(file.path(), name, {.pixel_limit = pixel_limit, .page = page, .channel = channel});
}

bool same(const image_view& a, const image_view& b) {
  const std::size_t bytes = static_cast<std::size_t>(a.size.pixels()) * size_of(a.type);
  return a.type == b.type && a.size == b.size && std::memcmp(a.data, b.data, bytes) == 0;
}

}  // namespace

// Pixels and strips are arrays of bytes that are not set to anything when they are made: here all of them are junk, of
// another kind each time, so that what nobody writes is not the same twice.
void* operator new[](std::size_t bytes) {
  constexpr std::size_t most_filled = std::size_t{1} << 20;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, junk, std::min(bytes, most_filled));
  return memory;
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const fuzz::memory_file file;
  fuzz::input_bytes input(bytes, size);
  const int choice = input.below(16);
  const std::int64_t page = choice / 4 - 1;
  const int channel = choice % 4 - 1;
  file.hold(input.rest());
  try {
    junk = 0x00;
    const io::image first = read(file, page, channel);
    promise(first.size.pixels() > 0 && first.size.pixels() <= pixel_limit,
            "an image has pixels, and no more than the limit");
    junk = 0xFF;
    promise(same(first.view(), read(file, page, channel).view()), "every pixel is written");
    if (page >= 0 || first.size.rank == 2) return 0;
    const std::int64_t last = first.size.depth - 1;
    const io::image slice = read(file, first.size.depth > 1 ? last : 0, channel);
    // A page may be a volume itself.
    if (slice.size.rank == 2) promise(same(first.slice(last), slice.view()), "a page is a slice of the stack");
  } catch (const io::file_error& refused) {
    promise(refused.file() == name, "a refusal names the file", refused.what());
  }
  return 0;
}

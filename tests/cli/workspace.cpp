// SPDX-License-Identifier: Apache-2.0
#include "workspace.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "cli/run.hpp"
#include "io/half.hpp"
#include "skerry/engine.hpp"
#include "skerry/error.hpp"

namespace skerry::test {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

float shown(float16_bits pixel) { return io::from_half(pixel.bits); }
template <class Pixel>
auto shown(Pixel pixel) {
  return +pixel;
}

template <class Pixel>
std::string text_of_pixels(const io::image& image) {
  const auto* pixel = reinterpret_cast<const Pixel*>(image.bytes.get());
  std::ostringstream text;
  for (std::int64_t z = 0; z < image.size.depth; ++z)
    for (std::int64_t y = 0; y < image.size.height; ++y)
      for (std::int64_t x = 0; x < image.size.width; ++x) {
        if (x > 0) text << ' ';
        else if (y > 0) text << '/';
        else if (z > 0) text << " | ";
        text << shown(*pixel++);
      }
  return text.str();
}

}  // namespace

std::string npy_bytes(std::string_view descr, std::string_view shape, std::string_view pixels, bool fortran) {
  std::string text = "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + std::string(shape) + ", }";
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text + std::string(pixels);
}

std::string pgm_bytes(std::string_view size_and_pixels) { return "P2\n" + std::string(size_and_pixels) + "\n"; }

workspace::workspace() {
  std::string name = (std::filesystem::temp_directory_path() / "skerry-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
  folder_ = name;
}

workspace::~workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string workspace::write(const std::string& name, std::string_view bytes) const {
  std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  std::ofstream(path(name), std::ios::binary) << bytes;
  return path(name);
}

std::string workspace::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  EXPECT_TRUE(file) << "no file " << name;
  std::string bytes(file ? std::filesystem::file_size(path(name)) : 0, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

std::vector<std::string> workspace::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
    if (!entry.is_directory()) names.push_back(std::filesystem::relative(entry.path(), folder_).string());
  std::sort(names.begin(), names.end());
  return names;
}

outcome workspace::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {"skerry"};
  for (std::string word : arguments) {
    replace_all(word, "@", folder_.string());
    words.push_back(word);
  }
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  std::ostringstream out, err;
  outcome result;
  result.code = cli::run(static_cast<int>(pointers.size()), pointers.data(), out, err);
  result.out = out.str();
  result.err = err.str();
  replace_all(result.out, folder_.string(), "@");
  replace_all(result.err, folder_.string(), "@");
  return result;
}

std::string workspace::succeed(const std::vector<std::string>& arguments) const {
  const outcome result = run(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  return result.out;
}

std::string workspace::fail(const std::vector<std::string>& arguments) const {
  const outcome result = run(arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("skerry: ")) << result.err;
  EXPECT_TRUE(result.err.ends_with('\n')) << result.err;
  return result.err.size() < 9 ? result.err : result.err.substr(8, result.err.size() - 9);
}

bool has_cuda() try { return engine::cuda().kind() == engine_kind::cuda; } catch (const device_error&) {
  return false;
}

std::string workspace::pixels(const std::string& name) const {
  const io::image image = io::read_image(path(name));
  switch (image.type) {
    case dtype::u16: return text_of_pixels<std::uint16_t>(image);
    case dtype::u32: return text_of_pixels<std::uint32_t>(image);
    case dtype::u64: return text_of_pixels<std::uint64_t>(image);
    case dtype::i8: return text_of_pixels<std::int8_t>(image);
    case dtype::i64: return text_of_pixels<std::int64_t>(image);
    case dtype::f16: return text_of_pixels<float16_bits>(image);
    case dtype::i16: return text_of_pixels<std::int16_t>(image);
    case dtype::i32: return text_of_pixels<std::int32_t>(image);
    case dtype::f32: return text_of_pixels<float>(image);
    case dtype::f64: return text_of_pixels<double>(image);
    default: return text_of_pixels<std::uint8_t>(image);
  }
}

}  // namespace skerry::test

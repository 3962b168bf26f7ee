// SPDX-License-Identifier: Apache-2.0
// A folder for one test, the files in it, and the program run on them.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/image_file.hpp"

namespace skerry::test {

struct outcome {
  int code = 0;
  std::string out, err;
};

/// The bytes of an NPY file of version 1.0, written here and not by the code under test.
std::string npy_bytes(std::string_view descr, std::string_view shape, std::string_view pixels, bool fortran = false);

/// A PGM in text form: "3 2\n255\n0 1 2\n3 4 5".
std::string pgm_bytes(std::string_view size_and_pixels);

/// Numbers as little-endian bytes of a type.
template <class Pixel>
std::string bytes_of(const std::vector<Pixel>& pixels) {
  return {reinterpret_cast<const char*>(pixels.data()), pixels.size() * sizeof(Pixel)};
}

/// Whether this build and this machine have a CUDA engine.
bool has_cuda();

class workspace : public ::testing::Test {
 protected:
  workspace();
  ~workspace() override;

  /// The path of a file of this test.
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  /// All files of the folder, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

  /// Runs the program here. In arguments, "@" stands for the folder.
  [[nodiscard]] outcome run(const std::vector<std::string>& arguments) const;
  /// Runs it and expects success.
  std::string succeed(const std::vector<std::string>& arguments) const;
  /// Runs it and expects exit code 2, nothing printed, and one line on standard error. Returns the line without the
  /// program's name, with the folder as "@".
  std::string fail(const std::vector<std::string>& arguments) const;

  /// The pixels of an image as text: "0 1 1/0 0 2" for rows, with " | " between slices.
  [[nodiscard]] std::string pixels(const std::string& name) const;

  std::filesystem::path folder_;
};

}  // namespace skerry::test

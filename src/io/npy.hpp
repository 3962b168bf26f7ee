// SPDX-License-Identifier: Apache-2.0
// The header of NumPy's NPY files, versions 1.0, 2.0 and 3.0.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "skerry/image.hpp"

namespace skerry::io {

struct npy_header {
  std::string descr;  // "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the Python dictionary after the magic, version and length of an NPY file.
/// Throws std::runtime_error with the reason.
[[nodiscard]] npy_header parse_npy_header(std::string_view text);

/// Magic, version, length and dictionary of a C-order array, padded to 64 bytes.
[[nodiscard]] std::string make_npy_header(dtype type, const extent& size);

}  // namespace skerry::io

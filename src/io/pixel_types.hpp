// SPDX-License-Identifier: Apache-2.0
// The one table of pixel types in files: what NPY holds, TIFF holds, and the other way round, read and written.
#pragma once
#include <optional>
#include <string_view>

#include "skerry/image.hpp"

namespace skerry::io {

/// How TIFF says a type: BitsPerSample and SampleFormat.
struct tiff_type {
  int bits = 8, format = 1;
};

/// "u2" for u16: a dtype of NumPy without its byte order. Throws std::logic_error for packed bits, which no file holds.
[[nodiscard]] std::string_view npy_code_of(dtype type);
/// The type of such a code, if there is one.
[[nodiscard]] std::optional<dtype> type_of_npy(std::string_view code);

/// Throws std::logic_error for packed bits.
[[nodiscard]] tiff_type tiff_type_of(dtype type);
/// The type that holds samples of a form: of unsigned ones of 2 to 16 bits the next larger, of 1 bit bool. Nothing when there
/// is none.
[[nodiscard]] std::optional<dtype> type_of_tiff(const tiff_type& stored);

}  // namespace skerry::io

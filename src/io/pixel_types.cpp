// SPDX-License-Identifier: Apache-2.0
#include "io/pixel_types.hpp"

#include <tiff.h>

#include <stdexcept>

namespace skerry::io {
namespace {

struct stored_type {
  dtype type;
  std::string_view npy;
  tiff_type tiff;
};

constexpr stored_type stored_types[] = {
    {dtype::boolean, "b1", {1, SAMPLEFORMAT_UINT}}, {dtype::u8, "u1", {8, SAMPLEFORMAT_UINT}},
    {dtype::u16, "u2", {16, SAMPLEFORMAT_UINT}},    {dtype::u32, "u4", {32, SAMPLEFORMAT_UINT}},
    {dtype::u64, "u8", {64, SAMPLEFORMAT_UINT}},    {dtype::i8, "i1", {8, SAMPLEFORMAT_INT}},
    {dtype::i16, "i2", {16, SAMPLEFORMAT_INT}},     {dtype::i32, "i4", {32, SAMPLEFORMAT_INT}},
    {dtype::i64, "i8", {64, SAMPLEFORMAT_INT}},     {dtype::f16, "f2", {16, SAMPLEFORMAT_IEEEFP}},
    {dtype::f32, "f4", {32, SAMPLEFORMAT_IEEEFP}},  {dtype::f64, "f8", {64, SAMPLEFORMAT_IEEEFP}},
};

const stored_type& row_of(dtype type) {
  for (const stored_type& row : stored_types)
    if (row.type == type) return row;
  throw std::logic_error("no file holds packed bits");
}

}  // namespace

std::string_view npy_code_of(dtype type) { return row_of(type).npy; }

std::optional<dtype> type_of_npy(std::string_view code) {
  for (const stored_type& row : stored_types)
    if (row.npy == code) return row.type;
  return {};
}

tiff_type tiff_type_of(dtype type) { return row_of(type).tiff; }

std::optional<dtype> type_of_tiff(const tiff_type& stored) {
  const int format = stored.format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : stored.format;
  int bits = stored.bits;
  if (format == SAMPLEFORMAT_UINT && bits > 1 && bits < 16) bits = bits <= 8 ? 8 : 16;
  for (const stored_type& row : stored_types)
    if (row.tiff.bits == bits && row.tiff.format == format) return row.type;
  return {};
}

}  // namespace skerry::io

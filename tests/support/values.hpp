// SPDX-License-Identifier: Apache-2.0
// Pixel values and thresholds at the edges of every type.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "skerry/label.hpp"

namespace skerry::test {

/// Types that an image to be labelled may have.
inline constexpr dtype image_types[] = {dtype::bit, dtype::boolean, dtype::u8,  dtype::u16, dtype::u32,
                                        dtype::u64, dtype::i8,      dtype::i16, dtype::i32, dtype::i64,
                                        dtype::f16, dtype::f32,     dtype::f64};
/// Types that have an Otsu threshold: all but the first.
inline constexpr std::span<const dtype> otsu_types = std::span(image_types).subspan(1);
inline constexpr dtype label_types[] = {dtype::u8, dtype::u16, dtype::u32, dtype::u64};
/// The same with a sign; smaller loops over these, since they are written as those above.
inline constexpr dtype signed_label_types[] = {dtype::i8, dtype::i16, dtype::i32, dtype::i64};
/// Types that an intensity image may have.
inline constexpr dtype intensity_types[] = {dtype::boolean, dtype::u8,  dtype::u16, dtype::u32, dtype::u64, dtype::i8,
                                            dtype::i16,     dtype::i32, dtype::i64, dtype::f16, dtype::f32, dtype::f64};

/// Values that the type holds exactly: zeros, extremes, steps past a smaller type, and for floats everything special.
std::vector<double> edge_values(dtype type);

/// Random choices among some values, equal within blocks of granularity × granularity pixels.
std::vector<double> random_values(const std::vector<double>& choices, const extent& size, int granularity,
                                  std::uint32_t seed);

/// Foreground rules whose limits lie on, between and beyond the edge values of a type.
std::vector<foreground> edge_rules(dtype type);

[[nodiscard]] std::string text_of(const foreground& rule);
/// Empty where they are as usual.
[[nodiscard]] std::string text_of(const joining& how);
[[nodiscard]] std::string text_of(const periodic_axes& axes);

}  // namespace skerry::test

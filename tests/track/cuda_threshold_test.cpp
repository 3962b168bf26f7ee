// SPDX-License-Identifier: Apache-2.0
// Thresholds that a CUDA device finds: the same foreground as on the CPU, for every type.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "cuda/device_image.hpp"
#include "on_gpu.hpp"
#include "support/placed_image.hpp"
#include "support/values.hpp"

namespace skerry::test {
namespace {

using side = frame_threshold::side;
const extent size(40, 61);

struct value_range {
  double low, high;
  bool whole;
};

// Ranges that are narrow, wide, far from zero, of one value.
std::vector<value_range> ranges_of(dtype type) {
  switch (type) {
    case dtype::boolean: return {{0, 1, true}, {0, 0, true}, {1, 1, true}};
    case dtype::u8: return {{0, 255, true}, {17, 19, true}, {200, 200, true}, {0, 0, true}, {255, 255, true}};
    case dtype::u16: return {{0, 65535, true}, {1000, 1300, true}, {65535, 65535, true}};
    case dtype::i16: return {{-32768, 32767, true}, {-5, 300, true}, {-32768, -32768, true}, {-7, -7, true}};
    case dtype::u32:
      return {{0, 4294967295.0, true}, {4294960000.0, 4294967295.0, true}, {5, 5, true}, {0, 70000, true}};
    case dtype::i32: return {{-2147483648.0, 2147483647.0, true}, {-40000, 20000, true}, {-9, -9, true}};
    case dtype::i8: return {{-128, 127, true}, {-5, 100, true}, {-128, -128, true}, {-7, -7, true}};
    case dtype::u64:
      return {{0, 0x1p64 - 0x1p11, true},
              {0x1p63, 0x1p63 + 0x1p13, true},
              {0x1p53 - 100, 0x1p53 - 1, true},
              {0x1p63, 0x1p63, true},
              {5, 5, true},
              {0, 70000, true}};
    case dtype::i64:
      return {{-0x1p63, 0x1p63 - 0x1p10, true},
              {1 - 0x1p53, 101 - 0x1p53, true},
              {-0x1p63, -0x1p63, true},
              {-40000, 20000, true},
              {-9, -9, true}};
    case dtype::f16: return {{-1, 1, false}, {0, 0x1p-20, false}, {-65504, 65504, false}, {0.125, 0.375, false}};
    case dtype::f32: return {{-1, 1, false}, {1e-30, 2e-30, false}, {-3e38, 3e38, false}, {0.1, 0.3, false}};
    default: return {{-1, 1, false}, {1e-300, 3e-300, false}, {-1.5e308, 1.7e308, false}, {0.1, 0.30000001, false}};
  }
}

// 11 bits of fraction, or multiples of 2^-24.
double nearest_half(double value) {
  const double step = value == 0 ? 1 : std::ldexp(1, std::max(std::ilogb(value), -14) - 10);
  return std::round(value / step) * step;
}

// Two heaps of values, and at times what is not finite.
std::vector<double> random_values(dtype type, const value_range& range, std::mt19937& draw) {
  std::vector<double> values;
  const auto share = [&] { return static_cast<double>(draw()) / 4294967295.0; };
  for (std::int64_t i = 0; i < size.pixels(); ++i) {
    const double place = draw() % 3 == 0 ? 0.7 + 0.3 * share() : 0.4 * share() * share();
    double value = range.low * (1 - place) + range.high * place;
    if (range.whole) value = std::clamp(std::round(value), range.low, range.high);  // sums of 64 bits can end beyond
    if (type == dtype::f32) value = static_cast<double>(static_cast<float>(value));
    if (type == dtype::f16) value = nearest_half(value);
    if (!range.whole && draw() % 50 == 0) {
      const double special[] = {std::nan(""), std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity(), -0.0};
      value = special[draw() % 4];
    }
    values.push_back(value);
  }
  return values;
}

std::vector<seen_frame> seen_by(engine& on, const track_options& options,
                                const std::vector<std::vector<double>>& film) {
  std::vector<seen_frame> seen;
  tracker stream(on, options, [&](const frame_result& result) { seen.push_back(copy_of(result)); });
  for (const std::vector<double>& values : film)
    stream.push(placed_image(options.type, size, layout::padded_rows, values).view());
  stream.stop();
  return seen;
}

TEST(track_cuda_threshold, otsu_is_the_same_double) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on_cpu = engine::cpu(1), on_gpu = engine::cuda();
  for (const dtype type : otsu_types) {
    std::mt19937 draw(static_cast<std::uint32_t>(type));
    std::vector<std::vector<double>> film;
    for (const value_range& range : ranges_of(type))
      for (int i = 0; i < 3; ++i) film.push_back(random_values(type, range, draw));
    track_options options;
    options.size = size;
    options.type = type;
    options.connectivity = 4;
    options.labels = true;
    for (const side where : {side::bright, side::dark}) {
      options.threshold = frame_threshold::otsu(where);
      expect_same(seen_by(on_gpu, options, film), seen_by(on_cpu, options, film), name_of(type));
    }
  }
}

TEST(track_cuda_threshold, a_background_goes_on_through_many_slots) {
  SKERRY_NEEDS_CUDA_DEVICE();
  engine on_cpu = engine::cpu(1), on_gpu = engine::cuda();
  for (const dtype type : {dtype::boolean, dtype::u8, dtype::i8, dtype::u16, dtype::i16}) {
    std::mt19937 draw(static_cast<std::uint32_t>(type));
    std::vector<std::vector<double>> film;
    for (int i = 0; i < 40; ++i) film.push_back(random_values(type, ranges_of(type)[0], draw));
    track_options options;
    options.size = size;
    options.type = type;
    options.connectivity = 8;
    options.labels = true;
    options.slots = 7;
    for (const side where : {side::bright, side::dark, side::both}) {
      options.threshold = frame_threshold::background(type == dtype::boolean ? 0.5 : 20.25, where, 2);
      expect_same(seen_by(on_gpu, options, film), seen_by(on_cpu, options, film), name_of(type));
    }
  }
}

}  // namespace
}  // namespace skerry::test

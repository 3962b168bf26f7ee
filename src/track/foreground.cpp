// SPDX-License-Identifier: Apache-2.0
#include "track/foreground.hpp"

#include <limits>

#include "track/mean.hpp"

namespace skerry::track_steps {
namespace {

using side = frame_threshold::side;

template <class Pixel>
void begin_mean(const image_view& frame, i32* mean, u8* mask) {
  const auto* const pixels = static_cast<const Pixel*>(frame.data);
  const bool truth = frame.type == dtype::boolean;
  for (i64 i = 0; i < frame.size.pixels(); ++i) {
    mean[i] = in_mean_units(pixels[i], truth);
    mask[i] = 0;
  }
}

template <class Pixel>
void compare(const image_view& frame, const mean_limits limits, i32* __restrict mean, u8* __restrict mask) {
  const auto* const __restrict pixels = static_cast<const Pixel*>(frame.data);
  const bool truth = frame.type == dtype::boolean;
  const i64 count = frame.size.pixels();
  for (i64 i = 0; i < count; ++i) mask[i] = step_mean(in_mean_units(pixels[i], truth), limits, mean[i]);
}

template <class Work>
void with_pixel(dtype type, Work work) {
  switch (type) {
    case dtype::u16: return work(u16{});
    case dtype::i8: return work(std::int8_t{});
    case dtype::i16: return work(std::int16_t{});
    default: return work(u8{});  // others were refused
  }
}

}  // namespace

frame_foreground::frame_foreground(const frame_threshold& how, dtype type, const extent& size) : how_(how) {
  if (how.kind == frame_threshold::policy::background) {
    const auto pixels = static_cast<std::size_t>(size.pixels());
    mean_ = std::make_unique_for_overwrite<i32[]>(pixels);
    mask_ = std::make_unique_for_overwrite<u8[]>(pixels);
  }
  if (how.kind == frame_threshold::policy::otsu) {
    const std::size_t bins = size_of(type) == 1 ? 256 : 65536;
    otsu_.counts.reserve(bins);
    otsu_.centres.reserve(bins);
  }
}

image_view frame_foreground::compare_with_background(const image_view& frame) {
  const mean_limits limits = mean_limits::of(how_);
  with_pixel(frame.type, [&]<class Pixel>(Pixel) {
    if (first_) begin_mean<Pixel>(frame, mean_.get(), mask_.get());
    else compare<Pixel>(frame, limits, mean_.get(), mask_.get());
  });
  first_ = false;
  return {mask_.get(), dtype::u8, frame.size};
}

foreground_image frame_foreground::of(const image_view& frame) {
  switch (how_.kind) {
    case frame_threshold::policy::fixed: break;
    case frame_threshold::policy::otsu: {
      if (frame.size.pixels() == 0) return {frame, foreground::nonzero()};
      const double t = otsu_threshold(frame, otsu_);
      constexpr double infinity = std::numeric_limits<double>::infinity();
      return {frame, how_.where == side::dark ? foreground::within(-infinity, t) : foreground::above(t)};
    }
    case frame_threshold::policy::background: return {compare_with_background(frame), foreground::nonzero()};
  }
  return {frame, how_.rule};
}

}  // namespace skerry::track_steps

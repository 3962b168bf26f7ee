// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace skerry {

/// Type of one pixel. `bit` is eight pixels to a byte, first pixel in the lowest bit; `boolean` is one byte, 0 or not;
/// `f16` is IEEE 754 binary16.
enum class dtype : std::uint8_t { bit, boolean, u8, u16, u32, u64, i16, i32, f32, f64, i8, i64, f16 };

/// One `f16` pixel as its bits: C++20 has no binary16 type.
struct float16_bits {
  std::uint16_t bits;  // sign, 5 bits of exponent, 10 of fraction
  friend constexpr bool operator==(const float16_bits&, const float16_bits&) = default;
};

/// Bytes of one pixel; 0 for `bit`.
[[nodiscard]] constexpr std::size_t size_of(dtype type) {
  switch (type) {
    case dtype::bit: return 0;
    case dtype::boolean:
    case dtype::u8:
    case dtype::i8: return 1;
    case dtype::u16:
    case dtype::i16:
    case dtype::f16: return 2;
    case dtype::u32:
    case dtype::i32:
    case dtype::f32: return 4;
    case dtype::u64:
    case dtype::i64:
    case dtype::f64: return 8;
  }
  return 0;
}

/// NumPy's name of a type ("uint8", "float32", …); "bit" for packed bits.
[[nodiscard]] const char* name_of(dtype type);

template <class T>
struct dtype_of_pixel;
// clang-format off
template <> struct dtype_of_pixel<bool> { static constexpr dtype value = dtype::boolean; };
template <> struct dtype_of_pixel<std::uint8_t> { static constexpr dtype value = dtype::u8; };
template <> struct dtype_of_pixel<std::uint16_t> { static constexpr dtype value = dtype::u16; };
template <> struct dtype_of_pixel<std::uint32_t> { static constexpr dtype value = dtype::u32; };
template <> struct dtype_of_pixel<std::uint64_t> { static constexpr dtype value = dtype::u64; };
template <> struct dtype_of_pixel<std::int8_t> { static constexpr dtype value = dtype::i8; };
template <> struct dtype_of_pixel<std::int16_t> { static constexpr dtype value = dtype::i16; };
template <> struct dtype_of_pixel<std::int32_t> { static constexpr dtype value = dtype::i32; };
template <> struct dtype_of_pixel<std::int64_t> { static constexpr dtype value = dtype::i64; };
template <> struct dtype_of_pixel<float16_bits> { static constexpr dtype value = dtype::f16; };
template <> struct dtype_of_pixel<float> { static constexpr dtype value = dtype::f32; };
template <> struct dtype_of_pixel<double> { static constexpr dtype value = dtype::f64; };
// clang-format on

/// Size of an image in pixels. Rank 2 is (height, width) with depth 1; rank 3 is (depth, height, width); rank 1 is (width) with
/// depth and height 1, for labels, tables and given label images: other calls, outlines, and jobs on a device refuse it.
/// A volume of depth 1 has rank 3: its connectivity is 6, 18 or 26 and its tables have a z column. Likewise a plane of one row
/// has rank 2. The connectivity of rank 1 is 2, and its tables have the columns of one axis.
struct extent {
  int rank = 2;             // 1, 2 or 3
  std::int64_t depth = 1;   // slices
  std::int64_t height = 0;  // rows of a slice
  std::int64_t width = 0;   // columns

  constexpr extent() = default;
  /// A line, of rank 1.
  explicit constexpr extent(std::int64_t width_px) : rank(1), height(1), width(width_px) {}
  /// An image of rank 2.
  constexpr extent(std::int64_t height_px, std::int64_t width_px) : height(height_px), width(width_px) {}
  /// A volume, of rank 3.
  constexpr extent(std::int64_t depth_px, std::int64_t height_px, std::int64_t width_px)
      : rank(3), depth(depth_px), height(height_px), width(width_px) {}
  /// Rows of all slices.
  [[nodiscard]] constexpr std::int64_t rows() const { return depth * height; }
  /// Pixels of all rows.
  [[nodiscard]] constexpr std::int64_t pixels() const { return depth * height * width; }
  friend constexpr bool operator==(const extent&, const extent&) = default;
};

/// Distances in bytes between neighbouring pixels along each axis; any sign, any value.
/// `x` is not used for packed bits: their pixels always follow each other within a row.
struct byte_strides {
  std::int64_t z = 0;  // from slice to slice
  std::int64_t y = 0;  // from row to row
  std::int64_t x = 0;  // from column to column
};

/// Strides of a dense row-major image; rows of packed bits start at whole bytes.
[[nodiscard]] constexpr byte_strides dense_strides(dtype type, const extent& size) {
  // Unsigned, because the size has not been checked yet: a later check refuses one that is too large.
  const auto pixel = static_cast<std::uint64_t>(size_of(type)), width = static_cast<std::uint64_t>(size.width);
  const std::uint64_t row = type == dtype::bit ? (width + 7) / 8 : width * pixel;
  return {static_cast<std::int64_t>(row * static_cast<std::uint64_t>(size.height)), static_cast<std::int64_t>(row),
          static_cast<std::int64_t>(pixel)};
}

/// Where memory is, as far as the caller says. If the process has loaded the driver of CUDA, calls and plans ask it, which
/// takes about 0.1 µs, and refuse what it contradicts. Memory of the host that a device can use (pinned, registered)
/// is the host's. Memory that CUDA moves between both (managed) may be called either.
class residence {
 public:
  /// Not said.
  constexpr residence() = default;
  /// Memory of the host.
  [[nodiscard]] static constexpr residence host() { return residence(on_host); }
  /// Memory of a GPU, by its number in CUDA.
  [[nodiscard]] static constexpr residence device(int number) { return residence(static_cast<std::int16_t>(number)); }

  /// Whether anything is said.
  [[nodiscard]] constexpr bool is_known() const { return place_ != unknown; }
  /// Whether it is said to be the host's.
  [[nodiscard]] constexpr bool is_host() const { return place_ == on_host; }
  /// Whether it is said to be a GPU's.
  [[nodiscard]] constexpr bool is_device() const { return place_ >= 0; }
  /// The GPU, where it is one's.
  [[nodiscard]] constexpr int device_number() const { return place_; }
  friend constexpr bool operator==(const residence&, const residence&) = default;

 private:
  static constexpr std::int16_t unknown = -2, on_host = -1;
  explicit constexpr residence(std::int16_t place) : place_(place) {}
  std::int16_t place_ = unknown;
};

/// Pixels that the caller owns and the library reads. `data` is the pixel (0, 0, 0). Null `data` means that there is no
/// image.
struct image_view {
  const void* data = nullptr;   // the pixel (0, 0, 0)
  dtype type = dtype::u8;       // of each pixel
  skerry::residence residence;  // of all pixels; set it, or give it to the constructor
  extent size;                  // in pixels
  byte_strides strides;         // between neighbours

  constexpr image_view() = default;
  /// Dense pixels, row after row.
  constexpr image_view(const void* pixels, dtype pixel_type, extent shape, skerry::residence where = {})
      : data(pixels), type(pixel_type), residence(where), size(shape), strides(dense_strides(pixel_type, shape)) {}
  /// Pixels at any distances.
  constexpr image_view(const void* pixels, dtype pixel_type, extent shape, byte_strides distances,
                       skerry::residence where = {})
      : data(pixels), type(pixel_type), residence(where), size(shape), strides(distances) {}
  /// Dense pixels of the type that their C++ type stands for.
  template <class T>
  constexpr image_view(const T* pixels, extent shape, skerry::residence where = {})
      : image_view(pixels, dtype_of_pixel<T>::value, shape, where) {}
};

/// Pixels that the caller owns and the library writes.
struct mutable_image {
  void* data = nullptr;         // the pixel (0, 0, 0)
  dtype type = dtype::u32;      // of each pixel
  skerry::residence residence;  // of all pixels; set it, or give it to the constructor
  extent size;                  // in pixels
  byte_strides strides;         // between neighbours

  constexpr mutable_image() = default;
  /// Dense pixels, row after row.
  constexpr mutable_image(void* pixels, dtype pixel_type, extent shape, skerry::residence where = {})
      : data(pixels), type(pixel_type), residence(where), size(shape), strides(dense_strides(pixel_type, shape)) {}
  /// Pixels at any distances that keep them distinct.
  constexpr mutable_image(void* pixels, dtype pixel_type, extent shape, byte_strides distances,
                          skerry::residence where = {})
      : data(pixels), type(pixel_type), residence(where), size(shape), strides(distances) {}
  /// Dense pixels of the type that their C++ type stands for.
  template <class T>
  constexpr mutable_image(T* pixels, extent shape, skerry::residence where = {})
      : mutable_image(pixels, dtype_of_pixel<T>::value, shape, where) {}
  /// What can be written can be read.
  constexpr operator image_view() const {
    return {data, type, size, strides, residence};
  }  // NOLINT: a writable image can be read
};

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Given label images: every pixel with the same label is one region, connected or not.
//
// A label image is (height, width) or (depth, height, width), of integers of 8 to 64 bits, signed or not, or of
// booleans, with any strides. Labels may have gaps. In arguments and results a label has 64 bits: those of its
// std::int64_t for a signed type, of its std::uint64_t for an unsigned one.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/measure.hpp"

namespace skerry {

/// The bits of a label, as functions take and return them: static_cast<std::int64_t>() of them is a label of a signed
/// type.
using label_bits = std::uint64_t;

/// Which labels are background, whose pixels belong to no region.
struct background {
  /// Which labels; the functions below make each of them.
  enum class rule : std::uint8_t { zero_and_below, one_label, none };
  rule kind = rule::zero_and_below;  // which labels
  label_bits label = 0;   // one_label only; a label that the type of the image cannot hold belongs to no pixel
  bool negative = false;  // one_label only: `label` is the bits of a negative std::int64_t

  /// 0 and all negative labels.
  [[nodiscard]] static constexpr background zero_and_below() { return {}; }
  /// No label: 0 is a region, too.
  [[nodiscard]] static constexpr background none() { return {rule::none}; }
  /// That label alone: then 0 and negative labels are regions.
  template <std::integral Label>
  [[nodiscard]] static constexpr background equal_to(Label label) {
    return {rule::one_label, static_cast<label_bits>(label), label < Label{0}};
  }
};

/// What a call is asked to measure of a label image.
struct region_request {
  image_view labels;                   // integers of 8 to 64 bits, or boolean
  skerry::background background = {};  // labels that are background
  measure_options features = {};       // what is measured
  /// Rows for these labels, in this order, as SciPy's `index`: a label without pixels gets a row with area and sums 0,
  /// an empty box at 0, and NaN in all other columns. Without an index, each label of the image gets a row, in ascending
  /// order.
  std::optional<std::vector<label_bits>> index = {};
  /// Instead of features.intensity: images of the extent of `labels`, of any dtype but bit and any strides, which are read in
  /// the same pass; on CUDA, where each may be in host or device memory, one after the other.
  std::vector<image_view> channels = {};
};

/// One row per region.
///
/// `features` has the exact integers, as feature_table says, and derives the columns; its column "label" counts rows.
/// The functions here give the same columns, with the labels of the regions.
struct region_table {
  feature_table features;          // a row for each region
  std::vector<label_bits> labels;  // of each row
  bool signed_labels = false;      // labels are the bits of std::int64_t
  /// Of each of region_request::channels its intensities or real_intensities; other vectors are empty.
  std::vector<feature_table> channels;

  /// Regions that were measured.
  [[nodiscard]] std::size_t size() const noexcept { return labels.size(); }

  /// As those of feature_table, then intensity_min-0, intensity_min-1, … of channels. A column "label" of numbers is rounded
  /// beyond 2^53.
  [[nodiscard]] std::vector<std::string> column_names() const;
  /// The same, with columns in units.
  [[nodiscard]] std::vector<std::string> column_names(const pixel_spacing& spacing) const;
  /// One column as numbers.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;
  /// One column of those with units.
  [[nodiscard]] std::vector<double> column(std::string_view name, const pixel_spacing& spacing) const;
  /// For "label", the bits of the labels.
  [[nodiscard]] std::vector<std::uint64_t> integer_column(std::string_view name) const;
  /// Several columns in one pass, as feature_table::write_columns().
  void write_columns(engine& on, std::span<const column_place> columns,
                     const std::optional<pixel_spacing>& spacing = std::nullopt) const;
};

/// Measures the regions of a label image.
///
///   on     engine. On CUDA images may be in device memory; work that writes them must be complete, as in label()
///   asked  label image: sides below 2^31, at most 2^40 pixels and 2^32 - 2 labels, possibly 0; its background, what to
///          measure, which labels
///   table  out, replaced
///
/// Returns the number of rows of `table`. The integers are exact, and the same on every engine and for every number of
/// threads; intensities are as those of measure().
/// Throws invalid_argument naming the argument, as for a dtype that has no labels, when a coordinate
/// sum could exceed 64 bits, or a central moment 127 bits; out_of_memory.
/// Scratch: a table for each thread, up to three where several threads help each other, of 4 bytes for each value up to the
/// largest label (up to twice the number of pixels, and 2^28; larger labels and negative ones take 8 to 16 bytes each)
/// and 12 bytes for each of its regions, with their rows for all but the first.
/// Cost: one read of `labels`, and one of the intensity under the regions. An image in Fortran order is read along its
/// columns.
/// Method: closed-form sums per run of equal labels; a row that repeats the one above is compared, not walked again.
std::uint64_t measure_regions(engine& on, const region_request& asked, region_table& table);

}  // namespace skerry

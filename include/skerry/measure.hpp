// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/feature.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"

namespace skerry {

/// Leaves new rows unwritten, so that resize() costs nothing: an engine writes all of them, on all its threads, and a
/// table may have millions. Lists of 64 KiB and more have pages of their own, so that a device can be given them.
template <class Row>
struct unwritten_rows {
  using value_type = Row;

  unwritten_rows() = default;
  template <class Other>
  unwritten_rows(const unwritten_rows<Other>&) noexcept {}

  [[nodiscard]] Row* allocate(std::size_t count) {
    if (count > std::size_t(-1) / (2 * sizeof(Row))) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(Row);
    return static_cast<Row*>(bytes < pages ? ::operator new(bytes) : ::operator new(whole(bytes), page));
  }
  void deallocate(Row* rows, std::size_t count) noexcept {
    if (count * sizeof(Row) < pages) ::operator delete(rows);
    else ::operator delete(rows, page);
  }

  void construct(Row*) const noexcept {}
  template <class... Arguments>
  void construct(Row* row, Arguments&&... arguments) const {
    std::construct_at(row, std::forward<Arguments>(arguments)...);
  }
  friend constexpr bool operator==(const unwritten_rows&, const unwritten_rows&) noexcept { return true; }

 private:
  static constexpr std::size_t pages = 1 << 16;
  static constexpr std::align_val_t page{4096};
  static constexpr std::size_t whole(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
};

/// Rows of a table. Use assign() rather than resize() to get rows that are set up.
template <class Row>
using table_rows = std::vector<Row, unwritten_rows<Row>>;

/// Distances between the centres of neighbouring pixels, in one unit.
struct pixel_spacing {
  double z = 1, y = 1, x = 1;  // along each axis; finite and above 0; an image of rank 2 has no z
  std::string unit;            // letters for column names, "um"; empty where the unit has no name
  friend bool operator==(const pixel_spacing&, const pixel_spacing&) = default;
};

/// Where the values of a column are written, one for each row. One of `numbers` and `integers` is given.
struct column_place {
  std::string_view name;              // of the column
  double* numbers = nullptr;          // as of column()
  std::uint64_t* integers = nullptr;  // as of integer_column()
};

/// One row per component, in label order: row i belongs to label i + 1.
///
/// The exact integers are in the vectors; column() derives what users of scikit-image's regionprops_table expect, under
/// its names where it has them. Vectors that were not asked for are empty; of the two for intensities, the type of the
/// intensity image decides which is filled.
struct feature_table {
  int rank = 2;                                 // of the image
  bool has_moments = false;                     // they were asked for, even if there is no component
  bool has_intensities = false;                 // the same
  table_rows<geometry> components;              // of every component
  table_rows<second_moments> moments;           // the same, if asked for
  table_rows<intensity> intensities;            // of integer images of up to 32 bits
  table_rows<real_intensity> real_intensities;  // of all others: sums_reals() of the image's type

  /// Components that were measured.
  [[nodiscard]] std::size_t size() const noexcept { return components.size(); }

  /// Names of the columns that this table can give, in order: label, area, bbox-0…, centroid-0…, extent,
  /// coordinate_sum-0…, then with moments axis_major_length, axis_minor_length, for rank 2 eccentricity and orientation,
  /// and the second central moments moments_central-0-2, -1-1, -2-0 (rank 3: -0-0-2 … -2-0-0), then with intensities
  /// intensity_min, intensity_max, intensity_mean, intensity_std and intensity_sum. coordinate_sum and intensity_sum are
  /// not columns of scikit-image; intensity_std is one in
  /// its newer versions.
  [[nodiscard]] std::vector<std::string> column_names() const;

  /// One column as numbers. Boxes are half-open, coordinates are (row, column) or (slice, row, column) in pixels,
  /// orientation is in radians, lengths are in pixels. coordinate_sum-i is the sum of coordinate i over the pixels,
  /// moments_central-p-q the sum of (row − centroid-0)^p · (column − centroid-1)^q, as scikit-image has it.
  /// Throws invalid_argument when the table has no such column.
  [[nodiscard]] std::vector<double> column(std::string_view name) const;

  /// The same names, and after each column that depends on the size of a pixel one in units, of the definition that
  /// scikit-image's regionprops has with `spacing`: in µm (unit "um") area_um2 (area_um3 of rank 3), centroid_um-0…,
  /// axis_major_length_um, axis_minor_length_um, eccentricity_spaced, orientation_spaced (both without a unit), and
  /// moments_central_um2-0-2…. Without a unit the names are area_spaced, centroid_spaced-0….
  [[nodiscard]] std::vector<std::string> column_names(const pixel_spacing& spacing) const;

  /// A column of those names. Throws as column(name); also invalid_argument for a spacing that is not finite and above 0.
  [[nodiscard]] std::vector<double> column(std::string_view name, const pixel_spacing& spacing) const;

  /// A column of integers, exact; column() rounds those above 2^53, which sums can exceed. Throws as column(); also
  /// invalid_argument for a column of other numbers.
  [[nodiscard]] std::vector<std::uint64_t> integer_column(std::string_view name) const;

  /// Writes several columns, on the threads of an engine: the same values as column() and integer_column() give one by one, but
  /// the rows are read once.
  ///
  ///   on       engine
  ///   columns  out: names, of which some may be the same, and memory for size() values each, aligned to 8 bytes and
  ///            fastest to 64
  ///   spacing  of columns in units; without one there are none
  ///
  /// Throws as column() and integer_column(), before any column is written; invalid_argument for a place that is not one of
  /// numbers and integers; cancelled.
  void write_columns(engine& on, std::span<const column_place> columns,
                     const std::optional<pixel_spacing>& spacing = std::nullopt) const;

  /// True when the numbers of a column are integers by definition (label, area, bbox-…, coordinate_sum-…).
  [[nodiscard]] static bool is_integer_column(std::string_view name);
};

/// What is measured besides the geometry.
struct measure_options {
  /// Adds second moments and what follows from them: axis lengths, orientation, eccentricity.
  bool moments = false;
  /// Adds intensity columns, read from this image of the same extent (any dtype but bit, any strides; of floats and 64-bit
  /// integers at most 2^38 pixels).
  image_view intensity = {};
};

/// What a call is asked to do.
struct label_request {
  image_view image;               // as in label()
  label_options options;          // the same
  measure_options features = {};  // of the table, where one is wanted
};

/// Where the results of one call go; each may be left out.
struct label_outputs {
  mutable_image labels = {};                  // as in label(); must not overlap the intensity image either
  std::vector<labelled_run>* runs = nullptr;  // replaced, as in label_runs()
  feature_table* table = nullptr;             // replaced; its capacity is reused
  /// Instead of `labels`, where their type or memory depends on the number of components: called once with that number, on
  /// the calling thread, before any label is written. The image it returns is checked as `labels` is; its exceptions
  /// propagate. Labels are written fastest where they lie in memory in the order of the image. On CUDA, and by published
  /// methods, components are counted in a separate pass.
  std::function<mutable_image(std::uint64_t count)> labels_for = {};
};

/// Labels an image, lists its runs and measures its components, as far as outputs are wanted, all in one pass; label(),
/// label_runs(), count_components() and measure() are short for it.
///
/// Returns the number of components. Throws, scratch and cost as label(), label_runs() and measure().
std::uint64_t label(engine& on, const label_request& asked, const label_outputs& outputs);

/// Measures the connected components of an image, in the same pass that labels them.
///
///   on, image, options  as in label()
///   features            what to measure
///   table               out, replaced; its capacity is reused
///
/// Returns the number of components, which is the number of rows of `table`. Integers are exact. A row of intensities follows
/// from the pixels of its component alone, in any order, and is the same bits on every engine. Columns of integers of up to
/// 32 bits are rounded once. Of floats and 64-bit integers, with M the component's largest magnitude, a mean is within 1 unit
/// in the last place + 2^-100 · M of the exact one, a sum of n pixels within n · 2^-100 · M, and a standard deviation within 2
/// units + 2^-49 · M. Sums of 64-bit integers are exact, and their standard deviation is within 2 units where M is at most 2^61.
/// Throws as label(); also invalid_argument when a coordinate sum could exceed 64 bits, or a central moment 127 bits.
/// Scratch: as label_runs(); a selection works on the caller's table, unless labels are u8 or u16.
/// Cost: one read of `image`, one more with a label image; one of the intensity under the components; 56 bytes
/// written per component, 96 more with moments; with intensity 48 more for integers of up to 32 bits, 104 for others.
/// Method: closed-form sums per run, docs/papers.md [Lacassagne2011].
std::uint64_t measure(engine& on, const image_view& image, const label_options& options,
                      const measure_options& features, feature_table& table);

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Every column of scikit-image's regionprops_table, and some more, for the regions of a label image or the components
// of an image. docs/columns.md lists them with their definitions.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"
#include "skerry/regions.hpp"

namespace skerry {

/// What a call is asked to measure of the regions of a label image.
struct column_request {
  /// Names as scikit-image has them: of one column ("moments_central-0-2"), of all columns of a quantity
  /// ("moments_central"), of a group (column_groups(), or "shape"), or "all". A group gives the columns that are available for this
  /// rank, intensity image and spacing; an unavailable quantity or column is refused. "label" comes first, asked for or
  /// not.
  std::vector<std::string> columns = {"all"};
  skerry::background background = {};  // labels that are background
  /// One channel, of the size of the label image; without data, and without `channels`, there are no columns of intensities.
  image_view intensity = {};
  /// Instead of it: several, which are read in the same passes; on CUDA one after the other. Names of columns of intensities
  /// then end with the number of the channel, as scikit-image's: "intensity_mean-1", "moments_weighted-0-2-1". Every quantity
  /// that is asked for has to be available for all channels.
  std::vector<image_view> channels = {};
  /// As in scikit-image: coordinates, lengths, areas and moments are in its unit. Its `unit` is not part of names.
  pixel_spacing spacing = {};
  /// Rows for these labels, in this order, as in region_request: a label without pixels has 0 in `area` and in columns of
  /// integers, and NaN in all others.
  std::optional<std::vector<label_bits>> index = {};
};

/// One column: `integers` or `numbers` has a value for each region.
struct table_column {
  std::string name;                    // as in docs/columns.md
  bool is_integer = false;             // `integers` has the values
  std::vector<std::int64_t> integers;  // of each region
  std::vector<double> numbers;         // of each region
};

/// One row per region, in ascending label order, or per label of column_request::index.
struct column_table {
  int rank = 2;  // of the image
  /// In the order of the request, first asked first; of a quantity by its numbers. The first is "label", whose integers
  /// are the bits of labels: static_cast<std::uint64_t>() of them are those of a label image of u64.
  std::vector<table_column> columns;

  /// Number of regions.
  [[nodiscard]] std::size_t size() const noexcept { return columns.empty() ? 0 : columns.front().integers.size(); }
  /// The column of that name. Throws invalid_argument when there is none.
  [[nodiscard]] const table_column& column(std::string_view name) const;
};

/// The names of the groups of columns that column_request::columns takes besides "all" and "shape", which is patterns, hull
/// and filled together.
[[nodiscard]] std::vector<std::string> column_groups();

/// Measures the regions of a label image: all pixels of one label are one region, connected or not.
///
///   on       engine; the reference computes all columns from their definitions. On CUDA, threads of the host
///            compute hulls from runs that the device finds
///   labels   (height, width) or (depth, height, width), integers of 8 to 64 bits or booleans, any strides; sides below
///            2^31, at most 2^40 pixels and 2^32 - 2 labels, possibly 0
///   asked    which columns; background rule, intensity image, spacing, which labels
///   table    out, replaced
///
/// Returns the number of regions. Columns of integers are exact; others are rounded from exact integers, a few times
/// each: docs/columns.md says how often. They are the same bits for every number of threads, and on CUDA;
/// the reference, which rounds its own sums, may differ in the last digits.
/// Throws invalid_argument naming the argument; out_of_memory. The table has no columns then.
/// Scratch: that of measure_regions(); for each region and thread 384 bytes with moments of rank 2, 1536 of rank 3, as
/// many with weighted moments, twice that of floats and 64-bit integers, 72 with patterns; for each region a third of that
/// more with central moments, and 160 with hulls; 40 bytes for each run of a region, once for hulls and once for filled regions.
/// So many threads share the rows that what they all keep for regions is at most 64 MiB and 16 bytes a pixel, but at least one,
/// and so many that each has at most 2^31 pixels. Each thread also keeps a few rows of regions; with patterns in a volume more
/// than a slice: 4 · (height + 3) · (width + 4) bytes. The engine keeps what is for each region, but for lists of runs. On CUDA that of measure_regions(), and for each region 48 bytes of
/// device memory with patterns, and with moments as many as for each thread of a CPU. For each run of a region that
/// is 52 bytes of device memory with filled regions, and none of the host; with hulls 12, and 40 of the host. Filled regions of 2^31 runs or more are refused.
/// Cost: one read of `labels` and of the intensity image as in measure_regions(), and one more with groups that are
/// not sums of that call. On CUDA two more reads of `labels` with moments, for each channel with weighted ones, and with patterns of
/// volumes; three with hulls or filled regions; one with second moments or intensities besides patterns of planes.
/// Method: closed sums over runs, counts of 2 × 2 (× 2) windows [Gray1971; Ohser2002], monotone chain [Andrew1979].
std::uint64_t measure_columns(engine& on, const image_view& labels, const column_request& asked, column_table& table);

/// The same for the connected components of an image: labels them first, into a label image of 4 bytes per pixel that
/// it allocates, on CUDA in memory of the device, which the engine keeps. `asked.background` is not used.
std::uint64_t measure_columns(engine& on, const image_view& image, const label_options& options,
                              const column_request& asked, column_table& table);

/// Between which values a column of a region has to be, both included. NaN is not between any; integers, labels of 64 bits
/// too, are compared exactly, though not every integer beyond 2^53 can be a bound. Calls refuse bounds that hold nothing: a
/// NaN, or a least above the most.
struct column_bounds {
  std::string column;                                       // one of measure_columns(), by its whole name
  double least = -std::numeric_limits<double>::infinity();  // the smallest value that is kept
  double most = std::numeric_limits<double>::infinity();    // the largest one

  /// Whether a value is between them.
  [[nodiscard]] bool contains(double value) const noexcept { return value >= least && value <= most; }
};

/// Keeps the regions whose columns are all within bounds, with their labels, and makes all other pixels 0.
///
///   on, labels  as in measure_columns()
///   bounds      of one column each; without any all regions are kept
///   asked       background rule, intensity image and spacing; `columns` and `index` are not used
///   out         out, as in remap(): same extent, an integer of 8 to 64 bits; `labels` itself, or bytes apart from it
///
/// Returns the labels that are kept, ascending. relabel() numbers them 1..n, and remap() keeps a list of labels.
/// Throws invalid_argument naming the argument, as measure_columns() and remap() do; out_of_memory. Nothing is written then.
/// Scratch and cost: those of both calls.
std::vector<label_bits> keep_regions(engine& on, const image_view& labels, const std::vector<column_bounds>& bounds,
                                     const column_request& asked, const mutable_image& out);

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/image.hpp"

namespace skerry {

/// Which pixels belong to components. NaN never does. Comparisons are exact: the pixel's value against the real number
/// `low` or `high`, whatever the pixel type.
struct foreground {
  /// Which pixels; the functions below make each of them.
  enum class rule : std::uint8_t { nonzero, above, at_least, within, except };
  rule kind = rule::nonzero;  // which pixels
  double low = 0;             // above: pixel > low · at_least: pixel >= low · within: low <= pixel <= high
  double high = 0;  // within; except: pixel != low + high, without rounding, so that it can be any integer of 64 bits

  /// Pixels that are not 0.
  [[nodiscard]] static constexpr foreground nonzero() { return {}; }
  /// Pixels above a threshold.
  [[nodiscard]] static constexpr foreground above(double threshold) { return {rule::above, threshold, 0}; }
  /// Pixels of a threshold and above.
  [[nodiscard]] static constexpr foreground at_least(double threshold) { return {rule::at_least, threshold, 0}; }
  /// Pixels between two bounds, both included.
  [[nodiscard]] static constexpr foreground within(double low, double high) { return {rule::within, low, high}; }
  /// All pixels but those of the background's value. Not for streams or published methods.
  [[nodiscard]] static constexpr foreground except(double background) { return {rule::except, background, 0}; }
  /// The same for an integer of up to 64 bits, exact.
  template <std::integral Integer>
  [[nodiscard]] static constexpr foreground except(Integer background) {
    const auto rest = static_cast<Integer>(background & 0x7ff);  // all other bits fit a double
    const auto above = static_cast<double>(static_cast<Integer>(background - rest)), below = static_cast<double>(rest);
    const double nearest = above + below;
    return {rule::except, nearest, below - (nearest - above)};
  }
  /// All pixels that are not NaN.
  [[nodiscard]] static constexpr foreground all() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return within(-infinity, infinity);
  }
};

/// Which neighbouring foreground pixels join. Values are compared exactly, as the real numbers that they are,
/// whatever the pixel type. Only `foreground` goes with published methods and with filled holes.
///   foreground  all neighbours
///   equal       neighbours of equal values: each component has one value, as in scikit-image's label() and cc3d
///   within      neighbours that differ by at most `delta`; a component can spread over more, step by step. Infinities join
///               their equals, and with an infinite delta everything joins
struct joining {
  /// Which neighbours; the functions below make each of them.
  enum class rule : std::uint8_t { foreground, equal, within };
  rule kind = rule::foreground;  // which neighbours
  double delta = 0;              // within only; at least 0

  /// All neighbours.
  [[nodiscard]] static constexpr joining foreground() { return {}; }
  /// Neighbours of equal values.
  [[nodiscard]] static constexpr joining equal() { return {rule::equal, 0}; }
  /// Neighbours that differ by at most delta.
  [[nodiscard]] static constexpr joining within(double delta) { return {rule::within, delta}; }
};

/// Axes that wrap around: their first and last pixels are neighbours. z is for images of rank 3.
struct periodic_axes {
  bool z = false, y = false, x = false;  // whether the axis wraps around
  /// Whether any axis wraps around.
  [[nodiscard]] constexpr bool any() const { return z || y || x; }
  friend constexpr bool operator==(const periodic_axes&, const periodic_axes&) = default;
};

/// Which components stay. Applied in this order: fill holes, then area and border, then the k largest.
/// The components that stay are numbered 1..n in raster order again.
struct selection {
  /// Adds the holes to the foreground before labelling: background that no path of background pixels joins to the image
  /// border. Background is connected by the dual rule: 8 for 4, 4 for 8, 26 for 6, 6 for 18 and 26.
  bool fill_holes = false;
  /// Keeps components of min_area <= area <= max_area pixels.
  std::uint64_t min_area = 0;
  std::uint64_t max_area = std::numeric_limits<std::uint64_t>::max();  // the same
  /// Drops components that have a pixel in the first or last row or column (or slice, for rank 3). An axis that wraps
  /// around has no border.
  bool clear_border = false;
  /// Keeps the k components of largest area, the earlier label among equal areas; 0 keeps all.
  std::uint64_t largest = 0;
};

/// In which order components are numbered.
///   row_major   by the raster order of their first pixels
///   as_stored   the same, with axes by the distance of neighbours in the image's memory, the farthest first: an image in
///               Fortran order is numbered along its columns
enum class pixel_order : std::uint8_t { row_major, as_stored };

/// How an image is labelled.
struct label_options {
  /// Neighbours of a pixel: 4 or 8 for rank 2; 6, 18 or 26 for rank 3. No default: say what you mean.
  int connectivity = 0;
  skerry::foreground foreground = {};  // which pixels belong to components
  skerry::selection selection = {};    // which components stay
  /// as_stored spares an image in Fortran order the renumbering; it goes without runs, which are pieces of rows.
  pixel_order order = pixel_order::row_major;
  /// Published methods have neither this nor `periodic`. On CUDA both are for images of fewer than 2^31 pixels, with rows
  /// rounded up to 128.
  skerry::joining joining = {};
  /// Not with selection::fill_holes. Coordinates stay those of the image: the box of a component that crosses the border of a
  /// periodic axis spans that axis, and its centroid and moments are those of pixels where they lie.
  periodic_axes periodic = {};
};

/// Pixels [begin, end) of one row. Rows are numbered z · height + y.
struct labelled_run {
  std::int64_t row;         // z · height + y
  std::int32_t begin, end;  // columns, half-open
  std::uint64_t label;      // of its component
  friend constexpr bool operator==(const labelled_run&, const labelled_run&) = default;
};

/// Labels the connected components of an image.
///
///   on       engine; scratch is taken from it
///   image    (height, width) or (depth, height, width), any dtype, any strides; sides below 2^31, at most
///            2^40 pixels (on one CUDA device 2^33 - 3), possibly 0. On CUDA it and `labels` may be in device memory; work that writes
///            them must be complete, since the call waits for no stream of the caller
///   options  connectivity, foreground rule, selection, which neighbours join, axes that wrap around
///   labels   out, same extent, an integer of 8 to 64 bits, signed or not, any strides that nest (a row fits between two
///            rows, …), so that pixels are distinct; must not overlap `image`
///
/// Returns the number of components n. Labels are 1..n in raster order of each component's first pixel and background
/// is 0: the same bits on every engine and for every thread count.
/// Throws invalid_argument naming the argument; label_overflow when n does not fit the type of `labels`, before
/// anything is written; out_of_memory.
/// Scratch: 4 bytes per run, 4 per component, 8 per row; with 8 neighbours a bit per run. Where `labels` are wanted and the image
/// is not of bits, a bit per pixel (rows rounded up to 64); else, for each strip, a window of bit rows (at most 32 KiB and 3 rows,
/// for rank 3 and 4 slices). For each strip (one for one thread, at most 16 for each of several) 6 bytes per run of its fullest
/// row, with 8 neighbours 28; 8 per pixel of a row where labels are not side by side, and 16 per component that it shares with
/// earlier strips.
/// A selection adds 4 bytes per run (8 for rows wider than 65535 pixels) and 60 per component, `largest` 4 more; fill_holes adds 1
/// bit per pixel; the background, which is solved first, needs as much as the image. An image in Fortran order, on the CPU: 8
/// bytes per component, 0.2 per pixel, and the bytes of the label image where that is not in Fortran order; with a table 4 more
/// per component and 4 per run (8 for columns longer than 65535 pixels). Joining by value adds as many bits, or windows; it, or an
/// axis that wraps around, 13 rows of bits, and two rows of pixels where these are not side by side. x that wraps around adds 4
/// bytes per run (8 for rows wider than 65535 pixels).
/// Cost: one read of `image`, two of an image of bits; one write of `labels`.
/// Method: run-based labelling on bit rows, docs/papers.md [Lacassagne2011], [Lemaitre2020].
std::uint64_t label(engine& on, const image_view& image, const label_options& options, const mutable_image& labels);

/// Labels an image as runs: as label() above, with `runs` in raster order instead of a label image.
///
///   runs     out, replaced; its capacity is reused
///
/// Scratch: as label(), with 4 bytes more per run (8 for rows wider than 65535 pixels): 12 bytes per run (16), where each
/// run is a component. Cost: one read of `image`.
std::uint64_t label_runs(engine& on, const image_view& image, const label_options& options,
                         std::vector<labelled_run>& runs);

/// Counts the components: as label() above without any output. Cost: one read of `image`.
std::uint64_t count_components(engine& on, const image_view& image, const label_options& options);

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// Max-trees: all components of all threshold sets of a grey image, as one tree. Build it once, then measure its nodes
// and filter it as often as you like.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "skerry/engine.hpp"
#include "skerry/feature.hpp"
#include "skerry/image.hpp"

namespace skerry {

/// A max-tree holds the components of {f >= t}: its leaves are peaks. A min-tree holds those of {f <= t}: pits.
enum class tree_kind : std::uint8_t { max, min };

/// How a tree is built.
struct tree_options {
  /// Neighbours of a pixel: 4 or 8 for rank 2; 6, 18 or 26 for rank 3. No default: say what you mean.
  int connectivity = 0;
  tree_kind kind = tree_kind::max;  // peaks or pits
};

/// The parts of a max_tree, for max_tree::from_parts().
struct tree_parts {
  tree_kind kind = tree_kind::max;           // as in tree_options
  int connectivity = 0;                      // the same
  dtype type = dtype::u8;                    // of the image
  extent size;                               // the same
  std::vector<std::uint32_t> parent;         // of each node; the root, node 0, is its own
  std::vector<std::uint32_t> first_pixel;    // of each node: the smallest raster index among its pixels at its level
  std::vector<double> level;                 // of each node, exact
  std::vector<std::uint32_t> node_of_pixel;  // in raster order: the smallest component that holds the pixel
  friend bool operator==(const tree_parts&, const tree_parts&) = default;
};

/// The tree of an image. A node is a component of a threshold set that has pixels at its threshold, its level.
///
/// Nodes are numbered by level, the root's first, and among equal levels by first pixel. So parents come before
/// children: one loop forwards carries values from the root to the leaves, one loop backwards from the leaves to the
/// root, and equal levels are neighbours in memory.
///
/// Every object is such a tree: build() or from_parts() made it, or it is empty, the tree of an image without pixels.
class max_tree {
 public:
  /// The tree of an image without pixels.
  max_tree() = default;
  /// Trees are values.
  max_tree(const max_tree&) = default;
  /// The same.
  max_tree& operator=(const max_tree&) = default;
  /// Takes the nodes of the other.
  max_tree(max_tree&& other) noexcept  // leaves the other empty
      : parts_(std::exchange(other.parts_, {})), connected_(std::exchange(other.connected_, true)) {}
  /// The same.
  max_tree& operator=(max_tree&& other) noexcept {
    parts_ = std::exchange(other.parts_, {});
    connected_ = std::exchange(other.connected_, true);
    return *this;
  }
  ~max_tree() = default;

  /// Makes a tree from parts that were loaded or computed elsewhere, after checking all of them once.
  ///
  ///   from   kind, connectivity, type and size as build() takes them; for each node its parent, first pixel and level; for
  ///          each pixel its node. Levels are values of the type, -0.0 becomes 0.0
  ///
  /// It does not check that the pixels of a node are connected, and only to each other. measure() relies on that where it
  /// sums up with several threads, and so measures such a tree with one.
  /// Throws invalid_argument naming the part that is wrong. Cost: one pass over the nodes and one over the pixels.
  [[nodiscard]] static max_tree from_parts(tree_parts from);

  /// Whether its leaves are peaks or pits.
  [[nodiscard]] tree_kind kind() const noexcept { return parts_.kind; }
  /// Neighbours of a pixel, as in tree_options.
  [[nodiscard]] int connectivity() const noexcept { return parts_.connectivity; }
  /// Type of the image's pixels.
  [[nodiscard]] dtype type() const noexcept { return parts_.type; }
  /// Size of the image.
  [[nodiscard]] const extent& size() const noexcept { return parts_.size; }
  /// How many nodes it has.
  [[nodiscard]] std::size_t nodes() const noexcept { return parts_.parent.size(); }

  /// Parent of each node; the root, node 0, is its own.
  [[nodiscard]] std::span<const std::uint32_t> parent() const noexcept { return parts_.parent; }
  /// Smallest raster index among each node's pixels at its level.
  [[nodiscard]] std::span<const std::uint32_t> first_pixel() const noexcept { return parts_.first_pixel; }
  /// Grey value of each node, exact.
  [[nodiscard]] std::span<const double> level() const noexcept { return parts_.level; }
  /// Node of each pixel, in raster order: the smallest component that holds it.
  [[nodiscard]] std::span<const std::uint32_t> node_of_pixel() const noexcept { return parts_.node_of_pixel; }

  /// Whether all parts are equal.
  friend bool operator==(const max_tree& a, const max_tree& b) { return a.parts_ == b.parts_; }

 private:
  friend class tree_door;  // for build()
  tree_parts parts_;
  bool connected_ = true;  // false of trees of from_parts()
};

/// Builds the tree of an image.
///
///   on       engine; scratch is taken from it
///   image    (height, width) or (depth, height, width), integers of 8 to 64 bits or floats (not `bit` or `boolean`), any
///            strides; fewer than 2^31 pixels, possibly 0. No NaN, and no integer beyond 2^53 in magnitude: levels are
///            doubles, and exact. -0.0 is 0.0; infinities are levels like others
///   options  connectivity, max-tree or min-tree
///   tree     out, replaced; its capacity is reused. After a pixel without a level, or a failure of memory or device, it is empty
///
/// The tree is the same bits on every engine and for every thread count.
/// Throws invalid_argument naming the argument (a pixel without a level by its place); out_of_memory;
/// device_error.
/// An engine made by engine::cuda() builds on its device, from an image in host or device memory, trees of u8, u16, i16, u32
/// and f32 with 4, 8, 6 or 26 neighbours; it measures and filters where the tree is, in host memory.
/// engine::automatic() builds there where the image is in device memory, and does all else on the CPU. Trees that stay on the
/// device: skerry/cuda.hpp.
/// Scratch: 5.2 bytes per pixel for u8, 26 for wider types, whose pixels are sorted, 34 for those of 64 bits, and 2 MiB per
/// thread. Noise in a volume of wide type: 28 with 6, 18 or 26 neighbours, and 1 more for each further thread, up to 16.
/// The tree itself has 4 bytes per pixel and 16 per node.
/// Cost: O(n α(n)) and a radix sort.
/// Method: basins of maxima, joined in sorted order, in tiles that are merged at their borders; docs/papers.md
/// [Carlinet2014], [Lukasczyk2024], [Wilkinson2008], for wide types [Kazemier2017].
void build(engine& on, const image_view& image, const tree_options& options, max_tree& tree);

// ---- attributes -----------------------------------------------------------------------------------------------------

/// Which attributes are measured besides the area.
struct attribute_options {
  bool geometry = false;  // adds boxes and coordinate sums: bbox-…, bbox_diagonal, centroid-…
  bool moments = false;   // adds second moments (and geometry): elongation, compactness
  bool levels = false;    // adds sums of grey values: volume, level_mean, level_variance
};

/// One row per node. A node's pixels are those of its whole component: its own and those of all nodes above it.
///
/// The exact sums are in the vectors; column() derives attributes from them.
struct attribute_table {
  int rank = 2;                                  // of the image
  std::vector<std::uint32_t> area;               // pixels
  std::vector<geometry> components;              // empty unless asked for
  std::vector<second_moments> moments;           // empty unless asked for
  std::vector<skerry::intensity> intensities;    // empty unless asked for, and for float images
  std::vector<real_intensity> real_intensities;  // the same of float images

  /// Nodes that were measured.
  [[nodiscard]] std::size_t size() const noexcept { return area.size(); }

  /// Names of the columns that this table can give, in order: node, parent, first_pixel, level, area, height, dynamics,
  /// then with geometry bbox-0…, bbox_diagonal, centroid-0…, with moments elongation and compactness, and with levels
  /// volume, level_mean and level_variance.
  [[nodiscard]] std::vector<std::string> column_names() const;

  /// One column as numbers, for the tree that was measured.
  ///
  ///   height          from the parent's level to the farthest level in the component (the root: from its own level)
  ///   dynamics        from the farthest level in the component to the level where it meets one that reaches farther
  ///                   (equally far and numbered before counts as farther); the root's is its height
  ///   volume          sum over the pixels of their distance from the parent's level (the root: from its own)
  ///   bbox_diagonal   of the box, whose sides are counted in pixels
  ///   elongation      longest axis of the ellipsoid with the same moments, over the shortest; a pixel is a unit square
  ///   compactness     moment of inertia of the disc (ball) of this area over that of the component; 1 for a disc
  ///
  /// Levels are grey values, distances between them are not negative; boxes are half-open, coordinates are (row, column)
  /// or (slice, row, column).
  /// Throws invalid_argument when the table has no such column, or is not that of the tree.
  [[nodiscard]] std::vector<double> column(const max_tree& tree, std::string_view name) const;

  /// A column of integers, exact. Throws as column(); also invalid_argument for a column of other numbers.
  [[nodiscard]] std::vector<std::uint64_t> integer_column(const max_tree& tree, std::string_view name) const;

  /// True when the numbers of a column are integers by definition (node, parent, first_pixel, area, bbox-…).
  [[nodiscard]] static bool is_integer_column(std::string_view name);
};

/// Measures every node of a tree; the area always, the rest on demand.
///
///   table  out, replaced; its capacity is reused
///
/// Throws invalid_argument when central moments could overflow; out_of_memory.
/// The same bits for every number of threads.
/// Scratch: 4 bytes per node for `levels`. With several threads also 4 bytes per node for each of up to 64 threads, and for each
/// thread a row for each node whose component reaches from one thread's rows into another's. Wide types: a bit per pixel for up to 8 threads.
/// Cost: one read of node_of_pixel, one sweep over the nodes for each group of sums; by all threads where levels have many
/// nodes (32 and more on average; trees of floats have not).
void measure(engine& on, const max_tree& tree, const attribute_options& wanted, attribute_table& table);

// ---- filters --------------------------------------------------------------------------------------------------------

/// What happens to the pixels of a dropped node, and to its ancestors and descendants. The root is always kept.
///   direct       its pixels get the level of the nearest kept ancestor
///   min          as direct; dropping a node drops its descendants
///   max          as direct; keeping a node keeps its ancestors
///   subtractive  as direct, and its descendants are lowered by its step above its parent
enum class filter_rule : std::uint8_t { direct, min, max, subtractive };

/// What a filter does with nodes that are not kept, and what it writes.
struct filter_options {
  filter_rule rule = filter_rule::direct;  // what becomes of their pixels
  /// Writes the distance between image and filtered image instead: a white top-hat on a max-tree, a black one on a
  /// min-tree.
  bool top_hat = false;
};

/// Type of a top-hat of images of a type: distances have no sign.
[[nodiscard]] constexpr dtype top_hat_type(dtype type) {
  switch (type) {
    case dtype::i8: return dtype::u8;
    case dtype::i16: return dtype::u16;
    case dtype::i32: return dtype::u32;
    case dtype::i64: return dtype::u64;
    default: return type;
  }
}

/// Filters a tree by any decision about its nodes, and writes the image that remains.
///
///   keep    one byte per node, 0 drops it
///   output  extent of the tree; dtype of the tree's image, or top_hat_type() of it; any strides with distinct pixels
///
/// Throws invalid_argument naming the argument; out_of_memory.
/// Scratch: 4 bytes and a pixel per node; 1 byte more for `min` and `max`, 4 more for `subtractive` (and extrema_filter), which
/// with several threads need some bits per node and thread, too.
/// Cost: a few sweeps over the nodes; one read of node_of_pixel and one write of `output`; all by all threads, but for the
/// sweeps of `subtractive` and extrema_filter where measure() has one thread.
void filter(engine& on, const max_tree& tree, std::span<const std::uint8_t> keep, const filter_options& options,
            const mutable_image& output);

/// Keeps the nodes whose attribute is at least `least`: filter() above, with values of column(). NaN is dropped.
void filter_at_least(engine& on, const max_tree& tree, std::span<const double> attribute, double least,
                     const filter_options& options, const mutable_image& output);

/// Area opening on a max-tree, area closing on a min-tree: drops components of fewer than `least_area` pixels.
void area_filter(engine& on, const max_tree& tree, const attribute_table& table, std::uint64_t least_area,
                 const mutable_image& output, bool top_hat = false);

/// Drops components whose bounding box has a diagonal below `least_diagonal`; the table needs geometry.
void diagonal_filter(engine& on, const max_tree& tree, const attribute_table& table, double least_diagonal,
                     const mutable_image& output, bool top_hat = false);

/// h-maxima on a max-tree, h-minima on a min-tree: cuts `h` off every extremum, as the reconstruction of the image from
/// image - h does; nothing goes below the root's level. For integer types `h` must be whole, in any case finite and not
/// negative; results of floats are rounded once.
/// To keep the full height of those extrema that stay, filter by `dynamics` or `height`.
void extrema_filter(engine& on, const max_tree& tree, double h, const mutable_image& output, bool top_hat = false);

}  // namespace skerry

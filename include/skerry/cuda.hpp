// SPDX-License-Identifier: Apache-2.0
// Work on a CUDA stream: a job says what is wanted and where results go in device memory, a plan checks it once, and then it is
// enqueued as often as you like, without allocation or synchronisation; it can be captured in a graph.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "skerry/feature.hpp"
#include "skerry/image.hpp"
#include "skerry/label.hpp"
#include "skerry/max_tree.hpp"

namespace skerry {

class stage_marks;

namespace cuda {

class prepared_work;
class bound_work;
class bound_plan;

/// A job that was checked once, for the device that was current then; copies share it. Its arrays must stay where they are.
class plan {
 public:
  /// Bytes of device memory that the work needs while it runs.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept;

  /// Launches the work, and nothing else: no allocation, no driver query, no wait (the first call may load kernels; trees of
  /// wide types, and nodes, ask about the kernels of their sorts).
  ///
  ///   scratch   device memory of scratch_bytes(), at a multiple of 256, not used by other work at the same time; may be null
  ///             when that is 0
  ///   stream    of the device for which the plan was made, which must be the current one
  ///
  /// Throws invalid_argument for scratch that is null or misaligned; device_error when a launch is refused.
  void enqueue(void* scratch, cudaStream_t stream) const;

  /// Prepares the launches for this scratch, which must stay where it is, for a plan that is enqueued often.
  ///
  /// Returns the bound plan. Nothing runs. Errors as those of enqueue().
  /// Cost: 8 to 112 us of the host (H100); the driver keeps memory on host and device.
  [[nodiscard]] bound_plan bind(void* scratch) const;

 protected:
  /// For the plans below.
  explicit plan(std::shared_ptr<const prepared_work> prepared);

 private:
  friend void enqueue(const plan& work, void* scratch, cudaStream_t stream, stage_marks* marks);
  std::shared_ptr<const prepared_work> prepared_;
};

/// A plan with its scratch: its work is one launch (a CUDA graph), 1.2 to 4 us of the host (H100), for nodes of trees up to 7.
/// Copies share it; the last one waits, when it is destroyed, for the work that it has enqueued.
class bound_plan {
 public:
  /// Does what plan::enqueue() does, with the same demands on scratch and stream: no allocation, no driver query but whether
  /// the stream is being captured, no wait. A graph that captures it holds its kernels. Threads may call it at the same time.
  /// Throws device_error when the launch is refused.
  void enqueue(cudaStream_t stream) const;

 private:
  friend class plan;
  explicit bound_plan(std::shared_ptr<const bound_work> bound);
  std::shared_ptr<const bound_work> bound_;
};

/// What is written to the label image: 1..n in raster order of first pixels, or, a little faster, 1 + the raster index
/// of the component's first pixel in its frame. Both are the same bits on every call.
enum class numbering : std::uint8_t { consecutive, first_pixel };

/// A compact label image, quick to write and to read: a bit for each pixel, and a label for each stretch of ones within 32
/// pixels. Device memory; w is the words of all rows, ceil(width / 32) of each.
struct packed_labels {
  std::uint32_t* bits = nullptr;  // w: pixel x of a row is bit x % 32 of its word x / 32, and 1 where it has a label
  std::uint32_t* labels =
      nullptr;  // 16 w: [k · w + i] is the label of the k-th stretch of ones of word i, from the lowest
                // bit, counted from 0. What no stretch needs is not written
};

/// Bits of `label_job::overflow`.
enum : std::uint32_t { rows_overflow = 1, labels_overflow = 2, runs_overflow = 4 };

/// What an enqueued call does, known on the host before anything runs. Pointers are to device memory unless their comment
/// says otherwise; a null pointer leaves that result out.
///
/// With connectivity 4 or 8, the slices of a rank 3 image are the frames of a batch: each is labelled, selected from and
/// numbered alone; f is their number, and n the number of components of all of them. Otherwise f is 1.
struct label_job {
  image_view image;                  // device memory, any dtype, any strides that keep pixels aligned
  int connectivity = 0;              // 4 or 8; or 6, 18 or 26 for a volume
  skerry::foreground foreground;     // as in label_options
  skerry::selection selection;       // the same
  skerry::joining joining = {};      // the same; this or the next: at most 2^31 - 1 pixels, rows rounded up to 128
  periodic_axes periodic = {};       // the same; the slices of a batch are frames, which do not wrap around
  std::uint64_t* offsets = nullptr;  // f + 1: components before each frame; the last is n

  mutable_image labels;  // device memory, same extent, types of label(), strides as above, or without data
  cuda::numbering numbering = cuda::numbering::consecutive;  // first_pixel: labels of u32 or u64
  packed_labels packed;  // labels 1..n, whatever the numbering; all of it or nothing. Not where pixels join by value

  std::uint64_t row_capacity = 0;     // components that the next four can hold
  geometry* rows = nullptr;           // in label order, frame after frame; rows behind the last may be written to
  second_moments* moments = nullptr;  // the same
  intensity* intensities = nullptr;   // the same; of an `intensity_image` of integers of up to 32 bits
  real_intensity* real_intensities = nullptr;  // the same; of one of another type: sums_reals()
  image_view intensity_image;                  // device memory, same extent, dtypes of measure_options::intensity

  std::uint64_t run_capacity = 0;        // runs that the next can hold
  labelled_run* runs = nullptr;          // in raster order, frame after frame; rows are counted in each frame
  std::uint64_t* run_offsets = nullptr;  // f + 1: runs before each frame

  std::uint32_t* overflow = nullptr;  // 1 word: bits of what did not fit, 0 when everything did

  /// One kernel for one frame: rank 2, no selection but filled holes, no moments, intensities or runs. Where the device runs all
  /// tiles at once (about 2048 x 2048 on an H200): label images alone, and tables alone with room for more than one row for each
  /// 64 pixels, or of more than 917 504 pixels with 4 neighbours; of up to about 540 000 pixels also labels 1..n with a table.
  /// Else, where there are clusters of blocks, up to about 1024 x 1024 pixels: a table with less room is taken for that of objects,
  /// which a cluster makes sooner. Tables alone that no cluster can take go by all tiles at once, too. Packed labels of noise, and larger
  /// label images of noise with a table, can take longer so than by several kernels: set false for such images.
  bool one_kernel = true;
  /// That kernel may launch while the previous kernel of the stream still runs, and waits for its writes (programmatic
  /// dependent launch; kernels whose tiles all run at once ignore it): this saves about 1.3 us for each of several successive
  /// frames in a stream or graph. In jobs of several kernels some of them launch so in any case, on devices of compute capability 9
  /// and later. Graphs that capture either have programmatic edges.
  bool early_launch = false;
};

/// Bytes of device memory that a plan needs while it runs, before there are arrays: at most 20 KiB, 32 for each frame (with
/// selection::largest 1080) and per pixel as follows. Sides count as rounded up to whole tiles, which are 128 x 64, or 128 x
/// 8 x 8 in volumes: an image of one row needs 64 times as much for each of its pixels.
///
///   connectivity                       4     8     6    18    26
///   labels, counts                   2.5   1.5   3.5   2.4   1.4   and 0.04 for runs, 0.13 for pixels of several bytes
///   features, room for every row    11.8   6.8  27.2  20.4  10.4
///   features, room for few           3.8   2.8  19.2  16.4   8.4   (of more than 1024 tiles; of fewer as for every row)
///   selections                      12.0   7.0  27.4  20.6  10.6   (clear_border alone, without rows: as labels)
///   filled holes                     2.6   2.6   3.6   3.6   3.6   without rows
///   and another selection           12.1   7.1  27.6  20.7  10.7   (clear_border alone, without rows: as filled holes)
///   joining by value, periodic axes  6.8   7.1   7.0   7.7   8.2   and 8 for selections; rows count as rounded up to 128 pixels
///   one kernel: labels, counts       4.5   4.5                      label_job::one_kernel, if that is more; up to 2.5 MiB more
///   one kernel: features            15.2   6.3                      where 16 blocks cannot share rows evenly
///
/// Throws invalid_argument naming the argument.
[[nodiscard]] std::size_t scratch_bytes(const label_job& work);

/// Labels and measures as in label() and measure().
///
/// Results beyond `row_capacity`, `run_capacity` or the range of the label type are left out, and labels must then not be
/// used. `offsets` and `run_offsets` still hold the true counts, and `overflow` says what did not fit. Rows and runs that
/// fit are correct.
///
/// Limits: at most 2^33 - 3 pixels; and, a limit that thin images reach first, 22 369 621 tiles in planes (of all frames
/// together), 1 864 135, 2 097 151 or 4 194 303 in volumes with 6, 18 or 26 neighbours; with a selection down to 1 048 575.
class label_plan : public plan {
 public:
  /// Throws invalid_argument naming the argument, also for arrays that the device cannot reach, that are too short or
  /// misaligned (the driver is asked about their first and last byte, about 0.1 us each; nothing waits); device_error. Where
  /// devices can read all host memory (cudaDevAttrPageableMemoryAccess), any address unknown to CUDA counts as host memory:
  /// only the kernels then find a wrong one, which ends the CUDA context.
  explicit label_plan(const label_job& work);
};

// ---- max-trees --------------------------------------------------------------------------------------------------------

/// Builds the max-tree or min-tree of an image in device memory, as an image of parents.
///
/// Every node of the tree is written as its first pixel, the smallest raster index among its pixels at its level. The
/// parent of such a pixel is the first pixel of the parent node (the root's is its own), the parent of any other pixel is
/// the first pixel of its node. So parents lead from every pixel down to the root, through all components that hold it.
struct tree_job {
  image_view image;                 // device memory; u8, u16, i16, u32 or f32, any strides; fewer than 2^31 pixels
  int connectivity = 0;             // 4 or 8; or 6 or 26 for a volume. Slices are not frames here
  tree_kind kind = tree_kind::max;  // peaks or pits

  std::uint32_t* parent = nullptr;  // one per pixel, in raster order
  std::uint32_t* area = nullptr;    // one per pixel, or null: pixels of each component, at its first pixel; elsewhere 0
  std::uint64_t* first_nan = nullptr;  // 1 word, or null: place in raster order of the first NaN, 2^64 - 1 if there is
                                       // none. With a NaN among the pixels parents are of no use
};

/// Bytes of device memory that a plan needs while it runs, before there are arrays: 8 per pixel of u8; of wider types about
/// 18, and with areas 14, since the area image serves as a table first. Trees and filters that follow each other on a stream
/// can share memory.
/// Throws invalid_argument naming the argument.
[[nodiscard]] std::size_t scratch_bytes(const tree_job& work);

/// Builds the tree as build() does.
/// Cost: for u8 a chain of n nodes takes n sequential steps, at most 256; wider types are sorted twice, whatever the image.
class tree_plan : public plan {
 public:
  /// Errors as those of label_plan.
  explicit tree_plan(const tree_job& work);
};

/// Numbers the nodes of a tree that tree_job has built, and measures them: the rows of build() and measure(), bit for bit.
///
/// Nodes are numbered by level, the root's first, and among equal levels by first pixel. All arrays are device memory; those
/// of nodes have `capacity` rows, and may be null when they are not wanted, but for the first two. Only the device knows the
/// number of nodes: make room for one per pixel, or for fewer and check `count`. If that exceeds `capacity`, nothing is
/// written past the arrays, and their contents are meaningless. Columns are those of attribute_table::column(), whose
/// formulas are the same code; bbox-…, centroid-… follow from `components`.
struct tree_nodes_job {
  image_view image;                       // the image that the tree was built from, as it was then
  tree_kind kind = tree_kind::max;        // of tree_job
  const std::uint32_t* parent = nullptr;  // of tree_job
  const std::uint64_t* first_nan =
      nullptr;  // of tree_job, or null: with a NaN `count` becomes 0, nothing else is of use

  std::size_t capacity = 0;        // 0: nodes are only counted
  std::uint32_t* count = nullptr;  // 1 word: all nodes, also above `capacity`

  std::uint32_t* first_pixel = nullptr;    // as in max_tree
  std::uint32_t* parent_node = nullptr;    // the same: the parent of each node
  double* level = nullptr;                 // the same
  std::uint32_t* node_of_pixel = nullptr;  // one per pixel, the same

  std::uint32_t* area = nullptr;               // as in attribute_table
  geometry* components = nullptr;              // the same
  second_moments* moments = nullptr;           // the same
  intensity* intensities = nullptr;            // the same, of images of integers
  real_intensity* real_intensities = nullptr;  // the same, of images of floats
  double* height = nullptr;                    // the column of this name, as are the next: grey values
  double* dynamics = nullptr;                  // grey values
  double* bbox_diagonal = nullptr;             // pixels
  double* elongation = nullptr;                // at least 1
  double* compactness = nullptr;               // up to 1, that of a disc or ball
  double* volume = nullptr;                    // grey values times pixels; infinite where a level is
  double* level_mean = nullptr;                // grey values; NaN where both infinities are among the levels
  double* level_variance = nullptr;            // grey values squared; NaN where a level is infinite
};

/// Bytes of device memory that a plan needs while it runs, before there are arrays: 4 per pixel without `node_of_pixel`. For
/// u8 at most 1/4 per pixel, and for each node of min(capacity, pixels) 1, or 6 with other attributes than areas; where areas are
/// the only attribute 4 per pixel and 9 for each node. For types of 16 bits 14 for each node, of 32 bits 20, and 29 with everything. 8 more
/// for each node with height or dynamics. Sums that columns need take their own size unless they are wanted themselves: boxes
/// (56) for bbox_diagonal, boxes and moments (152) for elongation and compactness, sums of grey values (48; of floats 104, and
/// 8 for farthest levels) for volume, level_mean and level_variance; and areas (4) for these sums, unless there are boxes.
/// Throws invalid_argument naming the argument.
[[nodiscard]] std::size_t scratch_bytes(const tree_nodes_job& work);

/// Numbers and measures.
/// Cost: for u8 two passes over the pixels and one over first pixels, for wider types a sort of min(capacity, pixels) keys and
/// a pass; for attributes a pass over the pixels, then every node is joined to its parent. For u8 a chain of n nodes takes n
/// sequential steps, at most 256. Chains of wider types are cut: a chain of a million nodes takes about four thousand
/// sequential steps. Columns are a pass over the nodes.
class tree_nodes_plan : public plan {
 public:
  /// Errors as those of label_plan.
  explicit tree_nodes_plan(const tree_nodes_job& work);
};

/// Decides which nodes stay, for tree_filter_job::keep: those whose attribute is at least `least`, as in filter_at_least(),
/// and at most `most`; or those that `decision` keeps. For an opening by diagonal, take bbox_diagonal.
struct tree_select_job {
  extent size;                                 // of the image
  std::size_t capacity = 0;                    // this and the next two: of tree_nodes_job
  const std::uint32_t* count = nullptr;        // nodes
  const std::uint32_t* first_pixel = nullptr;  // of each

  const double* attribute = nullptr;  // one per node, device memory: of tree_nodes_job, or your own; NaN is dropped
  double least = 0;                   // this and the next: no NaN
  double most = std::numeric_limits<double>::infinity();  // the upper bound
  const std::uint8_t* decision = nullptr;                 // or one per node, 0 drops it; then no attribute

  std::uint8_t* keep = nullptr;  // one per pixel; only those at first pixels are written
};

/// Writes the decisions, without scratch. When there are more nodes than `capacity`, all are dropped but the root.
class tree_select_plan : public plan {
 public:
  /// Errors as those of label_plan.
  explicit tree_select_plan(const tree_select_job& work);
};

/// Filters a tree that tree_job has built, as often as you like, and writes the image of what is left.
struct tree_filter_job {
  image_view image;                       // the image that the tree was built from, as it was then
  tree_kind kind = tree_kind::max;        // of tree_job
  const std::uint32_t* parent = nullptr;  // of tree_job

  // Which nodes stay (the root always does): those of at least `least_area` pixels, or those whose byte is not 0.
  const std::uint32_t* area = nullptr;  // of tree_job, or null
  std::uint64_t least_area = 0;         // pixels
  const std::uint8_t* keep = nullptr;   // one per pixel, or null; only those at first pixels are read

  filter_rule rule = filter_rule::direct;  // subtractive: not of f32, whose sums depend on their order
  bool top_hat = false;                    // as in filter_options
  mutable_image output;                    // device memory, same extent and type; for the top-hat of an i16 image u16
};

/// Bytes of device memory that a plan needs while it runs, before there are arrays: the bytes of a pixel, and 1 more for
/// filter_rule::max.
/// Throws invalid_argument naming the argument.
[[nodiscard]] std::size_t scratch_bytes(const tree_filter_job& work);

/// Filters as filter() and area_filter() do.
class tree_filter_plan : public plan {
 public:
  /// Errors as those of label_plan.
  explicit tree_filter_plan(const tree_filter_job& work);
};

}  // namespace cuda
}  // namespace skerry

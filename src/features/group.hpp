// SPDX-License-Identifier: Apache-2.0
// What a group of features is. One file has it whole: what it keeps for a region, how a row of the image is added, how
// two shares of an image are joined, and the columns that follow. groups.cpp lists the groups. Of other files, column_plan.cpp
// and src/blocks know what intensities, weights and power sums need besides, and choice.cpp the groups of "shape".
#pragma once
#include <memory>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "core/portable.hpp"
#include "core/real_intensity.hpp"
#include "features/index_rows.hpp"
#include "features/pair_rows.hpp"
#include "features/stored_sums.hpp"
#include "regions/patterns.hpp"
#include "regions/region_gaps.hpp"
#include "skerry/columns.hpp"
#include "skerry/regions.hpp"

namespace skerry::features {

// Pixels [begin, end) of a row, all of one region; between two pixels of others, or the sides of the image or of a block.
struct region_run {
  u32 region;  // its row in the table
  i64 begin, end;
};

// All that is known before a group begins. Groups of intensities are started once for each channel, with a frame of its own.
struct region_frame {
  extent size;
  const region_table* table;         // labels; area, box, sums; second moments where a group wants them
  const feature_table* intensities;  // of the channel, where a group wants them and they are real or it is `intensity`
  double spacing[3];                 // z, y, x
  unsigned wanted;                   // what the columns that are asked for need, together
  const double* medians;             // of intensities, where a column asks for them
  int weight_bits;                   // of the type of the intensities
  std::pmr::memory_resource* memory = std::pmr::new_delete_resource();  // for what is kept of all regions

  [[nodiscard]] std::size_t count() const { return table->size(); }
  [[nodiscard]] const feature_table& features() const { return table->features; }
  [[nodiscard]] const geometry& region(std::size_t row) const { return table->features.components[row]; }
  // Content of a pixel.
  [[nodiscard]] double pixel() const { return spacing[0] * spacing[1] * spacing[2]; }
};

// One row of the image, or of a block in it; or rows from y on that have the same runs, for a group that takes them together.
struct image_row {
  i64 z, y;
  i64 rows;
  i64 begin, end;                    // the pixels that count; those around are looked at only
  std::span<const region_run> runs;  // of these, from the left
  // Of this row and those around it, where a group asks for them: of planes pairs, of volumes regions; else null.
  const pair_rows* pairs;
  const index_rows* around;
  // Where the group asks for them, the intensity of each pixel in its channel: in one of the two, as sums_reals() says.
  const i64* weights;
  const real_parts* real_weights;  // of infinities and NaN any
};

// What a group keeps for each region, from a share of the rows.
class feature_sums {
 public:
  feature_sums() = default;
  feature_sums(const feature_sums&) = delete;
  feature_sums& operator=(const feature_sums&) = delete;
  virtual ~feature_sums() = default;

  // Rows come in raster order.
  virtual void add(const image_row& row) = 0;
  // Adds the sums of the rows that follow; `later`, which is of the same group, is not used afterwards.
  virtual void join(feature_sums& later) = 0;
  // Bytes for all regions, which every share takes however few rows it has.
  [[nodiscard]] virtual std::size_t bytes() const = 0;

  // Called for each region when all rows are joined, by several threads at a time.
  virtual void finish(const region_frame&, std::size_t /*row*/) {}
  // Called once before those.
  virtual void prepare(const region_frame&) {}

  // Of a block, whose rows are all in: writes what is known of its regions, in coordinates of the whole image.
  virtual void store(stored_sums& to, const block_origin& block) = 0;
  // Instead of rows: takes what was stored of all blocks, for the regions of the frame that the sums began with. Throws
  // invalid_argument when it was measured for another frame.
  virtual void restore(const stored_sums& from) = 0;
};

struct column_source {
  const region_frame& frame;
  const feature_sums* sums;  // of the group; null for one that has none
};

// How many columns a quantity has, and how they are numbered.
enum class column_shape : std::uint8_t {
  single,    // name
  per_axis,  // name-0 … one for each axis
  box,       // name-0 … two for each axis
  matrix,    // name-0-0 … for each pair of axes
  powers,    // name-0-0 … for exponents 0 to 3 of each axis
  seven,     // name-0 … name-6
};

// What there must be for a quantity to be; bits.
enum : unsigned {
  needs_nothing = 0,
  needs_rank_2 = 1,
  needs_rank_3 = 2,
  needs_equal_sides = 4,  // of pixels
  needs_unit_sides = 8,   // spacing 1
  needs_intensities = 16,
  needs_many_axes = 32,  // rank 2 or 3
  // Not conditions: what power_sums has to finish, and region_frame to have.
  uses_central_moments = 64,
  uses_medians = 128,
  // Which counts of patterns there have to be.
  uses_euler = 256,
  uses_lines = 512,
  uses_lengths = 1024,
  uses_all_patterns = uses_euler | uses_lines | uses_lengths,
};

struct feature_column {
  using number_of = double (*)(const column_source&, std::size_t row, int place);
  using integer_of = i64 (*)(const column_source&, std::size_t row, int place);
  // The numbers of all rows where they lie side by side, or null.
  using numbers_of = const double* (*)(const column_source&, int place);

  constexpr feature_column(std::string_view quantity, number_of value, column_shape shaped = column_shape::single,
                           unsigned wants = needs_nothing, numbers_of all = nullptr)
      : name(quantity), number(value), numbers(all), shape(shaped), needs(wants) {}
  constexpr feature_column(std::string_view quantity, integer_of value, column_shape shaped = column_shape::single,
                           unsigned wants = needs_nothing)
      : name(quantity), integer(value), shape(shaped), needs(wants) {}

  std::string_view name;
  number_of number = nullptr;  // one of the two
  integer_of integer = nullptr;
  numbers_of numbers = nullptr;  // where there is a faster way than one by one
  column_shape shape;
  unsigned needs;
};

struct feature_group {
  std::string_view name;
  std::span<const feature_column> columns;
  // Null for a group whose columns follow from frame.table alone.
  std::unique_ptr<feature_sums> (*start)(const region_frame&) = nullptr;
  bool reads_neighbours = false;      // image_row::pairs and around
  bool takes_equal_rows = false;      // image_row::rows; without neighbours and weights
  bool reads_weights = false;         // of image_row; and sums of the intensities that are real
  bool reads_second_moments = false;  // of frame.table
  // The same sums of a plane or a volume, as the CUDA engine has counted them for each region; both or neither.
  std::unique_ptr<feature_sums> (*of_plane)(const std::vector<regions::plane_patterns>&) = nullptr;
  std::unique_ptr<feature_sums> (*of_volume)(const std::vector<regions::volume_patterns>&) = nullptr;
  // The same of the holes that it has counted; or null.
  std::unique_ptr<feature_sums> (*of_holes)(const std::vector<regions::region_holes>&) = nullptr;

  bool has_power_sums = false;  // they are of power_sums.hpp, which a device adds up

  // Whether nothing but runs is added, which a device can find.
  [[nodiscard]] bool needs_runs_alone() const { return start != nullptr && !reads_neighbours && !reads_weights; }
};

}  // namespace skerry::features

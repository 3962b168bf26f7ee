// SPDX-License-Identifier: Apache-2.0
// The journey of a pixel, in order. Stage N lives in N_*.cpp. Stages never include each other: they meet only in the
// structs below, and label.cpp calls them.
#pragma once
#include <algorithm>
#include <vector>

#include "core/bit_row.hpp"
#include "core/portable.hpp"
#include "engine/cpu/buffer.hpp"
#include "skerry/label.hpp"
#include "skerry/measure.hpp"

namespace skerry::label_stages {

// ---- what the stages share ----------------------------------------------------------------------------------------

// Rows of bits, of which the last few are kept: row r is where row r & row_mask was before.
class bit_window {
 public:
  // Holds any `rows` successive rows of `width` pixels.
  void shape(i64 width, i64 rows);
  // Holds rows [first, end) and no others.
  void shape_whole(i64 width, i64 first, i64 end);
  [[nodiscard]] u64* row(i64 r) const { return words_.data() + ((r - first_row_) & row_mask_) * words_per_row_; }
  [[nodiscard]] const u64* no_row() const { return words_.data() + rows_ * words_per_row_; }  // all background
  [[nodiscard]] i64 words_per_row() const { return words_per_row_; }
  [[nodiscard]] std::size_t bytes() const { return words_.bytes(); }

 private:
  void take_rows(i64 width, i64 rows);

  buffer<u64> words_;
  i64 words_per_row_ = 0, rows_ = 0, first_row_ = 0, row_mask_ = 0;
};

// Where runs begin and end, when a later stage wants to know: {begin, end} for each run. Rows up to 65535 pixels wide
// use the short form.
struct run_edges {
  enum class form { none, short_form, long_form };
  form kept = form::none;
  buffer<u16> short_edges;
  buffer<u32> long_edges;

  [[nodiscard]] u64 at(u64 i) const { return kept == form::short_form ? short_edges[i] : long_edges[i]; }
};

// Room behind the last run, for places of edges, and for components, that vectors read or write past the end.
inline constexpr u64 spare_of_runs = 32;

// What joining by value needs for the rows at hand.
struct join_scratch {
  buffer<std::byte> own, earlier;  // pixels that are not side by side in the image
  buffer<u64> masks;               // rows of bits: 4 of pairs() and one of its caller
  bit_window bits[2], starts[2];   // of two rows at borders of periodic axes
  buffer<bool> repeats;            // of rows that were encoded together: whether its pixels are those of the row before

  void shape(i64 width);
  [[nodiscard]] std::size_t bytes() const;
};

// The runs of a row. A row that repeats the one above it, or the one behind it in the slice before, has no runs of its
// own: it shares theirs, which are in the same places and the same components.
struct row_runs {
  u32 first = 0, count = 0;
  [[nodiscard]] u32 end() const { return first + count; }
  friend bool operator==(const row_runs&, const row_runs&) = default;
};

// A row at the border of a strip, as other strips see it: its pixels, and the component of each of its runs. In bands the runs are
// those of the band of the row.
struct border_row {
  const u64* bits;
  const u64* starts;        // first pixels of runs, where runs can lie side by side
  const u32* component;     // of each run, in the strip
  u64 first_component = 0;  // of the strip

  // Of a run, counted over all strips.
  [[nodiscard]] u32 component_of(u32 run) const { return static_cast<u32>(first_component + component[run]); }
};

// A piece of successive rows, solved alone. Runs and components are numbered from 0 in raster order within the strip.
struct strip {
  i64 row_begin = 0, row_end = 0;
  u64 runs = 0;  // of their own
  u32 most_runs_of_row = 0;
  u32 components = 0;
  u64 first_component = 0;  // number of components of the strips before
  buffer<row_runs> rows;
  buffer<u32> component;  // of each run
  run_edges edges;
  bit_window bits;    // after stage 2 its last rows are those of the strip
  bit_window starts;  // first pixels of runs, where runs can lie side by side
  i64 kept_rows = 0;  // first rows of the strip whose bits are kept for stage 3
  bit_window kept_bits, kept_starts;
  bool in_bands = false;               // runs are those of bands: cpu/bands/bands.hpp
  bool twins = false;                  // whether both rows of the last band are the same
  buffer<u64> lone;                    // a bit for each run, from the left: whether it is lone
  buffer<u32> numbers, numbers_above;  // of the runs of the last band, and of the one before, from the left
  join_scratch joins;

  struct guest {          // a component that stage 3 joined to an earlier one
    u32 component, root;  // counted over all strips
    friend bool operator==(const guest&, const guest&) = default;
  };
  std::vector<guest> guests;

  [[nodiscard]] row_runs& runs_of(i64 row) const {
    return rows[static_cast<std::size_t>(row - row_begin) >> (in_bands ? 1 : 0)];
  }

  // Of a run, counted over all strips.
  [[nodiscard]] u32 component_of(u32 run) const { return static_cast<u32>(first_component + component[run]); }

  // Keeps those of rows [begin, end) that others will look at; `broken`: where runs can lie side by side.
  void keep_first_rows(i64 begin, i64 end, bool broken);

  // One of the kept rows, or of the last ones, which are in `bits` between stages 2 and 6.
  [[nodiscard]] const bit_window& bits_at(i64 row) const { return row < row_begin + kept_rows ? kept_bits : bits; }
  [[nodiscard]] border_row at_border(i64 row) const {
    const bool kept = row < row_begin + kept_rows;
    return {bits_at(row).row(row), (kept ? kept_starts : starts).row(row), component.data() + runs_of(row).first,
            first_component};
  }
};

// ---- 1 encode: pixels to bits. After this stage the pixel type is gone ----------------------------------------------

// An image with the question that stage 1 asks of each pixel, and which of those of the foreground join.
struct pixel_source {
  image_view image;
  skerry::foreground foreground;
  bool inverted = false;  // background and foreground change places
  skerry::joining joining = {};
  periodic_axes periodic = {};

  [[nodiscard]] bool joins_by_value() const { return joining.kind != joining::rule::foreground; }
};

[[nodiscard]] inline const std::byte* start_of_row(const image_view& image, i64 row) {
  return static_cast<const std::byte*>(image.data) + row / image.size.height * image.strides.z +
         row % image.size.height * image.strides.y;
}

void encode(const pixel_source& source, i64 row_begin, i64 row_end, bit_window& bits);

// ---- 2 local: unites the runs of one strip. No other thread touches this strip --------------------------------------

// Appends rows [row_begin, row_end) of `bits` to the strip.
void local(strip& s, const extent& size, int connectivity, i64 row_begin, i64 row_end);

// Replaces the parents of the runs by components 0, 1, …, and gives memory back that runs did not need.
void close_strip(strip& s);

// ---- 3 merge: joins the components of a strip with those of earlier strips. After it connectivity is gone ------------

// How many rows of a strip, from its first, can touch the strip before.
[[nodiscard]] i64 border_rows(const extent& size);

// Makes each component that touches such a row its own parent. `parent` counts the components of all strips; all others
// stay unwritten, since nothing can join them to another strip. `reach` is border_rows(), or all rows where axes are
// periodic.
void open_border(const strip& s, i64 reach, u32* parent);

// Looks at the first rows of strips[k] and at the last ones before.
void merge(const std::vector<strip>& strips, std::size_t k, const extent& size, int connectivity, u32* parent);

// Calls visit(component) for each component of a strip that touches its first or last `reach` rows: first those of the
// first rows, once and in ascending order, which are 0, 1, …; then the others, in any order and possibly repeated.
// Returns how many the first rows have.
template <class Visit>
u32 each_border_component(const strip& s, i64 reach, Visit visit) {
  const auto each_run = [&](i64 row_begin, i64 row_end, auto visit_run) {
    for (i64 r = row_begin; r < row_end; ++r) {
      const row_runs runs = s.runs_of(r);
      if (r > row_begin && runs == s.runs_of(r - 1)) continue;
      for (u32 i = runs.first; i < runs.end(); ++i) visit_run(s.component[i]);
    }
  };
  const i64 first_rows_end = std::min(s.row_end, s.row_begin + reach);
  u32 met = 0;  // components are numbered as they are met
  each_run(s.row_begin, first_rows_end, [&](u32 c) {
    if (c == met) visit(met++);
  });
  each_run(std::max(first_rows_end, s.row_end - reach), s.row_end, [&](u32 c) {
    if (c >= met) visit(c);
  });
  return met;
}

// ---- 4 resolve: components to labels ---------------------------------------------------------------------------------

// Lists the components of a strip that stage 3 gave a parent, in ascending order, with their roots.
void find_guests(strip& s, i64 reach, u32* parent);

// Numbers the components of a strip, in place of parents: roots get first_label, first_label + 1, … in raster
// order, guests get first_guest_label, …, so that each has a table row of its own until settle().
void number(const strip& s, u64 first_label, u64 first_guest_label, u32* label);

// Gives the guests of a strip the label of their root.
void settle(const strip& s, u32* label);

// ---- 5 measure: one row of features for each label -------------------------------------------------------------------

// Fills the table rows of the components of a strip from its runs, and from the intensities under them.
void measure(const strip& s, const extent& size, const measure_options& features, const u32* label,
             feature_table& table);

// The same for areas, boxes and sums of an image of two or three axes, whose table rows begin at `table`.
void measure_geometry(const strip& s, const extent& size, const u32* label, geometry* table);

// Joins the rows of the guests to those of their roots.
void join_guests(const std::vector<strip>& strips, const u32* label, feature_table& table);

// ---- 6 emit: labels to pixels or runs --------------------------------------------------------------------------------

struct emit_scratch {
  buffer<u32> row_labels;       // of the runs of a row, or the runs' numbers
  buffer<u8> narrow_labels;     // of the runs of a row, where a pixel has one or two bytes
  buffer<std::byte> some_rows;  // of labels, on their way to memory where labels of a row are no neighbours
  bool past_caches = false;
};

// Rows of labels that lie along memory, and go where rows side by side are nearer than the pixels of one.
struct rows_across {
  const std::byte* from;
  i64 from_step;  // from row to row, in bytes; the pixels of a row are dense
  std::byte* to;
  i64 to_step, to_step_x;  // from row to row, and from pixel to pixel
  i64 count, width;
  bool past_caches;

  // So many that they fill lines of the cache.
  static constexpr i64 most(std::size_t label_bytes) {
    return label_bytes < 4 ? 64 / static_cast<i64>(label_bytes) : 16;
  }
};

void carry_across(const rows_across& piece, std::size_t label_bytes);

// Takes all the memory that emit() needs: after it nothing can fail.
void prepare_emit(const strip& s, const mutable_image& out, emit_scratch& scratch);

// Writes rows [row_begin, row_end) of the label image. `bits` of the strip has them; with `broken`, `starts` has, too.
void emit(const strip& s, bool broken, i64 row_begin, i64 row_end, const u32* label, emit_scratch& scratch,
          const mutable_image& out);

// Appends the runs, for which there is room.
void emit_runs(const strip& s, const u32* label, std::vector<labelled_run>& out);

}  // namespace skerry::label_stages

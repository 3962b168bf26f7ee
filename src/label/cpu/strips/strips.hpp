// SPDX-License-Identifier: Apache-2.0
// The stages on all strips of an image: in parallel, timed, in scratch that the engine keeps.
#pragma once
#include <algorithm>
#include <vector>

#include "engine/cpu/parallel.hpp"
#include "engine/engine_state.hpp"
#include "engine/stop.hpp"
#include "label/axis_order.hpp"
#include "label/cpu/by_value/joins.hpp"
#include "label/cpu/stages.hpp"
#include "label/select.hpp"

namespace skerry::label_stages {

// What the CPU engine keeps from call to call.
struct label_scratch final : job_scratch {
  std::vector<strip> strips;
  std::vector<emit_scratch> emit;  // of each strip
  buffer<u32> label;               // of each component: its parent before stage 4
  buffer<u64> filled;              // the image with its holes filled, as bits
  feature_table table;             // for selections, when the caller wants none
  std::vector<u32> renumbered;     // label after a selection, of each label before
  std::vector<u32> order;          // labels by area
  // Of a turned image: place of each component's first pixel, a bit there, and bits before each word.
  std::vector<u64> first_pixels, first_bits;
  std::vector<u32> bits_before;
  feature_table moved;             // room for its rows
  buffer<std::byte> labels_aside;  // along the image, before they are carried across

  [[nodiscard]] std::size_t bytes() const override;
  [[nodiscard]] bit_window& room_of_bits() {  // before strips are cut
    if (strips.empty()) strips.emplace_back();
    return strips.front().bits;
  }
};

// What strips keep of what stages 1 and 2 find.
struct kept_of_strips {
  run_edges::form edges;
  bool bits = false;  // for stage 6, where labels are wanted (docs/decisions/0093); images of bits are read again
  bool geometry_alone = false;  // edges are for areas, boxes and sums, which bands count in bits (docs/decisions/0096)
};

class strip_work {
 public:
  strip_work(engine::state& on, const pixel_source& source, int connectivity, const kept_of_strips& kept);
  strip_work(const strip_work&) = delete;
  strip_work& operator=(const strip_work&) = delete;
  ~strip_work() { on_.spares_threads = false; }

  void encode_and_local();
  void merge();
  u64 resolve();  // returns the number of components

  // Both give each component its label; measure() fills the table too, which gets a row for each label.
  void measure(const measure_options& features, feature_table& table);
  void number();

  // Gives the labels of a turned image the raster order of the image, of this size, and turns its table back, if there is one.
  // Needs the edges of runs where these can lie side by side. Without a table it needs no number().
  void renumber(const axis_order& order, const extent& size, feature_table* table);

  void emit(const mutable_image& out);
  void emit_slices_across(const mutable_image& out);  // where the nearest neighbours of labels are in other slices
  void reserve_runs(std::vector<labelled_run>& out);
  void emit_runs(std::vector<labelled_run>& out);  // after reserve_runs()

  [[nodiscard]] label_scratch& scratch() { return scratch_; }
  [[nodiscard]] u64 components() const { return components_; }  // of all strips, guests included
  [[nodiscard]] const pixel_source& source() const { return source_; }

  // Calls work(k) for each strip k in parallel, timed as a part of `which`.
  template <class Work>
  void each_strip(stage which, Work work) {
    for_each_in_parallel(on_, scratch_.strips.size(), [&](std::size_t k) {
      stage_timer time(on_.clock, which, stage_timer::by::all_threads);
      time.run([&] { work(k); });
    });
  }
  // The same for work of about so many nanoseconds on all strips together: little of it is done here before another
  // thread has heard of it.
  template <class Work>
  void each_strip(stage which, u64 nanoseconds, Work work) {
    if (nanoseconds >= static_cast<u64>(on_.least_shared_nanoseconds)) return each_strip(which, work);
    stage_timer time(on_.clock, which, stage_timer::by::one_thread);
    time.run([&] {
      for (std::size_t k = 0; k < scratch_.strips.size(); ++k) work(k);
    });
  }
  // Packs each block of rows of strip k again, when its runs are known, and marks them where they can lie side by side, unless
  // that has been kept; and calls work(row_begin, row_end).
  template <class Work>
  void each_block(std::size_t k, Work work) {
    strip& s = scratch_.strips[k];
    for (i64 r = s.row_begin; r < s.row_end; r += block_rows_) {
      const i64 end = std::min(s.row_end, r + block_rows_);
      stop_point();
      encode_again(r, end, s);
      work(r, end);
    }
  }

 private:
  void split(run_edges::form edges);
  void encode_rows(i64 row_begin, i64 row_end, strip& s);
  // The same where runs are known: a row that shares those of the row above has its bits, too, and is not read again.
  void encode_again(i64 row_begin, i64 row_end, strip& s);
  [[nodiscard]] bool writes_past_caches(const mutable_image& out) const;
  void merge_strip(std::size_t k);
  void measure_strip(std::size_t k, const measure_options& features, feature_table& table);
  // Rows at the beginning of a strip that can touch the strip before, and at the end of that.
  [[nodiscard]] i64 rows_at_border() const;
  // Rows at the ends of a strip whose components may be those of others.
  [[nodiscard]] i64 open_rows() const;
  void number_guests_apart();
  void settle();
  void find_first_pixels(std::size_t k, const axis_order::places& place);
  void mark_first_pixels(i64 pixels);
  [[nodiscard]] u32 label_in_image(u64 component) const;
  [[nodiscard]] u64 border_nanoseconds() const;  // of work on the first rows of each strip, roughly
  [[nodiscard]] u64 label_nanoseconds() const { return components_ / 2 + border_nanoseconds_; }

  engine::state& on_;
  label_scratch& scratch_;
  pixel_source source_;
  pixel_joins joins_;
  int connectivity_;
  bool in_bands_;
  bool keeps_bits_;  // of whole strips
  i64 block_rows_;
  u64 components_ = 0, labels_ = 0, border_nanoseconds_ = 0;
};

// The image with its holes filled, as packed bits in the engine's scratch.
pixel_source with_holes_filled(engine::state& on, const pixel_source& source, int connectivity);

// Drops the components that the selection does not keep: from the table, and as label 0 from the label of each component.
// Returns how many are left.
u64 select(const selection& keep, const image_border& border, label_scratch& scratch, u64 components,
           feature_table& table);

}  // namespace skerry::label_stages

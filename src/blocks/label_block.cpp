// SPDX-License-Identifier: Apache-2.0
// A block is labelled as an image; then its rows are moved to where it lies, and the runs at its faces are kept.
#include <algorithm>
#include <cstring>
#include <utility>

#include "blocks/check.hpp"
#include "core/order_key.hpp"
#include "core/pixel_type.hpp"

namespace skerry {
namespace {

using namespace blocks;

question question_of(const label_request& block) {
  const foreground& rule = block.options.foreground;
  question asked;
  asked.connectivity = block.options.connectivity;
  asked.foreground = rule.kind;
  asked.low = rule.low;
  asked.high = rule.high;
  const joining& how = block.options.joining;
  if (how.kind != joining::rule::foreground) {
    asked.flags |= how.kind == joining::rule::equal ? question::by_value : question::within;
    asked.type = block.image.type;
    asked.delta = how.delta;
  }
  const periodic_axes& periodic = block.options.periodic;
  if (periodic.z) asked.flags |= question::periodic_z;
  if (periodic.y) asked.flags |= question::periodic_y;
  if (periodic.x) asked.flags |= question::periodic_x;
  asked.flags |= feature_flags(block.features);
  return asked;
}

// What makes equal pixels equal, and others different.
u64 pixel_key(const image_view& image, i64 z, i64 y, i64 x) {
  if (image.type == dtype::bit || image.type == dtype::boolean) return 1;
  const std::byte* at =
      static_cast<const std::byte*>(image.data) + z * image.strides.z + y * image.strides.y + x * image.strides.x;
  return with_pixel_type(image.type, [&]<class Pixel>(pixel_type<Pixel>) -> u64 {
    Pixel value;
    std::memcpy(&value, at, sizeof value);
    return order_key(value);
  });
}

// Collects the runs at the faces of a block.
class face_runs {
 public:
  face_runs(const label_request& block, const box& place, const neighbours& near, joining::rule by_value)
      : image_(block.image), place_(place), near_(near), by_value_(by_value) {}

  // `label` is that of the block; runs come in raster order.
  void add(const labelled_run& run) {
    const i64 height = image_.size.height, z = run.row / height, y = run.row % height;
    if (leaves_rows(z, y) && by_value_ == joining::rule::within) {
      for (i64 x = run.begin; x < run.end; ++x) keep(z, y, x, x + 1, run.label);
    } else if (leaves_rows(z, y)) {
      keep(z, y, run.begin, run.end, run.label);
    } else if (run.begin == 0 || run.end == image_.size.width) {
      keep(z, y, run.begin, run.begin + 1, run.label);
      if (run.end - run.begin > 1) keep(z, y, run.end - 1, run.end, run.label);
    }
  }
  [[nodiscard]] std::vector<border_run>& runs() { return runs_; }

 private:
  // Whether a row of the block has neighbours in rows of other blocks.
  [[nodiscard]] bool leaves_rows(i64 z, i64 y) const {
    bool leaves = false;
    near_.each_row([&](i64 dz, i64 dy, i64) {
      const bool inside = 0 <= z + dz && z + dz < image_.size.depth && 0 <= y + dy && y + dy < image_.size.height;
      leaves = leaves || (!inside && near_.row_at(place_.begin[0] + z + dz, place_.begin[1] + y + dy) >= 0);
    });
    return leaves;
  }
  void keep(i64 z, i64 y, i64 begin, i64 end, u64 label) {
    const stretch run{place_.begin[0] + z, place_.begin[1] + y, place_.begin[2] + begin, place_.begin[2] + end};
    u64 uncovered = 0;
    near_.each_stretch(run, [&](const stretch& s) {
      uncovered += static_cast<u64>(s.end - s.begin);
      const bool own_row =
          place_.begin[0] <= s.z && s.z < place_.end[0] && place_.begin[1] <= s.y && s.y < place_.end[1];
      const i64 own = std::min(s.end, place_.end[2]) - std::max(s.begin, place_.begin[2]);
      if (own_row && own > 0) uncovered -= static_cast<u64>(own);
    });
    if (uncovered == 0) return;
    const u64 value = by_value_ == joining::rule::foreground ? 0 : pixel_key(image_, z, y, begin);
    runs_.push_back({run.z * near_.whole().height + run.y, run.begin, run.end, uncovered, value, label - 1});
  }

  const image_view& image_;
  const box& place_;
  const neighbours& near_;
  joining::rule by_value_;
  std::vector<border_run> runs_;
};

// Components that have runs at faces are open; `border` gets their index among these.
void part(const component_list& all, std::vector<border_run>& border, piece::state& to) {
  std::vector<u64> open_index(all.size(), 0);
  for (const border_run& run : border) open_index[run.component] = 1;
  const auto opened = static_cast<std::size_t>(std::count(open_index.begin(), open_index.end(), 1));
  to.open.reserve(opened, all);
  to.closed.reserve(all.size() - opened, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool open = open_index[i] != 0;
    open_index[i] = to.open.size();
    (open ? to.open : to.closed).add(all, i);
  }
  for (border_run& run : border) run.component = open_index[run.component];
  to.border = std::move(border);
}

}  // namespace

piece label_block(engine& on, const label_request& block, const block_place& place) {
  const box placed = check_place(block.image.size, place);
  check_block(block, place);

  piece made;
  piece::state& state = made.inside();
  state.whole = place.whole;
  state.asked = question_of(block);
  state.boxes = {placed};

  std::vector<labelled_run> runs;
  component_list all;
  label(on, within_block(block, place), {.runs = &runs, .table = &all.rows});

  all.first.reserve(all.rows.size());
  const neighbours near(place.whole, block.options.connectivity, block.options.periodic);
  face_runs faces(block, placed, near, block.options.joining.kind);
  const i64 height = block.image.size.height;
  for (const labelled_run& run : runs) {
    if (run.label > all.first.size()) {  // labels are in the order of first pixels
      const i64 z = placed.begin[0] + run.row / height, y = placed.begin[1] + run.row % height;
      all.first.push_back(
          static_cast<u64>((z * place.whole.height + y) * place.whole.width + placed.begin[2] + run.begin));
    }
    faces.add(run);
  }
  move_rows(all.rows, placed.begin);
  part(all, faces.runs(), state);
  return made;
}

}  // namespace skerry

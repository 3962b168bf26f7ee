// SPDX-License-Identifier: Apache-2.0
// Regions of blocks: a block is measured as an image, its rows are moved to where it lies, and rows of one label join.
#include "blocks/check.hpp"
#include "blocks/framed_bytes.hpp"
#include "blocks/joined.hpp"
#include "blocks/region_state.hpp"
#include "core/feature_groups.hpp"
#include "core/label_type.hpp"
#include "engine/image_checks.hpp"
#include "label/check.hpp"
#include "regions/check.hpp"
#include "regions/label_slots.hpp"

namespace skerry {
namespace {

using namespace blocks;

constexpr u64 region_header = bytes_header('r', 1);

void check_region_block(const region_request& block, const block_place& place) {
  regions::check_label_image("labels", block.labels);
  if (block.index) refuse("index: a block has rows for all of its labels; choose among those of the table");
  image_view whole = block.labels;
  whole.size = place.whole;
  measure_options features = block.features;
  if (features.intensity.data != nullptr) features.intensity.size = place.whole;
  check_features(whole, features, "whole image");
}

region_question question_of(const region_request& block) {
  return {feature_flags(block.features), static_cast<u8>(is_signed_label_type(block.labels.type) ? 1 : 0),
          block.background.kind, block.background.label, static_cast<u8>(block.background.negative ? 1 : 0)};
}

void check_same(const region_piece::state& a, const region_piece::state& b) {
  if (a.whole != b.whole)
    refuse("join: pieces are of images of different sizes, " + text_of(a.whole) + " and " + text_of(b.whole));
  if (a.asked != b.asked)
    refuse("join: pieces were measured with different backgrounds or features, or of labels with and without a sign");
}

// Calls visit(number) and visit_list(list) for all that a piece of regions holds.
template <class State, class Visit, class VisitList>
void each_region_part(State& state, Visit visit, VisitList visit_list) {
  auto& [rank, depth, height, width] = state.whole;
  visit(rank), visit(depth), visit(height), visit(width);
  auto& asked = state.asked;
  visit(asked.flags), visit(asked.signed_labels), visit(asked.background), visit(asked.background_label);
  visit(asked.negative_background);
  visit_list(state.boxes);
  visit_list(state.labels);
  each_feature_group([&](auto group) { visit_list(state.rows.*group.rows); });
}

}  // namespace

region_piece::region_piece() : state_(std::make_unique<state>()) {}
region_piece::region_piece(const region_piece& other) : state_(std::make_unique<state>(*other.state_)) {}
region_piece& region_piece::operator=(const region_piece& other) {
  if (this != &other) state_ = std::make_unique<state>(*other.state_);
  return *this;
}
region_piece::region_piece(region_piece&&) noexcept = default;
region_piece& region_piece::operator=(region_piece&&) noexcept = default;
region_piece::~region_piece() = default;

extent region_piece::whole() const { return state_->whole; }

std::uint64_t region_piece::pixels() const { return pixels_of(state_->boxes); }

bool region_piece::is_complete() const { return pixels() == static_cast<u64>(state_->whole.pixels()); }

std::uint64_t region_piece::regions() const { return state_->labels.size(); }

std::uint64_t region_piece::memory() const {
  return sizeof(state) + bytes_of(state_->boxes) + bytes_of(state_->labels) + bytes_of(state_->rows);
}

std::vector<std::byte> region_piece::to_bytes() const {
  byte_writer parts(region_header);
  each_region_part(
      *state_, [&](const auto& number) { parts.put(number); }, [&](const auto& list) { parts.put_list(list); });
  return parts.finish();
}

region_piece region_piece_from_bytes(std::span<const std::byte> bytes) {
  region_piece made;
  region_piece::state& state = made.inside();
  byte_reader parts(bytes, region_header);
  each_region_part(
      state, [&](auto& number) { parts.get(number); }, [&](auto& list) { parts.get_list(list); });
  parts.finish();
  check_boxes(state.boxes, state.whole);
  const bool is_signed = state.asked.signed_labels != 0;
  check_sorted(state.labels, "labels", [&](label_bits a, label_bits b) {
    return regions::order_of_label(a, is_signed) < regions::order_of_label(b, is_signed);
  });
  check_rows(state.rows, state.labels.size(), state.asked.flags);
  return made;
}

region_piece measure_block(engine& on, const region_request& block, const block_place& place) {
  const box placed = check_place(block.labels.size, place);
  check_region_block(block, place);
  region_table table;
  measure_regions(on, block, table);
  region_piece made;
  region_piece::state& state = made.inside();
  state.whole = place.whole;
  state.asked = question_of(block);
  state.boxes = {placed};
  state.labels = std::move(table.labels);
  state.rows = std::move(table.features);
  move_rows(state.rows, placed.begin);
  return made;
}

region_piece join(const region_piece& a, const region_piece& b) {
  const region_piece::state &left = a.inside(), &right = b.inside();
  if (left.is_blank()) return b;
  if (right.is_blank()) return a;
  check_same(left, right);
  region_piece made;
  region_piece::state& to = made.inside();
  to.whole = left.whole;
  to.asked = left.asked;
  to.boxes = joined_boxes(left.boxes, right.boxes);
  const auto order = [&](const region_piece::state& of, std::size_t i) {
    return i < of.labels.size() ? regions::order_of_label(of.labels[i], to.asked.signed_labels != 0) : ~u64{0};
  };
  for (std::size_t i = 0, j = 0; i < left.labels.size() || j < right.labels.size();) {
    const bool from_left = i < left.labels.size() && (j == right.labels.size() || order(left, i) <= order(right, j));
    const bool both = from_left && j < right.labels.size() && order(left, i) == order(right, j);
    const region_piece::state& from = from_left ? left : right;
    const std::size_t row = from_left ? i++ : j++;
    to.labels.push_back(from.labels[row]);
    add_row(to.rows, from.rows, row);
    if (both) join_row(to.rows, to.labels.size() - 1, right.rows, j++);
  }
  return made;
}

region_piece part_of(const region_piece& all, const region_piece& block) {
  const region_piece::state &from = all.inside(), &of = block.inside();
  if (!all.is_complete()) refuse("all: is not of all blocks of the label image; join the pieces of all");
  if (from.whole != of.whole || from.asked.signed_labels != of.asked.signed_labels)
    refuse("block: is of another image than `all`");
  region_piece made;
  region_piece::state& to = made.inside();
  to.whole = from.whole;
  to.asked = from.asked;
  to.boxes = {{{0, 0, 0}, {from.whole.depth, from.whole.height, from.whole.width}}};
  to.labels = of.labels;
  std::size_t row = 0;
  for (const label_bits label : of.labels) {
    while (row < from.labels.size() && from.labels[row] != label) ++row;
    if (row == from.labels.size()) refuse("all: has no row of region " + std::to_string(label) + " of the block");
    add_row(to.rows, from.rows, row);
  }
  return made;
}

region_table table_of(std::span<const region_piece> pieces) {
  region_piece whole = joined(pieces);
  if (!whole.is_complete())
    refuse("pieces: " + std::to_string(whole.pixels()) + " of " + std::to_string(whole.whole().pixels()) +
           " pixels are in their blocks; give all blocks of the label image");
  region_piece::state& all = whole.inside();
  region_table table;
  table.labels = std::move(all.labels);
  table.features = std::move(all.rows);
  table.signed_labels = all.asked.signed_labels != 0;
  table.features.rank = all.whole.rank;
  table.features.has_moments = (all.asked.flags & question::moments) != 0;
  table.features.has_intensities = (all.asked.flags & (question::intensities | question::real_intensities)) != 0;
  return table;
}

}  // namespace skerry

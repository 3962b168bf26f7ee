// SPDX-License-Identifier: Apache-2.0
// Regions of blocks: a block is measured as an image, its rows are moved to where it lies, and rows of one label join.
#include <string>
#include <type_traits>

#include "blocks/check.hpp"
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

void check_region_block(const region_request& block, const block_place& place) {
  regions::check_label_image("labels", block.labels);
  if (block.index) refuse("index: a block has rows for all of its labels; choose among those of the table");
  image_view whole = block.labels;
  whole.size = place.whole;
  measure_options features = block.features;
  if (features.intensity.data != nullptr) features.intensity.size = place.whole;
  check_features(whole, features, "whole image");
  for (std::size_t c = 0; c < block.channels.size(); ++c) {
    image_view channel = block.channels[c];
    channel.size = place.whole;
    check_intensity("channels[" + std::to_string(c) + "]", channel, whole, "whole image");
  }
}

region_question question_of(const region_request& block) {
  region_question asked{feature_flags(block.features), static_cast<u8>(is_signed_label_type(block.labels.type) ? 1 : 0),
                        block.background.kind, block.background.label,
                        static_cast<u8>(block.background.negative ? 1 : 0)};
  for (const image_view& channel : block.channels) asked.channels.push_back(feature_flags({false, channel}));
  return asked;
}

}  // namespace

template <class Self, class Parts>
void region_state::each_part(Self& of, Parts& parts) {
  each_side(of.whole, parts);
  auto& asked = of.asked;
  parts.number(asked.flags), parts.number(asked.signed_labels), parts.number(asked.background);
  parts.number(asked.background_label), parts.number(asked.negative_background), parts.list(asked.channels);
  parts.list(of.boxes);
  parts.list(of.labels);
  each_feature_group([&](auto group) { parts.list(of.rows.*group.rows); });
  if constexpr (!std::is_const_v<Self>) of.channels.resize(asked.channels.size());
  for (auto& channel : of.channels) each_intensity_group([&](auto group) { parts.list(channel.*group.rows); });
}

void region_state::check() const {
  check_boxes(boxes, whole);
  const bool is_signed = asked.signed_labels != 0;
  check_sorted(labels, "labels", [&](label_bits a, label_bits b) {
    return regions::order_of_label(a, is_signed) < regions::order_of_label(b, is_signed);
  });
  check_rows(rows, labels.size(), asked.flags);
  for (std::size_t c = 0; c < channels.size(); ++c)
    each_intensity_group([&](auto group) { check_rows_of(channels[c], group, labels.size(), asked.channels[c]); });
}

u64 region_state::memory() const {
  u64 bytes = bytes_of(boxes) + bytes_of(labels) + bytes_of(rows) + bytes_of(asked.channels) + bytes_of(channels);
  for (const feature_table& channel : channels) bytes += bytes_of(channel);
  return bytes;
}

void region_state::add_region(const region_state& from, std::size_t row) {
  labels.push_back(from.labels[row]);
  add_row(rows, from.rows, row);
  for (std::size_t c = 0; c < channels.size(); ++c) add_row(channels[c], from.channels[c], row);
}

void region_state::join_region(std::size_t row, const region_state& from, std::size_t other) {
  join_row(rows, row, from.rows, other);
  for (std::size_t c = 0; c < channels.size(); ++c) join_row(channels[c], row, from.channels[c], other);
}

template class block_piece<region_state>;

std::uint64_t region_piece::regions() const { return inside().labels.size(); }

region_piece region_piece_from_bytes(std::span<const std::byte> bytes) { return piece_of_bytes<region_piece>(bytes); }

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
  state.channels = std::move(table.channels);
  move_rows(state.rows, placed.begin);
  return made;
}

region_piece join(const region_piece& a, const region_piece& b) {
  constexpr const char* different =
      "were measured with different backgrounds or features, or of labels with and without a sign";
  return join_blocks(a, b, different, [](const region_state& left, const region_state& right, region_state& to) {
    to.channels.resize(left.channels.size());
    const auto order = [&](const region_state& of, std::size_t i) {
      return i < of.labels.size() ? regions::order_of_label(of.labels[i], to.asked.signed_labels != 0) : ~u64{0};
    };
    for (std::size_t i = 0, j = 0; i < left.labels.size() || j < right.labels.size();) {
      const bool from_left = i < left.labels.size() && (j == right.labels.size() || order(left, i) <= order(right, j));
      const bool both = from_left && j < right.labels.size() && order(left, i) == order(right, j);
      const region_state& from = from_left ? left : right;
      const std::size_t row = from_left ? i++ : j++;
      to.add_region(from, row);
      if (both) to.join_region(to.labels.size() - 1, right, j++);
    }
  });
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
  to.channels.resize(from.channels.size());
  std::size_t row = 0;
  for (const label_bits label : of.labels) {
    while (row < from.labels.size() && from.labels[row] != label) ++row;
    if (row == from.labels.size()) refuse("all: has no row of region " + std::to_string(label) + " of the block");
    to.add_region(from, row);
  }
  return made;
}

region_table table_of(std::span<const region_piece> pieces) {
  region_piece whole = joined_whole(pieces, "label image");
  region_piece::state& all = whole.inside();
  region_table table;
  table.labels = std::move(all.labels);
  table.features = std::move(all.rows);
  table.signed_labels = all.asked.signed_labels != 0;
  table.features.rank = all.whole.rank;
  table.features.has_moments = (all.asked.flags & question::moments) != 0;
  table.features.has_intensities = (all.asked.flags & (question::intensities | question::real_intensities)) != 0;
  table.channels = std::move(all.channels);
  for (feature_table& channel : table.channels) channel.rank = all.whole.rank, channel.has_intensities = true;
  return table;
}

}  // namespace skerry

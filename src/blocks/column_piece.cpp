// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <functional>
#include <type_traits>

#include "blocks/column_state.hpp"
#include "blocks/piece_state.hpp"
#include "blocks/region_state.hpp"
#include "engine/image_checks.hpp"
#include "features/groups.hpp"
#include "regions/label_slots.hpp"

namespace skerry {
namespace {

using namespace blocks;
using features::joined_rows;
using features::stored_sums;

template <class Sums, class Parts>
void each_sums_part(Sums& of, Parts& parts) {
  parts.number(of.numbers), parts.number(of.words), parts.number(of.spans);
  parts.list(of.sums), parts.list(of.anchors), parts.list(of.stretches), parts.list(of.values);
}

void regions_part(const region_piece& of, byte_writer& parts) { parts.list(of.to_bytes()); }
void regions_part(region_piece& of, byte_reader& parts) {
  std::vector<std::byte> bytes;
  parts.list(bytes);
  of = region_piece_from_bytes(bytes);
}

// Refuses sums that were read and do not belong to so many regions.
void check_sums(const stored_sums& of, std::size_t regions) {
  const auto known = [&](const auto& item) { return item.region < regions; };
  const u64 words = u64{of.numbers} * of.words;
  const bool sized =
      words < u64{1} << 16 && of.sums.size() == words * regions && (of.anchors.empty() || of.anchors.size() == regions);
  if (!sized || !std::all_of(of.stretches.begin(), of.stretches.end(), known) ||
      !std::all_of(of.values.begin(), of.values.end(), known))
    refuse_bytes("sums do not belong to the regions");
  check_sorted(of.stretches, "rows of regions", std::less<>());
  check_sorted(of.values, "values", std::less<>());
}

joined_rows join_labels(const std::vector<label_bits>& a, const std::vector<label_bits>& b, bool is_signed,
                        std::vector<label_bits>& all) {
  joined_rows rows;
  const auto order = [&](const std::vector<label_bits>& of, std::size_t i) {
    return regions::order_of_label(of[i], is_signed);
  };
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    const bool first = j == b.size() || (i < a.size() && order(a, i) <= order(b, j));
    const bool second = i == a.size() || (j < b.size() && order(b, j) <= order(a, i));
    all.push_back(first ? a[i] : b[j]);
    if (first) rows.first.push_back(static_cast<u32>(all.size() - 1)), ++i;
    if (second) rows.second.push_back(static_cast<u32>(all.size() - 1)), ++j;
  }
  rows.count = all.size();
  return rows;
}

// Of the group among all groups.
std::size_t bit_of(const features::feature_group& group) {
  const auto all = features::all_groups();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), &group) - all.begin());
}

void check_question(const column_question& asked) {
  for (const channel_question& channel : asked.channels)
    if (channel.groups >> features::all_groups().size() != 0 || channel.medians > 1)
      refuse_bytes("a piece has groups of another version");
}

}  // namespace

namespace blocks {

std::size_t column_question::end_of(std::size_t channel) const {
  std::size_t end = 0;
  for (std::size_t c = 0; c < channel; ++c) end += channels[c].lists();
  return end;
}

std::size_t column_question::place_of(std::size_t channel, const features::feature_group& group) const {
  const u32 before = (u32{1} << bit_of(group)) - 1;
  return end_of(channel) + static_cast<std::size_t>(std::popcount(channels[channel].groups & before));
}

bool column_question::has(std::size_t channel, const features::feature_group& group) const {
  return (channels[channel].groups >> bit_of(group) & 1) != 0;
}

}  // namespace blocks

template <class Self, class Parts>
void column_state::each_part(Self& of, Parts& parts) {
  regions_part(of.regions, parts);
  parts.number(of.asked.numbered);
  parts.list(of.asked.channels);
  parts.list(of.labels);
  if constexpr (!std::is_const_v<Self>) {
    check_question(of.asked);
    of.sums.resize(of.is_blank() ? 0 : of.asked.lists());
  }
  for (auto& sums_of_group : of.sums) each_sums_part(sums_of_group, parts);
}

void column_state::check() const {
  const bool is_signed = regions.inside().asked.signed_labels != 0;
  check_sorted(labels, "labels", [&](label_bits a, label_bits b) {
    return regions::order_of_label(a, is_signed) < regions::order_of_label(b, is_signed);
  });
  for (const stored_sums& of : sums) check_sums(of, labels.size());
}

u64 column_state::memory() const {
  u64 bytes = regions.memory() + bytes_of(labels) + bytes_of(asked.channels);
  for (const stored_sums& each : sums) bytes += sizeof each + each.memory();
  return bytes;
}

template class block_piece<column_state>;

const region_piece& column_piece::regions() const { return inside().regions; }

column_piece column_piece_from_bytes(std::span<const std::byte> bytes) { return piece_of_bytes<column_piece>(bytes); }

column_piece join(const column_piece& a, const column_piece& b) {
  const column_piece::state &left = a.inside(), &right = b.inside();
  if (left.is_blank()) return b;
  if (right.is_blank()) return a;
  check_same(left, right, "were measured for different columns or types of intensities");
  column_piece made;
  column_piece::state& to = made.inside();
  to.regions = join(left.regions, right.regions);
  to.asked = left.asked;
  const bool is_signed = left.regions.inside().asked.signed_labels != 0;
  const joined_rows rows = join_labels(left.labels, right.labels, is_signed, to.labels);
  for (std::size_t list = 0; list < left.sums.size(); ++list) {
    const auto differs = [](const stored_sums& x, const stored_sums& y) {
      return x.numbers != y.numbers || x.words != y.words || x.anchors.empty() != y.anchors.empty();
    };
    if (!rows.first.empty() && !rows.second.empty() && differs(left.sums[list], right.sums[list]))
      refuse("join: pieces have different sums of a group");
    to.sums.push_back(features::joined(left.sums[list], right.sums[list], rows));
  }
  return made;
}

}  // namespace skerry

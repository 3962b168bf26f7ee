// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "blocks/column_state.hpp"
#include "blocks/framed_bytes.hpp"
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

constexpr u64 column_header = bytes_header('c', 1);

std::size_t lists_of(const column_question& asked) {
  return static_cast<std::size_t>(std::popcount(asked.groups)) + asked.medians;
}

// Calls visit(number) and visit_list(list) for what sums are made of.
template <class Sums, class Visit, class VisitList>
void each_sums_part(Sums& of, Visit visit, VisitList visit_list) {
  visit(of.numbers), visit(of.words), visit(of.spans);
  visit_list(of.sums), visit_list(of.anchors), visit_list(of.stretches), visit_list(of.values);
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

}  // namespace

column_piece::column_piece() : state_(std::make_unique<state>()) {}
column_piece::column_piece(const column_piece& other) : state_(std::make_unique<state>(*other.state_)) {}
column_piece& column_piece::operator=(const column_piece& other) {
  if (this != &other) state_ = std::make_unique<state>(*other.state_);
  return *this;
}
column_piece::column_piece(column_piece&&) noexcept = default;
column_piece& column_piece::operator=(column_piece&&) noexcept = default;
column_piece::~column_piece() = default;

const region_piece& column_piece::regions() const { return state_->regions; }

std::uint64_t column_piece::memory() const {
  u64 bytes = sizeof(state) + state_->regions.memory() + bytes_of(state_->labels);
  for (const stored_sums& each : state_->sums) bytes += sizeof each + each.memory();
  return bytes;
}

std::vector<std::byte> column_piece::to_bytes() const {
  byte_writer parts(column_header);
  parts.put_list(state_->regions.to_bytes());
  parts.put(state_->asked);
  parts.put_list(state_->labels);
  for (const stored_sums& of : state_->sums)
    each_sums_part(
        of, [&](const auto& number) { parts.put(number); }, [&](const auto& list) { parts.put_list(list); });
  return parts.finish();
}

column_piece column_piece_from_bytes(std::span<const std::byte> bytes) {
  column_piece made;
  column_piece::state& state = made.inside();
  byte_reader parts(bytes, column_header);
  std::vector<std::byte> rows;
  parts.get_list(rows);
  state.regions = region_piece_from_bytes(rows);
  parts.get(state.asked);
  parts.get_list(state.labels);
  const bool is_signed = state.regions.inside().asked.signed_labels != 0;
  check_sorted(state.labels, "labels", [&](label_bits a, label_bits b) {
    return regions::order_of_label(a, is_signed) < regions::order_of_label(b, is_signed);
  });
  if (state.asked.groups >> features::all_groups().size() != 0 || state.asked.medians > 1)
    refuse_bytes("a piece has groups of another version");
  state.sums.resize(state.regions.inside().is_blank() ? 0 : lists_of(state.asked));
  for (stored_sums& of : state.sums) {
    each_sums_part(
        of, [&](auto& number) { parts.get(number); }, [&](auto& list) { parts.get_list(list); });
    check_sums(of, state.labels.size());
  }
  parts.finish();
  return made;
}

column_piece join(const column_piece& a, const column_piece& b) {
  const column_piece::state &left = a.inside(), &right = b.inside();
  if (left.regions.inside().is_blank()) return b;
  if (right.regions.inside().is_blank()) return a;
  if (left.asked != right.asked) refuse("join: pieces were measured for different columns or types of intensities");
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

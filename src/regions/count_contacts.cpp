// SPDX-License-Identifier: Apache-2.0
// Counts the pairs of neighbouring pixels of different regions.
//
// Reads   rows of a share, and the earlier rows that their pixels touch
// Method  each row is compared with each earlier neighbour, shifted by -1, 0 or 1: blocks that are equal are passed over, the
//         others are counted by stretches of the same two labels
#include "regions/count_contacts.hpp"

#include <algorithm>
#include <array>

#include "core/adjacency.hpp"
#include "engine/stop.hpp"
#include "regions/label_rows.hpp"
#include "regions/label_slots.hpp"

namespace skerry::regions {
namespace {

// The first place from `begin` on where two rows differ, or `end`.
template <class Label>
i64 next_difference(const Label* a, const Label* b, i64 begin, i64 end) {
  constexpr i64 block = 64;
  for (; begin + block <= end; begin += block) {
    Label differs = 0;
    for (i64 i = 0; i < block; ++i) differs = static_cast<Label>(differs | (a[begin + i] ^ b[begin + i]));
    if (differs != 0) break;
  }
  while (begin < end && a[begin] == b[begin]) ++begin;
  return begin;
}

template <class Label>
class contact_counter {
 public:
  contact_counter(const contact_request& asked, pair_counts& counts)
      : size_(asked.labels.size), axes_(axes_of(asked.connectivity)), surfaces_(asked.surfaces),
        is_background_(asked.background), here_(asked.labels, 2), back_(asked.labels, 3), counts_(counts) {}

  void add_rows(const row_range& rows) {
    for (i64 r = rows.begin; r < rows.end; ++r) {
      stop_point();
      read(r, r == rows.begin);
      add_row(r);
      if (surfaces_) add_outside(r);
    }
  }

 private:
  // Row r and those before it; what has been read for the row before is not read again, since some rows are copied.
  void read(i64 r, bool first) {
    const i64 y = r % size_.height, height = size_.height;
    above_ = y == 0 ? nullptr : first ? here_.row(r - 1) : row_;
    row_ = here_.row(r);
    if (r < height) return;
    const bool anew = first || y == 0;
    back_above_ = y == 0 ? nullptr : anew ? back_.row(r - height - 1) : back_at_;
    back_at_ = anew ? back_.row(r - height) : back_below_;
    back_below_ = y + 1 == height ? nullptr : back_.row(r - height + 1);
  }

  void add_row(i64 r) {
    add_pairs(row_, -1, meeting::face_x);
    add_earlier(above_, 1, meeting::face_y);
    if (r < size_.height) return;
    add_earlier(back_at_, 1, meeting::face_z);
    add_earlier(back_above_, 2, meeting::edge);
    add_earlier(back_below_, 2, meeting::edge);
  }

  // Pairs with a row that differs on `moved` axes.
  void add_earlier(const Label* other, int moved, meeting straight) {
    const int reach = reach_of(axes_, moved);
    if (other == nullptr || reach < 0) return;
    add_pairs(other, 0, straight);
    if (reach == 0) return;
    const meeting aslant = moved == 1 ? meeting::edge : meeting::corner;
    add_pairs(other, -1, aslant);
    add_pairs(other, 1, aslant);
  }

  // Pairs of pixel x of the row with pixel x + shift of the other.
  void add_pairs(const Label* other, i64 shift, meeting how) {
    const i64 begin = std::max<i64>(0, -shift), end = size_.width - std::max<i64>(0, shift);
    const Label* const shifted = other + shift;
    for (i64 x = next_difference(row_, shifted, begin, end); x < end; x = next_difference(row_, shifted, x, end)) {
      const Label a = row_[x], b = shifted[x];
      const i64 from = x;
      while (x < end && row_[x] == a && shifted[x] == b) ++x;
      add(a, b, how, static_cast<u64>(x - from));
    }
  }

  void add(Label a, Label b, meeting how, u64 count) {
    const bool a_is_region = !is_background_(a), b_is_region = !is_background_(b);
    if (a_is_region && b_is_region) {
      const u64 one = order_of(a), other = order_of(b);
      counts_.add({std::min(one, other), std::max(one, other), neighbour::region}, how, count);
    } else if (a_is_region != b_is_region && surfaces_ && how <= meeting::face_x) {
      counts_.add({order_of(a_is_region ? a : b), 0, neighbour::background}, how, count);
    }
  }

  // The faces of the row at the sides of the image.
  void add_outside(i64 r) {
    const i64 y = r % size_.height, z = r / size_.height;
    add_stretches(0, 1, meeting::face_x, 1);
    add_stretches(size_.width - 1, size_.width, meeting::face_x, 1);
    add_stretches(0, size_.width, meeting::face_y, (y == 0 ? 1 : 0) + (y + 1 == size_.height ? 1 : 0));
    if (size_.rank == 3)
      add_stretches(0, size_.width, meeting::face_z, (z == 0 ? 1 : 0) + (z + 1 == size_.depth ? 1 : 0));
  }

  void add_stretches(i64 begin, i64 end, meeting how, int faces) {
    if (faces == 0) return;
    for (i64 x = begin; x < end;) {
      const Label label = row_[x];
      const i64 from = x;
      while (x < end && row_[x] == label) ++x;
      if (is_background_(label)) continue;
      counts_.add({order_of(label), 0, neighbour::outside}, how, static_cast<u64>(x - from) * static_cast<u64>(faces));
    }
  }

  [[nodiscard]] static u64 order_of(Label label) { return order_of_label(bits_of(label), std::is_signed_v<Label>); }

  extent size_;
  int axes_;
  bool surfaces_;
  background_test<Label> is_background_;
  label_row_reader<Label> here_, back_;  // of the slice, and of the slice before
  pair_counts& counts_;
  const Label *row_ = nullptr, *above_ = nullptr;
  const Label *back_above_ = nullptr, *back_at_ = nullptr, *back_below_ = nullptr;
};

}  // namespace

std::vector<pair_count> count_contacts(const contact_request& asked, const row_range& rows) {
  pair_counts counts;
  with_label_type(asked.labels.type,
                  [&]<class Label>(label_type<Label>) { contact_counter<Label>(asked, counts).add_rows(rows); });
  return counts.take_sorted();
}

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// Tables of shares become one, in ascending order of labels. Threads take ranges of labels: they count what is in each, and then
// write it where it belongs.
#include <algorithm>
#include <numeric>

#include "core/label_type.hpp"
#include "engine/cpu/parallel.hpp"
#include "regions/measure.hpp"

namespace skerry::regions {
namespace {

// A label of the joined table and where its parts are.
struct part_of_region {
  std::size_t share;
  u32 slot;
};

class share_joiner {
 public:
  share_joiner(const region_request& asked, std::vector<measured_share>& shares, bool is_signed)
      : asked_(asked), shares_(shares), signed_(is_signed) {}

  // Calls visit(label, parts) for labels whose order is in [low, high], ascending.
  template <class Visit>
  void each_region(u64 low, u64 high, Visit visit) const {
    struct cursor {
      std::size_t share;
      const u32 *next, *end;
    };
    std::vector<cursor> cursors;
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const std::vector<u32>& slots = shares_[s].ascending;
      const auto* const begin = slots.data();
      const auto* const first =
          std::partition_point(begin, begin + slots.size(), [&](u32 slot) { return order(s, slot) < low; });
      const auto* const last =
          std::partition_point(first, begin + slots.size(), [&](u32 slot) { return order(s, slot) <= high; });
      if (first != last) cursors.push_back({s, first, last});
    }
    std::vector<part_of_region> parts;
    for (std::size_t region = 0; !cursors.empty(); ++region) {
      stop_point(region);
      u64 least = ~u64{0};
      for (const cursor& c : cursors) least = std::min(least, order(c.share, *c.next));
      parts.clear();
      for (cursor& c : cursors)
        if (order(c.share, *c.next) == least) parts.push_back({c.share, *c.next++});
      std::erase_if(cursors, [](const cursor& c) { return c.next == c.end; });
      visit(order_of_label(least, signed_), parts);
    }
  }

  // Limits of `count` ranges of labels, of about as many regions each.
  [[nodiscard]] std::vector<u64> split(std::size_t count) const {
    constexpr std::size_t samples_of_share = 64;
    std::vector<u64> samples;
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const std::vector<u32>& slots = shares_[s].ascending;
      const std::size_t step = slots.size() / samples_of_share + 1;
      for (std::size_t i = 0; i < slots.size(); i += step) samples.push_back(order(s, slots[i]));
    }
    std::sort(samples.begin(), samples.end());
    std::vector<u64> limits;  // the largest of each range
    for (std::size_t k = 1; k < count && !samples.empty(); ++k) limits.push_back(samples[samples.size() * k / count]);
    limits.push_back(~u64{0});
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    return limits;
  }

  // Writes the row of a region.
  void write(region_table& table, std::size_t row, label_bits label, const std::vector<part_of_region>& parts) const {
    table.labels[row] = label;
    each_wanted_group(asked_, [&]<class Group>(Group, std::size_t t) {
      const auto row_of = [&](const part_of_region& part) -> const typename Group::row& {
        return (table_of(shares_[part.share], t).*Group::rows)[part.slot];
      };
      typename Group::row& to = (table_of(table, t).*Group::rows)[row];
      to = row_of(parts.front());
      for (std::size_t i = 1; i < parts.size(); ++i) join(to, row_of(parts[i]), join_alone());
    });
  }

 private:
  [[nodiscard]] u64 order(std::size_t share, u32 slot) const {
    return order_of_label(shares_[share].slots.labels()[slot], signed_);
  }

  const region_request& asked_;
  const std::vector<measured_share>& shares_;
  bool signed_;
};

void resize(const region_request& asked, std::size_t rows, region_table& table) {
  table.labels.resize(rows);
  each_wanted_group(asked, [&]<class Group>(Group, std::size_t t) { (table_of(table, t).*Group::rows).resize(rows); });
}

}  // namespace

void join_shares(engine::state& on, const region_request& asked, std::vector<measured_share>& shares,
                 region_table& table) {
  measured_share& first = shares.front();
  if (shares.size() == 1 && std::is_sorted(first.ascending.begin(), first.ascending.end())) {
    table.labels = first.slots.labels();
    each_wanted_group(asked, [&](auto group, std::size_t t) {
      (table_of(table, t).*group.rows).swap(table_of(first, t).*group.rows);
    });
    return;
  }
  constexpr std::size_t least_regions_of_range = 1 << 12;
  std::size_t regions = 0;
  for (const measured_share& share : shares) regions += share.ascending.size();
  const share_joiner joiner(asked, shares, is_signed_label_type(asked.labels.type));
  const bool small = on.least_shared_nanoseconds > 0 && regions < least_regions_of_range;
  const std::vector<u64> limits = joiner.split(small ? 1 : 4 * shares.size());
  const auto low_of = [&](std::size_t range) { return range == 0 ? 0 : limits[range - 1] + 1; };

  std::vector<std::size_t> begin(limits.size() + 1);
  for_each_in_parallel(on, limits.size(), [&](std::size_t range) {
    std::size_t count = 0;
    joiner.each_region(low_of(range), limits[range], [&](label_bits, const auto&) { ++count; });
    begin[range + 1] = count;
  });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  resize(asked, begin.back(), table);
  for_each_in_parallel(on, limits.size(), [&](std::size_t range) {
    std::size_t row = begin[range];
    joiner.each_region(low_of(range), limits[range], [&](label_bits label, const std::vector<part_of_region>& parts) {
      joiner.write(table, row++, label, parts);
    });
  });
}

}  // namespace skerry::regions

// SPDX-License-Identifier: Apache-2.0
// Tables of shares become one, in ascending order of labels. Threads take ranges of labels: they count what is in each, and then
// write it where it belongs.
#include <algorithm>
#include <span>
#include <utility>

#include "core/label_type.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
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
  share_joiner(const region_request& asked, std::span<measured_share> shares, region_table& table)
      : asked_(asked), shares_(shares), table_(table), signed_(is_signed_label_type(asked.labels.type)) {}

  // Calls alone(share, slots) for stretches of labels in [low, high] that no other share has in between, and together(parts) for a
  // label of several shares, in ascending order of labels.
  template <class Alone, class Together>
  void each_region(u64 low, u64 high, Alone alone, Together together) const {
    std::vector<cursor> cursors;
    for (std::size_t s = 0; s < shares_.size(); ++s) {
      const std::span<const u32> slots = shares_[s].ascending;
      const std::size_t first = count_below(s, slots, low);
      const std::size_t last = high == ~u64{0} ? slots.size() : count_below(s, slots, high + 1);
      if (first != last) cursors.push_back({s, slots.subspan(first, last - first)});
    }
    std::vector<part_of_region> parts;
    for (std::size_t turn = 0; !cursors.empty(); ++turn) {
      stop_point(turn);
      std::size_t least = 0;
      u64 label = ~u64{0}, next = ~u64{0};  // the two smallest of the cursors
      for (std::size_t c = 0; c < cursors.size(); ++c) {
        const u64 own = order(cursors[c].share, cursors[c].slots.front());
        if (own < label) next = std::exchange(label, own), least = c;
        else next = std::min(next, own);
      }
      if (cursors.size() == 1 || label < next) {
        cursor& c = cursors[least];
        const std::size_t count = cursors.size() == 1 ? c.slots.size() : count_from_front(c, next);
        alone(c.share, c.slots.first(count));
        c.slots = c.slots.subspan(count);
      } else {
        parts.clear();
        for (cursor& c : cursors)
          if (order(c.share, c.slots.front()) == label) {
            parts.push_back({c.share, c.slots.front()});
            c.slots = c.slots.subspan(1);
          }
        together(parts);
      }
      std::erase_if(cursors, [](const cursor& c) { return c.slots.empty(); });
    }
  }

  // Whether a region leaves the rows of the first share, if these are in order, where they are: it is one of them, or behind.
  [[nodiscard]] bool first_stays_for(const part_of_region& part) const {
    const std::vector<u32>& first = shares_.front().ascending;
    return part.share == 0 || first.empty() || order(0, first.back()) < order(part.share, part.slot);
  }

  // Makes room for so many rows.
  void resize_table(std::size_t rows, bool first_stays) {
    first_stays_ = first_stays;
    table_.labels.resize(rows);
    each_wanted_group(asked_, [&]<class Group>(Group, std::size_t t) {
      auto& to = table_of(table_, t).*Group::rows;
      if (first_stays) to.swap(table_of(shares_.front(), t).*Group::rows);
      to.resize(rows);
    });
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
  void write(std::size_t row, std::span<const part_of_region> parts) const {
    table_.labels[row] = shares_[parts.front().share].slots.labels()[parts.front().slot];
    each_wanted_group(asked_, [&]<class Group>(Group, std::size_t t) {
      const auto row_of = [&](const part_of_region& part) -> const typename Group::row& {
        return (table_of(shares_[part.share], t).*Group::rows)[part.slot];
      };
      typename Group::row& to = (table_of(table_, t).*Group::rows)[row];
      if (!is_there(parts.front().share)) to = row_of(parts.front());
      for (std::size_t i = 1; i < parts.size(); ++i) join(to, row_of(parts[i]), join_alone());
    });
  }

  // Writes the rows of regions of one share, from `row` on.
  void write(std::size_t row, std::size_t share, std::span<const u32> slots) const {
    in_stretches(0, slots.size(), [&](std::size_t first, std::size_t last) {
      const std::span<const u32> some = slots.subspan(first, last - first);
      copy(share, some, shares_[share].slots.labels(), table_.labels.data() + row + first);
      if (is_there(share)) return;
      each_wanted_group(asked_, [&]<class Group>(Group, std::size_t t) {
        copy(share, some, table_of(shares_[share], t).*Group::rows,
             (table_of(table_, t).*Group::rows).data() + row + first);
      });
    });
  }

 private:
  // What is left of a share's slots in a range of labels.
  struct cursor {
    std::size_t share;
    std::span<const u32> slots;
  };

  [[nodiscard]] std::size_t count_below(std::size_t share, std::span<const u32> slots, u64 limit) const {
    const auto end =
        std::partition_point(slots.begin(), slots.end(), [&](u32 slot) { return order(share, slot) < limit; });
    return static_cast<std::size_t>(end - slots.begin());
  }

  // The same for a count that is mostly small or all.
  [[nodiscard]] std::size_t count_from_front(const cursor& c, u64 limit) const {
    std::size_t reach = 1;
    while (reach < c.slots.size() && order(c.share, c.slots[reach]) < limit) reach *= 2;
    const std::size_t begin = reach / 2;
    return begin + count_below(c.share, c.slots.subspan(begin, std::min(reach, c.slots.size()) - begin), limit);
  }

  template <class From, class To>
  void copy(std::size_t share, std::span<const u32> slots, const From& from, To to) const {
    if (shares_[share].in_order) std::copy_n(from.begin() + slots.front(), slots.size(), to);
    else std::transform(slots.begin(), slots.end(), to, [&](u32 slot) { return from[slot]; });
  }

  [[nodiscard]] u64 order(std::size_t share, u32 slot) const {
    return order_of_label(shares_[share].slots.labels()[slot], signed_);
  }

  [[nodiscard]] bool is_there(std::size_t share) const { return share == 0 && first_stays_; }

  const region_request& asked_;
  std::span<measured_share> shares_;
  region_table& table_;
  bool signed_;
  bool first_stays_ = false;  // the rows of the first share are in the table
};

// What a range of labels has.
struct alignas(64) range_of_labels {
  std::size_t count = 0;
  bool first_stays = true;
};

}  // namespace

void join_shares(engine::state& on, const region_request& asked, std::span<measured_share> shares,
                 region_table& table) {
  constexpr std::size_t least_regions_of_range = 1 << 12;
  std::size_t regions = 0, filled = 0;
  for (const measured_share& share : shares) {
    regions += share.ascending.size();
    filled += share.ascending.empty() ? 0 : 1;
  }
  share_joiner joiner(asked, shares, table);
  const bool small = on.least_shared_nanoseconds > 0 && regions < least_regions_of_range;
  const std::vector<u64> limits = joiner.split(small ? 1 : 4 * filled);
  const auto low_of = [&](std::size_t range) { return range == 0 ? 0 : limits[range - 1] + 1; };

  std::vector<range_of_labels> ranges(limits.size());
  for_each_in_parallel(on, limits.size(), [&](std::size_t r) {
    range_of_labels found;
    joiner.each_region(
        low_of(r), limits[r],
        [&](std::size_t share, std::span<const u32> slots) {
          found.count += slots.size();
          found.first_stays = found.first_stays && joiner.first_stays_for({share, slots.front()});
        },
        [&](std::span<const part_of_region> parts) {
          ++found.count;
          found.first_stays = found.first_stays && joiner.first_stays_for(parts.front());
        });
    ranges[r] = found;
  });
  const bool first_stays = shares.front().in_order && std::ranges::all_of(ranges, &range_of_labels::first_stays);
  std::vector<std::size_t> begin(ranges.size() + 1);
  for (std::size_t r = 0; r < ranges.size(); ++r) begin[r + 1] = begin[r] + ranges[r].count;
  joiner.resize_table(begin.back(), first_stays);
  for_each_in_parallel(on, limits.size(), [&](std::size_t r) {
    std::size_t row = begin[r];
    joiner.each_region(
        low_of(r), limits[r],
        [&](std::size_t share, std::span<const u32> slots) {
          joiner.write(row, share, slots);
          row += slots.size();
        },
        [&](std::span<const part_of_region> parts) { joiner.write(row++, parts); });
  });
}

}  // namespace skerry::regions

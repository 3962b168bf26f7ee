// SPDX-License-Identifier: Apache-2.0
// Tables of shares become one, in ascending order of labels. Threads take ranges of labels: they count what is in each, and then
// write it where it belongs.
#include <algorithm>
#include <vector>

#include "engine/cpu/parallel.hpp"
#include "regions/joined_rows.hpp"
#include "regions/list_merge.hpp"
#include "regions/measure.hpp"
#include "regions/table_walk.hpp"

namespace skerry::regions {
namespace {

// Limits of `count` ranges of labels, of about as many regions each: the largest of each range.
std::vector<u64> split_labels(const joined_rows& rows, std::size_t count) {
  constexpr std::size_t samples_of_share = 64;
  std::vector<u64> samples;
  for (std::size_t s = 0; s < rows.shares(); ++s) {
    const std::vector<label_bits>& labels = rows.slots(s).labels();
    for (std::size_t i = 0; i < labels.size(); i += labels.size() / samples_of_share + 1)
      samples.push_back(rows.order(labels[i]));
  }
  std::sort(samples.begin(), samples.end());
  std::vector<u64> limits;
  for (std::size_t k = 1; k < count && !samples.empty(); ++k) limits.push_back(samples[samples.size() * k / count]);
  limits.push_back(~u64{0});
  limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
  return limits;
}

template <class Method>
void join_by(const Method& method, engine::state& on, const std::vector<u64>& limits, measured_share& first,
             joined_rows& rows) {
  const auto low_of = [&](std::size_t range) { return range == 0 ? 0 : limits[range - 1] + 1; };
  std::vector<range_of_labels> ranges(limits.size());
  for_each_in_parallel(on, limits.size(), [&](std::size_t r) { ranges[r] = method.count(low_of(r), limits[r]); });
  std::vector<std::size_t> begin(ranges.size() + 1);
  for (std::size_t r = 0; r < ranges.size(); ++r) begin[r + 1] = begin[r] + ranges[r].count;
  rows.resize(begin.back(), std::ranges::all_of(ranges, &range_of_labels::first_stays) ? &first : nullptr);
  for_each_in_parallel(on, limits.size(), [&](std::size_t r) { method.write(low_of(r), limits[r], begin[r]); });
}

}  // namespace

void join_shares(engine::state& on, const region_request& asked, std::span<measured_share> shares,
                 region_table& table) {
  constexpr std::size_t least_regions_of_range = 1 << 12;
  joined_rows rows(asked, shares, table);
  std::size_t regions = 0, filled = 0;
  bool ascend = true, has_large = false;
  for (std::size_t s = 0; s < shares.size(); ++s) {
    const label_slots& slots = rows.slots(s);
    regions += slots.labels().size();
    filled += slots.labels().empty() ? 0 : 1;
    ascend = ascend && rows.ascends(s);
    has_large = has_large || slots.has_large();
  }
  const bool small = shares.size() == 1 || (on.least_shared_nanoseconds > 0 && regions < least_regions_of_range);
  const std::vector<u64> limits = split_labels(rows, small ? 1 : 4 * filled);
  if (!ascend && !has_large) return join_by(table_walk(rows), on, limits, shares.front(), rows);
  if (!ascend)
    for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
      if (!rows.ascends(s))
        shares[s].slots.list_ascending(is_signed_label_type(asked.labels.type), shares[s].ascending);
    });
  join_by(list_merge(rows), on, limits, shares.front(), rows);
}

}  // namespace skerry::regions

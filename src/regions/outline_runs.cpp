// SPDX-License-Identifier: Apache-2.0
#include "regions/outline_runs.hpp"

#include <algorithm>

#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "regions/label_slots.hpp"
#include "regions/row_groups.hpp"
#include "regions/shares.hpp"

namespace skerry::regions {
namespace {

template <class Label>
void read_share(const outline_request& asked, const row_range& rows, outline_runs& share) {
  const background_test<Label> is_background(asked.background);
  each_row_group<Label>(asked.labels, rows.begin, rows.end, [&](const row_group<Label>& group) {
    share.tops.push_back(group.top);
    share.firsts.push_back(share.runs.size());
    for (std::size_t i = 0; i < group.count; ++i) {
      const Label label = group.label_of(i);
      push_back_stoppably(share.runs, outline_run{order_of_label(bits_of(label), std::is_signed_v<Label>),
                                                  group.starts[i], !is_background(label)});
    }
    push_back_stoppably(share.runs, outline_run{0, group.starts[group.count], false});
  });
}

outline_runs joined_runs(engine::state& on, std::vector<outline_runs>& shares, i64 height) {
  outline_runs all;
  std::vector<u64> before;
  u64 count = 0;
  for (const outline_runs& share : shares) {
    before.push_back(count);
    all.tops.insert(all.tops.end(), share.tops.begin(), share.tops.end());
    for (const u64 first : share.firsts) all.firsts.push_back(count + first);
    count += share.runs.size();
  }
  all.tops.push_back(height);
  all.firsts.push_back(count);
  if (shares.size() == 1) {
    all.runs = std::move(shares.front().runs);
    return all;
  }
  renew_stoppably(all.runs, count);
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    std::copy(shares[s].runs.begin(), shares[s].runs.end(), all.runs.begin() + static_cast<std::ptrdiff_t>(before[s]));
    shares[s] = {};
  });
  return all;
}

}  // namespace

outline_runs read_runs(engine::state& on, const outline_request& asked) {
  const std::vector<row_range> ranges = split_rows(on, asked.labels.size);
  std::vector<outline_runs> shares(ranges.size());
  for_each_in_parallel(on, ranges.size(), [&](std::size_t s) {
    with_label_type(asked.labels.type,
                    [&]<class Label>(label_type<Label>) { read_share<Label>(asked, ranges[s], shares[s]); });
  });
  return joined_runs(on, shares, asked.labels.size.height);
}

}  // namespace skerry::regions

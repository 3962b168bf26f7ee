// SPDX-License-Identifier: Apache-2.0
// Shares are kept from call to call, so that a thread finds its tables where it had them, in memory that the system has provided.
#include <algorithm>
#include <memory>

#include "regions/measure.hpp"

namespace skerry::regions {
namespace {

void empty(const region_request& asked, measured_share& share) {
  share.slots.forget();
  share.channels.resize(asked.channels.size());
  each_wanted_group(asked, [&](auto group, std::size_t t) { (table_of(share, t).*group.rows).clear(); });
}

}  // namespace

std::size_t bytes_of(const feature_table& table) {
  std::size_t total = 0;
  each_feature_group(
      [&]<class Group>(Group) { total += (table.*Group::rows).capacity() * sizeof(typename Group::row); });
  return total;
}

std::size_t measure_scratch::bytes() const {
  std::size_t total = 0;
  for (const measured_share& share : shares) {
    total += share.slots.bytes() + share.ascending.capacity() * sizeof(u32) + bytes_of(share.features);
    for (const feature_table& channel : share.channels) total += bytes_of(channel);
  }
  return total;
}

measure_scratch& measure_scratch_of(engine::state& on) {
  if (on.region_scratch == nullptr) on.region_scratch = std::make_unique<measure_scratch>();
  return static_cast<measure_scratch&>(*on.region_scratch);
}

std::span<measured_share> begin_shares(measure_scratch& scratch, std::size_t count, const region_request& asked,
                                       region_table& table) {
  if (scratch.shares.size() < count) scratch.shares.resize(count);
  const std::span<measured_share> shares = std::span(scratch.shares).first(count);
  for (measured_share& share : shares) empty(asked, share);
  // A table of the last call has room for as many rows; a new one gets it at once, since growing would take it twice.
  const auto likely = std::min(scratch.regions, static_cast<std::size_t>(asked.labels.size.pixels()));
  each_wanted_group(asked, [&](auto group, std::size_t t) {
    auto& rows = table_of(shares.front(), t).*group.rows;
    auto& other = table_of(table, t).*group.rows;
    if (rows.capacity() < other.capacity()) rows.swap(other);
    if (rows.capacity() == 0) rows.reserve(likely);
  });
  return shares;
}

}  // namespace skerry::regions

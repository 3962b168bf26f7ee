// SPDX-License-Identifier: Apache-2.0
// One block for its columns: its regions are measured as those of any block, then its rows are walked once more, with the pixels
// around it, by the groups that have sums.
#include <algorithm>

#include "blocks/check.hpp"
#include "blocks/column_state.hpp"
#include "blocks/halo.hpp"
#include "blocks/region_state.hpp"
#include "core/feature.hpp"
#include "engine/begin_call.hpp"
#include "engine/image_checks.hpp"
#include "engine/spacing_check.hpp"
#include "features/column_plan.hpp"
#include "features/groups.hpp"
#include "regions/check.hpp"
#include "regions/label_slots.hpp"

namespace skerry {
namespace {

using namespace blocks;
using features::chosen_column;

column_needs needs_of(const std::vector<chosen_column>& columns, int rank, bool has_reals) {
  column_needs needs;
  for (const chosen_column& column : columns)
    if (column.group->reads_neighbours) needs.halo = rank == 2 ? 2 : 1;
  needs.known =
      features::wants(columns, features::power_sums_group) || features::wants(columns, features::weighted_group);
  needs.intensities = has_reals && features::wants(columns, features::weighted_group);
  return needs;
}

bool has_reals(const std::vector<image_view>& channels) {
  return std::any_of(channels.begin(), channels.end(), [](const image_view& each) { return sums_reals(each.type); });
}

column_question question_of(const std::vector<chosen_column>& columns, const column_request& request) {
  column_question asked;
  asked.numbered = request.channels.empty() ? 0 : 1;
  for (const image_view& channel : features::channels_of(request))
    asked.channels.push_back({0, 0, static_cast<u8>(static_cast<int>(channel.type) + 1), 0});
  if (asked.channels.empty()) asked.channels.emplace_back();
  const auto all = features::all_groups();
  for (const chosen_column& column : columns) {
    channel_question& channel = asked.channels[column.channel];
    for (std::size_t g = 0; g < all.size(); ++g)
      if (all[g] == column.group && column.group->start != nullptr) channel.groups |= 1u << g;
    if ((column.column->needs & features::uses_medians) != 0) channel.medians = 1;
  }
  return asked;
}

// The intensities of a channel, or of the only image.
const feature_table& intensities_of(const region_piece::state& rows, std::size_t channel) {
  return rows.channels.empty() ? rows.rows : rows.channels[channel];
}
feature_table& intensities_of(region_table& rows, std::size_t channel) {
  return rows.channels.empty() ? rows.features : rows.channels[channel];
}

void check_known(const region_piece::state& known, const region_piece::state& block,
                 const std::vector<image_view>& channels, bool with_intensities) {
  const region_question &a = known.asked, &b = block.asked;
  if (pixels_of(known.boxes) != static_cast<u64>(known.whole.pixels()))
    refuse("known: is not of all blocks of the label image; join the pieces of all");
  if (known.whole != block.whole || a.signed_labels != b.signed_labels || a.background != b.background ||
      a.background_label != b.background_label || a.negative_background != b.negative_background)
    refuse("known: is of another image, type of labels or background");
  if (!with_intensities) return;
  bool there = known.channels.size() == block.channels.size();
  for (std::size_t c = 0; there && c < channels.size(); ++c)
    there = !sums_reals(channels[c].type) || intensities_of(known, c).real_intensities.size() == known.labels.size();
  if (!there) refuse("known: has no sums of these intensities; measure the blocks with the intensity image first");
}

// What sums of powers know of a region of the block; of those around it nothing.
void take_known(const region_piece::state& known, const region_piece::state& block, const i64 (&origin)[3],
                region_table& rows) {
  const bool is_signed = block.asked.signed_labels != 0;
  const auto before = [&](label_bits a, label_bits b) {
    return regions::order_of_label(a, is_signed) < regions::order_of_label(b, is_signed);
  };
  const auto row_of = [&](const std::vector<label_bits>& labels, label_bits label) {
    const auto at = std::lower_bound(labels.begin(), labels.end(), label, before);
    if (at == labels.end() || *at != label) refuse("known: has no row of region " + std::to_string(label));
    return static_cast<std::size_t>(at - labels.begin());
  };
  for (const label_bits label : block.labels) {
    const std::size_t from = row_of(known.labels, label), to = row_of(rows.labels, label);
    geometry& box = rows.features.components[to];
    box = known.rows.components[from];
    for (int axis = 0; axis < 3; ++axis) {
      box.min[axis] = static_cast<i32>(box.min[axis] - origin[axis]);
      box.max[axis] = static_cast<i32>(box.max[axis] - origin[axis]);
    }
    for (std::size_t c = 0; c < std::max<std::size_t>(1, rows.channels.size()); ++c) {
      table_rows<real_intensity>& reals = intensities_of(rows, c).real_intensities;
      if (!reals.empty()) reals[to] = intensities_of(known, c).real_intensities[from];
    }
  }
}

// Sums of the groups, and the values where medians are wanted, for all regions of the labels.
class block_walk {
 public:
  block_walk(engine& on, const column_block& block, const box& part)
      : on_(on), block_(block), channels_(features::channels_of(block.asked)), part_(part) {}

  void run(const std::vector<chosen_column>& columns, const column_needs& needs, column_piece::state& to) {
    const region_piece::state& regions = to.regions.inside();
    const i64 origin[3] = {block_.place.z - part_.begin[0], block_.place.y - part_.begin[1],
                           block_.place.x - part_.begin[2]};
    region_table rows = rows_around(regions, needs);
    if (needs.known) take_known(block_.known->inside(), regions, origin, rows);
    to.labels = rows.labels;
    const running_call call(on_, {{"labels", block_.labels}, {"intensity", block_.asked.intensity}});
    const std::vector<features::region_frame> frames = frames_of(rows);
    const features::walked_part walked = {{part_.begin[0], part_.begin[1], part_.begin[2]},
                                          {part_.end[0], part_.end[1], part_.end[2]}};
    const features::walk_job job = {
        block_.labels, block_.asked.background, channels_, frames, features::groups_with_sums(columns), walked};
    features::sums_of_groups sums;
    if (!job.groups.empty() && rows.size() != 0) sums = features::sum_rows(call.state(), job);
    to.sums.resize(to.asked.lists());
    for (std::size_t g = 0; g < sums.size(); ++g)
      sums[g]->store(to.sums[to.asked.place_of(job.groups[g].channel, *job.groups[g].group)],
                     {block_.labels.size, block_.place.whole, origin[0], origin[1], origin[2]});
    for (std::size_t c = 0; c < channels_.size(); ++c)
      if (to.asked.channels[c].medians != 0) count_values(call.state(), c, to);
  }

 private:
  region_table rows_around(const region_piece::state& regions, const column_needs& needs) {
    region_table rows;
    if (needs.halo == 0) rows.labels = regions.labels;
    else measure_regions(on_, {block_.labels, block_.asked.background, {}, {}, {}}, rows);
    rows.features = {};
    rows.features.rank = block_.labels.size.rank;
    rows.features.components.assign(rows.labels.size(), geometry{});
    rows.channels.resize(block_.asked.channels.size());
    for (std::size_t c = 0; needs.intensities && c < channels_.size(); ++c)
      if (sums_reals(channels_[c].type))
        intensities_of(rows, c).real_intensities.assign(rows.labels.size(), real_intensity{});
    return rows;
  }

  std::vector<features::region_frame> frames_of(region_table& rows) const {
    std::vector<features::region_frame> frames;
    for (std::size_t c = 0; c < std::max<std::size_t>(1, channels_.size()); ++c) {
      const dtype type = channels_.empty() ? dtype::u8 : channels_[c].type;
      frames.push_back({block_.labels.size,
                        &rows,
                        &intensities_of(rows, c),
                        {1, 1, 1},
                        features::uses_all_patterns,  // whatever is asked of the pieces later
                        nullptr,
                        static_cast<int>(8 * size_of(type))});
    }
    return frames;
  }

  void count_values(engine::state& on, std::size_t channel, column_piece::state& to) const {
    std::vector<regions::value_count>& values = to.sums[to.asked.place_of_values(channel)].values;
    values =
        regions::count_values(on, {without_halo(block_.labels, part_), channels_[channel], block_.asked.background});
    const std::vector<label_bits>& own = to.regions.inside().labels;
    std::vector<u32> rows;
    for (std::size_t row = 0; row < to.labels.size() && rows.size() < own.size(); ++row)
      if (to.labels[row] == own[rows.size()]) rows.push_back(static_cast<u32>(row));
    for (regions::value_count& each : values) each.region = rows[each.region];
  }

  engine& on_;
  const column_block& block_;
  std::vector<image_view> channels_;
  box part_;
};

}  // namespace

column_needs needs_of_columns(int rank, const std::vector<std::string>& columns, const pixel_spacing& spacing,
                              const dtype* intensities, std::span<const dtype> channels) {
  if (rank != 2 && rank != 3) refuse("rank: " + std::to_string(rank) + " is not 2 or 3");
  check_spacing(spacing, rank);
  if (intensities != nullptr && !channels.empty())
    refuse("channels: an intensity is given as well; make it one of them");
  if (intensities != nullptr) channels = {intensities, 1};
  const std::vector<chosen_column> chosen = features::chosen_columns(
      columns, {rank, spacing, !channels.empty(), intensities != nullptr ? 0 : channels.size()});
  return needs_of(chosen, rank, std::any_of(channels.begin(), channels.end(), &sums_reals));
}

column_piece measure_block(engine& on, const column_block& block) {
  const column_request& asked = block.asked;
  if (on.kind() == engine_kind::cuda || on.kind() == engine_kind::reference)
    refuse("engine: columns of blocks are measured on engine::cpu() or engine::automatic()");
  if (asked.index.has_value()) refuse("index: blocks have rows of all their regions; pick from the joined table");
  regions::check_label_image("labels", block.labels);
  regions::check_background(asked.background);
  const box placed = check_place(block.size, block.place);
  if (block.labels.size.rank != block.size.rank)
    refuse("labels: rank " + std::to_string(block.labels.size.rank) + " is not that of the block");
  image_view own = block.labels;
  own.size = block.size;
  const std::vector<chosen_column> columns = features::checked_columns("the block", own, asked);
  const std::vector<image_view> channels = features::channels_of(asked);
  const column_needs needs = needs_of(columns, block.size.rank, has_reals(channels));
  const box part = block_in_halo(block.labels.size, block.place.whole, placed, needs.halo);
  own = without_halo(block.labels, part);
  if (needs.known && block.known == nullptr)
    refuse(
        "known: sums of powers (moments, weighted centroids) need the table of all blocks; measure and join these "
        "first");
  column_piece made;
  column_piece::state& state = made.inside();
  state.regions = measure_block(on, features::regions_asked(own, asked, columns), block.place);
  state.asked = question_of(columns, asked);
  if (needs.known) check_known(block.known->inside(), state.regions.inside(), channels, needs.intensities);
  regions::with_memory([&] { block_walk(on, block, part).run(columns, needs, state); });
  return made;
}

}  // namespace skerry

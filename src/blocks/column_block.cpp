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

column_question question_of(const std::vector<chosen_column>& columns, const image_view& intensity) {
  column_question asked;
  const auto all = features::all_groups();
  for (std::size_t g = 0; g < all.size(); ++g)
    if (all[g]->start != nullptr && features::wants(columns, *all[g])) asked.groups |= 1u << g;
  for (const chosen_column& column : columns)
    if ((column.column->needs & features::uses_medians) != 0) asked.medians = 1;
  if (intensity.data != nullptr) asked.intensities = static_cast<u8>(static_cast<int>(intensity.type) + 1);
  return asked;
}

void check_known(const region_piece::state& known, const region_piece::state& block, bool with_intensities) {
  const region_question &a = known.asked, &b = block.asked;
  if (pixels_of(known.boxes) != static_cast<u64>(known.whole.pixels()))
    refuse("known: is not of all blocks of the label image; join the pieces of all");
  if (known.whole != block.whole || a.signed_labels != b.signed_labels || a.background != b.background ||
      a.background_label != b.background_label || a.negative_background != b.negative_background)
    refuse("known: is of another image, type of labels or background");
  if (with_intensities && known.rows.real_intensities.size() != known.labels.size())
    refuse("known: has no sums of these intensities; measure the blocks with the intensity image first");
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
    if (!rows.features.real_intensities.empty()) rows.features.real_intensities[to] = known.rows.real_intensities[from];
  }
}

// Sums of the groups, and the values where medians are wanted, for all regions of the labels.
class block_walk {
 public:
  block_walk(engine& on, const column_block& block, const box& part) : on_(on), block_(block), part_(part) {}

  void run(const std::vector<chosen_column>& columns, const column_needs& needs, column_piece::state& to) {
    const region_piece::state& regions = to.regions.inside();
    const i64 origin[3] = {block_.place.z - part_.begin[0], block_.place.y - part_.begin[1],
                           block_.place.x - part_.begin[2]};
    region_table rows = rows_around(regions, needs);
    if (needs.known) take_known(block_.known->inside(), regions, origin, rows);
    to.labels = rows.labels;
    const running_call call(on_, {{"labels", block_.labels}, {"intensity", block_.asked.intensity}});
    const features::region_frame frame = {block_.labels.size,
                                          &rows,
                                          &rows.features,
                                          {1, 1, 1},
                                          features::uses_all_patterns,  // whatever is asked of the pieces later
                                          nullptr,
                                          static_cast<int>(8 * size_of(block_.asked.intensity.type))};
    const std::vector<image_view> channels = {block_.asked.intensity};
    const std::vector<features::region_frame> frames = {frame};
    const features::walked_part walked = {{part_.begin[0], part_.begin[1], part_.begin[2]},
                                          {part_.end[0], part_.end[1], part_.end[2]}};
    const features::walk_job job = {
        block_.labels, block_.asked.background, channels, frames, features::groups_with_sums(columns), walked};
    features::sums_of_groups sums;
    if (!job.groups.empty() && rows.size() != 0) sums = features::sum_rows(call.state(), job);
    to.sums.resize(job.groups.size() + to.asked.medians);
    for (std::size_t g = 0; g < sums.size(); ++g)
      sums[g]->store(to.sums[g], {block_.labels.size, block_.place.whole, origin[0], origin[1], origin[2]});
    if (to.asked.medians != 0) count_values(call.state(), to);
  }

 private:
  region_table rows_around(const region_piece::state& regions, const column_needs& needs) {
    region_table rows;
    if (needs.halo == 0) rows.labels = regions.labels;
    else measure_regions(on_, {block_.labels, block_.asked.background, {}, {}, {}}, rows);
    rows.features = {};
    rows.features.rank = block_.labels.size.rank;
    rows.features.components.assign(rows.labels.size(), geometry{});
    if (needs.intensities) rows.features.real_intensities.assign(rows.labels.size(), real_intensity{});
    return rows;
  }

  void count_values(engine::state& on, column_piece::state& to) const {
    std::vector<regions::value_count>& values = to.sums.back().values;
    values = regions::count_values(
        on, {without_halo(block_.labels, part_), block_.asked.intensity, block_.asked.background});
    const std::vector<label_bits>& own = to.regions.inside().labels;
    std::vector<u32> rows;
    for (std::size_t row = 0; row < to.labels.size() && rows.size() < own.size(); ++row)
      if (to.labels[row] == own[rows.size()]) rows.push_back(static_cast<u32>(row));
    for (regions::value_count& each : values) each.region = rows[each.region];
  }

  engine& on_;
  const column_block& block_;
  box part_;
};

}  // namespace

column_needs needs_of_columns(int rank, const std::vector<std::string>& columns, const pixel_spacing& spacing,
                              const dtype* intensities) {
  if (rank != 2 && rank != 3) refuse("rank: " + std::to_string(rank) + " is not 2 or 3");
  check_spacing(spacing, rank);
  return needs_of(features::chosen_columns(columns, {rank, spacing, intensities != nullptr}), rank,
                  intensities != nullptr && sums_reals(*intensities));
}

column_piece measure_block(engine& on, const column_block& block) {
  const column_request& asked = block.asked;
  if (on.kind() == engine_kind::cuda || on.kind() == engine_kind::reference)
    refuse("engine: columns of blocks are measured on engine::cpu() or engine::automatic()");
  regions::check_label_image("labels", block.labels);
  regions::check_background(asked.background);
  if (!asked.channels.empty()) refuse("channels: a block has one intensity image; measure each channel for itself");
  const box placed = check_place(block.size, block.place);
  if (block.labels.size.rank != block.size.rank)
    refuse("labels: rank " + std::to_string(block.labels.size.rank) + " is not that of the block");
  const int rank = block.size.rank;
  check_spacing(asked.spacing, rank);
  const bool has_intensities = asked.intensity.data != nullptr;
  const std::vector<chosen_column> columns =
      features::chosen_columns(asked.columns, {rank, asked.spacing, has_intensities});
  const bool has_reals = has_intensities && sums_reals(asked.intensity.type);
  const column_needs needs = needs_of(columns, rank, has_reals);
  const box part = block_in_halo(block.labels.size, block.place.whole, placed, needs.halo);
  const image_view own = without_halo(block.labels, part);
  if (has_intensities) regions::check_value_image("intensity", asked.intensity, own, "the block");
  if (needs.known && block.known == nullptr)
    refuse(
        "known: sums of powers (moments, weighted centroids) need the table of all blocks; measure and join these "
        "first");
  const features::wanted_rows wanted = features::rows_for(columns, has_reals);
  region_request rows{
      own, asked.background, {wanted.moments, wanted.intensities ? asked.intensity : image_view()}, {}, {}};
  column_piece made;
  column_piece::state& state = made.inside();
  state.regions = measure_block(on, rows, block.place);
  state.asked = question_of(columns, asked.intensity);
  if (needs.known) check_known(block.known->inside(), state.regions.inside(), needs.intensities);
  regions::with_memory([&] { block_walk(on, block, part).run(columns, needs, state); });
  return made;
}

}  // namespace skerry

// SPDX-License-Identifier: Apache-2.0
// The columns of a whole label image from what its blocks know: groups take the joined sums, and finish as after their own walk.
#include "blocks/column_state.hpp"
#include "blocks/joined.hpp"
#include "blocks/piece_state.hpp"
#include "blocks/region_state.hpp"
#include "engine/begin_call.hpp"
#include "engine/image_checks.hpp"
#include "engine/spacing_check.hpp"
#include "features/column_plan.hpp"
#include "features/groups.hpp"
#include "regions/check.hpp"

namespace skerry {
namespace {

using namespace blocks;
using features::chosen_column;

void check_measured(const column_piece::state& all, const std::vector<chosen_column>& columns) {
  const region_question& rows = all.regions.inside().asked;
  for (const chosen_column& column : columns) {
    const features::feature_group& group = *column.group;
    bool there =
        (column.column->needs & features::uses_medians) == 0 || all.asked.channels[column.channel].medians != 0;
    if (group.start != nullptr) there = there && all.asked.has(column.channel, group);
    if (group.reads_second_moments) there = there && (rows.flags & question::moments) != 0;
    if (&group == &features::intensity_group)
      there =
          there && (!rows.channels.empty() || (rows.flags & (question::intensities | question::real_intensities)) != 0);
    if (!there)
      refuse("columns: pieces were measured without what '" + column.name + "' needs; name it for the blocks, too");
  }
}

std::vector<double> medians_of(const column_piece::state& all, std::size_t channel) {
  const std::vector<regions::value_count>& values = all.sums[all.asked.place_of_values(channel)].values;
  std::vector<double> medians;
  for (std::size_t row = 0, next = 0; row < all.labels.size(); ++row) {
    const std::size_t begin = next;
    while (next < values.size() && values[next].region == row) ++next;
    medians.push_back(regions::median_of(std::span(values).subspan(begin, next - begin)));
  }
  return medians;
}

class column_maker {
 public:
  column_maker(const column_piece::state& all, const pixel_spacing& spacing, const std::vector<chosen_column>& columns)
      : all_(all), columns_(columns), medians_(all.asked.channels.size()) {
    const region_piece& regions = all.regions;
    table_ = table_of({&regions, 1});
    if (!all.sums.empty() && all.labels != table_.labels)
      refuse("pieces: pixels around a block have labels that no block has; halos and blocks are of one image");
    unsigned wanted = 0;
    for (const chosen_column& column : columns) wanted |= column.column->needs;
    const extent& whole = regions.whole();
    for (std::size_t c = 0; c < medians_.size(); ++c) {
      const channel_question& asked = all.asked.channels[c];
      if (asked.medians != 0) medians_[c] = medians_of(all, c);
      frames_.push_back({whole,
                         &table_,
                         table_.channels.empty() ? &table_.features : &table_.channels[c],
                         {whole.rank == 3 ? spacing.z : 1, spacing.y, spacing.x},
                         wanted,
                         medians_[c].data(),
                         asked.type == 0 ? 8 : static_cast<int>(8 * size_of(static_cast<dtype>(asked.type - 1)))});
    }
  }

  column_table make(engine::state& on) {
    const std::vector<features::walked_group> groups = features::groups_with_sums(columns_);
    features::sums_of_groups sums;
    for (const features::walked_group& each : groups) {
      const features::region_frame& frame = frames_[each.channel];
      sums.push_back(each.group->start(frame));
      if (table_.size() == 0) continue;
      sums.back()->restore(all_.sums[all_.asked.place_of(each.channel, *each.group)]);
      features::finish(on, frame, *sums.back());
    }
    column_table made;
    made.rank = all_.regions.whole().rank;
    for (const chosen_column& column : columns_)
      made.columns.push_back({column.name, column.column->integer != nullptr, {}, {}});
    features::fill_columns(on, frames_, groups, sums, columns_, made.columns);
    return made;
  }

 private:
  const column_piece::state& all_;
  const std::vector<chosen_column>& columns_;
  region_table table_;
  std::vector<std::vector<double>> medians_;    // of each channel, where they are wanted
  std::vector<features::region_frame> frames_;  // of each channel, or one
};

}  // namespace

column_table columns_of(engine& on, std::span<const column_piece> pieces, const std::vector<std::string>& columns,
                        const pixel_spacing& spacing) {
  if (on.kind() == engine_kind::cuda || on.kind() == engine_kind::reference)
    refuse("engine: columns of blocks are measured on engine::cpu() or engine::automatic()");
  const column_piece whole = joined(pieces);
  const column_piece::state& all = whole.inside();
  if (all.is_blank()) refuse("pieces: of no block; give all blocks of the label image");
  const int rank = all.regions.whole().rank;
  check_spacing(spacing, rank);
  const std::vector<channel_question>& channels = all.asked.channels;
  const std::vector<chosen_column> chosen = features::chosen_columns(
      columns, {rank, spacing, channels.front().type != 0, all.asked.numbered != 0 ? channels.size() : 0});
  check_measured(all, chosen);
  return regions::with_memory([&] {
    const running_call call(on, {});
    return column_maker(all, spacing, chosen).make(call.state());
  });
}

}  // namespace skerry

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

// The place of the group of a column among the sums of a piece; that of the values for medians.
std::size_t place_of(const column_question& asked, const features::feature_group& group) {
  std::size_t place = 0;
  const auto all = features::all_groups();
  for (std::size_t g = 0; g < all.size() && all[g] != &group; ++g) place += asked.groups >> g & 1;
  return place;
}

void check_measured(const column_piece::state& all, const std::vector<chosen_column>& columns) {
  const u16 flags = all.regions.inside().asked.flags;
  for (const chosen_column& column : columns) {
    const features::feature_group& group = *column.group;
    bool there = (column.column->needs & features::uses_medians) == 0 || all.asked.medians != 0;
    const auto groups = features::all_groups();
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (groups[g] == &group && group.start != nullptr) there = there && (all.asked.groups >> g & 1) != 0;
    if (group.reads_second_moments) there = there && (flags & question::moments) != 0;
    if (&group == &features::intensity_group)
      there = there && (flags & (question::intensities | question::real_intensities)) != 0;
    if (!there)
      refuse("columns: pieces were measured without what '" + column.name + "' needs; name it for the blocks, too");
  }
}

std::vector<double> medians_of(const column_piece::state& all) {
  const std::vector<regions::value_count>& values = all.sums.back().values;
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
  column_maker(const column_piece::state& all, const pixel_spacing& spacing) : all_(all) {
    const region_piece& regions = all.regions;
    table_ = table_of({&regions, 1});
    if (!all.sums.empty() && all.labels != table_.labels)
      refuse("pieces: pixels around a block have labels that no block has; halos and blocks are of one image");
    if (all.asked.medians != 0) medians_ = medians_of(all);
    const extent& whole = regions.whole();
    const int bits =
        all.asked.intensities == 0 ? 8 : static_cast<int>(8 * size_of(static_cast<dtype>(all.asked.intensities - 1)));
    frame_ = {whole,           &table_, &table_.features, {whole.rank == 3 ? spacing.z : 1, spacing.y, spacing.x}, 0,
              medians_.data(), bits};
  }

  column_table make(engine::state& on, const std::vector<chosen_column>& columns) {
    for (const chosen_column& column : columns) frame_.wanted |= column.column->needs;
    const std::vector<features::walked_group> groups = features::groups_with_sums(columns);
    features::sums_of_groups sums;
    for (const features::walked_group& each : groups) {
      sums.push_back(each.group->start(frame_));
      if (table_.size() == 0) continue;
      sums.back()->restore(all_.sums[place_of(all_.asked, *each.group)]);
      features::finish(on, frame_, *sums.back());
    }
    column_table made;
    made.rank = frame_.size.rank;
    for (const chosen_column& column : columns) {
      const features::feature_sums* of_group = nullptr;
      for (std::size_t g = 0; g < groups.size(); ++g)
        if (groups[g].group == column.group) of_group = sums[g].get();
      made.columns.push_back({column.name, column.column->integer != nullptr, {}, {}});
      features::fill_column(on, {frame_, of_group}, column, made.columns.back());
    }
    return made;
  }

 private:
  const column_piece::state& all_;
  region_table table_;
  std::vector<double> medians_;
  features::region_frame frame_{};
};

}  // namespace

column_table columns_of(engine& on, std::span<const column_piece> pieces, const std::vector<std::string>& columns,
                        const pixel_spacing& spacing) {
  if (on.kind() == engine_kind::cuda || on.kind() == engine_kind::reference)
    refuse("engine: columns of blocks are measured on engine::cpu() or engine::automatic()");
  const column_piece whole = joined(pieces);
  const column_piece::state& all = whole.inside();
  const int rank = all.regions.whole().rank;
  check_spacing(spacing, rank);
  const std::vector<chosen_column> chosen =
      features::chosen_columns(columns, {rank, spacing, all.asked.intensities != 0});
  check_measured(all, chosen);
  return regions::with_memory([&] {
    const running_call call(on, {});
    return column_maker(all, spacing).make(call.state(), chosen);
  });
}

}  // namespace skerry

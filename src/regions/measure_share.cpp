// SPDX-License-Identifier: Apache-2.0
// One thread's rows of a label image, run by run: groups of equal rows, the slot of each run's label, and then group of features by
// group of features.
#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "core/pixel_type.hpp"
#include "engine/stop.hpp"
#include "regions/measure.hpp"
#include "regions/region_runs.hpp"
#include "regions/row_groups.hpp"

namespace skerry::regions {
namespace {

// Gives the runs of a group their slots, in `room`, which has that of a run for each pixel of a row. Places of labels that do not
// ascend are asked for ahead.
template <class Label>
region_runs take_runs(const row_group<Label>& group, const background_test<Label>& is_background, label_slots& slots,
                      std::vector<region_runs::run>& room) {
  constexpr std::size_t most = 64;
  slots.look_at_order();
  const bool ascend = slots.ascend(std::is_signed_v<Label>);
  std::size_t count = 0;
  for (std::size_t first = 0, last = 0; first < group.count; first = last) {
    last = std::min(first + most, group.count);
    if (!ascend)
      for (std::size_t i = first; i < last; ++i) slots.prefetch(bits_of(group.label_of(i)));
    for (std::size_t i = first; i < last; ++i) {
      const Label label = group.label_of(i);
      if (!is_background(label)) room[count++] = {group.starts[i], group.starts[i + 1], slots.slot_of(bits_of(label))};
    }
  }
  return {group.z, group.top, group.bottom, std::span(room).first(count)};
}

template <class Group, int Rank>
void add_runs(const region_runs& taken, const image_view& intensity, table_rows<typename Group::row>& rows) {
  if constexpr (!Group::reads_intensity) {
    taken.each([&](const placed_run& run, u32 slot) { Group::template add<Rank>(rows[slot], run); });
  } else {
    with_pixel_type(intensity.type, [&]<class Pixel>(pixel_type<Pixel>) {
      if constexpr (Group::takes(dtype_of_pixel<Pixel>::value))
        taken.each(
            [&](const placed_run& run, u32 slot) { Group::template add_pixels<Pixel>(rows[slot], intensity, run); });
    });
  }
}

template <class Label, int Rank>
void measure_rows(const region_request& asked, const row_range& rows, std::vector<region_runs::run>& room,
                  measured_share& share) {
  const background_test<Label> is_background(asked.background);
  each_row_group<Label>(asked.labels, rows.begin, rows.end, [&](const row_group<Label>& group) {
    const region_runs taken = take_runs(group, is_background, share.slots, room);
    each_wanted_group(asked, [&]<class Group>(Group, std::size_t table) {
      auto& rows = table_of(share, table).*Group::rows;
      while (rows.size() < share.slots.labels().size()) push_back_stoppably(rows, Group::empty(Rank));
      add_runs<Group, Rank>(taken, options_of_table(asked, table).intensity, rows);
    });
  });
}

// How many rows above a share have neighbours in it; of a volume, in which they would be much of the share, one.
i64 rows_above(const extent& size, const row_range& rows) {
  const i64 with_neighbours = size.rank == 2 ? 1 : size.height + 1;
  const bool are_few = 16 * with_neighbours <= rows.end - rows.begin;
  return std::min(rows.begin, are_few ? with_neighbours : i64{1});
}

// Labels of the rows above are slots already: regions that reach into the share would be met among those that begin in it, and its
// labels would not ascend. Those that do not reach so far get rows to which nothing is added.
template <class Label>
void begin_with_labels_of(const region_request& asked, const row_range& above, label_slots& slots) {
  const background_test<Label> is_background(asked.background);
  std::vector<Label> labels;
  each_row_group<Label>(asked.labels, above.begin, above.end, [&](const row_group<Label>& group) {
    for (std::size_t i = 0; i < group.count; ++i)
      if (!is_background(group.label_of(i))) labels.push_back(group.label_of(i));
  });
  std::sort(labels.begin(), labels.end());
  for (const Label label : labels) slots.slot_of(bits_of(label));
}

}  // namespace

void measure_share(const region_request& asked, row_dealer& rows, std::size_t interval, measured_share& share) {
  const image_view& labels = asked.labels;
  const row_range all = rows.rows_of(interval);
  const i64 above = rows_above(labels.size, all);
  share.slots.forget(small_labels(labels), static_cast<u64>((above + all.end - all.begin) * labels.size.width));
  std::vector<region_runs::run> room(static_cast<std::size_t>(labels.size.width));
  with_label_type(labels.type, [&]<class Label>(label_type<Label>) {
    if (above > 0) begin_with_labels_of<Label>(asked, {all.begin - above, all.begin}, share.slots);
    for (row_range some = rows.take(interval); some.begin < some.end; some = rows.take(interval)) {
      if (labels.size.rank == 2) measure_rows<Label, 2>(asked, some, room, share);
      else measure_rows<Label, 3>(asked, some, room, share);
    }
    share.slots.look_at_order();
  });
}

}  // namespace skerry::regions

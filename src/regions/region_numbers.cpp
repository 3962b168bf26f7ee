// SPDX-License-Identifier: Apache-2.0
#include "regions/region_numbers.hpp"

#include "core/label_type.hpp"
#include "engine/cpu/parallel.hpp"
#include "engine/stop.hpp"
#include "regions/row_groups.hpp"

namespace skerry::regions {
namespace {

template <class Label>
void find_labels(const image_view& labels, const background& rule, const row_range& rows, label_slots& slots) {
  const background_test<Label> is_background(rule);
  each_row_group<Label>(labels, rows.begin, rows.end, [&](const row_group<Label>& group) {
    for (std::size_t i = 0; i < group.count; ++i)
      if (!is_background(group.label_of(i))) slots.slot_of(bits_of(group.label_of(i)));
  });
}

// The labels of each share in the order of their first pixels.
std::vector<label_slots> labels_of_shares(engine::state& on, const image_view& labels, const background& rule) {
  const std::vector<row_range> shares = split_rows(on, labels.size);
  std::vector<label_slots> found;
  for (std::size_t s = 0; s < shares.size(); ++s) found.emplace_back(small_labels(labels));
  for_each_in_parallel(on, shares.size(), [&](std::size_t s) {
    stage_timer time(on.clock, stage::measure, stage_timer::by::all_threads);
    time.run([&] {
      with_label_type(labels.type,
                      [&]<class Label>(label_type<Label>) { find_labels<Label>(labels, rule, shares[s], found[s]); });
    });
  });
  return found;
}

}  // namespace

region_numbers::region_numbers(engine::state& on, const image_view& labels, const background& rule, region_order order)
    : slots_(small_labels(labels)) {
  if (labels.size.pixels() == 0) return;
  std::vector<label_slots> shares = labels_of_shares(on, labels, rule);
  slots_ = std::move(shares.front());
  for (std::size_t s = 1; s < shares.size(); ++s)
    for (const label_bits label : shares[s].labels()) {
      stop_point(slots_.labels().size());
      slots_.slot_of(label);
    }
  if (order == region_order::first_pixel) return;
  std::vector<u32> ascending;
  slots_.list_ascending(is_signed_label_type(labels.type), ascending);
  number_.resize(ascending.size());
  for (std::size_t i = 0; i < ascending.size(); ++i) number_[ascending[i]] = static_cast<u32>(i);
}

region_numbers::region_numbers(const std::vector<label_bits>& named, const image_view& labels)
    : slots_(small_labels(labels)) {
  for (const label_bits label : named) slots_.slot_of(label);
}

std::vector<label_bits> region_numbers::labels() const {
  if (number_.empty()) return slots_.labels();
  std::vector<label_bits> labels(size());
  for (std::size_t slot = 0; slot < labels.size(); ++slot) labels[number_[slot]] = slots_.labels()[slot];
  return labels;
}

void each_numbered_group(const image_view& labels, const background& rule, const region_numbers& numbers,
                         const row_range& rows, function_ref<void(const region_runs&)> visit) {
  std::vector<region_runs::run> room(static_cast<std::size_t>(labels.size.width));
  with_label_type(labels.type, [&]<class Label>(label_type<Label>) {
    const background_test<Label> is_background(rule);
    each_row_group<Label>(labels, rows.begin, rows.end, [&](const row_group<Label>& group) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < group.count; ++i) {
        const Label label = group.label_of(i);
        if (is_background(label)) continue;
        const u32 number = numbers.find(bits_of(label));
        if (number != region_numbers::none) room[count++] = {group.starts[i], group.starts[i + 1], number};
      }
      visit({group.z, group.top, group.bottom, std::span(room).first(count)});
    });
  });
}

}  // namespace skerry::regions

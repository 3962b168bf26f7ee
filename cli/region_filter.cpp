// SPDX-License-Identifier: Apache-2.0
#include "cli/region_filter.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "cli/components.hpp"
#include "cli/more_columns.hpp"
#include "cli/region_rows.hpp"
#include "core/label_type.hpp"

namespace skerry::cli {
namespace {

std::vector<std::int64_t> sides_of(const extent& size) {
  std::vector<std::int64_t> sides = {size.depth, size.height, size.width};
  sides.erase(sides.begin(), sides.end() - size.rank);
  return sides;
}

// Of each region whether its box reaches the border.
std::vector<bool> at_border(const region_table& table, const extent& size) {
  std::vector<bool> touches(table.size(), false);
  const std::vector<std::int64_t> sides = sides_of(size);
  for (std::size_t axis = 0; axis < sides.size(); ++axis) {
    const std::vector<double> begin = table.column("bbox-" + std::to_string(axis));
    const std::vector<double> end = table.column("bbox-" + std::to_string(axis + sides.size()));
    for (std::size_t row = 0; row < touches.size(); ++row)
      if (begin[row] == 0 || end[row] == static_cast<double>(sides[axis])) touches[row] = true;
  }
  return touches;
}

// Of the rows that are kept, keeps as many as `most` of the largest area; of equal ones the first.
void keep_largest(std::vector<bool>& kept, const std::vector<double>& areas, std::uint64_t most) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < kept.size(); ++row)
    if (kept[row]) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return areas[a] > areas[b]; });
  for (std::size_t place = most; place < rows.size(); ++place) kept[rows[place]] = false;
}

}  // namespace

region_filter::region_filter(const component_options& options, const picture& labels, intensity_images under)
    : selection_(options.selection), under_(std::move(under)),
      conditions_(options.keep, {labels.frame(0).size.rank, under_.type(), labels.spacing, under_.count()}) {
  check_intensity(labels, under_);
}

bool region_filter::wanted() const {
  return conditions_.wanted() || selection_.min_area != 0 || selection_.max_area != selection().max_area ||
         selection_.clear_border || selection_.largest != 0;
}

std::vector<bool> region_filter::selected(const region_table& table, const extent& size) const {
  std::vector<bool> kept(table.size(), true);
  if (kept.empty()) return kept;
  const std::vector<double> areas = table.column("area");
  const std::vector<bool> touches = at_border(table, size);
  for (std::size_t row = 0; row < kept.size(); ++row)
    kept[row] = areas[row] >= static_cast<double>(selection_.min_area) &&
                areas[row] <= static_cast<double>(selection_.max_area) && !(selection_.clear_border && touches[row]);
  if (selection_.largest != 0) keep_largest(kept, areas, selection_.largest);
  return kept;
}

std::vector<label_bits> region_filter::apply(engine& on, const numbered_regions& regions) const {
  const image_view labels(regions.labels.data, regions.labels.type, regions.labels.size, regions.labels.strides);
  const std::optional<pixel_spacing>& spacing = regions.from.spacing;
  region_request asked{.labels = labels};
  asked.features.moments = conditions_.needs_moments();
  if (conditions_.needs_intensity()) asked.features.intensity = under_.one(regions.frame);
  region_table table;
  measure_regions(on, asked, table);
  const std::vector<bool> kept = selected(table, labels.size);
  new_labels labels_now{std::vector<std::uint64_t>(table.size(), 1), table.size()};
  if (conditions_.wanted()) {
    std::vector<table_column> more;
    if (!conditions_.needs_more().empty())
      more = measure_more(on, {labels, {}, under_.one(regions.frame), spacing, under_.several(regions.frame)},
                          conditions_.needs_more());
    table.labels = regions.originals;
    table.signed_labels = is_signed_label_type(regions.from.pixels.type);
    if (conditions_.reads("label")) more.push_back({"label", true, label_column(regions.from, table)});
    labels_now = conditions_.number({table.features, more, spacing});
  }
  std::vector<label_bits> originals;
  for (std::size_t row = 0; row < kept.size(); ++row) {
    const bool stays = kept[row] && labels_now.of[row] != 0;
    if (stays) originals.push_back(regions.originals[row]);
    labels_now.of[row] = stays ? originals.size() : 0;
  }
  labels_now.apply(regions.labels);
  return originals;
}

}  // namespace skerry::cli

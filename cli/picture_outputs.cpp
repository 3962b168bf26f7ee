// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_outputs.hpp"

#include "io/file_error.hpp"
#include "io/montage.hpp"
#include "io/overlay.hpp"
#include "io/picture_file.hpp"

namespace skerry::cli {

picture_outputs::picture_outputs(const std::string& labels, const std::string& overlay, const std::string& palette)
    : palette_(palette == "map" ? io::palette::map : io::palette::vivid) {
  if (!labels.empty()) {
    (void)io::picture_format_of(labels);
    labels_.emplace(labels);
  }
  if (!overlay.empty()) {
    if (!overlay.ends_with(".png") && !overlay.ends_with(".PNG"))
      throw io::file_error(overlay, "an overlay ends in .png");
    overlay_.emplace(overlay);
  }
}

void picture_outputs::check(const picture& from, std::optional<dtype> type) const {
  if (labels_) io::check_pixel_type(labels_->path(), type.value_or(dtype::u8), from.pixels.size.rank);
}

void picture_outputs::write_overlay(const picture& from, const components& found) {
  const image_view all = found.label_view();
  const extent slice(found.size.height, found.size.width);
  const auto slices = io::slices_to_show(found.size.depth, slice.height, slice.width);
  io::montage picture(slices.size(), slice.height, slice.width);
  for (std::size_t tile = 0; tile < slices.size(); ++tile) {
    const image_view labels(found.labels.get() + slices[tile] * all.strides.z, found.label_type, slice);
    picture.put(tile, io::paint_overlay(from.pixels.shown(slices[tile]), labels, palette_));
  }
  io::write_rgb_png(*overlay_, picture.pixels().data(), picture.height(), picture.width());
}

void picture_outputs::write(const picture& from, components& found, std::optional<dtype> type) {
  if (overlay_) write_overlay(from, found);
  if (!labels_) return;
  if (type) require_room(from.name, found.largest, *type);
  found.narrow(type ? *type : io::label_type_for(labels_->path(), found.largest));
  io::write_picture(*labels_, found.label_view(), from.form());
}

void picture_outputs::finish() {
  if (overlay_) overlay_->finish();
  if (labels_) labels_->finish();
}

void picture_outputs::publish() {
  if (overlay_) overlay_->publish();
  if (labels_) labels_->publish();
}

std::optional<dtype> working_label_type(const picture_outputs& outputs, const picture& from,
                                        std::optional<dtype> chosen, bool filtered) {
  if (!outputs.wants_labels()) return {};
  if (filtered && chosen && size_of(*chosen) < size_of(roomy_label_type(from))) return roomy_label_type(from);
  return chosen ? *chosen : roomy_label_type(from);
}

}  // namespace skerry::cli

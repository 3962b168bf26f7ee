// SPDX-License-Identifier: Apache-2.0
#include "cli/picture_outputs.hpp"

#include "io/file_error.hpp"
#include "io/overlay.hpp"
#include "io/picture_file.hpp"

namespace skerry::cli {

picture_outputs::picture_outputs(const std::string& labels, const std::string& overlay) {
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
  const bool slices = from.pixels.size.rank == 3;
  const std::int64_t middle = slices ? from.pixels.size.depth / 2 : 0;
  const image_view all = found.label_view();
  const image_view labels(found.labels.get() + middle * all.strides.z, found.label_type,
                          extent(found.size.height, found.size.width));
  const auto pixels = io::paint_overlay(slices ? from.pixels.slice(middle) : from.pixels.view(), labels);
  io::write_rgb_png(*overlay_, pixels.data(), found.size.height, found.size.width);
}

void picture_outputs::write(const picture& from, components& found, std::optional<dtype> type) {
  if (overlay_) write_overlay(from, found);
  if (!labels_) return;
  found.narrow(type ? *type : io::label_type_for(labels_->path(), found.largest));
  io::write_picture(*labels_, found.label_view());
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
                                        std::optional<dtype> chosen) {
  if (!outputs.wants_labels()) return {};
  return chosen ? *chosen : roomy_label_type(from);
}

}  // namespace skerry::cli

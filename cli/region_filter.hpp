// SPDX-License-Identifier: Apache-2.0
// Which regions of a given label image stay, for skerry relabel.
#pragma once
#include <cstdint>
#include <vector>

#include "cli/component_filter.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"
#include "skerry/regions.hpp"

namespace skerry::cli {

/// A label image whose regions have the labels 1..n.
struct numbered_regions {
  const picture& from;                       // the picture whose labels they were
  std::int64_t frame;                        // of it
  mutable_image labels;                      // of one frame
  const std::vector<label_bits>& originals;  // of each region the label in `from`
};

class region_filter {
 public:
  /// Throws usage_error for a condition that such images cannot meet, as of a column of intensities without any;
  /// io::file_error for intensities of another size.
  ///   options  areas, border and number first, then --keep
  ///   under    images of intensities, which have to last
  region_filter(const component_options& options, const picture& labels, intensity_images under);

  /// Whether regions may be dropped.
  [[nodiscard]] bool wanted() const;
  /// Drops regions, and numbers the others 1..n in their order; returns the labels that these had. Throws io::file_error where a
  /// condition reads labels beyond 2^53.
  std::vector<label_bits> apply(engine& on, const numbered_regions& regions) const;

 private:
  [[nodiscard]] std::vector<bool> selected(const region_table& table, const extent& size) const;

  selection selection_;
  intensity_images under_;
  component_filter conditions_;
};

}  // namespace skerry::cli

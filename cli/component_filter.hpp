// SPDX-License-Identifier: Apache-2.0
// Drops the components that --keep does not keep, and numbers the others.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/conditions.hpp"
#include "cli/feature_columns.hpp"
#include "skerry/image.hpp"
#include "skerry/measure.hpp"

namespace skerry::cli {

/// Labels after --keep: for each component the new one, or 0 if it is dropped.
struct new_labels {
  std::vector<std::uint64_t> of;
  std::uint64_t count = 0;

  /// The numbers of the components that are kept. `column` has one for each component.
  [[nodiscard]] std::vector<double> rows(const std::vector<double>& column) const;
  /// Writes them into a label image.
  void apply(const mutable_image& labels) const;
};

class component_filter {
 public:
  /// Throws usage_error for a text that is no condition, and for a column that such images do not have.
  ///   texts  of --keep; nothing keeps all components
  component_filter(const std::vector<std::string>& texts, const table_sources& of);

  [[nodiscard]] bool wanted() const { return !conditions_.empty(); }
  /// Whether a condition compares that column.
  [[nodiscard]] bool reads(const std::string& column) const;
  [[nodiscard]] bool needs_moments() const { return moments_; }
  [[nodiscard]] bool needs_intensity() const { return intensity_; }
  /// The columns that measure_more() has to measure.
  [[nodiscard]] const std::vector<std::string>& needs_more() const { return more_; }
  /// Labels 1..n of the components that meet the conditions, in the order of the table.
  [[nodiscard]] new_labels number(const measured_columns& rows) const;

 private:
  conditions conditions_;
  std::vector<std::string> more_;
  bool moments_ = false, intensity_ = false;
};

}  // namespace skerry::cli

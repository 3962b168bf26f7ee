// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "cli/components.hpp"
#include "cli/pictures.hpp"
#include "io/palette.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {

/// The label image and the overlay of one picture. Nothing is visible before publish().
class picture_outputs {
 public:
  /// Empty names are left out. Throws io::file_error when a name has the wrong end or a file cannot be made.
  ///   palette  "vivid" or "map"
  picture_outputs(const std::string& labels, const std::string& overlay, const std::string& palette);

  [[nodiscard]] bool wants_labels() const { return labels_ || overlay_; }
  /// Refuses what the format cannot hold before any work is done. Nothing as type: the smallest that fits.
  void check(const picture& from, std::optional<dtype> type) const;
  void write(const picture& from, components& found, std::optional<dtype> type);
  /// Does all that may fail, for both files; and gives them their names.
  void finish();
  void publish();

 private:
  void write_overlay(const picture& from, const components& found);

  io::palette palette_;
  std::optional<io::pending_file> labels_;
  std::optional<io::pending_file> overlay_;
};

/// The type of the label image to ask for: none when no output needs one.
///   filtered  --keep drops some of the components, so that more of them than `chosen` holds may be there first
[[nodiscard]] std::optional<dtype> working_label_type(const picture_outputs& outputs, const picture& from,
                                                      std::optional<dtype> chosen, bool filtered);

}  // namespace skerry::cli

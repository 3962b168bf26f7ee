// SPDX-License-Identifier: Apache-2.0
// The size of a pixel, as a user writes it.
#pragma once
#include <optional>
#include <string>

#include "skerry/measure.hpp"

namespace skerry::cli {

struct pixel_size_choice {
  bool given = false;                 // else the file's own
  std::optional<pixel_spacing> size;  // z is 0 where only rows and columns have one; nothing for "none"
};

/// Reads "Z,Y,X", "Y,X" or one number for all axes, each above 0, with a unit of letters behind them or none: "0.5,0.1,0.1um",
/// "65 nm"; or "none". Nothing for other text.
[[nodiscard]] std::optional<pixel_size_choice> pixel_size_of(const std::string& text);

}  // namespace skerry::cli

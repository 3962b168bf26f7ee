// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "cli/components.hpp"
#include "cli/options.hpp"
#include "cli/pictures.hpp"

namespace skerry::cli {

/// "coins.png: no pixel is above 300: uint8 ends at 255; values are 1 to 252" when the foreground options select no pixel
/// of a picture, or every one; without such options, when every pixel is foreground and their values differ.
///   found  tells cheaply whether it can be so
[[nodiscard]] std::string threshold_note(const foreground_options& options, const joining& joins, const picture& from,
                                         const components& found);

}  // namespace skerry::cli

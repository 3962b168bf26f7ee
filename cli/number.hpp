// SPDX-License-Identifier: Apache-2.0
// Numbers as options have them. CLI11 would read 010 as eight, take nothing for 0, -1 for a very large number, and round a
// fraction twice.
#pragma once
#include <optional>
#include <string>

namespace CLI {
class Validator;
}

namespace skerry::cli {

/// The double nearest to a decimal number, infinity included; nothing for other text, NaN, or what no double can hold.
[[nodiscard]] std::optional<double> number_of(const std::string& text);

/// Accepts what number_of() does. To be given to transform(), as are the others, and before other checks.
[[nodiscard]] CLI::Validator a_number();

/// Accepts whole numbers from 0 or 1 up.
[[nodiscard]] CLI::Validator whole_number(int least = 0);

/// Accepts what a_number() does in a range, whose ends the error names; with an infinite `most` all finite numbers from `least` up.
[[nodiscard]] CLI::Validator number_in(double least, double most);

/// Accepts whole numbers of at most nine digits in a range, whose ends the error names.
[[nodiscard]] CLI::Validator number_in(int least, int most);

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace skerry::cli {

/// The fewest letters to be changed, added, dropped or swapped with their neighbours to make one word of the other.
[[nodiscard]] std::size_t letters_between(std::string_view one, std::string_view other);

/// "; did you mean 'label'?" for the word that is nearest, if it is near: at most a third of the letters are wrong. A word
/// that begins so is near, too. Nothing otherwise.
[[nodiscard]] std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace skerry::cli

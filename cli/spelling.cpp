// SPDX-License-Identifier: Apache-2.0
#include "cli/spelling.hpp"

#include <algorithm>

namespace skerry::cli {

std::size_t letters_between(std::string_view one, std::string_view other) {
  std::vector<std::vector<std::size_t>> changes(one.size() + 1, std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= one.size(); ++i) changes[i][0] = i;
  for (std::size_t j = 0; j <= other.size(); ++j) changes[0][j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i)
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t kept = changes[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      changes[i][j] = std::min({kept, changes[i - 1][j] + 1, changes[i][j - 1] + 1});
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
        changes[i][j] = std::min(changes[i][j], changes[i - 2][j - 2] + 1);
    }
  return changes[one.size()][other.size()];
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 40;  // no name is as long
  if (word.size() > longest) return {};
  const auto dashes = std::min(word.find_first_not_of('-'), word.size());
  const std::size_t letters = word.size() - dashes;
  std::string best;
  std::size_t least = letters / 3 + 1;
  for (const std::string& name : known) {
    const bool begins_so = letters >= 2 && name.starts_with(word);
    const std::size_t wrong = begins_so ? 0 : letters_between(word, name);
    if (wrong >= least) continue;
    least = wrong;
    best = name;
  }
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <stdexcept>

#include "papers/paper_sections.hpp"
#include "support/repetitions.hpp"

namespace skerry::bench {

paper_options read_paper_options(int count, char** arguments, const char* usage, paper_options wanted) {
  const std::vector<std::string> known = wanted.papers;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (argument == "--quick") wanted.quick = true;
    else if (name == "--json") wanted.json = value;
    else if (name == "--repetitions") wanted.repetitions = std::stoi(value);
    else if (name == "--seed") wanted.seed = static_cast<std::uint32_t>(std::stoul(value));
    else if (name == "--granularities") {
      wanted.granularities.clear();
      std::istringstream list(value);
      for (std::string item; std::getline(list, item, ',');) wanted.granularities.push_back(std::stoi(item));
    } else if (name == "--papers") {
      wanted.papers.clear();
      std::istringstream list(value);
      for (std::string paper; std::getline(list, paper, ',');) {
        if (std::find(known.begin(), known.end(), paper) == known.end())
          throw std::invalid_argument("--papers: there is no \"" + paper + '"');
        wanted.papers.push_back(paper);
      }
    } else throw std::invalid_argument("unknown: " + argument + '\n' + usage);
  }
  enough_repetitions(wanted.repetitions, "--repetitions");
  return wanted;
}

}  // namespace skerry::bench

// SPDX-License-Identifier: Apache-2.0
#include "support/cuda_options.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace skerry::bench {
namespace {

std::vector<std::string> names(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) found.push_back(name);
  return found;
}

// True when the argument was one of ours.
bool take(const std::string& argument, cuda_options& wanted) {
  const auto equals = argument.find('=');
  const std::string name = argument.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (name == "--json") return wanted.json = value, true;
  if (name == "--labels-to") return wanted.labels_to = value, true;
  if (name == "--parts") {
    wanted.parts = names(value);
    for (const std::string& part : wanted.parts)
      if (part != "images" && part != "volumes" && part != "frames")
        throw std::invalid_argument("--parts: there is no \"" + part + '"');
    return true;
  }
  if (name != "--outputs") return false;
  wanted.outputs.clear();
  for (const std::string& output : names(value)) wanted.outputs.push_back(output_named(output));
  return true;
}

}  // namespace

bool cuda_options::has(const std::string& part) const {
  return std::find(parts.begin(), parts.end(), part) != parts.end();
}

cuda_options read_cuda_options(std::vector<std::string> arguments) {
  cuda_options wanted;
  if (std::find(arguments.begin(), arguments.end(), "--quick") != arguments.end()) {
    wanted.volume_side = 128;
    wanted.batch_frames = 64;
    wanted.frame_replays = 50;
  }
  // Unless the user says otherwise, in the words of the other benches.
  std::vector<std::string> others = {"--sizes=8192", "--densities=5,15,25,35,45,55,65,75,85,95", "--connectivities=8,4",
                                     "--repetitions=7"};
  for (const std::string& argument : arguments)
    if (!take(argument, wanted)) others.push_back(argument);
  wanted.what = read_options(others);
  if (!others.empty()) throw std::invalid_argument("unknown: " + others.front() + '\n' + cuda_usage);
  return wanted;
}

int cuda_main(const char* name, int count, char** arguments, int (*run)(const cuda_options&)) try {
  return run(read_cuda_options({arguments + 1, arguments + count}));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s: %s\n", name, error.what());
  return 2;
}

}  // namespace skerry::bench

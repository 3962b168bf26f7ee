// SPDX-License-Identifier: Apache-2.0
// The command line of the benches on a GPU.
#pragma once
#include <string>
#include <vector>

#include "support/cuda_output.hpp"
#include "support/options.hpp"

namespace skerry::bench {

struct cuda_options {
  options what;  // sizes, granularities, densities, connectivities
  int volume_side = 512, batch_frames = 1024, frame_replays = 200;
  std::vector<std::string> parts = {"images", "volumes", "frames"};
  std::vector<cuda_output> outputs = {cuda_outputs[0], cuda_outputs[1]};  // of images and volumes
  std::string json;                                                       // where to; or empty
  std::string
      labels_to;  // of skerry_cuda_regions: where the labels of one image go, for other programs; nothing is timed

  [[nodiscard]] bool has(const std::string& part) const;
};

inline constexpr const char* cuda_usage =
    "options: [--quick] [--json=FILE] [--parts=images,volumes,frames] [--sizes=8192] [--granularities=1,4,16]\n"
    "         [--densities=5,15,25,35,45,55,65,75,85,95] [--connectivities=8,4] [--repetitions=7] [--seed=0]\n"
    "         [--outputs=labels,features,first-pixel,moments,intensity,real-intensity,runs,selected,filled,values]; "
    "labels,features if not "
    "said\n"
    "  --quick    2048², 128³, three densities: seconds\n";

/// Throws std::invalid_argument with a text that names the argument.
[[nodiscard]] cuda_options read_cuda_options(std::vector<std::string> arguments);

/// A program's main: 0, or 2 with what was wrong on standard error.
int cuda_main(const char* name, int count, char** arguments, int (*run)(const cuda_options&));

}  // namespace skerry::bench

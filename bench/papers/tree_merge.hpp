// SPDX-License-Identifier: Apache-2.0
// What call by call and streams of [Windisch2023] share.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "papers/paper_sections.hpp"

namespace skerry::bench {

/// The text's methods, and what its outlook suggests; from the image to the features on the host.
inline const std::vector<std::string> rivals_to_host = {"skerry", "tmk", "ha", "ha-compact", "flsl-cd-compact"};
/// The same from a given label image, without the work of labelling, as the text's figures have it.
inline const std::vector<std::string> rivals_of_labels = {"skerry of labels", "tmk of labels", "ha of labels"};

/// Room on the host for all arrays of HA.
inline std::size_t host_bytes_of_arrays(int side) {
  return std::max(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * 20, std::size_t{1} << 20);
}

/// The protocol of the text: ten images in turn until there were 1000 frames, by density, granularity and size.
void bench_frame_streams(const paper_options& how, paper_report& report);

}  // namespace skerry::bench

// SPDX-License-Identifier: Apache-2.0
// Prints the ids of two frames of a stream and the events of the second, one "name: numbers" a line, for
// script/journey-pictures.
#include <array>
#include <cstdint>
#include <iostream>
#include <string>

#include "skerry/track.hpp"

namespace {

using namespace skerry;

constexpr std::int64_t side = 4;
using pixels = std::array<std::uint8_t, side * side>;
constexpr pixels frames[] = {{
                                 1,
                                 1,
                                 0,
                                 1,  //
                                 1,
                                 0,
                                 0,
                                 1,  //
                                 0,
                                 0,
                                 0,
                                 0,  //
                                 1,
                                 1,
                                 1,
                                 1,
                             },
                             {
                                 1,
                                 1,
                                 1,
                                 1,  //
                                 1,
                                 0,
                                 0,
                                 0,  //
                                 0,
                                 0,
                                 0,
                                 0,  //
                                 1,
                                 1,
                                 0,
                                 1,
                             }};

void print(const frame_result& result) {
  const std::string of = " " + std::to_string(result.frame) + ":";
  std::cout << "ids" << of;
  const auto* ids = static_cast<const std::uint32_t*>(result.labels.data);
  for (std::int64_t i = 0; i < side * side; ++i) std::cout << ' ' << ids[i];
  std::cout << '\n';
  for (const track_event& event : result.events)
    std::cout << name_of(event.kind) << of << ' ' << event.id << ' ' << event.other << '\n';
}

}  // namespace

int main() {
  engine on = engine::cpu(1);
  track_options options;
  options.size = {side, side};
  options.connectivity = 8;
  options.labels = true;
  tracker stream(on, options, print);
  for (const pixels& frame : frames) stream.push({frame.data(), {side, side}});
  stream.stop();
}

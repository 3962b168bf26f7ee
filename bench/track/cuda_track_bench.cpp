// SPDX-License-Identifier: Apache-2.0
// Streams of frames through a CUDA device: how late a result is in the memory of the host, and how many frames per second.
// Ids, events and tables are compared with those of the CPU before anything is timed.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "track/cuda_track_sections.hpp"

namespace skerry::bench {
namespace {

constexpr const char* usage =
    "options: [--quick] [--seconds=4] [--only=streams|long|bubbles|policies]\n"
    "  --seconds  of the stream of 8000 frames per second, whose deadline is 5 ms\n";

int run(const std::vector<std::string>& arguments) {
  cuda_track_options how;
  std::string only;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string& each = arguments[i];
    if (each == "--quick") how.quick = true;
    else if (each.starts_with("--seconds=")) how.seconds = std::stod(each.substr(10));
    else if (each.starts_with("--only=")) only = each.substr(7);
    else throw std::invalid_argument("unknown argument " + each + "\n" + usage);
  }
  engine on = engine::cuda();
  if (only.empty() || only == "streams") bench_streams(on, how);
  if (only.empty() || only == "long") bench_long_stream(on, how);
  if (only.empty() || only == "bubbles") bench_bubbles(on, how);
  if (only.empty() || only == "policies") bench_policies(on, how);
  return 0;
}

}  // namespace
}  // namespace skerry::bench

int main(int count, char** arguments) {
  return skerry::bench::program("skerry_track_cuda", count, arguments, skerry::bench::run);
}

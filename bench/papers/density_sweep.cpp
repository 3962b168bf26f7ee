// SPDX-License-Identifier: Apache-2.0
#include "papers/density_sweep.hpp"

#include <algorithm>

#include "skerry/published.hpp"
#include "support/picture_queue.hpp"

namespace skerry::bench {
namespace {

bool knows(const std::string& method, int connectivity) {
  for (const published::method& each : published::methods())
    if (each.name == method)
      return std::find(each.connectivities.begin(), each.connectivities.end(), connectivity) !=
             each.connectivities.end();
  return true;  // the library's own
}

}  // namespace

void density_sweep::run(const paper_options& how, paper_report& report, const measure_function& measure) const {
  paper_desk desk(size, std::make_shared<desk_memory>(host_bytes));
  picture_queue pictures(size, granularity, densities, how.seed);
  for (std::size_t d = 0; d < densities.size(); ++d) {
    const std::vector<std::uint8_t> pixels = pictures.take(d);
    for (const int connectivity : connectivities) {
      desk.take(pixels.data(), connectivity, results);
      for (const std::string& method : methods) {
        if (!knows(method, connectivity)) continue;
        paper_sample sample{figure, method, job, connectivity, size.height, size.width, granularity, densities[d]};
        sample.depth = size.depth;
        measure(desk, method, sample);
        report.add(sample);
      }
    }
  }
}

}  // namespace skerry::bench

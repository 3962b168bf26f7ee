// SPDX-License-Identifier: Apache-2.0
#include "papers/density_sweep.hpp"

#include "support/picture_queue.hpp"

namespace skerry::bench {

void density_sweep::run(const paper_options& how, paper_report& report, const measure_function& measure) const {
  paper_desk desk(size, host_bytes);
  picture_queue pictures(size, granularity, densities, how.seed);
  for (std::size_t d = 0; d < densities.size(); ++d) {
    const std::vector<std::uint8_t> pixels = pictures.take(d);
    desk.take(pixels.data(), connectivity, results);
    for (const std::string& method : methods) {
      paper_sample sample{figure, method, job, connectivity, size.height, size.width, granularity, densities[d]};
      measure(desk, method, sample);
      report.add(sample);
    }
  }
}

}  // namespace skerry::bench

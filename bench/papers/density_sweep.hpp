// SPDX-License-Identifier: Apache-2.0
// One figure's methods on random images of several densities, which are drawn while the device works.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "papers/paper_desk.hpp"
#include "papers/paper_sections.hpp"

namespace skerry::bench {

struct density_sweep {
  std::string figure, job;  // as in paper_sample
  paper_job results = paper_job::labels;
  std::vector<int> connectivities;  // of the same images
  extent size;
  int granularity = 0;
  std::vector<int> densities;
  std::vector<std::string> methods;  // those that know the connectivity run
  std::size_t host_bytes = 4096;     // for paper_desk::time_to_host()

  /// Fills in what was measured of one method.
  using measure_function = std::function<void(paper_desk& desk, const std::string& method, paper_sample& sample)>;
  /// Calls `measure` for each image, connectivity and method, and reports each sample.
  void run(const paper_options& how, paper_report& report, const measure_function& measure) const;
};

}  // namespace skerry::bench

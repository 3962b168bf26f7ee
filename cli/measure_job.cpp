// SPDX-License-Identifier: Apache-2.0
#include "cli/measure_job.hpp"

#include <numeric>

#include "cli/feature_columns.hpp"

namespace skerry::cli {
std::string wanted_features(const measure_job& job) {
  if (!job.features.empty()) return job.features;
  return job.engine.method != published::own_method ? "geometry" : "";
}

feature_columns columns_for(const measure_job& job, const table_sources& of) {
  feature_columns columns = choose_columns(wanted_features(job), of);
  check_effects({{"--intensity", of.intensity && job.engine.method == published::own_method,
                  columns.intensity || keeps_by_intensity(job), "a column of intensity in --features or --keep"}});
  return columns;
}

void keep_rows(std::vector<table_column>& columns, const new_labels& kept) {
  for (table_column& column : columns) {
    column.numbers = kept.rows(column.numbers);
    if (column.name == "label") std::iota(column.numbers.begin(), column.numbers.end(), 1.0);
  }
}

}  // namespace skerry::cli

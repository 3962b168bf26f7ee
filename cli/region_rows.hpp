// SPDX-License-Identifier: Apache-2.0
// Given label images: the calls into the library, and what commands on them share.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/components.hpp"
#include "cli/feature_columns.hpp"
#include "cli/table_output.hpp"
#include "skerry/regions.hpp"
#include "skerry/relabel.hpp"

namespace skerry::cli {

/// --background: a label, or none.
CLI::Option* add_background_option(CLI::App& command, background& rule);

/// Throws io::file_error for what cannot be labels, though the library would take it: colours that have become grey.
void check_labels(const picture& labels);

/// Throws usage_error for a published method, which finds components.
///   option  that asks for label images
void check_region_method(const std::string& option, const engine_options& options);
/// Throws usage_error for the CUDA engine, which does not have a job: "contacts".
void check_not_on_cuda(const std::string& job, const engine_options& options);

struct region_measuring {
  background rule;
  feature_columns columns;
  intensity_images under = {};
  std::function<void(std::int64_t frame, std::vector<table_column>)> take;
  std::string_view method = published::own_method;
  published::method_options how = {};
};

/// Labels as numbers of a table, which are doubles. Throws io::file_error for labels beyond 2^53.
[[nodiscard]] std::vector<double> label_column(const picture& from, const region_table& table);

/// Columns of these names. Throws io::file_error for labels beyond 2^53, which tables of numbers do not hold.
[[nodiscard]] std::vector<table_column> region_columns(const picture& from, const region_table& table,
                                                       const std::vector<table_column>& more,
                                                       const std::vector<std::string>& names);

/// Measures the regions of every frame of a label image. Throws io::file_error with the picture's name: what the library throws,
/// and for labels beyond 2^53, which tables of numbers do not hold.
[[nodiscard]] components measure_labels(engine& on, const picture& labels, const region_measuring& measure,
                                        profile& times);

class region_filter;
struct numbering_rule {
  relabel_options how = {};
  const region_filter* filter = nullptr;  // which regions stay; null: all
  bool keeps_labels = false;              // those that stay have their old labels, not 1..n
};

/// Numbers the regions of every frame of a label image 1..n, into labels of a type that holds them before any are dropped, and the old
/// ones where they are kept. Throws io::file_error where a label is to be kept that is not above 0.
[[nodiscard]] components number_labels(engine& on, const picture& labels, const numbering_rule& rule, dtype type,
                                       profile& times);

}  // namespace skerry::cli

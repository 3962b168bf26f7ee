// SPDX-License-Identifier: Apache-2.0
// The options that choose among components or regions.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <utility>

#include "cli/console.hpp"
#include "cli/number.hpp"
#include "cli/options.hpp"

namespace skerry::cli {

void add_selection_options(CLI::App& command, selection& options, const std::string& noun, const std::string& group) {
  auto* smallest = command.add_option("--min-area", options.min_area, "drop " + noun + " of fewer than N pixels");
  auto* largest = command.add_option("--max-area", options.max_area, "drop " + noun + " of more than N pixels");
  auto* border =
      command.add_flag("--clear-border", options.clear_border, "drop " + noun + " that touch the image border");
  auto* keep = command.add_option("--keep-largest", options.largest, "keep only the K " + noun + " of largest area");
  smallest->type_name("N")->transform(whole_number());
  largest->type_name("N")->transform(whole_number());
  keep->type_name("K")->transform(whole_number(1));
  for (auto* option : {smallest, largest, border, keep}) option->group(group);
}

CLI::Option* add_keep_option(CLI::App& command, component_options& options) {
  return command
      .add_option("--keep", options.keep,
                  "keep only components that meet a condition on columns of\n"
                  "skerry measure, such as 'area>=50 and eccentricity<0.9',\n"
                  "with the quotes; repeat it for more conditions")
      ->type_name("CONDITION")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(command.get_option("--min-area")->get_group());
}

void refuse_selections(const component_options& options, const std::string& problem) {
  const selection& chosen = options.selection;
  const std::pair<const char*, bool> all[] = {{"--min-area", chosen.min_area != 0},
                                              {"--max-area", chosen.max_area != selection().max_area},
                                              {"--clear-border", chosen.clear_border},
                                              {"--keep-largest", chosen.largest != 0},
                                              {"--keep", !options.keep.empty()}};
  for (const auto& [option, given] : all)
    if (given)
      throw usage_error(fmt::format(
          "{0} {1}; select regions of a label image with skerry relabel {0} --keep-labels first", option, problem));
}

}  // namespace skerry::cli

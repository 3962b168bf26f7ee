// SPDX-License-Identifier: Apache-2.0
#include "cli/region_job.hpp"

#include <CLI/CLI.hpp>

#include "cli/console.hpp"
#include "cli/input_files.hpp"
#include "cli/region_rows.hpp"
#include "cli/threshold_note.hpp"
#include "io/file_error.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {

bool finds_components(const region_job& job) {
  const foreground_options& chosen = job.foreground;
  return job.find_components || chosen.threshold || chosen.at_least || !chosen.range.empty() || chosen.invert;
}

void add_region_options(CLI::App& command, region_job& job) {
  add_input_options(command, job.input);
  add_foreground_options(command, job.foreground, "IN are then label images, unless --components is given");
  add_component_options(command, job.components);
  command
      .add_flag("--components", job.find_components,
                "the inputs are images, not labels: find the components\n"
                "first, as skerry label does; foreground options imply\n"
                "this")
      ->group("Input");
  add_background_option(command, job.rule)->group("Input");
  command.get_option("--channel")->description(channel_of_labels);
}

void add_run_options(CLI::App& command, region_job& job) {
  add_engine_options(command, job.engine, methods_for::nothing);
  add_quiet_option(command, job.quiet);
}

void prepare(region_job& job, const console& to) {
  check(job);
  const bool finds = finds_components(job);
  const char* const needs = "--components or an option of the foreground";
  if (!finds) refuse_selections(job.components, std::string("requires ") + needs);
  check_effects(
      {{"--fill-holes", job.components.selection.fill_holes, finds, needs},
       {"--background", job.rule.kind != background::rule::zero_and_below, !finds, "label images as inputs"}});
  check_region_method("label images", job.engine);
  if (!finds) job.input.read.keep_colours = true;  // to see that there are some
  job.input.paths = files_of(job.input.paths, notes_to(to, job.quiet));
}

void each_label_image(batch& all, engine& on, const picture& from, const region_job& job,
                      const std::function<void(std::int64_t frame, const image_view& labels)>& visit) {
  try {
    if (!finds_components(job)) {
      check_labels(from);
      for (std::int64_t frame = 0; frame < from.frames(); ++frame) visit(frame, from.frame(frame));
      return;
    }
    const components found = find_components(on, from, job, roomy_label_type(from), nullptr, all.times());
    for (std::int64_t frame = 0; frame < from.frames(); ++frame) visit(frame, found.frame(from, frame));
    all.note(threshold_note(job.foreground, job.components.joining, from, found));
  } catch (const invalid_argument& error) {
    throw io::file_error(from.name, error.what());
  }
}

}  // namespace skerry::cli

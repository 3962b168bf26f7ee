// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>
#include <utility>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input_files.hpp"
#include "cli/intensity_job.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/picture_outputs.hpp"
#include "cli/region_filter.hpp"
#include "cli/region_rows.hpp"
#include "io/file_error.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {
namespace {

struct relabel_job : intensity_job {
  std::string output;
  std::string order = "first";
  bool keep_labels = false;
  background rule;
};

constexpr const char* relabel_examples = R"(EXAMPLES
  Labels without gaps, in reading order of the regions:
    skerry relabel cells.tif -o cells-1-to-n.tif
  Without the cells that the image border cuts, and without debris:
    skerry relabel cells.tif --clear-border --keep 'area>=50 and solidity>=0.8' -o whole-cells.tif
  The ten largest, with the labels that they have:
    skerry relabel cells.tif --keep-largest 10 --keep-labels -o large-cells.tif
  Those that are bright in another image:
    skerry relabel cells.tif --intensity dapi.tif --keep 'intensity_mean>=1000' -o bright-cells.tif
  In the order of the old labels, as scikit-image's relabel_sequential:
    skerry relabel cells.tif --order labels -o cells-1-to-n.tif
  A folder of label images whose background is 65535:
    skerry relabel masks/ --background 65535 -o numbered/)";

// Numbers of regions before some are dropped fit it, and the old labels, where they are kept.
dtype type_of_work(const relabel_job& job, const picture_outputs& outputs, const picture& from,
                   std::optional<dtype> chosen, bool filtered) {
  if (job.keep_labels) return size_of(from.pixels.type) == 8 ? dtype::u64 : roomy_label_type(from);
  return *working_label_type(outputs, from, chosen.value_or(dtype::u32), filtered);
}

void check_kept_labels(const picture& from, std::uint64_t largest, std::optional<dtype> chosen) {
  if (chosen && size_of(*chosen) < 8 && largest >> (8 * size_of(*chosen)) != 0)
    throw io::file_error(from.name, fmt::format("label {} does not fit {}; leave out --labels-type or --keep-labels",
                                                largest, name_of(*chosen)));
}

void run_relabel(relabel_job job, const console& to) {
  check(job);
  check_effects({{"--intensity", !job.intensity.empty(), keeps_by_intensity(job), "a column of intensity in --keep"}});
  check_region_method("relabel", job.engine);
  engine on = make_engine(job.engine);
  job.input.paths = files_of(job.input.paths, notes_to(to, job.quiet));
  job.input.read.keep_colours = true;  // to see that there are some
  const std::vector<std::string> names = picture_names(job.input);
  const std::vector<std::string> labels = name_outputs("-o", job.output, names, "-labels.tif");
  check_distinct("-o", labels, job.input.paths);
  const std::optional<dtype> type = chosen_label_type(job.labels_type);
  const relabel_options how{job.rule, job.order == "labels" ? region_order::ascending : region_order::first_pixel};

  check_intensity_channels(job);

  std::vector<picture> intensities_of_all;
  batch all({job.input, job.engine, job.quiet, names, [&](const std::string& picture) { return beside(job, picture); },
             [&](const auto& read) { return read_intensities(job, read); }},
            to);
  for (std::size_t i = 0; i < names.size(); ++i)
    all.attempt(i, [&] {
      picture_outputs outputs(labels[i], "", job.palette);
      const std::vector<picture> read = all.read(i);
      const picture& from = read.front();
      check_labels(from);
      outputs.check(from, type);
      const region_filter filter(job.components, from, intensities_of(job, read, intensities_of_all));
      const bool filtered = filter.wanted();
      all.show("labelling");
      components found = number_labels(on, from, {how, filtered ? &filter : nullptr, job.keep_labels},
                                       type_of_work(job, outputs, from, type, filtered), all.times());
      if (job.keep_labels) check_kept_labels(from, found.largest, type);
      all.show("writing");
      const auto writing = profile::clock::now();
      outputs.write(from, found, type);
      outputs.finish();
      outputs.publish();
      all.times().add_writing(writing);
      all.clear_line();
      if (!job.quiet)
        (io::is_standard_output(job.output) ? to.err : to.out) << summary(from, found, "region") << std::flush;
    });
  all.finish();
}

}  // namespace

void define_relabel(CLI::App& command, const console& to) {
  auto job = std::make_shared<relabel_job>();
  add_input_options(command, job->input);
  command.get_option("--channel")->description(channel_of_labels);
  command.get_option("--pixel-size")
      ->description(
          "the size of a pixel, \"0.5,0.1,0.1um\"; one number for\n"
          "all axes: for --keep by columns in units (else that of\n"
          "ImageJ or OME-TIFF files)");
  add_background_option(command, job->rule)->group("Regions");
  command
      .add_option("--order", job->order,
                  "first: by the first pixel of each region in reading order\n"
                  "(the default); labels: by the old labels")
      ->type_name("ORDER")
      ->check(one_of("--order"))
      ->group("Regions");
  command.add_flag("--keep-labels", job->keep_labels, "regions keep the labels that they have, instead of 1..n")
      ->excludes("--order")
      ->group("Regions");
  const std::string selections =
      "Selections (apply in this order; labels are 1..n after them, except with --keep-labels)";
  add_selection_options(command, job->components.selection, "regions", selections);
  add_keep_option(command, job->components)
      ->description(
          "keep only regions that meet a condition on columns of\n"
          "skerry measure --labels, such as 'area>=50 and\n"
          "solidity>=0.8', with the quotes; label is the old one;\n"
          "repeat it for more conditions");
  add_intensity_options(command, *job,
                        "image of the same size, for --keep by columns of\n"
                        "intensity; {name} stands for the input's name",
                        "Intensities");
  command
      .add_option("-o,--output", job->output,
                  "label image: .tif (volumes: one page per slice), .png\n"
                  "or .npy; several inputs: a folder, or a name with {name}\n"
                  "in it; - is NPY on standard output")
      ->required()
      ->type_name("FILE")
      ->check(a_file_name())
      ->group("Output");
  add_labels_type_option(command, job->labels_type)->group("Output");
  add_quiet_option(command, job->quiet);
  add_engine_options(command, job->engine, methods_for::nothing);
  command.footer(relabel_examples);
  command.callback([job, &to] { run_relabel(*job, to); });
}

}  // namespace skerry::cli

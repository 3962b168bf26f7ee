// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/components.hpp"
#include "cli/input_files.hpp"
#include "cli/joining.hpp"
#include "cli/label_bands.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/picture_outputs.hpp"
#include "cli/threshold_note.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {
namespace {

constexpr const char* label_examples = R"(EXAMPLES
  Count the coins, and look at them:
    skerry label coins.png --threshold otsu --fill-holes --min-area 50 --overlay coins-seen.png
  A label image for other programs (0 is background, labels are 1..n in reading order):
    skerry label mask.png -o labels.tif
  Dark letters on white paper, 4-connected:
    skerry label page.png -t otsu --invert -c 4 -o letters.png
  The three largest pores of a volume, from a multi-page TIFF or from a folder of slices:
    skerry label scan.tif --range 0 80 --connectivity 6 --keep-largest 3 -o pores.tif
    skerry label slices/*.png --volume --range 0 80 -o pores.npy
  Round things only:
    skerry label cells.tif --threshold otsu --keep 'area>=80 and eccentricity<0.8' -o round.tif
  A map of classes, or of labels in several parts: a component for each part of one value; around the globe:
    skerry label classes.tif --equal -o parts.tif
    skerry label classes.tif --equal --background -1 --periodic x -o parts.tif
  Many images, a label image for each:
    skerry label images/ --threshold 128 -o labels/
    skerry label images/*.png --threshold 128 -o 'labels/{name}.npy'
  An image larger than memory, in a TIFF or an NPY; and the same run continued after it was stopped:
    skerry label slide.tif --threshold 200 --memory 2G -o labels.tif
    skerry label slide.tif --threshold 200 --memory 2G -o labels.tif --resume
  Which stage takes the time:
    skerry label large.tif --threads 2 --profile)";

void print_summary(const console& to, const label_job& job, const std::string& text) {
  // A label image on standard output leaves no room for words.
  if (!job.quiet) (io::is_standard_output(job.output) ? to.err : to.out) << text << std::flush;
}

void run_label(label_job job, const console& to) {
  check(job);
  check_joining_method(job);
  if (job.bands.memory > 0) return label_in_bands(job, to);
  engine on = make_engine(job.engine);
  job.input.paths = files_of(job.input.paths, notes_to(to, job.quiet));
  const std::vector<std::string> names = picture_names(job.input);
  const std::vector<std::string> labels = name_outputs("-o", job.output, names, "-labels.tif");
  const std::vector<std::string> overlays = name_outputs("--overlay", job.overlay, names, "-overlay.png");
  std::vector<std::string> taken = job.input.paths;
  check_distinct("-o", labels, taken);
  taken.insert(taken.end(), labels.begin(), labels.end());
  check_distinct("--overlay", overlays, taken);
  const std::optional<dtype> type = chosen_label_type(job.labels_type);

  batch all({job.input, job.engine, job.quiet, names}, to);
  for (std::size_t i = 0; i < names.size(); ++i)
    all.attempt(i, [&] {
      picture_outputs outputs(labels.empty() ? "" : labels[i], overlays.empty() ? "" : overlays[i], job.palette);
      const picture from = std::move(all.read(i).front());
      outputs.check(from, type);

      all.show("labelling");
      components found = find_components(
          on, from, job, working_label_type(outputs, from, type, !job.components.keep.empty()), nullptr, all.times());

      all.show("writing");
      const auto writing = profile::clock::now();
      outputs.write(from, found, type);
      outputs.finish();
      outputs.publish();
      all.times().add_writing(writing);
      all.clear_line();
      all.note(threshold_note(job.foreground, job.components.joining, from, found));
      print_summary(to, job, summary(from, found));
    });
  all.finish();
}

}  // namespace

void define_label(CLI::App& command, const console& to) {
  auto job = std::make_shared<label_job>();
  add_input_options(command, job->input);
  add_foreground_options(command, job->foreground);
  add_component_options(command, job->components);
  add_joining_options(command, *job);
  add_keep_option(command, job->components);
  auto* output = command.add_option("-o,--output", job->output,
                                    "label image: .tif (volumes: one page per slice), .png\n"
                                    "or .npy; several inputs: a folder, or a name with {name}\n"
                                    "in it; - is NPY on standard output; none: only count");
  output->type_name("FILE")->check(a_file_name())->group("Output");
  add_picture_options(command, *job, output);
  add_engine_options(command, job->engine);
  add_band_options(command, job->bands, "twice")->needs("-o");
  command.footer(label_examples);
  command.callback([job, &to] { run_label(*job, to); });
}

}  // namespace skerry::cli

// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "cli/commands.hpp"
#include "cli/components.hpp"
#include "cli/feature_columns.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/picture_outputs.hpp"
#include "cli/picture_tables.hpp"
#include "cli/progress.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"

namespace skerry::cli {
namespace {

struct measure_job : job_options {
  std::string output;
  std::string intensity;
  std::string features = "all";
  std::string format = "auto";
  std::string labels;
};

constexpr const char* measure_examples =
    R"(COLUMNS (rows and columns count from 0; boxes are half-open; names are those of scikit-image's regionprops_table
where it has them: not of coordinate_sum and intensity_sum, and of intensity_std only in newer versions)
  geometry   label, area, bbox-0.., centroid-0.., extent, coordinate_sum-0..
  moments    axis_major_length, axis_minor_length; in images also eccentricity, orientation; second central moments
             moments_central-2-0 (rows), -1-1, -0-2 (columns), in volumes -2-0-0 (slices) to -0-0-2
  intensity  intensity_min, intensity_max, intensity_mean, intensity_std, intensity_sum
  Several inputs add a column image in front, --stack adds frame. CSV leaves NaN empty; JSON is a list with one
  object per component and writes null.

EXAMPLES
  Look at a table:
    skerry measure coins.png --threshold otsu --fill-holes --min-area 50
  Write it, with the brightness of each component in the same image:
    skerry measure coins.png --threshold otsu --intensity self -o coins.csv
  A mask, and two more images to measure under it:
    skerry measure cells-mask.tif --intensity dapi.tif -o dapi.csv
    skerry measure cells-mask.tif --intensity gfp.tif -o gfp.json
  Many images, one table:
    skerry measure plates/*.tif --threshold 900 --min-area 20 -o plates.csv
  Many masks, each with its raw image, a table for each:
    skerry measure masks/*.png --intensity 'raw/{name}.tif' -o 'tables/{name}.csv'
  A film: the pages are images in time:
    skerry measure film.tif --stack --threshold otsu -o film.csv
  Only some columns, into a pipe:
    skerry measure mask.png --features area,centroid-0,centroid-1 | sort -t, -k2 -n)";

// Where everything goes, found before any work is done.
struct file_plan {
  std::vector<std::string> pictures, labels, overlays;
  picture_tables tables;

  explicit file_plan(const measure_job& job)
      : pictures(picture_names(job.input)), tables("-o", job.output, job.format, pictures) {
    std::vector<std::string> taken = job.input.paths;
    if (!job.intensity.empty() && job.intensity != "self")
      for (const std::string& picture : pictures) taken.push_back(fill_name(job.intensity, picture));
    const auto take = [&](const std::string& option, const std::vector<std::string>& outputs) {
      check_distinct(option, outputs, taken);
      taken.insert(taken.end(), outputs.begin(), outputs.end());
    };
    take("-o", tables.files());
    labels = name_outputs("--labels", job.labels, pictures, "-labels.tif");
    take("--labels", labels);
    overlays = name_outputs("--overlay", job.overlay, pictures, "-overlay.png");
    take("--overlay", overlays);
  }
};

void warn_of_colour(const console& to, const measure_job& job, const picture& from) {
  const extent& size = from.pixels.size;
  if (job.quiet || from.pixels.format != "npy" || size.rank != 3 || (size.width != 3 && size.width != 4)) return;
  to.err << "skerry: note: " << io::printable(from.name) << " is read as a volume of " << io::text_of(size)
         << ", not as colour\n";
}

// The image to measure under the components; the picture itself for "self".
const picture* read_intensity(const measure_job& job, const picture& from, picture& other) {
  if (job.intensity.empty()) return nullptr;
  if (job.intensity == "self") return &from;
  const std::string path = fill_name(job.intensity, from.name);
  if (other.name != path) other = read_file(job.input, path);
  return &other;
}

// An empty table has no columns of moments or intensities.
std::vector<table_column> columns_of(const feature_table& rows, const std::vector<std::string>& names) {
  std::vector<table_column> columns;
  columns.reserve(names.size());
  for (const std::string& name : names)
    columns.push_back(
        {name, feature_table::is_integer_column(name), rows.size() == 0 ? std::vector<double>() : rows.column(name)});
  return columns;
}

// All that the method measures.
std::string wanted_features(const measure_job& job) {
  return job.features == "all" && job.engine.method != own_method ? "geometry" : job.features;
}

void run_measure(const measure_job& job, const console& to) {
  check(job);
  engine on = make_engine(job.engine);
  file_plan plan(job);
  const std::optional<dtype> type = chosen_label_type(job.labels_type);
  profile times;
  progress line(to, job.quiet, plan.pictures.size());
  picture intensity;
  for (std::size_t i = 0; i < plan.pictures.size(); ++i) {
    line.begin(i, plan.pictures[i]);
    line.show("reading");
    picture_outputs outputs(plan.labels.empty() ? "" : plan.labels[i], plan.overlays.empty() ? "" : plan.overlays[i]);
    plan.tables.open(i, to);
    const auto reading = profile::clock::now();
    const picture from = read_one(job.input, i);
    const picture* under = read_intensity(job, from, intensity);
    times.add_reading(reading);
    warn_of_colour(to, job, from);
    outputs.check(from, type);
    plan.tables.check_rank(from);

    line.show("measuring");
    const feature_columns columns = choose_columns(wanted_features(job), from.frame(0).size.rank, under != nullptr);
    check_effects({{"--intensity", under != nullptr && job.engine.method == own_method, columns.intensity,
                    "a column of intensity in --features"}});
    const measuring measure{columns.moments, under, [&](std::int64_t frame, const feature_table& rows) {
                              plan.tables.add(from, frame, columns_of(rows, columns.names));
                            }};
    components found = find_components(on, from, job, working_label_type(outputs, from, type), &measure, times);

    line.show("writing");
    const auto writing = profile::clock::now();
    outputs.write(from, found, type);
    line.clear();
    outputs.finish();
    plan.tables.finish(i, to);
    plan.tables.publish(i);
    outputs.publish();
    times.add_writing(writing);
    const bool printed = io::is_standard_output(job.output) || io::is_standard_output(job.labels);
    if (!job.quiet && !job.output.empty()) (printed ? to.err : to.out) << summary(from, found) << std::flush;
  }
  if (job.engine.profile) times.print(to.err);
}

}  // namespace

void add_measure(CLI::App& program, const console& to) {
  CLI::App* command = program.add_subcommand("measure", "measure the components of images: one row for each");
  auto job = std::make_shared<measure_job>();
  add_input_options(*command, job->input);
  add_foreground_options(*command, job->foreground);
  add_component_options(*command, job->components);
  const std::string group = "Output";
  command
      ->add_option("-o,--output", job->output,
                   "table: .csv, .json or .jsonl; with a folder, or {name} in\n"
                   "the name, one table per input; without it the table is\n"
                   "printed: text on a terminal, CSV elsewhere")
      ->type_name("FILE")
      ->check(a_name())
      ->group(group);
  command->add_option("--format", job->format, "auto (by the name), text, csv, json or jsonl")
      ->type_name("FORMAT")
      ->check(one_of("--format"))
      ->group(group);
  command
      ->add_option("--intensity", job->intensity,
                   "image of the same size to measure under the components;\n"
                   "self is the input; {name} stands for the input's name")
      ->type_name("FILE")
      ->check(a_name())
      ->group(group);
  command
      ->add_option("--features", job->features,
                   "all, or some of geometry, moments, intensity and column\n"
                   "names, with commas")
      ->type_name("LIST")
      ->group(group);
  auto* labels = command->add_option("--labels", job->labels, "also the label image: .tif, .png or .npy");
  labels->type_name("FILE")->check(a_name())->group(group);
  add_picture_options(*command, *job, labels);
  add_engine_options(*command, job->engine);
  command->footer(measure_examples);
  command->callback([job, &to] { run_measure(*job, to); });
}

}  // namespace skerry::cli

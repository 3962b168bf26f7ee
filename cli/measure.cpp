// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/batch.hpp"
#include "cli/column_choice.hpp"
#include "cli/commands.hpp"
#include "cli/components.hpp"
#include "cli/feature_columns.hpp"
#include "cli/input_files.hpp"
#include "cli/joining.hpp"
#include "cli/label_bands.hpp"
#include "cli/measure_bands.hpp"
#include "cli/measure_job.hpp"
#include "cli/options.hpp"
#include "cli/output_names.hpp"
#include "cli/picture_outputs.hpp"
#include "cli/picture_tables.hpp"
#include "cli/region_rows.hpp"
#include "cli/threshold_note.hpp"
#include "io/pending_file.hpp"

namespace skerry::cli {
namespace {

constexpr const char* measure_examples =
    R"(COLUMNS (rows and columns count from 0; boxes are half-open; names are those of scikit-image's regionprops_table,
except coordinate_sum and intensity_sum, which it lacks; older versions also lack intensity_std)
  geometry   label, area, bbox-0.., centroid-0.., extent, coordinate_sum-0..
  moments    axis_major_length, axis_minor_length; in images also eccentricity, orientation; second central moments
             moments_central-2-0 (rows), -1-1, -0-2 (columns), in volumes -2-0-0 (slices) to -0-0-2
  intensity  intensity_min, intensity_max, intensity_mean, intensity_std, intensity_sum; not intensity_median, which
             --features and --keep take by its name
  --features all takes a second pass and gives every column of docs/columns.md. Groups can be named: basic, ellipse,
  power_sums, weighted_sums, patterns (perimeter, euler_number, ...), hull (solidity, feret_diameter_max, ...) and
  filled (area_filled, number_of_holes); patterns, hull and filled together are shape. --keep accepts these columns too,
  but not with --labels: skerry relabel --keep takes label images.
  Pixels with a size, of the file or --pixel-size, add columns in units, here in um: area_um2 (volumes: area_um3),
  centroid_um-0.., perimeter_um, area_convex_um2, axis_major_length_um, axis_minor_length_um, eccentricity_spaced,
  orientation_spaced, moments_central_um2-2-0..; without a unit area_spaced, centroid_spaced-0..
  Several channels of intensities have intensity_mean-0, intensity_mean-1 and so on, and moments_weighted-0-2-0.
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
  Filter by columns that the table need not show:
    skerry measure cells-mask.tif --keep 'area>=50 and (eccentricity<0.9 or extent>0.7)' --features area,centroid
  All columns, or those of the shape:
    skerry measure --labels cells-labels.tif --intensity dapi.tif --features all -o cells.csv
    skerry measure cells-mask.tif --keep 'solidity>=0.9' --features label,area,shape
  A label image of any program: every label is a region with a row:
    skerry measure --labels cells-labels.tif --intensity dapi.tif -o cells.csv
  Many images, one table:
    skerry measure plates/ --threshold 900 --min-area 20 -o plates.csv
  Many masks, each with its raw image, a table for each:
    skerry measure masks/*.png --intensity 'raw/{name}.tif' -o 'tables/{name}.csv'
  A film: the pages are images in time:
    skerry measure film.tif --stack --threshold otsu -o film.csv
  A stack of ImageJ with several channels, or any volume whose voxels have a size:
    skerry measure cells.tif --channel 1 --threshold otsu -o cells.csv
    skerry measure scan.npy --threshold 900 --pixel-size 0.5,0.1,0.1um -o scan.csv
  Nuclei in one channel, the brightness of another under them:
    skerry measure cells.tif --channel DAPI -t otsu --intensity self --intensity-channel GFP -o gfp.csv
    skerry measure cells.tif --channel DAPI -t otsu --intensity self --intensity-channel all -o channels.csv
  Images and label images that are larger than memory, TIFF or NPY:
    skerry measure slide.tif --threshold 200 --memory 2G -o slide.csv
    skerry measure --labels cells-labels.tif --intensity dapi.tif --memory 2G -o cells.csv
  Only some columns, into a pipe:
    skerry measure mask.png --features area,centroid-0,centroid-1 | sort -t, -k2 -n)";

// Where everything goes, found before any work is done.
struct file_plan {
  std::vector<std::string> pictures, labels, overlays;
  picture_tables tables;

  explicit file_plan(const measure_job& job)
      : pictures(picture_names(job.input)), tables("-o", job.output, job.format, pictures, job.features.empty()) {
    std::vector<std::string> taken = job.input.paths;
    if (!job.intensity.empty() && job.intensity != "self")
      for (const std::string& picture : pictures) taken.push_back(fill_name(job.intensity, picture));
    const auto take = [&](const std::string& option, const std::vector<std::string>& outputs) {
      check_distinct(option, outputs, taken);
      taken.insert(taken.end(), outputs.begin(), outputs.end());
    };
    take("-o", tables.files());
    labels = name_outputs("--write-labels", job.labels, pictures, "-labels.tif");
    take("--write-labels", labels);
    overlays = name_outputs("--overlay", job.overlay, pictures, "-overlay.png");
    take("--overlay", overlays);
  }
};

class measure_run {
 public:
  measure_run(const measure_job& job, const console& to)
      : job_(job), to_(to), on_(make_engine(job.engine)), plan_(job), type_(chosen_label_type(job.labels_type)),
        all_({job.input, job.engine, job.quiet, plan_.pictures,
              [&job](const std::string& picture) { return beside(job, picture); },
              [&job](const auto& read) { return read_intensities(job, read); }},
             to) {}

  void run() {
    for (std::size_t i = 0; i < plan_.pictures.size(); ++i) all_.attempt(i, [&] { take(i); });
    plan_.tables.finish_all(to_);
    all_.finish();
  }

 private:
  void take(std::size_t index) {
    picture_outputs outputs(plan_.labels.empty() ? "" : plan_.labels[index],
                            plan_.overlays.empty() ? "" : plan_.overlays[index], job_.palette);
    plan_.tables.open(index, to_);
    const std::vector<picture> read = all_.read(index);
    const picture& from = read.front();
    const intensity_images under = intensities_of(job_, read, intensities_of_all_);
    outputs.check(from, type_);
    if (job_.regions) check_labels(from);
    plan_.tables.check_rank(from);
    plan_.tables.check_unit(from);
    plan_.tables.check_channels(from, under.count());

    all_.show("measuring");
    components found = measure(from, under, working_label_type(outputs, from, type_, !job_.components.keep.empty()));

    all_.show("writing");
    const auto writing = profile::clock::now();
    outputs.write(from, found, type_);
    all_.clear_line();
    outputs.finish();
    plan_.tables.finish(to_);
    plan_.tables.publish();
    outputs.publish();
    all_.times().add_writing(writing);
    if (!job_.regions) all_.note(threshold_note(job_.foreground, job_.components.joining, from, found));
    const bool printed = io::is_standard_output(job_.output) || io::is_standard_output(job_.labels);
    if (!job_.quiet && !job_.output.empty())
      (printed ? to_.err : to_.out) << summary(from, found, job_.regions ? "region" : "component") << std::flush;
  }

  components measure(const picture& from, const intensity_images& under, std::optional<dtype> label_type) {
    const table_sources sources{from.frame(0).size.rank, under.type(), from.spacing, under.count()};
    const feature_columns columns = columns_for(job_, sources);
    if (job_.regions) {
      const auto take = [&](std::int64_t frame, std::vector<table_column> rows) {
        plan_.tables.add(from, frame, std::move(rows));
      };
      return measure_labels(
          on_, from, {job_.rule, columns, under, take, job_.engine.method, {.first_copy = job_.engine.first_copy}},
          all_.times());
    }
    const measuring measure{columns.moments, under, columns.more,
                            [&](std::int64_t frame, const measured_columns& rows, const new_labels* kept) {
                              std::vector<table_column> table = columns_of(rows, columns.names);
                              if (kept != nullptr) keep_rows(table, *kept);
                              plan_.tables.add(from, frame, std::move(table));
                            }};
    return find_components(on_, from, job_, label_type, &measure, all_.times());
  }

  const measure_job& job_;
  const console& to_;
  engine on_;
  file_plan plan_;
  std::optional<dtype> type_;
  std::vector<picture> intensities_of_all_;
  batch all_;
};

// The background of label images is a label.
background region_background(const std::optional<double>& label) {
  if (!label) return {};
  if (*label != std::floor(*label) || std::abs(*label) > 0x1p53)
    throw usage_error("--background: with --labels it is a label, a whole number of at most 2^53");
  return background::equal_to(static_cast<std::int64_t>(*label));
}

void run_measure(measure_job job, const console& to) {
  check(job);
  if (job.regions) {
    refuse_selections(job.components, "excludes --labels");
    job.rule = region_background(job.foreground.background);
    if (job.bands.memory > 0) check_not_on_cuda("regions with --memory", job.engine);
    check_region_method("--labels", job.engine);
    job.input.read.keep_colours = true;  // to see that there are some
  } else {
    check_joining_method(job);
  }
  job.input.paths = files_of(job.input.paths, notes_to(to, job.quiet));
  if (job.bands.memory > 0) return measure_in_bands(job, to);
  check_intensity_channels(job);
  measure_run(job, to).run();
}

void add_regions_flag(CLI::App& command, measure_job& job) {
  const std::string group = "Regions (instead of foreground and components)";
  command
      .add_flag("--labels", job.regions,
                "the inputs are label images: all pixels of a label are one\n"
                "region, connected or not; background is 0 and everything\n"
                "below, or only the label that --background names")
      ->group(group);
}

// Label images have no foreground to be found, and no components.
void exclude_components(CLI::App& command) {
  CLI::Option* const regions = command.get_option("--labels");
  for (const char* const name : {"--threshold", "--at-least", "--range", "--invert", "--connectivity", "--fill-holes",
                                 "--equal", "--delta", "--periodic", "--write-labels", "--overlay"})
    regions->excludes(command.get_option(name));
}

}  // namespace

void define_measure(CLI::App& command, const console& to) {
  auto job = std::make_shared<measure_job>();
  add_input_options(command, job->input);
  add_foreground_options(command, job->foreground);
  add_component_options(command, job->components);
  add_joining_options(command, *job);
  add_keep_option(command, job->components);
  add_regions_flag(command, *job);
  const std::string group = "Output";
  command
      .add_option("-o,--output", job->output,
                  "table: .csv, .tsv, .json or .jsonl; with a folder, or\n"
                  "{name} in the name, one table per input; without it the\n"
                  "table is printed: text on a terminal, CSV elsewhere")
      ->type_name("FILE")
      ->check(a_file_name())
      ->group(group);
  command.add_option("--format", job->format, "auto (by the name), text, csv, tsv, json or jsonl")
      ->type_name("FORMAT")
      ->check(one_of("--format"))
      ->group(group);
  add_intensity_options(command, *job,
                        "image of the same size to measure under the components;\n"
                        "self is the input; {name} stands for the input's name",
                        group);
  command
      .add_option("--features", job->features,
                  "some of all, geometry, moments, intensity, shape, and names\n"
                  "of columns, with commas; bbox is bbox-0 to bbox-3, and\n"
                  "*_mean every column that ends so; without it geometry,\n"
                  "moments and intensity; on a terminal, as many as fit")
      ->type_name("LIST")
      ->check(a_name())
      ->group(group);
  auto* labels = command.add_option("--write-labels", job->labels, "also the label image: .tif, .png or .npy");
  labels->type_name("FILE")->check(a_file_name())->group(group);
  add_picture_options(command, *job, labels);
  add_engine_options(command, job->engine);
  add_band_options(command, job->bands, "once");
  exclude_components(command);
  command.footer(measure_examples);
  command.callback([job, &to] { run_measure(*job, to); });
}

}  // namespace skerry::cli

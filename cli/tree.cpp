// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

#include "cli/batch.hpp"
#include "cli/commands.hpp"
#include "cli/input_files.hpp"
#include "cli/number.hpp"
#include "cli/options.hpp"
#include "cli/picture_trees.hpp"
#include "cli/tree_filter.hpp"
#include "cli/tree_stream.hpp"
#include "io/pending_file.hpp"
#include "io/printable.hpp"

namespace skerry::cli {
namespace {

constexpr const char* tree_examples =
    R"(A max-tree holds the components of all threshold sets {pixels >= t} as nodes: its leaves are peaks, its root is the
whole image. A min-tree holds those of {pixels <= t}, with pits as leaves; min-area is then an area closing, h cuts
minima, and a top-hat is the black one.

ATTRIBUTES (of the whole component; rows and columns count from 0; boxes are half-open)
  tree       node, parent, first_pixel, level, area, height (above the parent's level, at the peak), dynamics (above
             the level where it meets something higher)
  geometry   bbox-0.., bbox_diagonal, centroid-0..
  moments    elongation, compactness (1 for a disc)
  levels     volume, level_mean, level_variance

RULES (what happens to the pixels of a removed node)
  direct       they get the level of the nearest kept ancestor
  min          as direct; removing a node removes its descendants
  max          as direct; keeping a node keeps its ancestors
  subtractive  as direct, and descendants are lowered by the same step, so that their contrasts are kept

EXAMPLES
  How many peaks, and how they are nested:
    skerry tree galaxies.png
  Area opening: removes bright regions of fewer than 30 pixels; the top-hat shows what was removed:
    skerry tree galaxies.png --min-area 30 -o large.png
    skerry tree galaxies.png --min-area 30 --top-hat -o small.png
  Stars by area and contrast, on a dark background, each as bright as it was above its surroundings:
    skerry tree galaxies.png --keep 'area<=400 and dynamics>=40' --rule subtractive -o stars.png
  Dark cells that are round:
    skerry tree cells.tif --kind min --keep 'area>=80 and compactness>=0.8 and dynamics>=15' -o cells-only.tif
  The 10-maxima of a volume:
    skerry tree scan.tif --connectivity 26 --h 10 -o flat.tif
  The tree itself for NumPy: one row per node, and the node of each pixel:
    skerry tree galaxies.png --table nodes.csv --features tree --nodes nodes.npy
  Frames from a camera program, each opened before the next one comes:
    camera | skerry tree - --stream --width 1920 --height 1080 --min-area 50 -o - | viewer
  A film with a threshold that moves:
    skerry tree film.tif --stream --min-area 1 --step 20 --film opened.gif)";

void check(const tree_job& job, const tree_filter& filter) {
  const bool written = !job.output.empty();
  const filter_choice& by = job.filter;
  check_effects({{"--min-area", by.min_area.has_value(), written, "--output"},
                 {"--min-diagonal", by.min_diagonal.has_value(), written, "--output"},
                 {"--h", by.h.has_value(), written, "--output"},
                 {"--keep", !by.keep.empty(), written, "--output"},
                 {"--top-hat", by.top_hat, written, "--output"}});
  if (written && !filter.wanted())
    throw usage_error("-o: nothing to filter by; give --min-area, --min-diagonal, --h or --keep");
  const std::string* const outputs[] = {&job.output, &job.table, &job.nodes, &job.parents};
  if (std::count_if(std::begin(outputs), std::end(outputs),
                    [](const std::string* name) { return io::is_standard_output(*name); }) > 1)
    throw usage_error("only one of -o, --table, --nodes and --parents can go to standard output");
}

// "galaxies.png: max-tree of 41522 nodes, 9731 peaks, depth 87, levels 3 to 255, 12.3 ms"
std::string summary(const picture& from, const tree_figures& found, const std::string& kind) {
  const auto counted = [](std::size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string text = fmt::format("{}: {}-tree of {}", io::printable(from.name), kind, counted(found.nodes, "node"));
  if (from.is_stack) text += " in " + counted(static_cast<std::size_t>(from.frames()), "frame");
  text += fmt::format(", {}, depth {}, ", counted(found.leaves, kind == "max" ? "peak" : "pit"), found.depth);
  const bool whole = !is_float(from.pixels.type);
  text += whole ? fmt::format("levels {:.0f} to {:.0f}", found.lowest, found.highest)
                : fmt::format("levels {:.6g} to {:.6g}", found.lowest, found.highest);
  return text + fmt::format(", {:.1f} ms\n", found.milliseconds);
}

void run_tree(tree_job job, const console& to) {
  if (job.stream.wanted) return run_tree_stream(job, to);
  const tree_filter filter(job.filter);
  check(job, filter);
  engine on = make_engine(job.engine);
  job.input.paths = files_of(job.input.paths, notes_to(to, job.quiet));
  tree_files files(job);
  const std::string* const results[] = {&job.output, &job.table, &job.nodes, &job.parents};
  const bool printed = std::any_of(std::begin(results), std::end(results),
                                   [](const std::string* name) { return io::is_standard_output(*name); });
  batch all({job.input, job.engine, job.quiet, files.pictures}, to);
  for (std::size_t i = 0; i < files.pictures.size(); ++i)
    all.attempt(i, [&] {
      picture_trees trees(job, files, i, to);
      picture from = std::move(all.read(i).front());

      all.show("building the tree of");
      trees.make(on, from, filter, all.times());

      all.show("writing");
      const auto writing = profile::clock::now();
      if (printed) all.clear_line();
      trees.write(to);
      all.times().add_writing(writing);
      all.clear_line();
      if (!job.quiet) (printed ? to.err : to.out) << summary(from, trees.found(), job.kind) << std::flush;
    });
  if (files.tables != nullptr) files.tables->finish_all(to);
  all.finish();
}

void add_filter_options(CLI::App& command, filter_choice& filter) {
  const std::string group = "Filter (a node stays when it meets all conditions; the root always stays)";
  auto* area = command.add_option("--min-area", filter.min_area, "area opening: area>=N");
  auto* diagonal = command.add_option("--min-diagonal", filter.min_diagonal, "bbox_diagonal>=D, the box in pixels");
  auto* keep = command.add_option("--keep", filter.keep,
                                  "a condition on attributes, such as\n"
                                  "'area<=400 and (dynamics>=40 or level>200)', with the\n"
                                  "quotes; several times for several conditions");
  auto* rule = command.add_option("--rule", filter.rule, "of --keep: direct, min, max or subtractive");
  auto* h = command.add_option("--h", filter.h, "h-maxima: cuts H off every peak, instead of conditions");
  auto* top_hat = command.add_flag("--top-hat", filter.top_hat, "writes what the filter takes away");
  area->type_name("N")->transform(whole_number());
  diagonal->type_name("D")->transform(a_number());
  keep->type_name("CONDITION")->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  rule->type_name("RULE")->check(one_of("--rule"))->needs(keep);
  h->type_name("H")->transform(a_number())->excludes(area)->excludes(diagonal)->excludes(keep);
  for (auto* option : {area, diagonal, keep, rule, h, top_hat}) option->group(group);
}

void add_output_options(CLI::App& command, tree_job& job) {
  const std::string group = "Output";
  auto* table = command.add_option("--table", job.table,
                                   "one row per node of the whole tree: .csv, .tsv, .json or\n.jsonl;\n"
                                   "with a folder, or {name} in the name, one table per input;\n"
                                   "- prints it: text on a terminal, CSV elsewhere");
  auto* features = command.add_option("--features", job.features,
                                      "of --table: some of all, tree, geometry, moments, levels\n"
                                      "and attributes, with commas; bbox is bbox-0 to bbox-3, and\n"
                                      "level* what begins so; without it all, or on a terminal\n"
                                      "those for which there is room");
  auto* format =
      command.add_option("--format", job.format, "of --table: auto (by the name), text, csv, tsv,\njson or jsonl");
  auto* nodes = command.add_option("--nodes", job.nodes, "image of the node of each pixel: .tif or .npy, 32 bit");
  auto* parents = command.add_option("--parents", job.parents,
                                     "image of parents: each pixel has the index of the first\n"
                                     "pixel of its node, that has the one of the node below");
  for (auto* option : {table, nodes, parents}) option->type_name("FILE")->check(a_file_name());
  features->type_name("LIST")->check(a_name())->needs(table);
  format->type_name("FORMAT")->check(one_of("--format"))->needs(table);
  for (auto* option : {table, features, format, nodes, parents}) option->group(group);
}

}  // namespace

void define_tree(CLI::App& command, const console& to) {
  auto job = std::make_shared<tree_job>();
  add_input_options(command, job->input);
  command.add_option("--kind", job->kind, "max (of peaks, the default) or min (of pits)")
      ->type_name("KIND")
      ->check(one_of("--kind"))
      ->group("Tree");
  command
      .add_option("-c,--connectivity", job->connectivity,
                  "neighbours of a pixel: 4 or 8 in images (default 8),\n"
                  "6, 18 or 26 in volumes (default 26)")
      ->type_name("N")
      ->check(one_of("--connectivity", "tree"))
      ->group("Tree");
  auto* output = command.add_option("-o,--output", job->output,
                                    "the filtered image, of the input's type: .tif, .png or\n"
                                    ".npy; several inputs: a folder, or a name with {name}\n"
                                    "in it; - is NPY on standard output");
  output->type_name("FILE")->check(a_file_name())->group("Output");
  add_filter_options(command, job->filter);
  add_output_options(command, *job);
  add_tree_stream_options(command, *job);
  add_quiet_option(command, job->quiet);
  add_engine_options(command, job->engine, methods_for::trees);
  command.footer(tree_examples);
  command.callback([job, &to] { run_tree(*job, to); });
}

}  // namespace skerry::cli

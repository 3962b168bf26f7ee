// SPDX-License-Identifier: Apache-2.0
#include "cli/track_job.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "cli/console.hpp"
#include "cli/feature_columns.hpp"
#include "cli/number.hpp"
#include "cli/threshold.hpp"
#include "io/pending_file.hpp"
#include "scenes/bubbles.hpp"

namespace skerry::cli {
namespace {

void add_frames(CLI::App& command, track_job& job) {
  command
      .add_option("IN", job.input.paths,
                  "image files, whose pages are frames, folders of them, or\n"
                  "- for standard input; with --width, raw frames")
      ->type_name("...");
  const std::string group = "Frames";
  const std::vector<CLI::Option*> raw = add_raw_frame_options(command, job.frames);
  CLI::Option *width = raw[0], *height = raw[1], *type = raw[2];
  auto* volumes = command.add_flag("--volume", job.input.volume, "every file is one frame, a volume");
  auto* channel = add_channel_option(command, job.input);
  auto* size = add_pixel_size_option(command, job.input);
  auto* demo =
      command.add_flag("--demo", job.frames.demo, "no input: a film of rising bubbles (of that size, if given)");
  auto* seed = command.add_option("--seed", job.frames.seed, "of the demo; 1 by default");
  auto* limit = command.add_option("--frames", job.frames.limit, "ends after N frames (the demo: 300)");
  auto* pixels =
      command.add_option("--max-pixels", job.input.read.pixel_limit, "refuse larger files and frames unread");
  pixels->type_name("N")->transform(whole_number(1));
  type->excludes(demo);
  channel->excludes(demo)->excludes(width);
  seed->type_name("N")->transform(number_in(0, 999999999))->needs(demo);
  limit->type_name("N")->transform(whole_number(1));
  volumes->excludes(width)->excludes(demo);
  for (auto* option : {width, height, type, volumes, channel, size, demo, seed, limit, pixels}) option->group(group);
}

void add_background(CLI::App& command, track_job& job) {
  const std::string group = "Background (instead of a threshold)";
  auto* background = command.add_option("--background", job.background,
                                        "pixels that are brighter by more than D than a running\n"
                                        "mean of the frames before: what moves");
  auto* side = command.add_option("--side", job.side, "bright (the default); dark, darker by more than D; or both");
  auto* adaptation = command.add_option("--adaptation", job.adaptation,
                                        "the mean moves by 1/2^N of the difference in each frame;\n"
                                        "5 by default");
  background->type_name("D")->transform(number_in(0.0, 65535.0));
  side->type_name("SIDE")->check(one_of("--side"))->needs(background);
  adaptation->type_name("N")->transform(number_in(0, 16))->needs(background);
  for (const char* other : {"--threshold", "--at-least", "--range", "--invert"})
    background->excludes(command.get_option(other));
  for (auto* option : {background, side, adaptation}) option->group(group);
}

void add_inheritance(CLI::App& command, track_job& job) {
  const std::string group = "Identity (see below)";
  auto* link = command.add_option("--link", job.link, "score of a link: overlap (pixels, the default) or iou");
  auto* overlap =
      command.add_option("--min-overlap", job.inherit.least_overlap, "a link has N pixels or more; 1 by default");
  auto* share = command.add_option("--min-share", job.inherit.least_share,
                                   "and this share, 0 to 1, of the smaller area, or with\n"
                                   "--link iou, of the union; 0 by default");
  auto* keep = command.add_option("--keep-alive", job.inherit.keep_alive,
                                  "frames that a lost object is remembered; 0 by default");
  auto* memory =
      command.add_option("--memory", job.inherit.memory, "frames that a merged object is remembered; 0 by default");
  link->type_name("SCORE")->check(one_of("--link"));
  overlap->type_name("N")->transform(number_in(1, 999999999));
  share->type_name("S")->transform(number_in(0.0, 1.0));
  for (auto* option : {keep, memory}) option->type_name("K")->transform(number_in(0, 999999999));
  for (auto* option : {link, overlap, share, keep, memory}) option->group(group);
}

void add_ring(CLI::App& command, track_job& job) {
  const std::string group = "Stream";
  auto* slots = command.add_option("--slots", job.slots, "frames in flight at the same time, 2 to 1024;\n8 by default");
  auto* full = command.add_option("--when-full", job.when_full, "wait (the default), or drop the oldest frame");
  auto* capacity =
      command.add_option("--capacity", job.capacity,
                         "most objects of a frame in the results; all are tracked\nand counted; 65536 by default");
  auto* publish = command.add_option("--publish", job.publish,
                                     "CUDA: how results reach the host: mapped (the default),\n"
                                     "predicted (a copy of the size of the last one, and the\n"
                                     "rest in a second), or whole (all that one may hold)");
  auto* margin = command.add_option("--margin", job.margin,
                                    "of --publish predicted: more to copy, as a share of the\n"
                                    "last size, 0 to 16; 0.1 by default");
  auto* patience = command.add_option("--patience", job.patience,
                                      "CUDA: microseconds that threads poll for work before they\n"
                                      "sleep, 0 to 1000000; 250 by default");
  publish->type_name("WHAT")->check(one_of("--publish"));
  margin->type_name("M")->transform(number_in(0.0, 16.0));
  patience->type_name("N")->transform(number_in(0, 1000000));
  slots->type_name("N")->transform(number_in(2, 1024));
  full->type_name("WHAT")->check(one_of("--when-full"));
  capacity->type_name("N")->transform(number_in(1, 999999999));
  for (auto* option : {slots, full, capacity, publish, margin, patience}) option->group(group);
}

void add_outputs(CLI::App& command, track_job& job) {
  const std::string group = "Output";
  auto* output = command.add_option("-o,--output", job.output,
                                    "one row per object and frame: .csv, .tsv, .json or .jsonl;\n- prints it");
  auto* format = command.add_option("--format", job.format,
                                    "of -o: auto (by the name), text, csv, tsv, json or jsonl,\n"
                                    "whose lines are printed as the frames are done");
  auto* features = command.add_option("--features", job.features,
                                      "of -o: all, or some of geometry, moments, intensity and\n"
                                      "column names, with commas; geometry by default");
  auto* events = command.add_option("--events", job.events,
                                    "what happened, one JSON object per line and frame; with -\n"
                                    "each line is printed when its frame is done");
  auto* napari = command.add_option("--napari", job.napari,
                                    "tracks for napari: ID, T, (Z,) Y, X; and NAME.json: the\n"
                                    "graph of splits and merges. A merged object gets a new track\n"
                                    "with a number after all ids, as napari wants it");
  auto* overlay =
      command.add_option("--overlay", job.overlay, "folder for a picture of each frame, with ids and trails");
  auto* film = command.add_option("--film", job.film, "the same as an animated picture, .gif");
  auto* play = command.add_flag("--play", job.play, "the same in this terminal, in colours of 24 bits");
  auto* rate =
      command.add_option("--rate", job.rate, "pictures per second of --film and --play, 1 to 50;\n25 by default");
  auto* trail = command.add_option("--trail", job.trail, "frames that a trail is long, 0 for none; 40 by default");
  for (auto* option : {output, events, napari}) option->type_name("FILE")->check(a_file_name());
  format->type_name("FORMAT")->check(one_of("--format"))->needs(output);
  features->type_name("LIST")->needs(output);
  overlay->type_name("FOLDER")->check(a_file_name());
  film->type_name("FILE.gif")->check(a_file_name());
  rate->type_name("N")->transform(number_in(1, 50));
  trail->type_name("N")->transform(number_in(0, 10000));
  for (auto* option : {output, format, features, events, napari, overlay, film, play, rate, trail})
    option->group(group);
}

frame_threshold threshold_for(const track_job& job, const image_view& frame) {
  using side = frame_threshold::side;
  if (job.background >= 0)
    return frame_threshold::background(job.background,
                                       job.side == "dark"   ? side::dark
                                       : job.side == "both" ? side::both
                                                            : side::bright,
                                       job.adaptation);
  if (job.foreground.threshold == "otsu")
    return frame_threshold::otsu(job.foreground.invert ? side::dark : side::bright);
  foreground_options chosen = job.foreground;
  if (job.frames.demo && !chosen.threshold && !chosen.at_least && chosen.range.empty())
    chosen.threshold = std::to_string(scenes::bubbles::threshold);
  return frame_threshold::fixed(choose_foreground(chosen, frame, "frame").rule);
}

}  // namespace

std::vector<CLI::Option*> add_raw_frame_options(CLI::App& command, frame_options& frames) {
  auto* width = command.add_option("--width", frames.width, "the input is raw frames without a header, N pixels wide");
  auto* height = command.add_option("--height", frames.height, "and N high");
  auto* type =
      command.add_option("--dtype", frames.dtype, "of raw frames: u8 (the default), u16, u32, i16, i32, f32\nor f64");
  for (auto* option : {width, height}) option->type_name("N")->transform(number_in(1, 1 << 20));
  type->type_name("TYPE")->check(one_of("--dtype"))->needs(width);
  width->needs(height);
  height->needs(width);
  return {width, height, type};
}

void add_track_options(CLI::App& command, track_job& job) {
  add_frames(command, job);
  add_foreground_options(command, job.foreground);
  add_background(command, job);
  add_component_options(command, job.components);
  add_inheritance(command, job);
  add_ring(command, job);
  add_outputs(command, job);
  add_quiet_option(command, job.quiet);
  add_engine_options(command, job.engine, methods_for::nothing);
  command.remove_option(command.get_option("--profile"));
  command.add_flag("--profile", job.engine.profile, "print the rate and the delays of the frames to standard error")
      ->group("Run");
}

void check(const track_job& job) {
  job_options same;
  same.foreground = job.foreground;
  same.components = job.components;
  check(same);
  if (job.frames.demo != job.input.paths.empty())
    throw usage_error(job.frames.demo ? "--demo takes no input" : "IN is required, or --demo");
  const bool printed[] = {io::is_standard_output(job.output), io::is_standard_output(job.events), job.play};
  if (std::count(std::begin(printed), std::end(printed), true) > 1)
    throw usage_error("only one of -o, --events and --play can go to standard output");
  if (io::is_standard_output(job.napari)) throw usage_error("--napari: two files cannot go to standard output");
  const bool may_be_cuda = job.engine.name == "auto" || job.engine.name == "cuda";
  check_effects({{"--rate", job.rate.has_value(), !job.film.empty() || job.play, "--film or --play"},
                 {"--publish", job.publish.has_value(), may_be_cuda, "an engine on CUDA"},
                 {"--margin", job.margin.has_value(), job.publish == "predicted", "--publish predicted"},
                 {"--patience", job.patience.has_value(), may_be_cuda, "an engine on CUDA"},
                 {"--trail", job.trail.has_value(), job.wants_pictures(), "--overlay, --film or --play"}});
  if (!job.film.empty() && !job.film.ends_with(".gif"))
    throw usage_error("--film: " + job.film + " does not end in .gif");
}

track_options stream_options(const track_job& job, const image_view& frame,
                             const std::optional<pixel_spacing>& spacing) {
  const int rank = frame.size.rank;
  if (rank == 3 && job.wants_pictures()) throw usage_error("volumes have no --overlay, --film or --play");
  track_options options;
  options.size = frame.size;
  options.type = frame.type;
  options.connectivity = job.components.connectivity != 0 ? job.components.connectivity : rank == 2 ? 8 : 26;
  options.threshold = threshold_for(job, frame);
  options.selection = job.components.selection;
  const feature_columns columns = choose_track_columns(job.features, rank, spacing);
  options.moments = columns.moments;
  options.intensities = columns.intensity;
  options.labels = job.wants_pictures();
  options.inherit = job.inherit;
  options.inherit.by = job.link == "iou" ? inherit_options::score::iou : inherit_options::score::overlap;
  options.capacity = job.capacity;
  options.slots = job.slots;
  if (job.when_full == "drop") options.full = track_options::when_full::drop_oldest;
  using publishing = track_options::publishing;
  if (job.publish == "predicted") options.publish = publishing::predicted;
  if (job.publish == "whole") options.publish = publishing::whole;
  if (job.margin) options.margin = *job.margin;
  if (job.patience) options.patience = std::chrono::microseconds(*job.patience);
  return options;
}

}  // namespace skerry::cli

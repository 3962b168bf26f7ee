// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "cli/conditions.hpp"
#include "cli/console.hpp"
#include "cli/number.hpp"
#include "skerry/error.hpp"

namespace skerry::cli {
namespace {

constexpr const char* component_group = "Components (selections apply in this order; labels are 1..n again after them)";

std::vector<std::string> names_of(std::span<const published::method> methods) {
  std::vector<std::string> names = {std::string(published::own_method)};
  for (const published::method& method : methods) names.emplace_back(method.name);
  return names;
}

}  // namespace

std::vector<std::string> words_of(const std::string& option, const std::string& command) {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"--engine", {"auto", "cpu", "reference", "cuda"}},
      {"--connectivity", {"4", "8", "6", "18", "26"}},
      {"--palette", {"vivid", "map"}},
      {"--labels-type", {"auto", "u8", "u16", "u32", "u64"}},
      {"--format", {"auto", "text", "csv", "tsv", "json", "jsonl"}},
      {"--threshold", {"otsu"}},
      {"tree --connectivity", {"4", "8", "6", "18", "26"}},
      {"--kind", {"max", "min"}},
      {"--order", {"first", "labels"}},
      {"--rule", {"direct", "min", "max", "subtractive"}},
      {"--method", names_of(published::methods())},
      {"tree --method", names_of(published::tree_methods())},
      {"--side", {"bright", "dark", "both"}},
      {"--link", {"overlap", "iou"}},
      {"--when-full", {"wait", "drop"}},
      {"--publish", {"mapped", "predicted", "whole"}},
      {"--dtype", {"u8", "u16", "u32", "i16", "i32", "f32", "f64"}},
  };
  auto found = words.find(command + " " + option);
  if (found == words.end()) found = words.find(option);
  return found == words.end() ? std::vector<std::string>() : found->second;
}

CLI::Validator one_of(const std::string& option, const std::string& command) {
  return CLI::Validator(
      [option, command](std::string& value) {
        std::string known;
        for (const std::string& word : words_of(option, command)) {
          if (word == value) return std::string();
          known += (known.empty() ? "" : ", ") + word;
        }
        return "'" + value + "' is not one of " + known;
      },
      "");
}

CLI::Validator a_name() {
  return {[](std::string& value) { return value.empty() ? std::string("the name is empty") : std::string(); }, ""};
}

CLI::Validator a_file_name() {
  const auto problem = [](const std::string& value) -> std::string {
    if (value.empty()) return "the name is empty";
    if (value.size() == 1 || value.front() != '-') return {};
    return value + " is an option, not a file name; for a file of that name write ./" + value;
  };
  return {problem, ""};
}

void add_input_options(CLI::App& command, input_options& options) {
  command
      .add_option("IN", options.paths,
                  "image files, folders of them, patterns such as\n"
                  "'scans/*.tif', or - for standard input")
      ->required()
      ->check(a_file_name())
      ->type_name("...");
  const std::string group = "Input";
  auto* stack = command.add_flag("--stack", options.stack,
                                 "the pages of a file are separate images in time, not the\n"
                                 "slices of one volume");
  auto* volume = command.add_flag("--volume", options.volume, "all inputs together are the slices of one volume");
  auto* page = add_page_option(command, options);
  auto* frame = command.add_option("--frame", options.read.frame,
                                   "one time point of a file whose pages have a time axis;\n"
                                   "the first is 0");
  auto* channel = add_channel_option(command, options);
  auto* size = add_pixel_size_option(command, options);
  auto* limit = command.add_option("--max-pixels", options.read.pixel_limit, "refuse larger images unread");
  auto* stop = command.add_flag("--stop-at-error", options.stop_at_error,
                                "stop at the first image that fails; without it the others\n"
                                "are still processed, and the exit code is 2 too");
  frame->type_name("N")->transform(whole_number());
  limit->type_name("N")->transform(whole_number(1));
  stack->excludes(volume)->excludes(page);
  page->excludes(frame);
  for (auto* option : {stack, volume, page, frame, channel, size, limit, stop}) option->group(group);
}

CLI::Option* add_page_option(CLI::App& command, input_options& options) {
  return command.add_option("--page", options.read.page, "one page of a file with several; the first is 0")
      ->type_name("N")
      ->transform(whole_number());
}

CLI::Option* add_channel_option(CLI::App& command, const std::string& name, const std::string& description,
                                std::function<void(const channel_choice&)> choose) {
  const auto read = [choose = std::move(choose)](const std::string& text) {
    constexpr std::size_t digits = 9;  // of a number that fits; longer ones are names
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos && text.size() <= digits;
    choose({is_number ? std::stoi(text) : -1, text});
  };
  return command.add_option_function<std::string>(name, read, description)->type_name("N|NAME")->check(a_name());
}

CLI::Option* add_channel_option(CLI::App& command, input_options& options) {
  return add_channel_option(command, "--channel",
                            "one channel by its number, the first is 0, or by its\n"
                            "name (else colour becomes grey: 0.2125 R + 0.7154 G +\n"
                            "0.0721 B)",
                            [&options](const channel_choice& chosen) { chosen.apply(options.read); });
}

CLI::Option* add_pixel_size_option(CLI::App& command, input_options& options) {
  const auto check = [](std::string& text) {
    return pixel_size_of(text)
               ? std::string()
               : "'" + text + "' is not Z,Y,X, Y,X or one number, from 1e-50 to 1e50, with a unit or none";
  };
  const auto choose = [&options](const std::string& text) { options.pixel_size = *pixel_size_of(text); };
  return command
      .add_option_function<std::string>("--pixel-size", choose,
                                        "the size of a pixel, \"0.5,0.1,0.1um\"; one number for\n"
                                        "all axes (else that of ImageJ or OME-TIFF files; none:\n"
                                        "no columns in units)")
      ->type_name("[Z,]Y,X[UNIT]")
      ->check(CLI::Validator(check, ""));
}

void add_foreground_options(CLI::App& command, foreground_options& options, const std::string& without) {
  const std::string group = "Foreground (without any of these: " + without + "; NaN is never foreground)";
  auto* threshold = command.add_option("-t,--threshold", options.threshold,
                                       "pixels above VALUE; otsu finds the value of each image,\n"
                                       "as scikit-image's threshold_otsu does; with 256 bins\n"
                                       "for whole numbers that span 65536 or more");
  auto* at_least = command.add_option("--at-least", options.at_least, "pixels of VALUE and above");
  auto* range = command.add_option("--range", options.range, "pixels from LOW to HIGH, both included");
  auto* invert = command.add_flag("--invert", options.invert, "all other pixels: dark objects on a bright background");
  threshold->type_name("VALUE|otsu");
  at_least->type_name("VALUE")->transform(a_number());
  range->type_name("LOW HIGH")->expected(2)->transform(a_number());
  threshold->excludes(at_least)->excludes(range);
  at_least->excludes(range);
  invert->excludes(range);
  for (auto* option : {threshold, at_least, range, invert}) option->group(group);
}

void add_component_options(CLI::App& command, component_options& options) {
  const std::string group = component_group;
  auto* connectivity = command.add_option("-c,--connectivity", options.connectivity,
                                          "neighbours of a pixel: 4 or 8 in images (default 8),\n"
                                          "6, 18 or 26 in volumes (default 26)");
  auto* fill =
      command.add_flag("--fill-holes", options.selection.fill_holes, "holes become part of the component around them");
  connectivity->type_name("N")->check(one_of("--connectivity"));
  for (auto* option : {connectivity, fill}) option->group(group);
  add_selection_options(command, options.selection, "components", group);
}

void add_picture_options(CLI::App& command, job_options& options, CLI::Option* labels) {
  command
      .add_option("--overlay", options.overlay,
                  "a picture of the components in colour over the image;\n"
                  "of a volume or a stack, up to 24 slices side by side")
      ->type_name("FILE.png")
      ->check(a_file_name())
      ->each([&options](const std::string&) { options.input.read.keep_colours = true; })
      ->group("Output");
  command
      .add_option("--palette", options.palette,
                  "colours of --overlay: vivid (the default), or map, land\n"
                  "on a dark sea")
      ->type_name("NAME")
      ->check(one_of("--palette"))
      ->needs("--overlay")
      ->group("Output");
  add_labels_type_option(command, options.labels_type)->needs(labels)->group("Output");
  add_quiet_option(command, options.quiet);
}

CLI::Option* add_labels_type_option(CLI::App& command, std::string& type) {
  return command
      .add_option("--labels-type", type,
                  "auto (the smallest that holds the labels), u8, u16,\n"
                  "u32 or u64")
      ->type_name("TYPE")
      ->check(one_of("--labels-type"));
}

void add_quiet_option(CLI::App& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "no summary, no progress, no notes")->group("Run");
}

void add_engine_options(CLI::App& command, engine_options& options, methods_for what) {
  const bool trees = what == methods_for::trees, has_methods = what != methods_for::nothing;
  const std::string group = "Run";
  command
      .add_option("--engine", options.name,
                  "auto, cpu, reference (slow, plain) or cuda; all give\n"
                  "the same bits, but for roundings of the reference that\n"
                  "docs/columns.md lists")
      ->type_name("NAME")
      ->check(one_of("--engine"))
      ->group(group);
  if (has_methods)
    command
        .add_option("--method", options.method,
                    trees ? "skerry, or for comparisons a published method, which\n"
                            "builds the same max-tree (skerry info lists them): only\n"
                            "images of 8 bits, on CUDA, with 4 neighbours"
                          : "skerry, or for comparisons a published method, which\n"
                            "gives the same labels (skerry info lists them): images,\n"
                            "or volumes by flsl-3d; no selections, only geometry")
        ->type_name("NAME")
        ->check(one_of("--method", trees ? "tree" : ""))
        ->group(group);
  if (has_methods && !trees)
    command
        .add_option("--first-copy", options.first_copy,
                    "tmk, ha-compact and flsl-cd-compact: objects copied before\n"
                    "the count is known; later frames use the previous count\n"
                    "plus a margin")
        ->type_name("N")
        ->needs("--method")
        ->transform(number_in(1, 999'999'999))
        ->group(group);
  command.add_option("--threads", options.threads, "1 to 1024; by default one per processor")
      ->type_name("N")
      ->transform(number_in(1, 1024))
      ->group(group);
  command
      .add_flag("--profile", options.profile,
                has_methods ? "print the time of the six stages, or of the phases of a\n"
                              "method, to standard error"
                            : "print the time of the six stages to standard error")
      ->group(group);
}

void check(const job_options& options) {
  if (options.foreground.at_least && std::isinf(*options.foreground.at_least) && *options.foreground.at_least < 0)
    throw usage_error("--at-least: every number is at least -inf");
  if (!options.foreground.range.empty() && options.foreground.range[0] > options.foreground.range[1])
    throw usage_error("--range: LOW is above HIGH");
  if (options.components.selection.min_area > options.components.selection.max_area)
    throw usage_error("--min-area is above --max-area");
  (void)conditions(options.components.keep);
}

void check_effects(std::initializer_list<dependence> options) {
  for (const dependence& each : options)
    if (each.given && !each.has_effect) throw usage_error(std::string(each.option) + " requires " + each.needs);
}

namespace {

// The engine that a method is published for; the library's own method runs on all of them.
std::string engine_of(const std::string& method) {
  for (const std::span<const published::method> list : {published::methods(), published::tree_methods()})
    for (const published::method& published : list)
      if (published.name == method) return published.engines.front() == engine_kind::cuda ? "cuda" : "cpu";
  return "auto";
}

engine make_cuda_engine(int threads) {
  try {
    return engine::cuda(0, threads);
  } catch (const device_error& error) {
    throw usage_error(std::string("--") + error.what());
  }
}

}  // namespace

engine make_engine(const engine_options& options) {
  const std::string name = options.name == "auto" ? engine_of(options.method) : options.name;
  check_effects({{"--threads", options.threads != 0, name != "reference", "another engine than the reference"}});
  engine made = name == "reference" ? engine::reference()
                : name == "cuda"    ? make_cuda_engine(options.threads)
                : name == "cpu"     ? engine::cpu(options.threads)
                                    : engine::automatic(options.threads);
  made.set_profiling(options.profile);
  return made;
}

}  // namespace skerry::cli

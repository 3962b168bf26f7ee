// SPDX-License-Identifier: Apache-2.0
// The options that commands share.
#pragma once
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "cli/pixel_size.hpp"
#include "io/image_file.hpp"
#include "skerry/engine.hpp"
#include "skerry/label.hpp"
#include "skerry/published.hpp"

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace skerry::cli {

struct input_options {
  std::vector<std::string> paths;
  bool stack = false;   // pages are images of their own
  bool volume = false;  // the inputs are slices of one volume
  bool stop_at_error = false;
  io::read_options read;
  pixel_size_choice pixel_size;
};

struct foreground_options {
  std::optional<std::string> threshold;  // a number or "otsu"
  std::optional<double> at_least;
  std::vector<double> range;  // two numbers, or nothing
  std::optional<double> background;
  bool invert = false;
};

struct component_options {
  int connectivity = 0;  // 0: all neighbours that touch, 8 or 26
  skerry::selection selection;
  skerry::joining joining;
  periodic_axes periodic;
  std::vector<std::string> keep;  // conditions on columns, for commands that take them
};

struct engine_options {
  std::string name = "auto";
  std::string method = std::string(published::own_method);
  std::uint64_t first_copy = published::method_options().first_copy;
  int threads = 0;
  bool profile = false;
};

struct band_options {
  std::int64_t memory = 0;  // bytes; 0: images are read as a whole
  bool resume = false;
};

struct job_options {
  input_options input;
  foreground_options foreground;
  component_options components;
  engine_options engine;
  std::string labels_type = "auto";
  std::string overlay, palette = "vivid";
  bool quiet = false;
};

void add_input_options(CLI::App& command, input_options& options);
/// --page, which `info` takes as well.
CLI::Option* add_page_option(CLI::App& command, input_options& options);

/// One channel, by its number or by its name.
struct channel_choice {
  int number = -1;
  std::string name;

  void apply(io::read_options& to) const {
    to.channel = number;
    to.channel_name = name;
  }
};

/// An option that takes a channel; `choose` gets it.
CLI::Option* add_channel_option(CLI::App& command, const std::string& name, const std::string& description,
                                std::function<void(const channel_choice&)> choose);
/// What --channel does to label images.
constexpr const char* channel_of_labels =
    "one channel by its number, the first is 0, or by its\n"
    "name; label images in colour are refused without it";
/// --channel and --pixel-size, which `track` takes as well.
[[nodiscard]] CLI::Option* add_channel_option(CLI::App& command, input_options& options);
[[nodiscard]] CLI::Option* add_pixel_size_option(CLI::App& command, input_options& options);
///   without  what applies when none of these options is given
void add_foreground_options(CLI::App& command, foreground_options& options,
                            const std::string& without = "pixels that are not 0");
void add_component_options(CLI::App& command, component_options& options);
/// --min-area, --max-area, --clear-border and --keep-largest, which add_component_options() adds too.
///   noun  what is dropped: "components"
void add_selection_options(CLI::App& command, selection& options, const std::string& noun, const std::string& group);
/// --keep, after add_selection_options(), in its group.
CLI::Option* add_keep_option(CLI::App& command, component_options& options);
/// Throws usage_error for one of these options, where the inputs are label images, whose regions `skerry relabel` selects.
///   problem  "excludes --labels"
void refuse_selections(const component_options& options, const std::string& problem);
/// What a command does that published methods can do as well.
enum class methods_for { nothing, labels, trees };
void add_engine_options(CLI::App& command, engine_options& options, methods_for what = methods_for::labels);
/// `labels`: the option of the label image, whose type can be chosen.
void add_picture_options(CLI::App& command, job_options& options, CLI::Option* labels);
/// --labels-type.
[[nodiscard]] CLI::Option* add_labels_type_option(CLI::App& command, std::string& type);
void add_quiet_option(CLI::App& command, bool& quiet);

/// Throws usage_error for options that CLI11 cannot check.
void check(const job_options& options);

/// An option that has an effect only beside others, where CLI11's needs() and excludes() do not say it: with one of several,
/// or with values of them.
struct dependence {
  const char* option;
  bool given;
  bool has_effect;
  const char* needs;  // "--film or --play"
};

/// Throws usage_error naming the first option that would do nothing.
void check_effects(std::initializer_list<dependence> options);

/// Throws usage_error when this build has no such engine, or it takes no --threads.
[[nodiscard]] engine make_engine(const engine_options& options);

/// Words that an option takes ("auto", "cpu", …), for checking and for shell completion; empty for a free value.
///   command  whose option it is: some take other words than the same option of the rest
[[nodiscard]] std::vector<std::string> words_of(const std::string& option, const std::string& command = "");

/// Accepts the words of an option only.
[[nodiscard]] CLI::Validator one_of(const std::string& option, const std::string& command = "");

/// Refuses the empty name, which a shell makes of a variable that is not set.
[[nodiscard]] CLI::Validator a_name();

/// Refuses names that begin with '-', too, which are options; "-" is standard input or output.
[[nodiscard]] CLI::Validator a_file_name();

}  // namespace skerry::cli

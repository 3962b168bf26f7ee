// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/spelling.hpp"
#include "io/printable.hpp"
#include "skerry/version.hpp"

namespace skerry::cli {
namespace {

constexpr int failed = 2;

constexpr const char* about =
    "Fast, exact connected-component labelling, measuring, tracking and max-trees of images.\n"
    "skerry COMMAND --help describes a command, with examples.";

constexpr const char* program_examples = R"(EXAMPLES
  skerry label coins.png --threshold otsu --fill-holes --min-area 50 --overlay coins-seen.png
  skerry label mask.tif -o labels.tif
  skerry measure coins.png --threshold otsu --intensity self -o coins.csv
  skerry outline labels.tif -o labels.geojson
  skerry contacts segmented.tif -o touching.csv
  skerry tree galaxies.png --min-area 30 --top-hat -o small-and-bright.png
  skerry track film.tif --threshold otsu -o objects.csv --events events.jsonl
  skerry info coins.png

Results go to standard output, messages to standard error. Exit code 0 is success, 2 an error, reported in one line.
When some of many images fail, the others are still written, the failures are listed at the end, and the exit code is 2.
Exit code 1: some frames of a film failed; each has a line.
An output file appears only when it is complete; after an error an older file is unchanged.)";

void define_help(CLI::App& command, const console& /*to*/) { command.add_option("COMMAND", "its name")->type_name(""); }

struct known_command {
  const char *name, *about;
  void (*define)(CLI::App& command, const console& to);
};

constexpr known_command commands[] = {
    {"label", "find the components of images, count them, write label images", define_label},
    {"measure", "measure the components of images: one row for each", define_measure},
    {"relabel", "number the regions of label images 1..n, all or some", define_relabel},
    {"outline", "follow the outlines of the regions of label images: polygons", define_outline},
    {"contacts", "find which regions of label images touch: one row for each pair", define_contacts},
    {"tree", "build the max-tree or min-tree of images, measure and filter it", define_tree},
    {"track", "follow the components of a film: persistent ids, births, merges", define_track},
    {"info", "show what this build can do, or what is in image files", define_info},
    {"completion", "print a completion script for a shell", define_completion},
    {"help", "show the help of a command, as COMMAND --help does", define_help},
};

// Shows a value as its name alone; what CLI11 adds (types, REQUIRED, Excludes) is in the texts where it helps.
class plain_formatter : public CLI::Formatter {
 public:
  plain_formatter() { column_width(28); }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;) text.erase(at, 1);
    return text;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return option->get_items_expected_max() == 0 || type.empty() ? "" : " " + type;
  }
};

// Characters in a line; 0 if unknown.
std::size_t width_of_terminal() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// One line whatever is in it.
int fail(std::ostream& err, std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  err << "skerry: " << io::printable(text) << '\n' << std::flush;
  return failed;
}

std::string help_hint(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  return " (see skerry " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") + "--help)";
}

std::vector<std::string> names_of_commands(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// "label, measure, … and help"
std::string list_of(const std::vector<std::string>& names) {
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string unknown_command(const CLI::App& program, const std::string& name) {
  const std::vector<std::string> known = names_of_commands(program);
  const std::string nearest = did_you_mean(name, known);
  return "unknown command '" + name + "'" +
         (nearest.empty() ? "; the commands are " + list_of(known) + help_hint(program) : nearest);
}

std::string unknown_option(const CLI::App& program, const CLI::App& command, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
    for (const std::string& each : option->get_snames()) known.push_back("-" + each);
  }
  const std::string nearest = did_you_mean(name, known);
  return "unknown option '" + name + "'" + (nearest.empty() ? help_hint(program) : nearest);
}

// CLI11 has taken what it knows; the first of the rest is what is wrong.
std::string unknown_argument(const CLI::App& program) {
  const auto chosen = program.get_subcommands();
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  const std::vector<std::string> rest = program.remaining(true);
  if (rest.empty()) return "an argument was not expected" + help_hint(program);
  const auto dashed =
      std::find_if(rest.begin(), rest.end(), [](const std::string& word) { return word.starts_with('-'); });
  if (dashed == rest.end()) return "unexpected argument '" + rest.front() + "'" + help_hint(program);
  return unknown_option(program, command, *dashed);
}

// A command, or an option of the program. Throws usage_error.
void check_first(const CLI::App& program, const std::string& first) {
  const std::vector<std::string> known = names_of_commands(program);
  if (first.starts_with('-')) {
    if (program.get_option_no_throw(first) == nullptr) throw usage_error(unknown_option(program, program, first));
  } else if (std::find(known.begin(), known.end(), first) == known.end()) {
    throw usage_error(unknown_command(program, first));
  }
}

// "skerry help label" is "skerry label --help".
std::vector<const char*> without_help_command(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2 || argc > 3 || std::string_view(argv[1]) != "help") return words;
  if (argc == 3 && std::string_view(argv[2]).starts_with('-')) return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

// The first word that is no option; none if there is none.
std::string_view command_of(const std::vector<const char*>& words) {
  const auto command = std::find_if(words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(words)), words.end(),
                                    [](const char* word) { return *word != '-'; });
  return command == words.end() ? std::string_view() : *command;
}

// Adds every command by name, for the list and for spelling. Options take longer to add than a short call takes, so only the command
// that is called gets them; `completion` lists those of all.
void add_commands(CLI::App& program, std::string_view called, const console& to) {
  for (const known_command& known : commands) {
    CLI::App* const command = program.add_subcommand(known.name, known.about);
    if (called == known.name || called == "completion") known.define(*command, to);
  }
}

int parse_and_run(CLI::App& program, const std::vector<const char*>& words, const console& to) {
  int code = 0;
  try {
    if (words.size() < 2)
      return fail(to.err, "a command is missing: " + list_of(names_of_commands(program)) + help_hint(program));
    check_first(program, words[1]);
    program.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& asked) {  // --help and --version
    program.exit(asked, to.out, to.err);
  } catch (const CLI::RuntimeError& ended) {  // the command has said why
    code = ended.get_exit_code();
  } catch (const CLI::ExtrasError&) {
    return fail(to.err, unknown_argument(program));
  } catch (const CLI::RequiredError& error) {
    // A mistyped option, or a file whose name begins with a dash, is why there is no input.
    const std::vector<std::string> rest = program.remaining(true);
    return fail(to.err, rest.empty() ? error.what() + help_hint(program) : unknown_argument(program));
  } catch (const CLI::ParseError& error) {
    return fail(to.err, error.what() + help_hint(program));
  }
  to.out.flush();
  return to.out ? code : fail(to.err, "standard output cannot be written");
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  try {
    const bool out_is_terminal = &out == &std::cout && ::isatty(STDOUT_FILENO) == 1;
    const console to{out, err, out_is_terminal, &err == &std::cerr && ::isatty(STDERR_FILENO) == 1,
                     out_is_terminal ? width_of_terminal() : 0};
    CLI::App program(about, "skerry");
    program.formatter(std::make_shared<plain_formatter>());
    program.set_version_flag("--version", std::string("skerry ") + version, "show the version");
    program.set_help_flag("-h,--help", "show this help");
    program.require_subcommand(1);
    program.footer(program_examples);
    const std::vector<const char*> words = without_help_command(argc, argv);
    add_commands(program, command_of(words), to);
    return parse_and_run(program, words, to);
  } catch (const std::bad_alloc& error) {
    return fail(err, std::string("not enough memory: ") + error.what());
  } catch (const std::exception& error) {
    return fail(err, error.what());
  } catch (...) {
    return fail(err, "unknown error");
  }
}

}  // namespace skerry::cli

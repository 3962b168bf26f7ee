// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "io/printable.hpp"
#include "skerry/version.hpp"

namespace skerry::cli {
namespace {

constexpr int failed = 2;

constexpr const char* about =
    "Connected components of images: from a pixel to an island with a name.\n"
    "skerry COMMAND --help tells everything about a command, with examples.";

constexpr const char* program_examples = R"(EXAMPLES
  skerry label coins.png --threshold otsu --fill-holes --min-area 50 --overlay coins-seen.png
  skerry label mask.tif -o labels.tif
  skerry measure coins.png --threshold otsu --intensity self -o coins.csv
  skerry tree galaxies.png --min-area 30 --top-hat -o small-and-bright.png
  skerry track film.tif --threshold otsu -o objects.csv --events events.jsonl
  skerry info coins.png

Results go to standard output, messages to standard error. Exit code 0 is success, 2 an error, which is one line;
1 says that some frames of a film have no result, and has a line for each of them.
An output file appears under its name only when it is whole; after an error an older file is as it was.)";

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

bool has_command(const CLI::App& program, const std::string& name) {
  const auto commands = program.get_subcommands({});
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* each) { return each->get_name() == name; });
}

int parse_and_run(CLI::App& program, int argc, const char* const* argv, const console& to) {
  int code = 0;
  try {
    if (argc < 2)
      return fail(to.err, "a command is missing: label, measure, tree, track, info or completion" + help_hint(program));
    if (const std::string first = argv[1]; !first.starts_with('-') && !has_command(program, first))
      return fail(to.err, "there is no command '" + first + "', but label, measure, tree, track, info and completion" +
                              help_hint(program));
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help and --version
    program.exit(asked, to.out, to.err);
  } catch (const CLI::RuntimeError& ended) {  // the command has said why
    code = ended.get_exit_code();
  } catch (const CLI::ParseError& error) {
    return fail(to.err, error.what() + help_hint(program));
  }
  to.out.flush();
  return to.out ? code : fail(to.err, "standard output cannot be written");
}

}  // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  try {
    const console to{out, err, &out == &std::cout && ::isatty(STDOUT_FILENO) == 1,
                     &err == &std::cerr && ::isatty(STDERR_FILENO) == 1};
    CLI::App program(about, "skerry");
    program.formatter(std::make_shared<plain_formatter>());
    program.set_version_flag("--version", std::string("skerry ") + version, "show the version");
    program.set_help_flag("-h,--help", "show this help");
    program.require_subcommand(1);
    program.footer(program_examples);
    add_label(program, to);
    add_measure(program, to);
    add_tree(program, to);
    add_track(program, to);
    add_info(program, to);
    add_completion(program, to);
    return parse_and_run(program, argc, argv, to);
  } catch (const std::bad_alloc& error) {
    return fail(err, std::string("not enough memory: ") + error.what());
  } catch (const std::exception& error) {
    return fail(err, error.what());
  } catch (...) {
    return fail(err, "unknown error");
  }
}

}  // namespace skerry::cli

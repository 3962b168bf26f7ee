// SPDX-License-Identifier: Apache-2.0
// Shell completion, made from the commands themselves so that it cannot lag behind them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/attribute_columns.hpp"
#include "cli/column_choice.hpp"
#include "cli/commands.hpp"
#include "cli/feature_columns.hpp"
#include "cli/options.hpp"

namespace skerry::cli {
namespace {

// What an option's value is, and what is offered for it.
enum class value_kind : std::uint8_t { none, words, columns, condition, files, folders, other };

struct option_entry {
  std::vector<std::string> names;  // with their dashes
  std::string description;         // its first line
  value_kind value = value_kind::none;
  int values = 1;                  // how many follow
  std::vector<std::string> words;  // that the value may be, or columns
};

struct command_entry {
  std::string name, description;
  std::vector<option_entry> options;
  std::vector<std::string> words;  // that follow the command; otherwise files
};

constexpr const char* completion_examples = R"(EXAMPLES
  bash, for this user:
    mkdir -p ~/.local/share/bash-completion/completions
    skerry completion bash > ~/.local/share/bash-completion/completions/skerry
  zsh, in a folder of $fpath:
    skerry completion zsh > ~/.zfunc/_skerry
  fish:
    skerry completion fish > ~/.config/fish/completions/skerry.fish)";

const std::vector<std::string> shells = {"bash", "zsh", "fish"};

value_kind kind_of(const CLI::Option& option, const std::vector<std::string>& words) {
  if (option.get_items_expected_max() == 0) return value_kind::none;
  if (!words.empty()) return value_kind::words;
  const std::string type = option.get_type_name();
  if (type == "LIST") return value_kind::columns;
  if (type == "CONDITION") return value_kind::condition;
  if (type.starts_with("FILE")) return value_kind::files;
  return type == "FOLDER" ? value_kind::folders : value_kind::other;
}

// Names that --features and --keep of a command take, whatever the images are.
std::vector<std::string> columns_for(const std::string& command, value_kind kind) {
  const bool tree = command == "tree";
  std::vector<std::string> names;
  if (kind == value_kind::columns) {
    names = tree ? std::vector<std::string>{"all", "tree", "geometry", "moments", "levels", "bbox", "centroid"}
                 : std::vector<std::string>{"all", "geometry", "moments", "intensity", "shape", "bbox", "centroid"};
  }
  for (const int rank : {2, 3})
    for (const std::string& name : tree                 ? attribute_names(rank)
                                   : command == "track" ? choose_track_columns("all", rank).names
                                                        : choose_columns("all", {rank, dtype::u8, {}}).names)
      if (!holds(names, name)) names.push_back(name);
  return names;
}

std::vector<option_entry> options_of(const CLI::App& command) {
  std::vector<option_entry> entries;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional()) continue;
    option_entry entry;
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    const std::string text = option->get_description();
    entry.description = text.substr(0, text.find('\n'));
    entry.words = words_of(entry.names.front(), command.get_name());
    entry.value = kind_of(*option, entry.words);
    entry.values = entry.value == value_kind::other ? option->get_items_expected_max() : 1;
    if (entry.value == value_kind::columns || entry.value == value_kind::condition)
      entry.words = columns_for(command.get_name(), entry.value);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<command_entry> commands_of(const CLI::App& program) {
  std::vector<command_entry> commands;
  for (const CLI::App* command : program.get_subcommands({})) {
    commands.push_back({command->get_name(), command->get_description(), options_of(*command), {}});
    if (command->get_name() == "completion") commands.back().words = shells;
  }
  for (command_entry& command : commands)
    if (command.name == "help")
      for (const command_entry& other : commands) command.words.push_back(other.name);
  return commands;
}

std::string names_of(const std::vector<command_entry>& commands) {
  std::string names;
  for (const command_entry& command : commands) names += command.name + " ";
  return names + "--help --version";
}

// The line that offers values of an option.
std::string bash_action(const option_entry& option) {
  switch (option.value) {
    case value_kind::words: return fmt::format("_skerry_words '{}'", fmt::join(option.words, " "));
    case value_kind::columns: return fmt::format("_skerry_words '{}' ','", fmt::join(option.words, " "));
    case value_kind::condition: return fmt::format("_skerry_words '{}' ' (!'", fmt::join(option.words, " "));
    case value_kind::files: return "_skerry_files";
    case value_kind::folders: return "_skerry_files -d";
    default: return ":";  // numbers: nothing to offer
  }
}

std::string bash_script(const std::vector<command_entry>& commands) {
  std::string values, seconds, flags;
  for (const command_entry& command : commands) {
    std::string all;
    for (const option_entry& option : command.options) {
      all += fmt::format("{} ", fmt::join(option.names, " "));
      if (option.value == value_kind::none) continue;
      const std::string keys = fmt::format("{0}:{1}", command.name, fmt::join(option.names, "|" + command.name + ":"));
      values += fmt::format("    {}) {}; return ;;\n", keys, bash_action(option));
      if (option.values > 1) seconds += fmt::format("    {}) return ;;\n", keys);
    }
    flags += fmt::format("    {}) flags='{}' words='{}' ;;\n", command.name, all, fmt::join(command.words, " "));
  }
  return fmt::format(R"script(# bash completion of skerry
# Offers words; after one of the separators for what follows the last of them.
_skerry_words() {{
  local last=${{current##*[${{2:-$'\n'}}]}}
  mapfile -t COMPREPLY < <(compgen -P "${{current%"$last"}}" -W "$1" -- "$last")
  [ -n "$2" ] && compopt -o nospace 2>/dev/null
}}
# The shell quotes what is special in names of files.
_skerry_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "${{1:--f}}" -- "$current")
}}
_skerry() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local before= flags= words=
  [ "$COMP_CWORD" -gt 3 ] && before=${{COMP_WORDS[COMP_CWORD-2]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _skerry_words '{}'
    return
  fi
  case $command:$previous in
{}  esac
  case $command:$before in
{}  esac
  case $command in
{}  esac
  if [[ $current == -* ]]; then
    _skerry_words "$flags"
  elif [ -n "$words" ]; then
    _skerry_words "$words"
  else
    _skerry_files
  fi
}}
complete -F _skerry skerry
)script",
                     names_of(commands), values, seconds, flags);
}

// Inside single quotes of zsh and fish.
std::string quoted(const std::string& text, const std::string& special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') result += "'\\''";
    else if (special.find(c) != std::string::npos) (result += '\\') += c;
    else result += c;
  }
  return result;
}

std::string zsh_action(const option_entry& option) {
  switch (option.value) {
    case value_kind::none: return "";
    case value_kind::words: return fmt::format(":value:({})", fmt::join(option.words, " "));
    case value_kind::columns: return fmt::format(":columns:_sequence compadd - {}", fmt::join(option.words, " "));
    case value_kind::condition: return fmt::format(":condition:({})", fmt::join(option.words, " "));
    case value_kind::files: return ":file:_files";
    case value_kind::folders: return ":folder:_files -/";
    case value_kind::other: break;
  }
  std::string numbers;
  for (int i = 0; i < option.values; ++i) numbers += ":number: ";
  return numbers;
}

std::string zsh_script(const std::vector<command_entry>& commands) {
  std::string list, cases;
  for (const command_entry& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, quoted(command.description, ":\\"));
    std::string specs;
    for (const option_entry& option : command.options)
      for (const std::string& name : option.names)
        specs += fmt::format("        '{}[{}]{}' \\\n", name, quoted(option.description, "[]:\\"), zsh_action(option));
    const std::string rest =
        command.words.empty() ? "*:image:_files" : fmt::format("1:word:({})", fmt::join(command.words, " "));
    cases += fmt::format("    {})\n      _arguments -s \\\n{}        '{}'\n      ;;\n", command.name, specs, rest);
  }
  return fmt::format(R"(#compdef skerry
# zsh completion of skerry
_skerry() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    _arguments '--help[show the help]' '--version[show the version]'
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
_skerry "$@"
)",
                     list, cases);
}

std::string fish_action(const option_entry& option) {
  switch (option.value) {
    case value_kind::none: return "";
    case value_kind::words:
    case value_kind::condition: return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
    case value_kind::columns: return fmt::format(" -x -a '(__fish_append , {})'", fmt::join(option.words, " "));
    case value_kind::files: return " -r -F";
    case value_kind::folders: return " -x -a '(__fish_complete_directories)'";
    case value_kind::other: break;
  }
  return " -x";
}

std::string fish_script(const std::vector<command_entry>& commands) {
  std::string script = "# fish completion of skerry\n";
  for (const command_entry& command : commands)
    script += fmt::format("complete -c skerry -f -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                          quoted(command.description, "\\"));
  for (const command_entry& command : commands) {
    const std::string when = fmt::format("complete -c skerry -n '__fish_seen_subcommand_from {}'", command.name);
    if (!command.words.empty()) script += fmt::format("{} -f -a '{}'\n", when, fmt::join(command.words, " "));
    for (const option_entry& option : command.options) {
      script += when;
      for (const std::string& name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      script += fish_action(option);
      script += fmt::format(" -d '{}'\n", quoted(option.description, "\\"));
    }
  }
  return script;
}

}  // namespace

void define_completion(CLI::App& command, const console& to) {
  auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(shells).description(""));
  command.footer(completion_examples);
  command.callback([shell, program = command.get_parent(), &to] {
    const std::vector<command_entry> commands = commands_of(*program);
    to.out << (*shell == "bash"  ? bash_script(commands)
               : *shell == "zsh" ? zsh_script(commands)
                                 : fish_script(commands));
  });
}

}  // namespace skerry::cli

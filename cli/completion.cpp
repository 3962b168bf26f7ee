// SPDX-License-Identifier: Apache-2.0
// Shell completion, made from the commands themselves so that it cannot lag behind them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/options.hpp"

namespace skerry::cli {
namespace {

struct option_entry {
  std::vector<std::string> names;  // with their dashes
  std::string description;         // its first line
  bool takes_value = false;
  std::vector<std::string> words;  // that the value may be; otherwise files
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

std::vector<option_entry> options_of(const CLI::App& command) {
  std::vector<option_entry> entries;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->nonpositional()) continue;
    option_entry entry;
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    const std::string text = option->get_description();
    entry.description = text.substr(0, text.find('\n'));
    entry.takes_value = option->get_items_expected_max() > 0;
    entry.words = words_of(entry.names.front(), command.get_name());
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
  return commands;
}

std::string names_of(const std::vector<command_entry>& commands) {
  std::string names;
  for (const command_entry& command : commands) names += command.name + " ";
  return names + "--help --version";
}

std::string bash_script(const std::vector<command_entry>& commands) {
  std::string values, flags;
  for (const command_entry& command : commands) {
    std::string all;
    for (const option_entry& option : command.options) {
      all += fmt::format("{} ", fmt::join(option.names, " "));
      if (!option.takes_value) continue;
      values += fmt::format("    {}) ", fmt::join(
                                            [&] {
                                              std::vector<std::string> keys;
                                              for (const auto& name : option.names)
                                                keys.push_back(command.name + ":" + name);
                                              return keys;
                                            }(),
                                            "|"));
      values += option.words.empty()
                    ? "COMPREPLY=($(compgen -f -- \"$current\"))"
                    : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", fmt::join(option.words, " "));
      values += "; return ;;\n";
    }
    flags += fmt::format("    {}) flags='{}' words='{}' ;;\n", command.name, all, fmt::join(command.words, " "));
  }
  return fmt::format(R"(# bash completion of skerry
_skerry() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local flags= words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$current"))
    return
  fi
  case $command:$previous in
{}  esac
  case $command in
{}  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _skerry skerry
)",
                     names_of(commands), values, flags);
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

std::string zsh_script(const std::vector<command_entry>& commands) {
  std::string list, cases;
  for (const command_entry& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, quoted(command.description, ":\\"));
    std::string specs;
    for (const option_entry& option : command.options)
      for (const std::string& name : option.names) {
        const std::string action = !option.takes_value    ? ""
                                   : option.words.empty() ? ":value:_files"
                                                          : fmt::format(":value:({})", fmt::join(option.words, " "));
        specs += fmt::format("        '{}[{}]{}' \\\n", name, quoted(option.description, "[]:\\"), action);
      }
    const std::string rest =
        command.words.empty() ? "*:image:_files" : fmt::format("1:shell:({})", fmt::join(command.words, " "));
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
      if (option.takes_value)
        script += option.words.empty() ? " -r -F" : fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
      script += fmt::format(" -d '{}'\n", quoted(option.description, "\\"));
    }
  }
  return script;
}

}  // namespace

void add_completion(CLI::App& program, const console& to) {
  CLI::App* command = program.add_subcommand("completion", "print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("")->check(CLI::IsMember(shells));
  command->footer(completion_examples);
  command->callback([shell, &program, &to] {
    const std::vector<command_entry> commands = commands_of(program);
    to.out << (*shell == "bash"  ? bash_script(commands)
               : *shell == "zsh" ? zsh_script(commands)
                                 : fish_script(commands));
  });
}

}  // namespace skerry::cli

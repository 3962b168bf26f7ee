// SPDX-License-Identifier: Apache-2.0
// One function per command, in the file of its name: it adds options, examples, and the callback that runs the command.
#pragma once
#include "cli/console.hpp"

namespace CLI {
class App;
}

namespace skerry::cli {

void define_label(CLI::App& command, const console& to);
void define_measure(CLI::App& command, const console& to);
void define_relabel(CLI::App& command, const console& to);
void define_outline(CLI::App& command, const console& to);
void define_contacts(CLI::App& command, const console& to);
void define_tree(CLI::App& command, const console& to);
void define_track(CLI::App& command, const console& to);
void define_info(CLI::App& command, const console& to);
void define_completion(CLI::App& command, const console& to);

}  // namespace skerry::cli
